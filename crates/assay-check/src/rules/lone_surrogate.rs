use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// Half of a character is missing
    ///
    /// An escape from `\ud800` to `\udfff` is one half of a character; without its other half it is
    /// not text, and tools replace it, keep it or fail. Most often a string was cut in the middle
    /// of an emoji.
    ///
    /// ## What to do
    ///
    /// Cut strings between characters. In Python, `text.encode("utf-8", "replace").decode("utf-8")`
    /// cleans them.
    LONE_SURROGATE = (9, "lone-surrogate", Error)
}

pub(crate) fn report(at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&LONE_SURROGATE, at, || {
        Draft::new("this escape is only half of a character")
            .help("the string was probably cut in the middle of an emoji")
    });
}
