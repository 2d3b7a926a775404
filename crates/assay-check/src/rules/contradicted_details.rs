use assay_formats::Value;
use assay_model::Severity;

use crate::forensics::{Claim, Family, plain};
use crate::parts::ResultParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

/// Keys of the number of right answers.
const RIGHT: [&str; 9] = [
    "correct",
    "n_correct",
    "num_correct",
    "n_passed",
    "num_passed",
    "n_resolved",
    "num_resolved",
    "n_solved",
    "num_solved",
];
/// Keys of the number of all answers.
const TOTAL: [&str; 9] = [
    "total",
    "n_total",
    "num_total",
    "n_samples",
    "num_samples",
    "n_questions",
    "num_questions",
    "n_instances",
    "num_instances",
];
/// Keys of the score as its source has it.
const RAW: [&str; 7] = [
    "raw",
    "accuracy_raw",
    "raw_accuracy",
    "raw_score",
    "raw_value",
    "score_raw",
    "reported_score",
];

rule! {
    /// The details of a score say something else
    ///
    /// `score_details.details` often keeps what the source had: the number of right answers
    /// (`num_correct` and `num_total`) or the score as it was written (`accuracy_raw: "19.39%"`).
    /// The score follows from that, so a difference of more than the last digit means that one of
    /// the two is of another run.
    ///
    /// A raw score without `%` may be before a normalisation, and a number of samples in `details`
    /// may be another one than `num_samples` on purpose. Both are notes.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.73, "details": { "num_correct": "64", "num_total": "100" } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Take score and details from one run.
    CONTRADICTED_DETAILS = (618, "contradicted-details", Warning)
}

pub(crate) fn check(result: &ResultParts<'_>, claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let Some(details) = result.details else {
        return;
    };
    let (right, total) = (count(details, &RIGHT), count(details, &TOTAL));
    if let (Some((at, right)), Some((_, total))) = (right, total) {
        against_count(claim, at, right, total, sink);
    }
    if let Some((at, total)) = total {
        against_samples(claim, at, total, sink);
    }
    for key in RAW {
        if let Some(at) = details.get(key) {
            against_raw(claim, at, sink);
        }
    }
}

fn against_count(claim: &Claim<'_>, at: Value<'_>, right: f64, total: f64, sink: &mut Sink<'_>) {
    let counts = claim
        .known
        .is_none_or(|known| known.family == Family::Count);
    let Some(range) = claim.share_range().filter(|_| counts && !claim.compound) else {
        return;
    };
    if right > total || total <= 0.0 || claim.names.is_averaged() {
        return;
    }
    let share = right / total;
    if agree(
        claim.score.value / range.max,
        share,
        claim.share_unit(range),
    ) {
        return;
    }
    sink.report(&CONTRADICTED_DETAILS, at, || {
        Draft::new(format!(
            "{right} of {total} is {}, but the score is {}",
            plain(share * range.max),
            claim.score.text()
        ))
        .help("take score and details from one run")
    });
}

/// Holds the number of samples in the details against the stated one; multiples are repeats.
fn against_samples(claim: &Claim<'_>, at: Value<'_>, total: f64, sink: &mut Sink<'_>) {
    let Some(n) = claim.n else { return };
    let stated = crate::forensics::as_float(n.value);
    if total <= 0.0 || stated % total == 0.0 || total % stated == 0.0 {
        return;
    }
    sink.report_as(Severity::Note, &CONTRADICTED_DETAILS, at, || {
        Draft::new(format!(
            "the details count {total} samples, but `num_samples` is {}",
            n.value
        ))
        .help("correct the one that is wrong")
    });
}

fn against_raw(claim: &Claim<'_>, at: Value<'_>, sink: &mut Sink<'_>) {
    let Some(range) = claim.share_range() else {
        return;
    };
    let text = written(at);
    let text = text.trim();
    let percent = text.strip_suffix('%').map(str::trim_end);
    let Some((raw, unit)) = number(percent.unwrap_or(text)) else {
        return;
    };
    let share = claim.score.value / range.max;
    let own = claim.share_unit(range);
    // Without a sign, a share and per cent are both possible.
    let scales: &[f64] = if percent.is_some() {
        &[100.0]
    } else {
        &[1.0, 100.0]
    };
    if scales
        .iter()
        .any(|scale| agree(share, raw / scale, own.max(unit / scale)))
    {
        return;
    }
    let severity = if percent.is_some() {
        CONTRADICTED_DETAILS.severity
    } else {
        Severity::Note
    };
    sink.report_as(severity, &CONTRADICTED_DETAILS, at, || {
        Draft::new(format!(
            "the details have {}, but the score is {}",
            quote(text),
            claim.score.text()
        ))
        .help("take score and details from one run")
    });
}

/// Returns whether two shares agree, both rounded or cut off.
fn agree(one: f64, other: f64, unit: f64) -> bool {
    (one - other).abs() <= unit * 1.000_001 + 1e-9
}

/// Reads a whole number, as a number or as text, behind the first of some keys.
fn count<'d>(details: Value<'d>, keys: &[&str]) -> Option<(Value<'d>, f64)> {
    keys.iter().find_map(|key| {
        let at = details.get(key)?;
        let number: f64 = written(at).trim().parse().ok()?;
        (number.is_finite() && number >= 0.0 && number.fract() == 0.0).then_some((at, number))
    })
}

fn written(at: Value<'_>) -> String {
    at.text()
        .map_or_else(|| at.raw().to_owned(), std::borrow::Cow::into_owned)
}

/// Reads a plain decimal and the worth of its last digit.
fn number(text: &str) -> Option<(f64, f64)> {
    let is_plain = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = text.parse().ok().filter(|_| is_plain)?;
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let decimals = i32::try_from(decimals).unwrap_or(i32::MAX);
    Some((value, 10_f64.powi(-decimals.min(12))))
}
