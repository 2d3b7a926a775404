use assay_model::TaskId;

use crate::{Level, Question};

/// A request to a board that has no honest answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A mean of nothing.
    #[error("there is no score to average")]
    NothingToAverage,
    /// A whole averaged with its parts, or parts of different kinds: some samples would count
    /// twice.
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
        /// The question of the earlier board.
        before: Box<Question>,
        /// The question of the later board.
        after: Box<Question>,
    },
    /// Scores that are not as many for each model.
    #[error("{scores} scores are no table of {models} models and {questions} questions")]
    NotATable {
        /// The number of scores that were given.
        scores: usize,
        /// The number of models.
        models: usize,
        /// The number of questions.
        questions: usize,
    },
    /// A number of models that is not compared.
    #[error("{found} models are not compared; from {least} to {most} are")]
    ModelCount {
        /// The number of models that were given.
        found: usize,
        /// The fewest that are compared.
        least: usize,
        /// The most that are compared.
        most: usize,
    },
    /// Too few questions to tell how much a difference varies.
    #[error("{found} shared questions are too few to compare models; at least {least} are needed")]
    TooFewQuestions {
        /// The number of questions that were given.
        found: usize,
        /// The least number that is needed.
        least: usize,
    },
    /// A score of a table that is not a number, or without end.
    #[error("score {question} of model {model} is not a finite number (both counted from 0)")]
    ScoreNotFinite {
        /// The row of the model.
        model: usize,
        /// The column of the question.
        question: usize,
    },
}

/// Returns the metric and direction of a question in words.
fn by(question: &Question) -> String {
    format!(
        "`{}` {}, {}",
        question.metric,
        question.level,
        question.direction.words()
    )
}
