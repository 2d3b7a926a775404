use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use assay_model::{Direction, RepoKey, Score};

use crate::{Fingerprint, Leaderboard, Origin, Policy, Question, Report, Row};

/// A report that can be ranked, with what it is ranked by.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    report: &'a Report,
    score: &'a Score,
    /// Its place among the reports that were given.
    given: usize,
    /// The value with its sign turned where lower is better, so that more is always better.
    merit: f64,
}

/// Ranks the reports of one task. The order in which they are given changes nothing.
pub fn rank<'a>(
    reports: impl IntoIterator<Item = &'a Report>,
    question: &Question,
) -> Leaderboard<'a> {
    let candidates = visible(reports, question);
    let mut chosen = match question.policy {
        Policy::Authoritative => one_a_model(candidates, authority),
        Policy::Best => one_a_model(candidates, best),
        Policy::Latest => one_a_model(candidates, latest),
        Policy::All => candidates,
    };
    chosen.sort_unstable_by(on_the_board);
    Leaderboard {
        question: question.clone(),
        rows: placed(&chosen),
    }
}

/// What the question admits, without what is shown already on the main branch of the same model.
fn visible<'a>(
    reports: impl IntoIterator<Item = &'a Report>,
    question: &Question,
) -> Vec<Candidate<'a>> {
    let numbered = reports.into_iter().enumerate();
    let admitted = numbered.filter(|(_, report)| admits(question, report));
    let mut candidates: Vec<Candidate<'a>> = admitted
        .filter_map(|(given, report)| candidate(report, given, question))
        .collect();
    let is_merged = |candidate: &Candidate<'_>| match candidate.report.origin {
        Origin::Merged => true,
        Origin::Community { .. } | Origin::Legacy => false,
    };
    if !candidates.iter().all(is_merged) {
        let merged: HashSet<(RepoKey, Fingerprint)> = candidates
            .iter()
            .filter(|candidate| is_merged(candidate))
            .map(said)
            .collect();
        candidates.retain(|candidate| is_merged(candidate) || !merged.contains(&said(candidate)));
    }
    candidates
}

/// Who says what.
fn said(candidate: &Candidate<'_>) -> (RepoKey, Fingerprint) {
    (candidate.report.key, candidate.report.fingerprint)
}

fn admits(question: &Question, report: &Report) -> bool {
    let shown = match question.as_of {
        None => report.until.is_none(),
        Some(moment) => report.since <= moment && report.until.is_none_or(|until| moment < until),
    };
    shown
        && (report.verified || !question.verified_only)
        && !(report.derived && question.base_models_only)
}

/// The report with the score that the question asks for, if it has one.
fn candidate<'a>(report: &'a Report, given: usize, question: &Question) -> Option<Candidate<'a>> {
    let score = asked(&report.scores, question)?;
    let value = score.value.get();
    Some(Candidate {
        report,
        score,
        given,
        merit: match question.direction {
            Direction::HigherIsBetter => value,
            // Zero has two signs, which are one value and must share a rank.
            Direction::LowerIsBetter => 0.0 - value,
        },
    })
}

/// The score of the metric by its name, else the anonymous one where that stands for the metric.
fn asked<'a>(scores: &'a [Score], question: &Question) -> Option<&'a Score> {
    let named = |score: &&Score| score.metric.as_ref() == Some(&question.metric);
    let anonymous = |score: &&Score| score.metric.is_none() && question.primary;
    let own = question.slice.as_deref();
    let is_asked = |score: &&Score| question.level.has(score.slice.as_deref(), own);
    let of_level = || scores.iter().filter(is_asked);
    of_level()
        .find(named)
        .or_else(|| of_level().find(anonymous))
}

/// One candidate of each model: the one that comes before the model's others.
fn one_a_model<'a>(
    candidates: Vec<Candidate<'a>>,
    order: fn(&Candidate<'a>, &Candidate<'a>) -> Ordering,
) -> Vec<Candidate<'a>> {
    let mut places: HashMap<RepoKey, usize> = HashMap::with_capacity(candidates.len());
    let mut chosen: Vec<Candidate<'a>> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let place = *places.entry(candidate.report.key).or_insert(chosen.len());
        match chosen.get_mut(place) {
            None => chosen.push(candidate),
            Some(held) if order(&candidate, held).is_lt() => *held = candidate,
            Some(_) => {}
        }
    }
    chosen
}

/// Who has more behind it: evidence, then the owner, then the newer date and commit.
fn authority(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    let (ours, theirs) = (left.report, right.report);
    theirs
        .verified
        .cmp(&ours.verified)
        .then(trust(ours).cmp(&trust(theirs)))
        .then_with(|| newest(ours, theirs))
        .then_with(|| identity(left, right))
}

/// Which value is better; of equal ones, which has more behind it.
fn best(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    right
        .merit
        .total_cmp(&left.merit)
        .then_with(|| authority(left, right))
}

/// Which is newer; of equally new ones, which has more behind it.
fn latest(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    newest(left.report, right.report).then_with(|| authority(left, right))
}

/// Merged before community, whichever pull request that is; old cards come last.
fn trust(report: &Report) -> u8 {
    match report.origin {
        Origin::Merged => 0,
        Origin::Community { .. } => 1,
        Origin::Legacy => 2,
    }
}

fn newest(ours: &Report, theirs: &Report) -> Ordering {
    (theirs.date, theirs.committed).cmp(&(ours.date, ours.committed))
}

/// The better value first. Within a tie, who reported it first; then what never changes, so that the page is the same
/// every time.
fn on_the_board(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    right
        .merit
        .total_cmp(&left.merit)
        .then_with(|| left.report.date.cmp(&right.report.date))
        .then_with(|| left.report.model.cmp(&right.report.model))
        .then_with(|| identity(left, right))
}

/// An order over everything else by which two reports of a model can be told apart.
fn identity(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    let (ours, theirs) = (left.report, right.report);
    ours.file
        .cmp(&theirs.file)
        .then(ours.ordinal.cmp(&theirs.ordinal))
        .then(ours.origin.cmp(&theirs.origin))
        .then_with(|| ours.commit.cmp(&theirs.commit))
        .then(ours.since.cmp(&theirs.since))
        .then(ours.key.cmp(&theirs.key))
        .then(ours.committed.cmp(&theirs.committed))
        .then(ours.until.cmp(&theirs.until))
        .then(theirs.verified.cmp(&ours.verified))
        .then_with(|| ours.fingerprint.cmp(&theirs.fingerprint))
        .then_with(|| right.score.value.get().total_cmp(&left.score.value.get()))
}

/// Gives ranks to what is in order: 1, 2, 2, 4.
fn placed<'a>(sorted: &[Candidate<'a>]) -> Vec<Row<'a>> {
    let mut rows = Vec::with_capacity(sorted.len());
    let mut rank = 0;
    let mut last = None;
    for (position, candidate) in sorted.iter().enumerate() {
        let tied = last.is_some_and(|merit: f64| merit.total_cmp(&candidate.merit).is_eq());
        if !tied {
            rank = position + 1;
        }
        last = Some(candidate.merit);
        rows.push(Row {
            rank,
            report: candidate.report,
            score: candidate.score,
            given: candidate.given,
        });
    }
    rows
}
