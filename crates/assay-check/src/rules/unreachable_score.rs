use assay_model::Severity;

use crate::forensics::{Claim, Reach, nearest_shares, plain, reach};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// No number of right answers gives this score
    ///
    /// Accuracy, exact match and success rates count right answers: with 25 samples the score is
    /// 18/25 = 0.72 or 19/25 = 0.76, and nothing between. The rule looks for a whole number k so
    /// that k/n, rounded or cut off as the score is written, gives the score. It keeps silent about
    /// averages, F1 and everything else that is not a count.
    ///
    /// A mean over several runs of the same samples has finer steps, so it matters how often each
    /// sample was asked:
    ///
    /// - When that is said, the steps are those of n and of n times the repeats, and anything
    ///   between them is a warning. A record says it with `epochs` (or `num_epochs`, `repeats`,
    ///   `num_repeats`, `num_runs`, `num_trials`) in `generation_config.additional_details`,
    ///   `metric_parameters` or `score_details.details`; an entry of a result file with
    ///   `metric_context: {epochs: 8}`. `epochs: 1` says that each was asked once.
    /// - When it is not said, 1 to 10, 12, 16, 20, 25, 32 or 64 times are taken for granted. A
    ///   score that needs another number of repeats is a note, because it may be honest. Only a
    ///   score that no number of repeats up to 256 gives is a warning.
    ///
    /// Without the number of repeats the rule therefore finds little. Of wrong scores it finds
    /// about:
    ///
    /// | samples | decimals | `epochs: 1` | nothing said, note or warning | nothing said, warning |
    /// |---:|---|---:|---:|---:|
    /// | 30 | 3 | 95 % | 0 | 0 |
    /// | 30 | 4 | 99 % | 46 % | 0 |
    /// | 30 | all | 100 % | 100 % | 95 % |
    /// | 198 | 4 | 97 % | 0 | 0 |
    /// | 198 | all | 100 % | 100 % | 56 % |
    /// | 541 | 4 | 92 % | 0 | 0 |
    /// | 541 | all | 100 % | 99 % | 26 % |
    ///
    /// The usual reasons: the number of samples is that of another run, failed samples were left
    /// out of one of the two numbers, or the score is a mean over parts of different size.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "metric_name": "accuracy", "score": 0.7341, "uncertainty": { "num_samples": 30 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Correct the score or the number of samples, or say how often each sample was asked. If the
    /// score is a mean over parts, or answers can be partly right, say so in the name of the
    /// metric: `macro_accuracy`, `mean accuracy`, `partial_accuracy`.
    UNREACHABLE_SCORE = (607, "unreachable-score", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    // The number of samples is asked first: it is rarely there, and reading what a metric counts
    // takes longer.
    let Some(n) = claim.n else {
        return;
    };
    let Some((share, unit, range)) = claim.counted() else {
        return;
    };
    let (severity, repeats) = match reach(share, unit, n.value, claim.repeats) {
        Reach::Reached => return,
        Reach::Repeated(repeats) => (
            Severity::Note,
            format!("it is reached when each sample is asked {repeats} times, which nothing says"),
        ),
        Reach::Never => (
            UNREACHABLE_SCORE.severity,
            match claim.repeats {
                None => "nor does any when each sample is asked up to 256 times".to_owned(),
                Some(1) => "each sample was asked once".to_owned(),
                Some(repeats) => format!("nor does any when each sample is asked {repeats} times"),
            },
        ),
    };
    sink.report_as(severity, &UNREACHABLE_SCORE, claim.score.at, || {
        let [below, above] = nearest_shares(share, n.value)
            .map(|(k, share)| format!("{k}/{} = {}", n.value, plain(share * range.width())));
        Draft::new(format!(
            "no number of right answers out of {} gives {}",
            n.value,
            claim.score.text()
        ))
        .note(format!("the nearest are {below} and {above}"))
        .note(repeats)
        .note(format!("`{}` is {}", n.at.path(), n.value))
        .help(match severity {
            Severity::Note => "say how often each sample was asked, in `epochs`, or correct the score or the number of samples",
            Severity::Warning | Severity::Error => {
                "correct the score or the number of samples; name a mean over parts as one"
            }
        })
    });
}
