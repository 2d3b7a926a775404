//! Samples as rows of the table `messages`.
//!
//! What was asked and what was said are two stretches of rows. Files of other models ask the same, so most columns of the former
//! have been written before, and are copied.

use parquet::errors::Result as ParquetResult;

use super::block::{Block, Part, Samples, TEXTS, Talk};
use super::columns::Written;
use super::instances::same_number;
use super::lane::{Lane, Names, Text, small};
use super::order::order;
use super::question::{AskedAll, Question, Questions};
use crate::batch::Cell;
use crate::error::Result;
use crate::record::RecordFacts;
use crate::sheet::{Codec, Desk, Group, NONE, Run, Sheet};

/// How the texts of a piece are packed, in the order of the table.
const CODECS: [Codec; TEXTS] = [Codec::Fast, Codec::Fast, Codec::Fast, Codec::Small];
/// Who asks.
const ASKER: &str = "user";
/// How many buffers are kept for the next texts.
const SPARE_BUFFERS: usize = 128;

/// Texts of samples that wait to be sorted and written.
#[derive(Default)]
pub(crate) struct Messages {
    samples: Samples,
    asked: AskedAll,
    talk: Talk,
    /// The texts of what was said, as they lay in their blocks.
    buffers: Vec<Vec<u8>>,
    buffers_bytes: usize,
    spare: Vec<Vec<u8>>,
}

/// A stretch of rows, sample by sample as they are written.
struct Layout<'w> {
    samples: &'w Samples,
    stretch: Vec<Rows>,
}

/// The rows of one sample.
#[derive(Clone, Copy)]
struct Rows {
    sample: u32,
    /// The position of the first of them among all of the sample.
    first: u32,
    count: u32,
}

impl Messages {
    /// Adds the text of a block, and leaves it another buffer.
    pub(crate) fn add(&mut self, block: &mut Block) {
        self.samples.append(&block.samples);
        self.asked.append(&mut block.asked);
        self.talk.append(&block.talk, self.buffers.len());
        self.buffers_bytes += block.buffer.len();
        let spare = self.spare.pop().unwrap_or_default();
        self.buffers
            .push(std::mem::replace(&mut block.buffer, spare));
    }

    /// How many rows wait.
    pub(crate) fn rows(&self) -> usize {
        self.asked.rows + self.talk.len()
    }

    /// How much memory they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.samples.bytes() + self.asked.bytes + self.talk.bytes() + self.buffers_bytes
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.asked.clear();
        self.talk.clear();
        self.buffers_bytes = 0;
        for mut buffer in self.buffers.drain(..) {
            if self.spare.len() < SPARE_BUFFERS {
                buffer.clear();
                self.spare.push(buffer);
            }
        }
    }

    /// Writes what waits: what was asked as one stretch of rows, and what was said as another.
    pub(crate) fn write(
        &mut self,
        facts: &RecordFacts,
        questions: &Questions,
        sheet: &mut Sheet,
        desk: &mut Desk,
    ) -> Result<()> {
        let order = order(&self.samples, None);
        if self.asked.rows > 0 {
            let layout = self.layout(&order, |sample| Rows {
                sample,
                first: 0,
                count: self.asked.counts[sample as usize],
            });
            sheet.group(desk, self.asked.rows, |group| {
                self.write_asked(&layout, facts, questions, group)
            })?;
        }
        if self.talk.len() > 0 {
            let layout = self.layout(&order, |sample| Rows {
                sample,
                first: self.asked.counts[sample as usize],
                count: self.talk.pieces[sample as usize],
            });
            sheet.group(desk, self.talk.len(), |group| {
                self.write_said(&layout, facts, group)
            })?;
        }
        self.clear();
        Ok(())
    }

    fn layout(&self, order: &[u32], rows_of: impl Fn(u32) -> Rows) -> Layout<'_> {
        let rows = order.iter().map(|sample| rows_of(*sample));
        Layout {
            samples: &self.samples,
            stretch: rows.filter(|rows| rows.count > 0).collect(),
        }
    }

    fn write_asked(
        &self,
        layout: &Layout<'_>,
        facts: &RecordFacts,
        questions: &Questions,
        group: &mut Group<'_>,
    ) -> ParquetResult<()> {
        let places = self
            .asked
            .places(layout.stretch.iter().map(|rows| rows.sample));
        let before = places
            .as_deref()
            .and_then(|places| questions.written.of(places));
        layout.write_task(facts, group)?;
        if let Some(before) = before {
            group.again(&before.hashes)?;
            layout.write_place(group)?;
            group.again(&before.texts)?;
            return layout.write_origin(facts, group);
        }
        let hashes = group.copied(|group| layout.write_hashes(group))?;
        layout.write_place(group)?;
        let texts = group.copied(|group| {
            layout.positions(group)?;
            self.write_questions(layout, questions, group)
        })?;
        if let Some(places) = places {
            questions.written.keep(Written {
                places,
                hashes,
                texts,
            });
        }
        layout.write_origin(facts, group)
    }

    fn write_questions(
        &self,
        layout: &Layout<'_>,
        questions: &Questions,
        group: &mut Group<'_>,
    ) -> ParquetResult<()> {
        let mut pieces: Vec<(Part, &str)> = Vec::with_capacity(self.asked.rows);
        for rows in &layout.stretch {
            let question = self.asked.get(rows.sample, questions);
            pieces.extend(question.into_iter().flat_map(Question::pieces));
        }
        let mut parts: Vec<u32> = pieces.iter().map(|(part, _)| *part as u32).collect();
        group.places(&Part::NAMES, &parts)?;
        group.same(Cell::Integer(None))?;
        for part in &mut parts {
            *part = if *part == Part::Input as u32 { 0 } else { NONE };
        }
        group.places(&[ASKER], &parts)?;
        let texts = pieces.iter().map(|(_, text)| Some(text.as_bytes()));
        group.texts(Codec::Small, texts)?;
        for _ in 1..TEXTS {
            group.same(Cell::Text(None))?;
        }
        Ok(())
    }

    fn write_said(
        &self,
        layout: &Layout<'_>,
        facts: &RecordFacts,
        group: &mut Group<'_>,
    ) -> ParquetResult<()> {
        let talk = &self.talk;
        let starts = talk.starts();
        let mut pieces: Vec<u32> = Vec::with_capacity(talk.len());
        for rows in &layout.stretch {
            let start = starts[rows.sample as usize];
            pieces.extend(start..start + rows.count);
        }
        layout.write_task(facts, group)?;
        layout.write_hashes(group)?;
        layout.write_place(group)?;
        layout.positions(group)?;
        match talk.part.same() {
            Some(part) => group.same(Cell::Text(Part::NAMES.get(part as usize).copied()))?,
            None => group.places(&Part::NAMES, &gather(&pieces, &talk.part, 0))?,
        }
        match talk.turn.same() {
            Some(turn) => same_number(group, turn)?,
            None => group.numbers(&gather(&pieces, &talk.turn, None))?,
        }
        match talk.role.same() {
            Some(role) => group.same(role)?,
            None => group.places(&talk.role.texts, &gather(&pieces, &talk.role.places, NONE))?,
        }
        for (codec, lane) in CODECS.into_iter().zip(&talk.texts) {
            if lane.same() == Some(Text::NONE) {
                group.same(Cell::Text(None))?;
                continue;
            }
            let texts = pieces.iter().map(|piece| {
                let text = lane.get(*piece as usize)?;
                text.of(self.buffers.get(text.buffer as usize)?)
            });
            group.texts(codec, texts)?;
        }
        layout.write_origin(facts, group)
    }
}

