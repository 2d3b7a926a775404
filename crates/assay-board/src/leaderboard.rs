use assay_model::{RepoKey, Score, Setup};

use crate::{Question, RankableResult};

/// The ranked results of one task by one metric. Only [`rank`](fn@crate::rank) makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaderboard<'a> {
    pub(crate) question: Question,
    pub(crate) groups: Vec<Group>,
    pub(crate) rows: Vec<Row<'a>>,
}

/// The fields that all rows of a group share, and that differ between groups: rows are ranked
/// within their group alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Group(Vec<(String, Option<String>)>);

impl Group {
    /// The group of a setup: its subset, and its values of these keys.
    pub(crate) fn new(setup: &Setup, comparable_by: &[String]) -> Self {
        let value = |key: &str| setup.get(key).map(str::to_owned);
        let subset = value(Setup::SUBSET).map(|subset| (Setup::SUBSET.to_owned(), Some(subset)));
        let others = comparable_by.iter().filter(|key| *key != Setup::SUBSET);
        let others = others.map(|key| (key.clone(), value(key)));
        Self(subset.into_iter().chain(others).collect())
    }

    /// Returns whether its results are over the whole benchmark.
    pub fn is_whole(&self) -> bool {
        !self.0.iter().any(|(key, _)| key == Setup::SUBSET)
    }

    /// The keys with their values; none where a row does not report the key.
    pub fn values(&self) -> &[(String, Option<String>)] {
        &self.0
    }
}

/// One place on a board: a model and a setup.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    pub(crate) rank: usize,
    pub(crate) group: usize,
    pub(crate) result: &'a RankableResult,
    pub(crate) score: &'a Score,
    pub(crate) value: f64,
    pub(crate) setups: Setups,
    pub(crate) given: Vec<usize>,
}

/// The setups of a model in a group: their number and the range of their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setups {
    /// The number of setups.
    pub count: usize,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl<'a> Leaderboard<'a> {
    /// Returns the question of the board.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// The groups, in the order of their rows.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The rows, group by group, the best first.
    pub fn rows(&self) -> &[Row<'a>] {
        &self.rows
    }

    /// The row of a model; the best of them when it has several.
    pub fn row_of(&self, model: RepoKey) -> Option<&Row<'a>> {
        self.rows.iter().find(|row| row.result.key == model)
    }

    /// The rank of a model; the best of them when it has several rows.
    pub fn rank_of(&self, model: RepoKey) -> Option<usize> {
        self.row_of(model).map(Row::rank)
    }
}

/// Returns the percentage of the other rows that a rank is at least as good as, on a board of so
/// many rows.
#[expect(
    clippy::cast_precision_loss,
    reason = "a board has fewer rows than a float has whole numbers"
)]
pub fn percentile(rank: usize, rows: usize) -> f64 {
    let others = rows.saturating_sub(1);
    if others == 0 {
        return 100.0;
    }
    rows.saturating_sub(rank) as f64 / others as f64 * 100.0
}

impl<'a> Row<'a> {
    /// The place, from 1. Equal values share one, and the places after them are left out: 1, 2, 2,
    /// 4.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the index of its group, from 0.
    pub fn group(&self) -> usize {
        self.group
    }

    /// The value it is ranked by; always finite. Of several runs, their mean.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Returns the number of setups that the model has in the group.
    pub fn setups(&self) -> Setups {
        self.setups
    }

    /// The score it is ranked by; of several runs, that of the one that is shown.
    pub fn score(&self) -> &'a Score {
        self.score
    }

    /// The result that the score is of.
    pub fn result(&self) -> &'a RankableResult {
        self.result
    }

    /// Returns the index of the result among those that were given, from 0.
    pub fn given(&self) -> usize {
        self.given.first().copied().unwrap_or_default()
    }

    /// Returns the indices of the results whose mean the value is. They are of one setup, and
    /// nothing says which is the better one.
    pub fn runs(&self) -> &[usize] {
        &self.given
    }
}
