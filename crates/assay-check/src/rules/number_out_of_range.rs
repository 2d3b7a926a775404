use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A number lies outside what the field allows
    ///
    /// Counts, durations and token numbers cannot be negative, a turn count begins at 1, and a
    /// confidence level lies between 0 and 1.
    ///
    /// ## What to do
    ///
    /// Correct the number. Leave the key out, or write `null` where that is allowed, when it is not
    /// known; never -1.
    NUMBER_OUT_OF_RANGE = (107, "number-out-of-range", Error)
}

pub(crate) fn too_small(at: Value<'_>, min: f64, sink: &mut Sink<'_>) {
    sink.report(&NUMBER_OUT_OF_RANGE, at, || {
        Draft::new(format!(
            "`{}` is {}, below the least that it can be, {min}",
            at.path(),
            at.raw()
        ))
        .help("leave the key out when the number is not known")
    });
}

pub(crate) fn too_large(at: Value<'_>, max: f64, sink: &mut Sink<'_>) {
    sink.report(&NUMBER_OUT_OF_RANGE, at, || {
        Draft::new(format!(
            "`{}` is {}, above the most that it can be, {max}",
            at.path(),
            at.raw()
        ))
        .help("a level of 95 % is written 0.95")
    });
}
