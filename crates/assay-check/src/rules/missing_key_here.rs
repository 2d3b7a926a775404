use assay_formats::Value;
use assay_formats::shape::{Condition, one_of};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A key is missing that another key asks for
    ///
    /// A record with `score_type: levels` must name its levels, one with `score_type: continuous`
    /// must say between which bounds scores lie, a single-turn row has an `output`, and a row with
    /// several turns has `messages`. Before schema 0.2.3 a missing `score_type` was read as
    /// `levels`.
    ///
    /// ## What to do
    ///
    /// Add the key, or correct the key that asks for it. A bound that does not exist is
    /// `"Infinity"` or `"-Infinity"`, as a string; when it is not known, leave `score_type` out.
    MISSING_KEY_HERE = (110, "missing-key-here", Error)
}

pub(crate) fn report(at: Value<'_>, key: &str, condition: &Condition, sink: &mut Sink<'_>) {
    sink.report(&MISSING_KEY_HERE, at.head(), || {
        Draft::new(format!("`{key}` is required {}", reason(at, condition)))
            .help(format!("add `{key}`"))
            .path_of(at)
    });
}

/// Returns the reason why a condition applies, for a sentence.
pub(crate) fn reason(map: Value<'_>, condition: &Condition) -> String {
    if map.get(condition.key).is_none() {
        return format!("because `{}` is absent", condition.key);
    }
    format!("because `{}` is {}", condition.key, one_of(condition.is))
}
