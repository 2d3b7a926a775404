use std::collections::BTreeSet;

use assay_model::TaskId;

use crate::{Error, Level};

/// One model's score of one task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskScore {
    /// The task.
    pub task: TaskId,
    /// The part of the task that the score covers.
    pub level: Level,
    /// The score.
    pub value: f64,
}

/// A mean in which every task weighs the same, however many samples it has (a macro average).
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Number of tasks that it is of.
    pub tasks: usize,
    /// The part of each task that the score covers.
    pub level: Level,
}

/// Averages the scores of several tasks, each weighing the same.
///
/// A whole is not averaged with parts, nor one slice with another, and no task counts twice: such a
/// number would count some samples more than once and tell nobody.
pub fn mean_over_tasks(scores: &[TaskScore]) -> Result<Mean, Error> {
    let first = scores.first().ok_or(Error::NothingToAverage)?;
    let mut seen = BTreeSet::new();
    for score in scores {
        if score.level != first.level {
            return Err(Error::MixedLevels {
                task: score.task.clone(),
                found: score.level.clone(),
                expected: first.level.clone(),
            });
        }
        if !score.value.is_finite() {
            return Err(Error::NotFinite(score.task.clone()));
        }
        if !seen.insert(&score.task) {
            return Err(Error::RepeatedTask(score.task.clone()));
        }
    }
    Ok(Mean {
        value: mean(scores.iter().map(|score| score.value).collect()),
        tasks: scores.len(),
        level: first.level.clone(),
    })
}

/// The mean of finite values, at least one, whatever their order.
#[expect(
    clippy::cast_precision_loss,
    reason = "nobody has more tasks than a float has whole numbers"
)]
fn mean(mut values: Vec<f64>) -> f64 {
    // Floating-point addition depends on the order, and a board must not.
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    let mean = if sum.is_finite() {
        sum / count
    } else {
        values.iter().map(|value| value / count).sum()
    };
    match (values.first(), values.last()) {
        (Some(&least), Some(&most)) => mean.clamp(least, most),
        (_, _) => mean,
    }
}
