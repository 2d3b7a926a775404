//! Rank changes, in words.

use assay_app::{BoardChange, BoardChanges};
use assay_board::Movement;
use assay_model::Timestamp;

use super::board::how::with_unit;
use super::{board_diff_page, links, show};

/// A rank change as pages and feeds tell it.
#[derive(Debug, Clone)]
pub(super) struct Move {
    /// The time of the move.
    pub(super) at: Timestamp,
    /// The model: address and name.
    pub(super) model: (String, String),
    /// The board: address and name.
    pub(super) board: (String, String),
    /// The kind of move, as a word for the style: `up`, `down`, `new`, `same` or `gone`.
    pub(super) kind: &'static str,
    /// A sign for it.
    pub(super) sign: &'static str,
    /// The move in words.
    pub(super) what: String,
    /// The value and how it was before.
    pub(super) value: String,
    /// The first models that were moved by it.
    pub(super) others: String,
    /// The address of what differs on the board from just before to this moment.
    pub(super) difference: String,
}

impl Move {
    /// The day it happened.
    pub(super) fn day(&self) -> String {
        show::day(self.at)
    }
}

/// Every change of a board.
pub(super) fn of(changes: &BoardChanges) -> Vec<Move> {
    changes
        .changes
        .iter()
        .map(|change| told(changes, change))
        .collect()
}

fn told(board: &BoardChanges, change: &BoardChange) -> Move {
    let doubts = change.result.as_ref().map(|result| result.doubts());
    let doubts: Vec<String> = doubts
        .into_iter()
        .flatten()
        .map(|code| code.to_string())
        .collect();
    let (kind, sign, what) = if doubts.is_empty() {
        movement(change.movement)
    } else {
        // The rank of a value in doubt is not announced.
        let what = format!("has a value in doubt ({})", doubts.join(", "));
        ("same", "?", what)
    };
    let metric = board.benchmark.metric(board.metric.as_str());
    let shown = |value: f64| match metric {
        Some(metric) => with_unit(value, metric),
        None => show::number(value),
    };
    let value = match (change.value_before, change.value_after) {
        (Some(before), Some(after)) => format!("{}, before {}", shown(after), shown(before)),
        (_, Some(value)) | (Some(value), None) => shown(value),
        (None, None) => String::new(),
    };
    let others: Vec<String> = change
        .displaced
        .iter()
        .map(|other| format!("{} from {} to {}", other.model, other.from, other.to))
        .collect();
    let task = match board.benchmark.tasks.len() {
        0 | 1 => String::new(),
        _ => format!(" ({})", board.task),
    };
    Move {
        at: change.at,
        model: (links::model(&change.model), change.model.to_string()),
        board: (
            links::board(&board.benchmark_id, &board.task),
            format!("{}{task}", board.benchmark.name),
        ),
        kind,
        sign,
        what,
        value,
        others: others.join(", "),
        difference: board_diff_page(
            &board.benchmark_id,
            &board.task,
            Some(Timestamp::from_millis(change.at.millis() - 1)),
            Some(change.at),
        ),
    }
}

/// Returns the change of a rank: a word for the style, a sign, and a sentence.
fn movement(movement: Movement) -> (&'static str, &'static str, String) {
    match movement {
        Movement::Entered { to } => ("new", "+", format!("new at rank {to}")),
        Movement::Rose { from, to } => {
            ("up", "\u{2191}", format!("rises from rank {from} to {to}"))
        }
        Movement::Fell { from, to } => (
            "down",
            "\u{2193}",
            format!("falls from rank {from} to {to}"),
        ),
        Movement::Held { at } => ("same", "=", format!("stays at rank {at}, score updated")),
        Movement::Left { from } => ("gone", "\u{2212}", format!("leaves rank {from}")),
    }
}
