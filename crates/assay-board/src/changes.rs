use std::cmp::Ordering;
use std::collections::HashMap;

use assay_model::{RepoId, RepoKey};

use crate::{Error, Leaderboard, Row};

/// The change of one model between two boards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change<'a> {
    /// The repository of the model.
    pub key: RepoKey,
    /// Its name, as the later board has it.
    pub model: &'a RepoId,
    /// The kind of change.
    pub movement: Movement,
    /// Its value on the earlier board.
    pub value_before: Option<f64>,
    /// Its value on the later board.
    pub value_after: Option<f64>,
}

/// The change of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// It was not on the earlier board.
    Entered {
        /// The rank it has.
        to: usize,
    },
    /// It has a better rank.
    Rose {
        /// The rank it had.
        from: usize,
        /// The rank it has.
        to: usize,
    },
    /// It has a worse rank.
    Fell {
        /// The rank it had.
        from: usize,
        /// The rank it has.
        to: usize,
    },
    /// It has the same rank, by another value.
    Held {
        /// The rank.
        at: usize,
    },
    /// It is not on the later board.
    Left {
        /// The rank it had.
        from: usize,
    },
}

/// Returns the changes from one board to a later one: first the rows of the later board, in its
/// order, then the rows that left, in the order of the earlier one. A model with the same rank and
/// value is not mentioned; of several rows, the best counts.
pub fn changes<'a>(
    before: &Leaderboard<'a>,
    after: &Leaderboard<'a>,
) -> Result<Vec<Change<'a>>, Error> {
    let (asked_before, asked_after) = (before.question(), after.question());
    if (
        &asked_before.metric,
        asked_before.direction,
        &asked_before.level,
    ) != (
        &asked_after.metric,
        asked_after.direction,
        &asked_after.level,
    ) {
        return Err(Error::NotComparable {
            before: Box::new(asked_before.clone()),
            after: Box::new(asked_after.clone()),
        });
    }
    let (old, new) = (best_rows(before), best_rows(after));
    let present = firsts(after, &new).filter_map(|row| change(old.get(&key(row)).copied(), row));
    let left = firsts(before, &old)
        .filter(|row| !new.contains_key(&key(row)))
        .map(|row| Change {
            key: key(row),
            model: &row.result.model,
            movement: Movement::Left { from: row.rank },
            value_before: Some(row.value()),
            value_after: None,
        });
    Ok(present.chain(left).collect())
}

fn key(row: &Row<'_>) -> RepoKey {
    row.result.key
}

/// The best row of each model.
fn best_rows<'b, 'a>(board: &'b Leaderboard<'a>) -> HashMap<RepoKey, &'b Row<'a>> {
    let mut rows = HashMap::with_capacity(board.rows.len());
    for row in &board.rows {
        rows.entry(key(row)).or_insert(row);
    }
    rows
}

/// The rows of a board that are the best of their model, in order.
fn firsts<'b, 'a>(
    board: &'b Leaderboard<'a>,
    best: &'b HashMap<RepoKey, &'b Row<'a>>,
) -> impl Iterator<Item = &'b Row<'a>> {
    board.rows.iter().filter(|row| {
        best.get(&key(row))
            .is_some_and(|first| std::ptr::eq(*first, *row))
    })
}

fn change<'a>(old: Option<&Row<'a>>, new: &Row<'a>) -> Option<Change<'a>> {
    let to = new.rank;
    let movement = match old.map(|row| (row.rank, row.value())) {
        None => Movement::Entered { to },
        Some((from, _)) if to < from => Movement::Rose { from, to },
        Some((from, _)) if to > from => Movement::Fell { from, to },
        Some((_, value)) if value.partial_cmp(&new.value()) != Some(Ordering::Equal) => {
            Movement::Held { at: to }
        }
        Some(_) => return None,
    };
    Some(Change {
        key: key(new),
        model: &new.result.model,
        movement,
        value_before: old.map(Row::value),
        value_after: Some(new.value()),
    })
}
