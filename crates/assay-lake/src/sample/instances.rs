//! Samples as rows of the table `instances`.

use super::block::{Block, Samples, Scores};
use super::lane::{Lane, Names};
use super::order::order;
use crate::batch::Cell;
use crate::error::Result;
use crate::record::RecordFacts;
use crate::sheet::{Codec, Desk, Group, NONE, Sheet};
use crate::table::ColumnType;

/// Scores of samples that wait to be sorted and written.
#[derive(Default)]
pub(crate) struct Instances {
    samples: Samples,
    scores: Scores,
}

impl Instances {
    /// Adds the samples of a block.
    pub(crate) fn add(&mut self, block: &Block) {
        self.samples.append(&block.samples);
        self.scores.append(&block.scores);
    }

    /// How many rows wait.
    pub(crate) fn rows(&self) -> usize {
        self.samples.len()
    }

    /// How much memory they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.samples.bytes() + self.scores.bytes()
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.scores.clear();
    }

    /// Writes what waits as one stretch of rows.
    pub(crate) fn write(
        &mut self,
        facts: &RecordFacts,
        sheet: &mut Sheet,
        desk: &mut Desk,
    ) -> Result<()> {
        if self.rows() == 0 {
            return Ok(());
        }
        let (samples, scores) = (&self.samples, &self.scores);
        let order = order(samples, Some(&scores.metric));
        sheet.group(desk, order.len(), |group| {
            group.same(Cell::Text(Some(&facts.partition.benchmark)))?;
            group.same(Cell::Text(Some(&facts.partition.model)))?;
            names(group, &samples.task, &order)?;
            names(group, &scores.metric, &order)?;
            let hashes = order.iter().map(|sample| samples.hash_of(*sample));
            group.texts(Codec::Unlike, hashes)?;
            let ids = order.iter().map(|sample| samples.id_of(*sample));
            group.texts(Codec::Unlike, ids)?;
            let [score, is_correct, others @ .., failed] = &scores.numbers;
            numbers(group, score, &order)?;
            numbers(group, is_correct, &order)?;
            names(group, &scores.interaction, &order)?;
            for lane in others {
                numbers(group, lane, &order)?;
            }
            numbers(group, failed, &order)?;
            names(group, &scores.metadata, &order)?;
            group.same(Cell::Text(Some(&facts.id)))?;
            names(group, &samples.result_id, &order)?;
            numbers(group, &samples.line, &order)
        })?;
        self.clear();
        Ok(())
    }
}

/// A column of texts that come again and again.
fn names(group: &mut Group<'_>, names: &Names, order: &[u32]) -> parquet::errors::Result<()> {
    if let Some(cell) = names.same() {
        return group.same(cell);
    }
    let places = order.iter().map(|row| names.places.get(*row as usize));
    let places: Vec<u32> = places.map(|place| place.unwrap_or(NONE)).collect();
    group.places(&names.texts, &places)
}

/// A column of numbers.
fn numbers(
    group: &mut Group<'_>,
    lane: &Lane<Option<u64>>,
    order: &[u32],
) -> parquet::errors::Result<()> {
    if let Some(bits) = lane.same() {
        return same_number(group, bits);
    }
    let values = order.iter().map(|row| lane.get(*row as usize).flatten());
    let values: Vec<Option<u64>> = values.collect();
    group.numbers(&values)
}

/// A column that has one number in all rows.
pub(super) fn same_number(group: &mut Group<'_>, bits: Option<u64>) -> parquet::errors::Result<()> {
    group.same(match group.holds() {
        ColumnType::Number => Cell::Number(bits.map(f64::from_bits)),
        ColumnType::Truth => Cell::Truth(bits.map(|bits| bits != 0)),
        ColumnType::Text => Cell::Text(None),
        ColumnType::Integer | ColumnType::Moment => Cell::Integer(bits.map(u64::cast_signed)),
    })
}
