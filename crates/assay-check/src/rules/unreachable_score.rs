use crate::forensics::{Claim, nearest_shares, plain, reachable};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// No number of right answers gives this score
    ///
    /// Accuracy, exact match and success rates count right answers: with 25 samples the score is 18/25 = 0.72 or
    /// 19/25 = 0.76, and nothing between. The rule looks for a whole number k so that k/n, rounded or cut off as the score
    /// is written, gives the score. It also tries samples that were asked 2 to 10, 12, 16, 20, 25, 32 or 64 times or are
    /// partly right in such steps, and it keeps silent about averages, F1 and everything else that is not a count.
    ///
    /// The usual reasons: the number of samples is that of another run, failed samples were left out of one of the two
    /// numbers, or the score is a mean over parts of different size.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "metric_name": "accuracy", "score": 0.7341, "uncertainty": { "num_samples": 30 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Correct the score or the number of samples. If the score is a mean over parts, say so in the name of the metric:
    /// `macro_accuracy`, `mean accuracy`.
    UNREACHABLE_SCORE = (607, "unreachable-score", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    // The number of samples is asked first: it is rarely there, and reading what a metric counts takes longer.
    let Some(n) = claim.n else {
        return;
    };
    let Some((share, unit, range)) = claim.counted() else {
        return;
    };
    if reachable(share, unit, n.value) {
        return;
    }
    sink.report(&UNREACHABLE_SCORE, claim.score.at, || {
        let [below, above] = nearest_shares(share, n.value)
            .map(|(k, share)| format!("{k}/{} = {}", n.value, plain(share * range.width())));
        Draft::new(format!(
            "no number of right answers out of {} gives {}",
            n.value,
            claim.score.text()
        ))
        .note(format!("the nearest are {below} and {above}"))
        .note("nor does any when each sample is asked up to 10, 12, 16, 20, 25, 32 or 64 times")
        .note(format!("`{}` is {}", n.at.path(), n.value))
        .help("correct the score or the number of samples; name a mean over parts as one")
    });
}
