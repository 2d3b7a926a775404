use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A key stands twice in one mapping
    ///
    /// Some tools keep the first value, some the last, some refuse the file. A result must not
    /// depend on who reads it.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// - dataset: {id: cais/hle, task_id: hle}
    ///   value: 20.9
    ///   value: 29.9
    /// ```
    ///
    /// ## What to do
    ///
    /// Remove one of the two. For several metrics of one run use `metrics`, a list.
    DUPLICATE_KEY = (7, "duplicate-key", Error)
}

pub(crate) fn report(first: &Range<usize>, at: Range<usize>, sink: &mut Sink<'_>) {
    let line = sink.line_of(first.start);
    sink.report(&DUPLICATE_KEY, at, || {
        Draft::new("this key already stands in the same mapping")
            .note(format!("it stands first on line {line}"))
            .help("remove one of the two")
    });
}
