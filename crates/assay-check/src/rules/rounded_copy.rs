use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A record says the same as another, rounded
    ///
    /// The two records agree in the model, the setup and what was evaluated, and each score of one
    /// is the other's to fewer digits. Counting both would weigh one run twice.
    ///
    /// ## What to do
    ///
    /// Keep the record with more digits.
    ROUNDED_COPY = (615, "rounded-copy", Warning)
}

pub(crate) fn report(first: &str, sink: &mut Sink<'_>) {
    sink.report_whole(&ROUNDED_COPY, || {
        Draft::new(format!(
            "this record says the same as {}, but for rounding",
            quote(first)
        ))
        .help("keep the one with more digits")
    });
}
