use assay_model::Direction;

use crate::forensics::{Claim, Family, Range, Unit, reachable_once};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// A score this small, read as a share, would be one that hardly any model has; read as per cent it
/// is just small.
const LEAST_SHARE: f64 = 0.05;
/// So many decimals are rare for a score in per cent.
const SHARE_DECIMALS: i32 = 3;
/// A fault rate above this is hardly a proportion: 10 faults for each thing to get right.
const MOST_FAULTS: f64 = 10.0;
/// So many other scores of the same scale, all of them at most 1, tell that the scale is not what
/// it is said to be.
const ENOUGH_OTHERS: usize = 2;

rule! {
    /// A score is probably written in another scale
    ///
    /// The bounds or the unit say that scores run from 0 to 100, but this one looks like a share of
    /// 1; or the unit and the bounds contradict each other. A score that is a hundred times too
    /// small ranks last, and nobody sees why.
    ///
    /// A true score of 0.7 per cent does happen, so the rule asks for evidence: three or more
    /// decimals (0.734 is how a share is written; per cent are rarely written so), all scores of
    /// the record at most 1, or a number of samples of which 0.734 per cent is no whole number.
    /// Where scores above 1 stand beside it, three or more decimals are evidence only when they are
    /// more than any of those has: 0.5867 beside 49.4 and 37.06, but not beside 49.4012.
    ///
    /// An error rate far above 1 that is declared as a proportion is doubted too; a score that
    /// cannot be one is refused (AY328, AY436).
    ///
    /// ## Example
    ///
    /// ```json
    /// { "metric_config": { "metric_name": "accuracy", "min_score": 0, "max_score": 100 },
    ///   "score_details": { "score": 0.734 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the score in the declared scale, here 73.4, or correct the bounds and the unit:
    /// `"max_score": 1`, `"metric_unit": "proportion"`. If the score really is below one per cent,
    /// leave it as it is.
    IMPLAUSIBLE_SCALE = (601, "implausible-scale", Warning)
}

/// The scores of one record or entry that are said to be on a scale of 100.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Company {
    /// The number of scores above 0 and at most 1.
    small: usize,
    /// The number of scores above 1.
    large: usize,
    /// The most decimals that one above 1 is written with.
    decimals: i32,
}

