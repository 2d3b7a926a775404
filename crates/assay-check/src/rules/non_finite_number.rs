use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A number is not finite
    ///
    /// `NaN` and `Infinity` are not JSON, and a literal such as `1e999` becomes infinite when it is
    /// read. A score that is not finite would sort to the top or the bottom of a board, or break
    /// the page.
    ///
    /// ## What to do
    ///
    /// Leave out a score that does not exist. An unbounded `min_score` or `max_score` of an Every
    /// Eval Ever record is the *string* `"-Infinity"` or `"Infinity"`; `null` means that the bound
    /// is not known.
    NON_FINITE_NUMBER = (8, "non-finite-number", Error)
}

pub(crate) fn report(at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&NON_FINITE_NUMBER, at, || {
        Draft::new("this number is not finite")
            .help("leave a missing score out; an unbounded limit of a record is the string `\"Infinity\"`")
    });
}
