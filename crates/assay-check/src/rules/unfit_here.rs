use assay_formats::Value;
use assay_formats::shape::{Condition, Shape, one_of};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A value does not go with another key
    ///
    /// A single-turn row has its answer in `output` and no `messages`; a row with several turns has
    /// `messages` and no `output`. A row with both says two different things.
    ///
    /// ## What to do
    ///
    /// Correct `interaction_type`, or move the content to where it belongs and leave the other key
    /// out.
    UNFIT_HERE = (111, "unfit-here", Error)
}

pub(crate) fn report(
    at: Value<'_>,
    expected: &'static Shape,
    condition: &Condition,
    sink: &mut Sink<'_>,
) {
    sink.report(&UNFIT_HERE, at.head(), || {
        Draft::new(format!(
            "`{}` must be {} because `{}` is {}",
            at.path(),
            expected.words(),
            condition.key,
            one_of(condition.is)
        ))
        .help(format!(
            "correct `{}`, or move the content to where it belongs",
            condition.key
        ))
        .path_of(at)
    });
}
