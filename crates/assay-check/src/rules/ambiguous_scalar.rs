use std::collections::BTreeSet;

use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A value that tools read differently
    ///
    /// Without quotes, YAML 1.1 (which Python reads) and YAML 1.2 disagree on words such as `no`
    /// and `on`, on dates, and on numbers such as `017`, `1_000` and `1e3`. What one tool signs,
    /// another would read as something else.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// date: 2026-02-14        # a date object in Python, a string elsewhere
    /// higher_is_better: yes   # true in Python, the text "yes" elsewhere
    /// ```
    ///
    /// ## What to do
    ///
    /// Put text in quotes, write `true` and `false`, and write numbers plainly. `assay validate
    /// --fix` does this where only one meaning is possible.
    AMBIGUOUS_SCALAR = (14, "ambiguous-scalar", Warning)
}

/// Reports every scalar of a document that tools read differently and whose meaning is still clear
/// here, except those that begin where an error has already been reported.
pub(crate) fn check(value: Value<'_>, reported: &BTreeSet<usize>, sink: &mut Sink<'_>) {
    for item in value.items() {
        check(item, reported, sink);
    }
    for (_, item) in value.entries() {
        check(item, reported, sink);
    }
    if !value.is_loose() || reported.contains(&value.range().start) {
        return;
    }
    match value.kind() {
        Kind::String => sink.report(&AMBIGUOUS_SCALAR, value, || {
            Draft::new(format!(
                "{} is a date to some tools and text to others",
                quote(value.raw())
            ))
            .help("put it in quotes")
            .replace(value.range(), format!("\"{}\"", value.raw()))
        }),
        Kind::Bool => {
            let plain = if value.truth() == Some(true) {
                "true"
            } else {
                "false"
            };
            sink.report(&AMBIGUOUS_SCALAR, value, || {
                Draft::new(format!(
                    "{} is a boolean to some tools and text to others",
                    quote(value.raw())
                ))
                .help(format!(
                    "write `{plain}`, or put it in quotes if text is meant"
                ))
            });
        }
        Kind::Number => sink.report(&AMBIGUOUS_SCALAR, value, || {
            Draft::new(format!(
                "{} is not the same number to all tools",
                quote(value.raw())
            ))
            .help("write it plainly, such as `1000.0`, or put it in quotes if text is meant")
        }),
        Kind::Null | Kind::List | Kind::Map => {}
    }
}
