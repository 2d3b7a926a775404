//! Samples as rows of the table `messages`.

use parquet::errors::Result as ParquetResult;

use super::block::{Block, Part, Samples, TEXTS, Talk};
use super::instances::same_number;
use super::lane::{Lane, Names, Text, small};
use super::order::order;
use crate::batch::Cell;
use crate::error::Result;
use crate::record::RecordFacts;
use crate::sheet::{Codec, Desk, Group, NONE, Run, Sheet};

/// How the texts of a piece are packed, in the order of the table.
const CODECS: [Codec; TEXTS] = [Codec::Fast, Codec::Fast, Codec::Fast, Codec::Small];
/// How many buffers are kept for the next texts.
const SPARE_BUFFERS: usize = 128;

/// Texts of samples that wait to be sorted and written.
#[derive(Default)]
pub(crate) struct Messages {
    samples: Samples,
    talk: Talk,
    /// The texts, as they lay in their blocks.
    buffers: Vec<Vec<u8>>,
    buffers_bytes: usize,
    spare: Vec<Vec<u8>>,
}

/// Which rows are written, in which order.
struct Layout {
    /// The samples that have text.
    samples: Vec<u32>,
    /// Where the pieces of all samples begin.
    starts: Vec<u32>,
}

impl Messages {
    /// Adds the text of a block, and leaves it another buffer.
    pub(crate) fn add(&mut self, block: &mut Block) {
        self.samples.append(&block.samples);
        self.talk.append(&block.talk, self.buffers.len());
        self.buffers_bytes += block.buffer.len();
        let spare = self.spare.pop().unwrap_or_default();
        self.buffers
            .push(std::mem::replace(&mut block.buffer, spare));
    }

    /// How many rows wait.
    pub(crate) fn rows(&self) -> usize {
        self.talk.len()
    }

    /// How much memory they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.samples.bytes() + self.talk.bytes() + self.buffers_bytes
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.talk.clear();
        self.buffers_bytes = 0;
        for mut buffer in self.buffers.drain(..) {
            if self.spare.len() < SPARE_BUFFERS {
                buffer.clear();
                self.spare.push(buffer);
            }
        }
    }

    /// Writes what waits as one stretch of rows.
    pub(crate) fn write(
        &mut self,
        facts: &RecordFacts,
        sheet: &mut Sheet,
        desk: &mut Desk,
    ) -> Result<()> {
        if self.rows() > 0 {
            sheet.group(desk, self.rows(), |group| self.write_columns(facts, group))?;
        }
        self.clear();
        Ok(())
    }

    fn write_columns(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        let (samples, talk) = (&self.samples, &self.talk);
        let has_text = |sample: u32| talk.pieces[sample as usize] > 0;
        let layout = Layout {
            samples: order(samples, None, has_text),
            starts: talk.starts(),
        };
        group.same(Cell::Text(Some(&facts.partition.benchmark)))?;
        group.same(Cell::Text(Some(&facts.partition.model)))?;
        layout.names(group, &samples.task)?;
        layout.texts(group, |sample| samples.hash_of(sample))?;
        layout.texts(group, |sample| samples.id_of(sample))?;
        layout.numbers(group, &samples.line)?;
        layout.positions(group)?;
        match talk.part.same() {
            Some(part) => group.same(Cell::Text(Part::NAMES.get(part as usize).copied()))?,
            None => group.places(&Part::NAMES, &layout.gather(&talk.part, 0))?,
        }
        match talk.turn.same() {
            Some(turn) => same_number(group, turn)?,
            None => group.numbers(&layout.gather(&talk.turn, None))?,
        }
        match talk.role.same() {
            Some(role) => group.same(role)?,
            None => group.places(&talk.role.texts, &layout.gather(&talk.role.places, NONE))?,
        }
        for (codec, lane) in CODECS.into_iter().zip(&talk.texts) {
            if lane.same() == Some(Text::NONE) {
                group.same(Cell::Text(None))?;
                continue;
            }
            let texts = layout.pieces().map(|piece| {
                let text = lane.get(piece)?;
                text.of(self.buffers.get(text.buffer as usize)?)
            });
            group.texts(codec, texts)?;
        }
        group.same(Cell::Text(Some(&facts.id)))?;
        layout.names(group, &samples.result_id)
    }
}

impl Layout {
    /// The numbers of the pieces, as they are written.
    fn pieces(&self) -> impl Iterator<Item = usize> {
        self.samples
            .iter()
            .flat_map(|sample| self.pieces_of(*sample))
    }

    fn pieces_of(&self, sample: u32) -> std::ops::Range<usize> {
        let sample = sample as usize;
        self.starts[sample] as usize..self.starts[sample + 1] as usize
    }

    /// The values of the pieces, as they are written.
    fn gather<T: Copy + PartialEq>(&self, lane: &Lane<T>, none: T) -> Vec<T> {
        let mut values = Vec::with_capacity(lane.len());
        values.extend(self.pieces().map(|piece| lane.get(piece).unwrap_or(none)));
        values
    }

    /// A column of names of samples.
    fn names(&self, group: &mut Group<'_>, names: &Names) -> ParquetResult<()> {
        if let Some(cell) = names.same() {
            return group.same(cell);
        }
        let texts: Vec<&[u8]> = names.texts.iter().map(|text| text.as_bytes()).collect();
        let runs = self.samples.iter().map(|sample| Run {
            place: names.places.get(*sample as usize).unwrap_or(NONE),
            rows: self.pieces_of(*sample).len(),
        });
        group.runs_of_texts(&texts, &joined(runs))
    }

    /// A column of texts of samples, which are seldom the same twice.
    fn texts<'t>(
        &self,
        group: &mut Group<'_>,
        text_of: impl Fn(u32) -> Option<&'t [u8]>,
    ) -> ParquetResult<()> {
        let mut texts: Vec<&[u8]> = Vec::with_capacity(self.samples.len());
        let runs = self.samples.iter().map(|sample| {
            let text = text_of(*sample);
            if let Some(text) = text
                && texts.last() != Some(&text)
            {
                texts.push(text);
            }
            Run {
                place: text.map_or(NONE, |_| small(texts.len() - 1)),
                rows: self.pieces_of(*sample).len(),
            }
        });
        let runs = joined(runs);
        group.runs_of_texts(&texts, &runs)
    }

    /// A column of numbers of samples, none of which is there twice.
    fn numbers(&self, group: &mut Group<'_>, lane: &Lane<Option<u64>>) -> ParquetResult<()> {
        let numbers = self
            .samples
            .iter()
            .map(|sample| lane.get(*sample as usize).flatten());
        let numbers: Vec<u64> = numbers.map(Option::unwrap_or_default).collect();
        let runs = (0..).zip(&self.samples).map(|(place, sample)| Run {
            place,
            rows: self.pieces_of(*sample).len(),
        });
        group.runs_of_numbers(&numbers, &joined(runs))
    }

    /// The place of each piece in its sample.
    fn positions(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        let counts = self
            .samples
            .iter()
            .map(|sample| self.pieces_of(*sample).len() as u64);
        let positions: Vec<Option<u64>> = counts.flat_map(|count| (0..count).map(Some)).collect();
        group.numbers(&positions)
    }
}

/// Runs of which no two after each other have the same value.
fn joined(runs: impl Iterator<Item = Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::with_capacity(runs.size_hint().0);
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.place == run.place => last.rows += run.rows,
            Some(_) | None => joined.push(run),
        }
    }
    joined
}
