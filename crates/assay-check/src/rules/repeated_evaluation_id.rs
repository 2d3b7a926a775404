use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two records have one evaluation id
    ///
    /// `evaluation_id` names one run. Readers that keep records by it lose one of the two without a
    /// word.
    ///
    /// Records are compared with all others of the same run of `assay validate`.
    ///
    /// ## What to do
    ///
    /// Put into the id what tells the two runs apart: the precision, the agent, the time. If they
    /// are one run, keep one record.
    REPEATED_EVALUATION_ID = (610, "repeated-evaluation-id", Warning)
}

pub(crate) fn report(id: Value<'_>, first: &str, sink: &mut Sink<'_>) {
    sink.report(&REPEATED_EVALUATION_ID, id, || {
        Draft::new(format!("{} has this evaluation id too", quote(first)))
            .help("give each run an id of its own, or keep one of the two records")
    });
}
