//! Sentences about a matrix: who leads, and what its aggregate is.

use assay_board::AggregateRule;
use assay_hub_api::Digits;

use super::super::show;
use super::table::Matrix;

/// Returns the leader, in a sentence.
pub(super) fn verdict(matrix: &Matrix, rule: AggregateRule, digits: Digits) -> String {
    let ranked = matrix.rows.first().filter(|row| row.rank.is_some());
    let Some((first, found)) = ranked.and_then(|row| Some((row, row.aggregate?))) else {
        return "Not enough overlap to rank: no model has results on enough tasks.".to_owned();
    };
    let interval = found.interval.map_or_else(String::new, |interval| {
        let (low, high) = (digits.written(interval.low), digits.written(interval.high));
        format!(
            " (95\u{a0}% interval {} to {})",
            show::with_minus(&low),
            show::with_minus(&high)
        )
    });
    let tied = matrix.rows.iter().skip(1);
    let tied = tied.filter(|row| row.aggregate.is_some_and(|found| found.is_tied));
    let tied = match tied.count() {
        0 => String::new(),
        1 => "; 1 other cannot be told apart".to_owned(),
        count => format!("; {count} others cannot be told apart"),
    };
    format!(
        "{} leads with {} {} of {}{interval}, over {} of {} {}{tied}.",
        first.model,
        if rule == AggregateRule::ExpectedWinRate {
            "an"
        } else {
            "a"
        },
        rule.label(),
        show::with_minus(&digits.written(found.value)),
        first.known,
        matrix.task_count(),
        show::plural(matrix.task_count(), "task", "tasks")
    )
}

/// Returns the rule of the aggregate, in a sentence.
pub(super) fn rule_says(rule: AggregateRule, least: usize, columns: usize) -> String {
    let what = match rule {
        AggregateRule::ExpectedWinRate => {
            "Expected win rate: the chance to score above another ranked model on a task drawn at random, from a fit of \
             abilities and difficulties to the results that exist. A bar beside the rank marks models that cannot be \
             told apart from the first."
        }
        AggregateRule::WinRate => {
            "Win rate: the mean share of the other models of a task that a model is ahead of; a tie is half."
        }
        AggregateRule::ZScore => {
            "Mean z-score: how many standard deviations a model is better than the mean of a task, averaged over tasks."
        }
        AggregateRule::Mean => {
            return "Mean: the plain mean over all tasks. Only models with a result on every task have one.".to_owned();
        }
    };
    format!(
        "{what} A task without a result is left out and never counts as zero. Ranked are models with {least} of {columns} \
         tasks or more. The interval takes the tasks as a sample of such tasks."
    )
}
