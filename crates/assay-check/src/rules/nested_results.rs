use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

/// The directory that result files lie in.
const RESULTS: &str = ".eval_results";

rule! {
    /// A result file lies too deep to be read
    ///
    /// Hubs read the files that lie in `.eval_results` itself, and none below:
    /// `.eval_results/2026/gpqa.yaml` is a file like any other, so its results are on no board.
    ///
    /// ## What to do
    ///
    /// Move the file into `.eval_results`.
    NESTED_RESULTS = (330, "nested-results", Warning)
}

pub(crate) fn check(path: &str, sink: &mut Sink<'_>) {
    let Some((directory, name)) = path.rsplit_once('/') else {
        return;
    };
    let mut parts = directory.rsplit('/');
    let is_read = parts.next() == Some(RESULTS);
    if is_read || !parts.any(|part| part == RESULTS) {
        return;
    }
    sink.report_whole(&NESTED_RESULTS, || {
        Draft::new(format!("hubs do not read directories below `{RESULTS}`")).help(format!(
            "move the file to {}",
            quote(&format!("{RESULTS}/{name}"))
        ))
    });
}
