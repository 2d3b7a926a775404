use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A samples file has an empty line
    ///
    /// An empty line is no row; it does not count towards `total_rows`. Some readers stop at it or
    /// fail.
    ///
    /// ## What to do
    ///
    /// Remove the line. Note that this changes the checksum of the file.
    BLANK_ROW = (501, "blank-row", Warning)
}

pub(crate) fn report(sink: &mut Sink<'_>) {
    sink.report(&BLANK_ROW, 0..0, || {
        Draft::new("an empty line between rows").help("remove it, and update the checksum")
    });
}
