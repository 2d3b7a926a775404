//! Samples as rows of the table `instances`.

use super::block::Scores;
use super::lane::{Lane, Names};
use super::question::Questions;
use super::sequence::{Stretch, once};
use super::waiting::Waiting;
use crate::batch::Cell;
use crate::error::Result;
use crate::record::RecordFacts;
use crate::sheet::{Codec, Desk, Group, NONE, Sheet};
use crate::table::ColumnType;

impl Waiting {
    /// Writes all that waits: the texts, and the scores as one stretch of rows.
    pub(crate) fn write(
        &mut self,
        facts: &RecordFacts,
        questions: &Questions,
        [instances, messages]: [&mut Sheet; 2],
        desk: &mut Desk,
    ) -> Result<()> {
        self.write_texts(facts, questions, messages, desk)?;
        if self.scores() > 0 {
            let (samples, scores) = (&self.samples, &self.scores);
            let stretch = Stretch::of(samples, 0..samples.len(), Some(&scores.metric), questions);
            instances.group(desk, samples.len(), |group| {
                write_scores(&stretch, scores, facts, group)
            })?;
        }
        self.clear();
        Ok(())
    }
}

fn write_scores(
    stretch: &Stretch<'_>,
    scores: &Scores,
    facts: &RecordFacts,
    group: &mut Group<'_>,
) -> parquet::errors::Result<()> {
    let samples = stretch.samples;
    let sequence = stretch.sequence.as_deref();
    let order: Vec<u32> = stretch.order().collect();
    group.same(Cell::Text(Some(&facts.partition.benchmark)))?;
    group.same(Cell::Text(Some(&facts.partition.model)))?;
    names(group, &samples.task, &order)?;
    names(group, &scores.metric, &order)?;
    once(group, sequence.map(|own| &own.scored), |group| {
        let hashes = order.iter().map(|sample| stretch.hash_of(*sample));
        group.texts(Codec::Unlike, hashes)?;
        let ids = samples.ids();
        let ids = order.iter().map(|sample| ids[*sample as usize]);
        group.texts(Codec::Unlike, ids)
    })?;
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
    once(group, sequence.map(|own| &own.scored_lines), |group| {
        let lines = order.iter().map(|sample| samples.lines[*sample as usize]);
        group.numbers(&lines.collect::<Vec<_>>())
    })
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