impl Company {
    /// Counts the scores once for all: a record may hold very many.
    pub(crate) fn of(claims: &[Claim<'_>]) -> Self {
        let mut company = Self::default();
        for claim in claims {
            if claim.share_range() == Some(Range::PERCENT) {
                let score = claim.score.value;
                company.small += usize::from(score > 0.0 && score <= 1.0);
                if score > 1.0 {
                    company.large += 1;
                    company.decimals = company.decimals.max(claim.score.decimals());
                }
            }
        }
        company
    }
}

/// Validates the scale of a claim beside those made together with it; returns whether it was found
/// wrong.
pub(crate) fn check(claim: &Claim<'_>, company: Company, sink: &mut Sink<'_>) -> bool {
    if unit_contradicts_bounds(claim, sink) {
        return true;
    }
    match claim.share_range() {
        Some(Range::PERCENT) => looks_like_a_share(claim, company, sink),
        Some(_) => exceeds_its_unit(claim, sink),
        None => false,
    }
}

fn unit_contradicts_bounds(claim: &Claim<'_>, sink: &mut Sink<'_>) -> bool {
    let (Some((unit, Some(at))), Some(bounds)) = (claim.unit, claim.bounds) else {
        return false;
    };
    let (meant, other) = match unit {
        Unit::Percent | Unit::PercentagePoints if bounds == Range::PROPORTION => {
            ("proportion", "0 and 100")
        }
        Unit::Proportion if bounds == Range::PERCENT => ("percent", "0 and 1"),
        Unit::Percent | Unit::PercentagePoints | Unit::Proportion => return false,
    };
    sink.report(&IMPLAUSIBLE_SCALE, at, || {
        Draft::new(format!(
            "the unit is {}, but the bounds are {}",
            at.raw().replace('"', "`"),
            bounds.words()
        ))
        .note(format!("the score is {}", claim.score.text()))
        .help(format!(
            "write `{meant}`, or set the bounds to {other} and the score in that scale"
        ))
    });
    true
}

/// A share above 1 that is not refused because the metric may exceed it.
fn exceeds_its_unit(claim: &Claim<'_>, sink: &mut Sink<'_>) -> bool {
    let score = claim.score.value;
    // An error rate can exceed 1: a transcript may have more wrong words than the truth has words.
    let most = if is_better_when_high(claim) {
        1.0
    } else {
        MOST_FAULTS
    };
    if claim.declared.max.is_some() || score <= most || score > 100.0 {
        return false;
    }
    sink.report(&IMPLAUSIBLE_SCALE, claim.score.at, || {
        Draft::new(format!(
            "{} is probably per cent, but the unit is a proportion",
            claim.score.text()
        ))
        .note("a proportion is the whole at 1")
        .note(format!("as per cent it would be {}", score / 100.0))
        .help("divide the score by 100, or correct the unit of the metric")
    });
    true
}

fn looks_like_a_share(claim: &Claim<'_>, company: Company, sink: &mut Sink<'_>) -> bool {
    let score = claim.score;
    if score.value <= 0.0 || score.value > 1.0 {
        return false;
    }
    let Some(evidence) = evidence(claim, company) else {
        return false;
    };
    sink.report(&IMPLAUSIBLE_SCALE, score.at, || {
        let draft = Draft::new(format!(
            "{} looks like a fraction, but the scale is 0 to 100",
            score.text()
        ));
        let declared = if claim.bounds.is_some() {
            "the bounds are 0 to 100"
        } else {
            "the unit is per cent"
        };
        draft.note(declared).note(evidence).help(format!(
            "write {} if that is meant, or declare the scale 0 to 1",
            rounded(score.value * 100.0)
        ))
    });
    true
}

/// Returns the reasons why a score of at most 1 is probably no percentage; nothing when it may well
/// be one.
fn evidence(claim: &Claim<'_>, company: Company) -> Option<String> {
    let decimals = claim.score.decimals();
    match by_count(claim) {
        Verdict::Share(evidence) => return Some(evidence),
        Verdict::Percent => return None,
        Verdict::Open => {}
    }
    // The score is one of the small ones itself.
    let small = company.small.saturating_sub(1);
    let high = is_better_when_high(claim);
    let is_alone = company.large == 0;
    if is_alone && small >= ENOUGH_OTHERS && (decimals >= SHARE_DECIMALS || (high && decimals >= 2))
    {
        return Some(format!(
            "so are the {small} other scores of this scale: none is above 1"
        ));
    }
    let is_share = claim
        .known
        .is_some_and(|known| known.family != Family::Other);
    let is_fine = decimals >= SHARE_DECIMALS && claim.score.value >= LEAST_SHARE;
    if !is_share || !high || !is_fine {
        return None;
    }
    if is_alone {
        return Some(format!(
            "as per cent it would be less than one in a hundred, given to {decimals} decimals"
        ));
    }
    (decimals > company.decimals).then(|| {
        format!(
            "it is given to {decimals} decimals, and the scores above 1 beside it to at most {}",
            company.decimals
        )
    })
}

/// The conclusion from the number of samples.
enum Verdict {
    /// It is a share of 1, and why.
    Share(String),
    /// It may well be per cent.
    Percent,
    /// Nothing.
    Open,
}

fn by_count(claim: &Claim<'_>) -> Verdict {
    let (Some((share, unit, _)), Some(n)) = (claim.counted(), claim.samples()) else {
        return Verdict::Open;
    };
    let score = claim.score;
    if reachable_once(share, unit, n) {
        Verdict::Percent
    } else if reachable_once(score.value, score.unit, n) {
        Verdict::Share(format!(
            "{} % of {n} samples is no whole number of them, but a share of {} is",
            score.text(),
            score.text()
        ))
    } else {
        Verdict::Open
    }
}

fn is_better_when_high(claim: &Claim<'_>) -> bool {
    claim.improves() == Some(Direction::HigherIsBetter)
}

/// A number without the noise of doubles.
fn rounded(value: f64) -> f64 {
    (value * 1e10).round() / 1e10
}
