use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A key has nothing behind it
    ///
    /// In YAML, a key with nothing behind it is null, and null is not text. The key may be absent,
    /// so it is read as if it were; other tools may show `None` or fail.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// notes:                # null, not an empty text
    /// ```
    ///
    /// ## What to do
    ///
    /// Leave the key out, or give it a value.
    EMPTY_KEY = (327, "empty-key", Warning)
}

pub(crate) fn report(at: Value<'_>, sink: &mut Sink<'_>) {
    sink.report(&EMPTY_KEY, at, || {
        Draft::new(format!("`{}` has nothing behind it", at.path()))
            .help("leave the key out, or give it a value")
    });
}
