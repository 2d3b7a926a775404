use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A file cannot be read
    ///
    /// The file does not exist, is a directory where a file was expected, or the system refuses to
    /// open or read it. The other files are validated all the same, and the exit code is 3.
    ///
    /// ## What to do
    ///
    /// Check the path and the permissions. A name with `*`, `?` or `[` is taken as it is when such
    /// a file exists and as a pattern otherwise.
    UNREADABLE = (1, "unreadable", Error)
}

pub(crate) fn report(error: &std::io::Error, sink: &mut Sink<'_>) {
    sink.report_whole(&UNREADABLE, || {
        Draft::new(format!("the file cannot be read: {error}"))
            .help("check the path and the permissions")
    });
}
