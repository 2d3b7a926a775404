use assay_model::TaskId;

use crate::{Level, Question};

/// What was asked of a board and has no honest answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A mean of nothing.
    #[error("there is no score to average")]
    NothingToAverage,
    /// A whole averaged with its parts, or parts of different kinds: some samples would count twice.
    #[error(
        "the score of `{task}` is {found} and others are {expected}; a whole and its parts are not averaged together"
    )]
    MixedLevels {
        /// The task that differs from those before it.
        task: TaskId,
        /// Its level.
        found: Level,
        /// The level of those before it.
        expected: Level,
    },
    /// The same task twice: its samples would count twice.
    #[error("the task `{0}` is given twice, and would count twice")]
    RepeatedTask(TaskId),
    /// A score that is not a number, or without end.
    #[error("the score of `{0}` is not a finite number")]
    NotFinite(TaskId),
    /// Two boards that rank by different things.
    #[error("ranks by {} and ranks by {} have nothing in common", by(.before), by(.after))]
    NotComparable {
        /// What the earlier board was asked.
        before: Box<Question>,
        /// What the later board was asked.
        after: Box<Question>,
    },
}

/// What a question ranks by, in words.
fn by(question: &Question) -> String {
    format!(
        "`{}` {}, {}",
        question.metric,
        question.level,
        question.direction.words()
    )
}
