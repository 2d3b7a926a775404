use std::cmp::Ordering;

use assay_app::{BoardRow, BoardView};
use assay_model::Direction;

use super::Asked;
use super::columns::SETUP_PREFIX;
use super::status::framework;
use crate::web::chart::value_of;

/// Puts rows that are in the order of their rank into the order that is asked for.
pub(super) fn sort(rows: &mut [&BoardRow], view: &BoardView, asked: &Asked) {
    let Some(key) = asked.sort.as_deref() else {
        if asked.reversed {
            rows.reverse();
        }
        return;
    };
    // Rows are in the order of their rank, and stay so among equals.
    if let Some(metric) = view.benchmark.metric(key) {
        let value = |row: &BoardRow| value_of(row, metric);
        rows.sort_by(|left, right| {
            let order = by_value(value(left), value(right), metric.direction);
            turned(
                order,
                asked.reversed,
                value(left).zip(value(right)).is_some(),
            )
        });
        return;
    }
    let text = |row: &BoardRow| {
        if let Some(key) = key.strip_prefix(SETUP_PREFIX) {
            return row.brief.setup().get(key).map(str::to_owned);
        }
        let words = row.brief.words()?;
        match key {
            "framework" => framework(words.framework.as_ref()),
            "submitter" => words.submitter.clone(),
            "notes" => words.notes.clone(),
            _ => None,
        }
    };
    let status = |row: &BoardRow| (!row.brief.is_verified(), row.brief.pull().is_some());
    rows.sort_by(|left, right| {
        let order = match key {
            "model" => by_name(left, right),
            "date" => right.brief.moment().cmp(&left.brief.moment()),
            "params" => {
                let known = |row: &BoardRow| row.brief.parameters.unwrap_or(u64::MAX);
                known(left).cmp(&known(right))
            }
            "status" => status(left).cmp(&status(right)),
            _ => text(left)
                .unwrap_or_default()
                .cmp(&text(right).unwrap_or_default()),
        };
        turned(order, asked.reversed, true)
    });
}

fn by_name(left: &BoardRow, right: &BoardRow) -> Ordering {
    let name = |row: &BoardRow| row.brief.model().as_str().to_lowercase();
    name(left).cmp(&name(right))
}

/// The better first; who has no value comes last, whichever way.
fn by_value(left: Option<f64>, right: Option<f64>, direction: Direction) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => match direction {
            Direction::HigherIsBetter => right.total_cmp(&left),
            Direction::LowerIsBetter => left.total_cmp(&right),
        },
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

fn turned(order: Ordering, reversed: bool, both_known: bool) -> Ordering {
    if reversed && both_known {
        order.reverse()
    } else {
        order
    }
}
