use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

use assay_model::{Direction, RepoKey, Score, Timestamp};

use crate::{
    Fingerprint, Group, Leaderboard, Origin, Policy, Question, RankableResult, Row, Setups,
};

/// The longest time that the date of an evaluation may lie after its commit, in milliseconds: a
/// day, for time zones.
const MAX_AHEAD_MS: i64 = 24 * 60 * 60 * 1000;

/// A result that can be ranked, with what it is ranked by.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    result: &'a RankableResult,
    score: &'a Score,
    /// Its place among the results that were given.
    given: usize,
    /// The value with its sign turned where lower is better, so that more is always better.
    merit: f64,
}

/// Ranks the results of one task. The order in which they are given changes nothing.
///
/// Results that cannot be compared are in groups of their own, each with its own ranks. Within a
/// group a policy other than [`Policy::All`] gives every model one row: first one run of each setup
/// is chosen, then the setup that stands for the model.
pub fn rank<'a>(
    results: impl IntoIterator<Item = &'a RankableResult>,
    question: &Question,
) -> Leaderboard<'a> {
    let mut rows = Vec::new();
    let mut groups = Vec::new();
    for (group, candidates) in grouped(visible(results, question), question) {
        let mut runs = chosen(candidates, question);
        runs.sort_unstable_by(on_the_board);
        rows.append(&mut placed(runs, groups.len()));
        groups.push(group);
    }
    Leaderboard {
        question: question.clone(),
        groups,
        rows,
    }
}

/// The candidates by what must be equal for them to be ranked in one order: results over the whole
/// benchmark first, then the group with the most models.
fn grouped<'a>(
    candidates: Vec<Candidate<'a>>,
    question: &Question,
) -> Vec<(Group, Vec<Candidate<'a>>)> {
    let mut groups: HashMap<Group, Vec<Candidate<'a>>> = HashMap::new();
    for candidate in candidates {
        let group = Group::new(&candidate.result.setup, &question.comparable_by);
        groups.entry(group).or_default().push(candidate);
    }
    let models = |candidates: &[Candidate<'a>]| {
        let keys: HashSet<RepoKey> = candidates.iter().map(|one| one.result.key).collect();
        keys.len()
    };
    let mut groups: Vec<(Group, Vec<Candidate<'a>>)> = groups.into_iter().collect();
    if groups.len() > 1 {
        groups.sort_by_cached_key(|(group, candidates)| {
            (
                !group.is_whole(),
                Reverse(models(candidates)),
                group.clone(),
            )
        });
    }
    groups
}

/// One or more runs of a model and setup that nothing tells apart, and what else the model has.
struct Run<'a> {
    /// The run whose evidence is shown.
    shown: Candidate<'a>,
    /// All of them, by their place among the results that were given.
    given: Vec<usize>,
    /// Their mean.
    value: f64,
    merit: f64,
    setups: Setups,
}

/// The runs that a policy puts on the board.
fn chosen<'a>(candidates: Vec<Candidate<'a>>, question: &Question) -> Vec<Run<'a>> {
    let order = match question.policy {
        Policy::All => {
            let alone = |candidate| Run::of(vec![candidate], question);
            return candidates.into_iter().filter_map(alone).collect();
        }
        Policy::Authoritative => authority,
        Policy::Best => best,
        Policy::Latest => latest,
    };
    let mut models: HashMap<RepoKey, Vec<Candidate<'a>>> = HashMap::new();
    for candidate in candidates {
        models
            .entry(candidate.result.key)
            .or_default()
            .push(candidate);
    }
    let runs = models.into_values();
    runs.filter_map(|own| one_of_model(own, order, question))
        .collect()
}

/// The run that stands for a model: of each setup the first, then the setup with the most behind
/// it, then the best value.
fn one_of_model<'a>(
    mut candidates: Vec<Candidate<'a>>,
    order: Order<'a>,
    question: &Question,
) -> Option<Run<'a>> {
    if candidates.len() == 1 {
        return Run::of(candidates, question);
    }
    candidates.sort_by(|left, right| {
        let setups = left.result.setup.cmp(&right.result.setup);
        setups.then_with(|| order(left, right))
    });
    let of_setups = candidates.chunk_by(|left, right| left.result.setup == right.result.setup);
    let runs: Vec<Run<'a>> = of_setups
        .filter_map(|alike| {
            let first = alike.first()?;
            let equal = alike.iter().take_while(|one| order(first, one).is_eq());
            Run::of(equal.copied().collect(), question)
        })
        .collect();
    let values = || runs.iter().map(|run| run.value);
    let setups = Setups {
        count: runs.len(),
        low: values().fold(f64::INFINITY, f64::min),
        high: values().fold(f64::NEG_INFINITY, f64::max),
    };
    let mut first = match question.policy {
        Policy::Best => runs.into_iter().min_by(better),
        Policy::Latest => runs.into_iter().min_by(|left, right| {
            order(&left.shown, &right.shown).then_with(|| better(left, right))
        }),
        Policy::Authoritative | Policy::All => runs.into_iter().min_by(|left, right| {
            standing(&left.shown, &right.shown).then_with(|| better(left, right))
        }),
    }?;
    first.setups = setups;
    Some(first)
}

