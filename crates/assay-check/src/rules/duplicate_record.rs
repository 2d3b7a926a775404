use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A record says the same as another
    ///
    /// The two records are equal but for `evaluation_id`, `retrieved_timestamp` and the path of the
    /// samples file, that is, for when they were scraped and where they were put. Counting both
    /// would weigh one result twice.
    ///
    /// ## What to do
    ///
    /// Keep one of them. Derive `evaluation_id` from the content, not from the clock, so that
    /// scraping twice gives the same record.
    DUPLICATE_RECORD = (608, "duplicate-record", Warning)
}

pub(crate) fn report(original: &str, sink: &mut Sink<'_>) {
    sink.report_whole(&DUPLICATE_RECORD, || {
        Draft::new(format!("this record says the same as {}", quote(original)))
            .note("only the evaluation id, the time of retrieval or the path differ")
            .help("keep one of the two")
    });
}
