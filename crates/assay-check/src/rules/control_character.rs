use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A raw control character stands inside a string
    ///
    /// JSON strings must escape the characters below U+0020. A raw line feed inside a row of a
    /// samples file also tears the row in two.
    ///
    /// ## What to do
    ///
    /// Write `\n`, `\t` and the like. Any JSON library does.
    CONTROL_CHARACTER = (10, "control-character", Error)
}

pub(crate) fn report(at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&CONTROL_CHARACTER, at, || {
        Draft::new("a raw control character inside a string")
            .help("escape it, as in `\\n` or `\\t`")
    });
}
