use crate::forensics::{Claim, Interval, plain};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A confidence interval does not contain its score
    ///
    /// A confidence interval says where the true score may lie, and the measured one lies in it.
    /// When it does not, the limits are often distances from the score (0.88 with -0.03 and 0.03),
    /// in another scale (per cent beside a share), or of another result. What the digits leave open
    /// is allowed for: 0.667 lies in an interval that begins at 0.67.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.88, "uncertainty": { "confidence_interval": { "lower": -0.0318, "upper": 0.0318 } } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the limits themselves, in the scale of the score: 0.8482 and 0.9118.
    INTERVAL_EXCLUDES_SCORE = (605, "interval-excludes-score", Warning)
}

/// Validates whether an interval holds its score; returns whether it was found wrong.
pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) -> bool {
    // Limits that are turned round are refused elsewhere.
    let Some(interval) = claim.interval.filter(|own| own.lower <= own.upper) else {
        return false;
    };
    let score = claim.score.value;
    // Numbers may have been cut off, not rounded, so a whole step of the last digit is allowed, and
    // a little noise.
    let slack = claim.step(interval.unit.max(claim.score.unit)) + 1e-9 * score.abs();
    if (interval.lower - slack..=interval.upper + slack).contains(&score) {
        return false;
    }
    sink.report(&INTERVAL_EXCLUDES_SCORE, interval.at, || {
        let outside = if score < interval.lower {
            format!("below {}", interval.lower)
        } else {
            format!("above {}", interval.upper)
        };
        Draft::new(format!(
            "the confidence interval {} to {} does not contain the score {}",
            interval.lower,
            interval.upper,
            claim.score.text()
        ))
        .note(format!("{} is {outside}", claim.score.text()))
        .help(next_step(score, interval))
    });
    true
}

fn next_step(score: f64, interval: Interval<'_>) -> String {
    let (lower, upper) = (interval.lower, interval.upper);
    let holds = |factor: f64| (lower * factor..=upper * factor).contains(&score);
    if lower <= 0.0 && upper >= 0.0 {
        format!(
            "these look like distances from the score; write the limits: {} and {}",
            plain(score + lower),
            plain(score + upper)
        )
    } else if holds(0.01) || holds(100.0) {
        "write the interval in the scale of the score: the two differ by a factor of 100".to_owned()
    } else {
        "correct the interval or the score".to_owned()
    }
}
