use assay_model::{RepoKey, Score};

use crate::{Question, Report};

/// The ranked results of one task by one metric. Only [`rank`](fn@crate::rank) makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaderboard<'a> {
    pub(crate) question: Question,
    pub(crate) rows: Vec<Row<'a>>,
}

/// One place on a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    pub(crate) rank: usize,
    pub(crate) report: &'a Report,
    pub(crate) score: &'a Score,
    pub(crate) given: usize,
}

impl<'a> Leaderboard<'a> {
    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// The rows, the best first.
    pub fn rows(&self) -> &[Row<'a>] {
        &self.rows
    }

    /// The row of a model; the best of them when it has several.
    pub fn row_of(&self, model: RepoKey) -> Option<&Row<'a>> {
        self.rows.iter().find(|row| row.report.key == model)
    }

    /// The rank of a model; the best of them when it has several rows.
    pub fn rank_of(&self, model: RepoKey) -> Option<usize> {
        self.row_of(model).map(Row::rank)
    }

    /// How many in a hundred of the other rows a model is at least as good as: 100 for the first, and for the only one.
    pub fn percentile_of(&self, model: RepoKey) -> Option<f64> {
        Some(percentile(self.rank_of(model)?, self.rows.len()))
    }
}

/// How many in a hundred of the other rows a rank is at least as good as, on a board of so many rows.
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
    /// The place, from 1. Equal values share one, and the places after them are left out: 1, 2, 2, 4.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The value it is ranked by; always finite.
    pub fn value(&self) -> f64 {
        self.score.value.get()
    }

    /// The score it is ranked by.
    pub fn score(&self) -> &'a Score {
        self.score
    }

    /// The report that the score is of.
    pub fn report(&self) -> &'a Report {
        self.report
    }

    /// Which of the reports that is, in the order in which they were given, from 0.
    pub fn given(&self) -> usize {
        self.given
    }
}