impl<'a> Run<'a> {
    /// The mean of runs that nothing tells apart; none of no runs.
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody reports more runs than a float has whole numbers"
    )]
    fn of(mut runs: Vec<Candidate<'a>>, question: &Question) -> Option<Self> {
        // Which of them is shown for all is the same every time; the value is that of all of them.
        runs.sort_by(identity);
        let shown = *runs.first()?;
        let value = shown.score.value.get();
        let all_alike = runs.iter().all(|run| run.score.value == shown.score.value);
        let value = if all_alike {
            value
        } else {
            let share = |run: &Candidate<'_>| run.score.value.get() / runs.len() as f64;
            runs.iter().map(share).sum()
        };
        Some(Self {
            shown,
            given: runs.iter().map(|run| run.given).collect(),
            value,
            merit: merit(value, question.direction),
            setups: Setups {
                count: 1,
                low: value,
                high: value,
            },
        })
    }
}

/// In which order the runs of a model come. Those it does not tell apart are averaged.
type Order<'a> = fn(&Candidate<'a>, &Candidate<'a>) -> Ordering;

fn better(left: &Run<'_>, right: &Run<'_>) -> Ordering {
    right
        .merit
        .total_cmp(&left.merit)
        .then_with(|| authority(&left.shown, &right.shown))
        .then_with(|| left.shown.result.setup.cmp(&right.shown.result.setup))
}

/// Returns the results that the question admits, without those that are already on the main branch
/// of the same model.
fn visible<'a>(
    results: impl IntoIterator<Item = &'a RankableResult>,
    question: &Question,
) -> Vec<Candidate<'a>> {
    let numbered = results.into_iter().enumerate();
    let admitted = numbered.filter(|(_, result)| admits(question, result));
    let mut candidates: Vec<Candidate<'a>> = admitted
        .filter_map(|(given, result)| candidate(result, given, question))
        .collect();
    let is_merged = |candidate: &Candidate<'_>| match candidate.result.origin {
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

/// Returns the model and the fingerprint by which equal results are found.
fn said(candidate: &Candidate<'_>) -> (RepoKey, Fingerprint) {
    (candidate.result.key, candidate.result.fingerprint)
}

fn admits(question: &Question, result: &RankableResult) -> bool {
    let shown = match question.as_of {
        None => result.until.is_none(),
        Some(moment) => result.since <= moment && result.until.is_none_or(|until| moment < until),
    };
    shown
        && (result.verified || !question.verified_only)
        && !(result.derived && question.base_models_only)
}

/// The result with the score that the question asks for, if it has one.
fn candidate<'a>(
    result: &'a RankableResult,
    given: usize,
    question: &Question,
) -> Option<Candidate<'a>> {
    let score = asked(&result.scores, question)?;
    let value = score.value.get();
    Some(Candidate {
        result,
        score,
        given,
        merit: merit(value, question.direction),
    })
}

/// A value with its sign turned where lower is better. Zero has two signs, which are one value and
/// must share a rank.
fn merit(value: f64, direction: Direction) -> f64 {
    match direction {
        Direction::HigherIsBetter => value + 0.0,
        Direction::LowerIsBetter => 0.0 - value,
    }
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

/// Orders results by authority: evidence, then the owner, then the newer date and commit.
fn authority(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    standing(left, right).then_with(|| newest(left.result, right.result))
}

/// Orders results by authority without regard to time: evidence, then the owner.
fn standing(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    let (ours, theirs) = (left.result, right.result);
    theirs
        .verified
        .cmp(&ours.verified)
        .then(trust(ours).cmp(&trust(theirs)))
}

/// Orders results by value, and equal ones by authority.
fn best(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    right
        .merit
        .total_cmp(&left.merit)
        .then_with(|| authority(left, right))
}

/// Orders results by date, and equally new ones by authority.
fn latest(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    newest(left.result, right.result).then_with(|| authority(left, right))
}

/// Merged before community, whichever pull request that is; old cards come last.
fn trust(result: &RankableResult) -> u8 {
    match result.origin {
        Origin::Merged => 0,
        Origin::Community { .. } => 1,
        Origin::Legacy => 2,
    }
}

fn newest(ours: &RankableResult, theirs: &RankableResult) -> Ordering {
    (believed(theirs), theirs.committed).cmp(&(believed(ours), ours.committed))
}

/// The date of a result, for ordering. Nobody commits what will be evaluated later, so a date in
/// the future of its commit wins nothing.
fn believed(result: &RankableResult) -> Timestamp {
    let latest = result.committed.millis().saturating_add(MAX_AHEAD_MS);
    result.date.min(Timestamp::from_millis(latest))
}

/// The better value first. Within a tie, who reported it first; then what never changes, so that
/// the page is the same every time.
fn on_the_board(left: &Run<'_>, right: &Run<'_>) -> Ordering {
    let (ours, theirs) = (left.shown.result, right.shown.result);
    right
        .merit
        .total_cmp(&left.merit)
        .then_with(|| ours.date.cmp(&theirs.date))
        .then_with(|| ours.model.cmp(&theirs.model))
        .then_with(|| identity(&left.shown, &right.shown))
}

/// An order over everything else by which two results of a model can be told apart.
fn identity(left: &Candidate<'_>, right: &Candidate<'_>) -> Ordering {
    let (ours, theirs) = (left.result, right.result);
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
fn placed(sorted: Vec<Run<'_>>, group: usize) -> Vec<Row<'_>> {
    let mut rows = Vec::with_capacity(sorted.len());
    let mut rank = 0;
    let mut last = None;
    for (position, run) in sorted.into_iter().enumerate() {
        let tied = last.is_some_and(|merit: f64| merit.total_cmp(&run.merit).is_eq());
        if !tied {
            rank = position + 1;
        }
        last = Some(run.merit);
        rows.push(Row {
            rank,
            group,
            result: run.shown.result,
            score: run.shown.score,
            value: run.value,
            setups: run.setups,
            given: run.given,
        });
    }
    rows
}
