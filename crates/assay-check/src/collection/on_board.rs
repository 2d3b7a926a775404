//! Results of a file held against the boards that they are for.

use std::collections::{BTreeMap, BTreeSet};

use assay_formats::Value;
use assay_model::{MetricId, RepoId, Score, TaskId};

use super::boards::{ENOUGH_SCORES, FACTORS, NEAR, is_hundred, position_of};
use super::copies::{ENOUGH_SCORES as ENOUGH_SHARED, ENOUGH_STEPS};
use crate::forensics::Figure;
use crate::result_file::ValidEntry;
use crate::rules::{copied_values, value_slip};
use crate::sink::Sink;

/// The largest ratio between a multiple and another value of the same model.
const SAME: f64 = 1.02;

/// Results that someone keeps on boards.
pub trait Boards {
    /// Returns the values of a metric on the board of a task, in no order; the primary metric when
    /// none is named. Of a board that is not known there are none.
    fn values(
        &self,
        dataset: &RepoId,
        task: &TaskId,
        metric: Option<&MetricId>,
    ) -> Vec<BoardValue<'_>>;
}

/// One value on a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardValue<'b> {
    /// The model.
    pub model: &'b RepoId,
    /// True for the model of the file, reported in another file or pull request.
    pub is_own: bool,
    /// The value.
    pub value: f64,
}

/// The values of one metric on one board.
struct Column<'b> {
    /// Those of other models, from the smallest.
    others: Vec<(f64, &'b RepoId)>,
    /// Those of the same model.
    own: Vec<f64>,
}

/// A board and a metric of it.
type ColumnKey<'e> = (&'e RepoId, &'e TaskId, Option<&'e MetricId>);

/// A value of the file with its place.
struct Written<'e> {
    key: ColumnKey<'e>,
    figure: Figure<'e>,
    entry: Value<'e>,
}

pub(crate) fn check<'e>(
    entries: impl Iterator<Item = ValidEntry<'e>>,
    boards: &dyn Boards,
    sink: &mut Sink<'_>,
) {
    let mut columns: BTreeMap<ColumnKey<'e>, Column<'_>> = BTreeMap::new();
    let mut written = Vec::new();
    for valid in entries {
        let entry = valid.entry();
        let whole = entry.scores.iter().filter(|score| score.slice.is_none());
        for score in whole {
            let Some(figure) = value_of(valid.written(), score).and_then(Figure::of) else {
                continue;
            };
            let key = (&entry.dataset, &entry.task, score.metric.as_ref());
            let column = columns
                .entry(key)
                .or_insert_with(|| Column::of(boards.values(key.0, key.1, key.2)));
            column.check(figure, sink);
            written.push(Written {
                key,
                figure,
                entry: valid.written(),
            });
        }
    }
    find_copies(&written, &columns, sink);
}

/// The value of a score in its entry.
fn value_of<'e>(entry: Value<'e>, score: &Score) -> Option<Value<'e>> {
    let Some(metric) = &score.metric else {
        return entry.get("value");
    };
    let is_it = |listed: &Value<'e>| {
        let names_it = listed.text_of("metric_id").as_deref() == Some(metric.as_str());
        names_it && listed.get("slice").is_none()
    };
    entry.get("metrics")?.items().find(is_it)?.get("value")
}

impl<'b> Column<'b> {
    fn of(values: Vec<BoardValue<'b>>) -> Self {
        let (own, others): (Vec<_>, Vec<_>) = values.into_iter().partition(|value| value.is_own);
        let mut others: Vec<(f64, &RepoId)> = others
            .into_iter()
            .map(|value| (value.value, value.model))
            .collect();
        others.sort_by(|one, other| one.0.total_cmp(&other.0));
        Self {
            others,
            own: own.into_iter().map(|value| value.value).collect(),
        }
    }

    fn check(&self, figure: Figure<'_>, sink: &mut Sink<'_>) {
        let value = figure.value;
        if value <= 0.0 {
            return;
        }
        let repeats = |factor: &f64| {
            let near = |own: &f64| (1.0 / SAME..=SAME).contains(&(value * factor / own));
            self.own.iter().any(|own| *own > 0.0 && near(own))
        };
        let is_told_by_own = self
            .own
            .iter()
            .any(|own| (own / value - 1.0).abs() < SAME - 1.0);
        if let Some((factor, usual)) = self.slip(value) {
            value_slip::beside_others(figure.at, factor, usual, self.others.len(), sink);
        } else if !is_told_by_own && let Some(factor) = FACTORS.into_iter().find(repeats) {
            value_slip::beside_own(figure.at, factor, sink);
        }
    }

    /// Returns by what the value has to be multiplied to stand among those of other models, when it
    /// is far from all of them, with the range of nine in ten.
    fn slip(&self, value: f64) -> Option<(f64, (f64, f64))> {
        // Runs that failed altogether say nothing of the scale.
        let above = &self.others[self.others.partition_point(|(value, _)| *value <= 0.0)..];
        if above.len() < ENOUGH_SCORES {
            return None;
        }
        let quantile = |share: f64| above[position_of(share, above.len())].0;
        let (least, most) = (above[0].0, above[above.len() - 1].0);
        if (least / 2.0..=most * 2.0).contains(&value) {
            return None;
        }
        let (low, high, middle) = (quantile(0.05), quantile(0.95), quantile(0.5));
        let fits = |factor: &f64| {
            let meant = value * factor;
            let is_near = (1.0 / NEAR..=NEAR).contains(&(meant / middle));
            // A tenth happens to honest models on a bad day.
            is_hundred(*factor) && is_near && (low..=high).contains(&meant)
        };
        let factor = FACTORS.into_iter().find(fits)?;
        Some((factor, (low, high)))
    }

    /// The models that have this very value.
    fn holders(&self, value: f64) -> impl Iterator<Item = &'b RepoId> {
        let from = self.others.partition_point(|(other, _)| *other < value);
        let same = self.others[from..]
            .iter()
            .take_while(move |(other, _)| *other <= value);
        same.map(|(_, model)| *model)
    }
}

/// Reports models that have all values of the file that they could have, three or more different
/// ones among them.
fn find_copies(
    written: &[Written<'_>],
    columns: &BTreeMap<ColumnKey<'_>, Column<'_>>,
    sink: &mut Sink<'_>,
) {
    let mut shared: BTreeMap<&RepoId, BTreeSet<u64>> = BTreeMap::new();
    for one in written {
        let says_enough = one.figure.value.abs() >= ENOUGH_STEPS * one.figure.unit;
        let Some(column) = columns.get(&one.key).filter(|_| says_enough) else {
            continue;
        };
        for model in column.holders(one.figure.value) {
            let values = shared.entry(model).or_default();
            values.insert((one.figure.value + 0.0).to_bits());
        }
    }
    shared.retain(|_, values| values.len() >= ENOUGH_SHARED);
    // A model that has other values where it could have those of the file is no copy. Each column
    // is looked at once, however many models are in question.
    for one in written {
        if shared.is_empty() {
            return;
        }
        let Some(column) = columns.get(&one.key) else {
            continue;
        };
        let holders: BTreeSet<&RepoId> = column.holders(one.figure.value).collect();
        for (_, model) in &column.others {
            if !holders.contains(model) {
                shared.remove(model);
            }
        }
    }
    // One name is enough to go and look.
    if let Some((model, values)) = shared.into_iter().max_by_key(|(_, values)| values.len())
        && let Some(first) = written.first()
    {
        copied_values::report(first.entry, values.len(), model, sink);
    }
}
