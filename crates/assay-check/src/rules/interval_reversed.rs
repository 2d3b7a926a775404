use crate::parts::UncertaintyParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The ends of a confidence interval are the wrong way round
    ///
    /// `lower` is greater than `upper`, so the interval holds nothing.
    ///
    /// ## What to do
    ///
    /// Swap the ends. When the two numbers are distances from the score, add them to the score
    /// first.
    INTERVAL_REVERSED = (418, "interval-reversed", Error)
}

pub(crate) fn check(uncertainty: &UncertaintyParts<'_>, sink: &mut Sink<'_>) {
    let Some(interval) = uncertainty.interval else {
        return;
    };
    let (Some(lower), Some(upper)) = (interval.get("lower"), interval.get("upper")) else {
        return;
    };
    let (Some(from), Some(to)) = (lower.number(), upper.number()) else {
        return;
    };
    if from > to {
        sink.report(&INTERVAL_REVERSED, lower, || {
            Draft::new(format!(
                "the interval runs from {} down to {}",
                lower.raw(),
                upper.raw()
            ))
            .help("swap `lower` and `upper`")
        });
    }
}