impl Layout<'_> {
    fn write_task(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        group.same(Cell::Text(Some(&facts.partition.benchmark)))?;
        group.same(Cell::Text(Some(&facts.partition.model)))?;
        self.names(group, &self.samples.task)
    }

    fn write_hashes(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        self.texts(group, |sample| self.samples.hash_of(sample))
    }

    /// Writes what a sample is called, and where it stands.
    fn write_place(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        self.texts(group, |sample| self.samples.id_of(sample))?;
        self.numbers(group, &self.samples.line)
    }

    /// Writes the columns that tell where each row comes from.
    fn write_origin(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        group.same(Cell::Text(Some(&facts.id)))?;
        self.names(group, &self.samples.result_id)
    }

    /// A column of names of samples.
    fn names(&self, group: &mut Group<'_>, names: &Names) -> ParquetResult<()> {
        if let Some(cell) = names.same() {
            return group.same(cell);
        }
        let texts: Vec<&[u8]> = names.texts.iter().map(|text| text.as_bytes()).collect();
        let runs = self.stretch.iter().map(|rows| Run {
            place: names.places.get(rows.sample as usize).unwrap_or(NONE),
            rows: rows.count as usize,
        });
        group.runs_of_texts(&texts, &joined(runs))
    }

    /// A column of texts of samples, which are seldom the same twice.
    fn texts<'t>(
        &self,
        group: &mut Group<'_>,
        text_of: impl Fn(u32) -> Option<&'t [u8]>,
    ) -> ParquetResult<()> {
        let mut texts: Vec<&[u8]> = Vec::with_capacity(self.stretch.len());
        let runs = self.stretch.iter().map(|rows| {
            let text = text_of(rows.sample);
            if let Some(text) = text
                && texts.last() != Some(&text)
            {
                texts.push(text);
            }
            Run {
                place: text.map_or(NONE, |_| small(texts.len() - 1)),
                rows: rows.count as usize,
            }
        });
        let runs = joined(runs);
        group.runs_of_texts(&texts, &runs)
    }

    /// A column of numbers of samples, none of which is there twice.
    fn numbers(&self, group: &mut Group<'_>, lane: &Lane<Option<u64>>) -> ParquetResult<()> {
        let numbers = self
            .stretch
            .iter()
            .map(|rows| lane.get(rows.sample as usize).flatten());
        let numbers: Vec<u64> = numbers.map(Option::unwrap_or_default).collect();
        let runs = (0..).zip(&self.stretch).map(|(place, rows)| Run {
            place,
            rows: rows.count as usize,
        });
        group.runs_of_numbers(&numbers, &joined(runs))
    }

    /// The position of each row in its sample.
    fn positions(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        let mut positions: Vec<Option<u64>> = Vec::new();
        for rows in &self.stretch {
            let own = rows.first..rows.first + rows.count;
            positions.extend(own.map(|position| Some(u64::from(position))));
        }
        group.numbers(&positions)
    }
}

/// The values of pieces, as they are written.
fn gather<T: Copy + PartialEq>(pieces: &[u32], lane: &Lane<T>, none: T) -> Vec<T> {
    let values = pieces.iter().map(|piece| lane.get(*piece as usize));
    values.map(|value| value.unwrap_or(none)).collect()
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
