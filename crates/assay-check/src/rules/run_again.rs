use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The same run again, with other scores
    ///
    /// The two records agree in the model, the setup and what was evaluated, and differ in scores.
    /// They are two runs that nothing tells apart, or one of them was corrected. Boards show one of
    /// the two.
    ///
    /// ## What to do
    ///
    /// Say how the runs differ (`generation_config`, `evaluation_timestamp`), or keep the record
    /// that counts.
    RUN_AGAIN = (614, "run-again", Note)
}

pub(crate) fn report(differing: usize, results: usize, first: &str, sink: &mut Sink<'_>) {
    sink.report_whole(&RUN_AGAIN, || {
        Draft::new(format!(
            "{} is the same run with other scores",
            quote(first)
        ))
        .note(format!("{differing} of {results} scores differ"))
        .help("say how the runs differ, or keep the record that counts")
    });
}
