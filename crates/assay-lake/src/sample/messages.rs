//! Samples as rows of the table `messages`.
//!
//! What was asked and what was said are two stretches of rows. Files of other models ask the same, so most columns of the former
//! have been written before, and are copied.

use parquet::errors::Result as ParquetResult;

use super::block::{Part, TEXTS, Talk};
use super::instances::same_number;
use super::lane::{Lane, Names, Text, small};
use super::question::{Question, Questions};
use super::sequence::{Stretch, once};
use super::waiting::Waiting;
use crate::batch::Cell;
use crate::error::Result;
use crate::record::RecordFacts;
use crate::sheet::{Codec, Desk, Group, NONE, Run, Sheet};

/// How the texts of a piece are packed, in the order of the table.
const CODECS: [Codec; TEXTS] = [Codec::Fast, Codec::Fast, Codec::Fast, Codec::Small];
/// Who asks.
const ASKER: &str = "user";

/// A stretch of rows, sample by sample as they are written.
struct Layout<'w> {
    stretch: &'w Stretch<'w>,
    samples: Vec<Rows>,
    rows: usize,
}

/// The rows of one sample.
#[derive(Clone, Copy)]
struct Rows {
    sample: u32,
    /// The position of the first of them among all of the sample.
    first: u32,
    count: u32,
}

impl Waiting {
    /// Writes the texts that wait: what was asked as one stretch of rows, and what was said as another.
    pub(crate) fn write_texts(
        &mut self,
        facts: &RecordFacts,
        questions: &Questions,
        sheet: &mut Sheet,
        desk: &mut Desk,
    ) -> Result<()> {
        let (samples, talk) = (&self.samples, &self.talk);
        if self.told == samples.len() {
            return Ok(());
        }
        let stretch = Stretch::of(samples, self.told..samples.len(), None, questions);
        let asked = Layout::of(&stretch, |sample| Rows {
            sample,
            first: 0,
            count: samples.counts[sample as usize],
        });
        if asked.rows > 0 {
            sheet.group(desk, asked.rows, |group| asked.write_asked(facts, group))?;
        }
        let said = Layout::of(&stretch, |sample| Rows {
            sample,
            first: samples.counts[sample as usize],
            count: talk.pieces[stretch.place_of(sample)],
        });
        if said.rows > 0 {
            sheet.group(desk, said.rows, |group| {
                said.write_said(talk, &self.buffers, facts, group)
            })?;
        }
        self.forget_texts();
        Ok(())
    }
}

impl<'w> Layout<'w> {
    fn of(stretch: &'w Stretch<'w>, rows_of: impl Fn(u32) -> Rows) -> Self {
        let samples = stretch.order().map(rows_of);
        let samples: Vec<Rows> = samples.filter(|rows| rows.count > 0).collect();
        Self {
            stretch,
            rows: samples.iter().map(|rows| rows.count as usize).sum(),
            samples,
        }
    }

    fn write_asked(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        let sequence = self.stretch.sequence.as_deref();
        self.write_task(facts, group)?;
        once(group, sequence.map(|own| &own.asked), |group| {
            self.write_place(group)?;
            self.write_questions(group)
        })?;
        self.write_origin(facts, group)
    }

    fn write_questions(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        let mut pieces: Vec<(Part, &str)> = Vec::with_capacity(self.rows);
        for rows in &self.samples {
            let samples = self.stretch.samples;
            let question = samples.question_of(rows.sample, self.stretch.questions);
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
        talk: &Talk,
        buffers: &[Vec<u8>],
        facts: &RecordFacts,
        group: &mut Group<'_>,
    ) -> ParquetResult<()> {
        let starts = talk.starts();
        let mut pieces: Vec<u32> = Vec::with_capacity(talk.len());
        for rows in &self.samples {
            let start = starts[self.stretch.place_of(rows.sample)];
            pieces.extend(start..start + rows.count);
        }
        self.write_task(facts, group)?;
        let sequence = self.stretch.sequence.as_deref();
        once(group, sequence.and_then(|own| own.said(talk)), |group| {
            self.write_place(group)?;
            write_speakers(talk, &pieces, group)
        })?;
        for (codec, lane) in CODECS.into_iter().zip(&talk.texts) {
            if lane.same() == Some(Text::NONE) {
                group.same(Cell::Text(None))?;
                continue;
            }
            let texts = pieces.iter().map(|piece| {
                let text = lane.get(*piece as usize)?;
                text.of(buffers.get(text.buffer as usize)?)
            });
            group.texts(codec, texts)?;
        }
        self.write_origin(facts, group)
    }

    fn write_task(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        group.same(Cell::Text(Some(&facts.partition.benchmark)))?;
        group.same(Cell::Text(Some(&facts.partition.model)))?;
        self.names(group, &self.stretch.samples.task)
    }

    /// Writes what a sample is called, where it stands, and the position of each row in it.
    fn write_place(&self, group: &mut Group<'_>) -> ParquetResult<()> {
        self.texts(group, |sample| self.stretch.hash_of(sample))?;
        let ids = self.stretch.samples.ids();
        self.texts(group, |sample| ids[sample as usize])?;
        self.numbers(group, &self.stretch.samples.lines)?;
        let mut positions: Vec<Option<u64>> = Vec::with_capacity(self.rows);
        for rows in &self.samples {
            let own = rows.first..rows.first + rows.count;
            positions.extend(own.map(|position| Some(u64::from(position))));
        }
        group.numbers(&positions)
    }

    /// Writes the columns that tell where each row comes from.
    fn write_origin(&self, facts: &RecordFacts, group: &mut Group<'_>) -> ParquetResult<()> {
        group.same(Cell::Text(Some(&facts.id)))?;
        self.names(group, &self.stretch.samples.result_id)
    }

    /// A column of names of samples.
    fn names(&self, group: &mut Group<'_>, names: &Names) -> ParquetResult<()> {
        if let Some(cell) = names.same() {
            return group.same(cell);
        }
        let texts: Vec<&[u8]> = names.texts.iter().map(|text| text.as_bytes()).collect();
        let runs = self.samples.iter().map(|rows| Run {
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
        let mut texts: Vec<&[u8]> = Vec::with_capacity(self.samples.len());
        let runs = self.samples.iter().map(|rows| {
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
    fn numbers(&self, group: &mut Group<'_>, lane: &[Option<u64>]) -> ParquetResult<()> {
        let numbers = self.samples.iter().map(|rows| lane[rows.sample as usize]);
        let numbers: Vec<u64> = numbers.map(Option::unwrap_or_default).collect();
        let runs = (0..).zip(&self.samples).map(|(place, rows)| Run {
            place,
            rows: rows.count as usize,
        });
        group.runs_of_numbers(&numbers, &joined(runs))
    }
}

/// Writes what the pieces of a conversation are, and whose.
fn write_speakers(talk: &Talk, pieces: &[u32], group: &mut Group<'_>) -> ParquetResult<()> {
    match talk.part.same() {
        Some(part) => group.same(Cell::Text(Part::NAMES.get(part as usize).copied()))?,
        None => group.places(&Part::NAMES, &gather(pieces, &talk.part, 0))?,
    }
    match talk.turn.same() {
        Some(turn) => same_number(group, turn)?,
        None => group.numbers(&gather(pieces, &talk.turn, None))?,
    }
    match talk.role.same() {
        Some(role) => group.same(role),
        None => group.places(&talk.role.texts, &gather(pieces, &talk.role.places, NONE)),
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
