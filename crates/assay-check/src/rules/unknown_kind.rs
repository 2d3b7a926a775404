use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// It is not clear what a file is
    ///
    /// A file that was named on the command line is none of the kinds that can be validated, by its
    /// name or its content. Files that are merely found in a directory are passed over in silence.
    ///
    /// ## What to do
    ///
    /// Say what the file is: `--as eval-yaml`, `--as eval-results`, `--as eee` or `--as
    /// eee-samples`.
    UNKNOWN_KIND = (2, "unknown-kind", Error)
}

pub(crate) fn report(sink: &mut Sink<'_>) {
    sink.report_whole(&UNKNOWN_KIND, || {
        Draft::new("this is no benchmark, result file or Every Eval Ever file that can be recognised")
            .help("say what it is with `--as eval-yaml`, `--as eval-results`, `--as eee` or `--as eee-samples`")
    });
}
