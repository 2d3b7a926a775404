//! A samples file validated in one pass: text, syntax, shape, rules, digest and counts, block by
//! block.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use assay_formats::eee::{self, Version};
use assay_formats::json::Parser;
use assay_formats::rows::{Algorithm, Block, Blocks};
use assay_formats::syntax::limits;
use assay_formats::{Tape, ordered, shape};
use parking_lot::Mutex;

use crate::apply;
use crate::observer::SampleObserver;
use crate::record::RecordFacts;
use crate::row::{Row, RowKey};
use crate::rules;
use crate::sink::{Findings, Sink};

/// The number of rows remembered to find one that stands twice. Beyond it every second row is
/// forgotten, then every second of those, so that memory stays bounded; a file that was appended to
/// itself is still caught.
const REMEMBERED_ROWS: usize = 1 << 19;

/// The summary of a samples file, for the rules that compare it with its record.
#[derive(Debug)]
pub(crate) struct SamplesSummary {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) algorithm: Algorithm,
    pub(crate) digest: String,
    /// The rows of each result of the record, in its order.
    pub(crate) tallies: Vec<Tally>,
}

impl SamplesSummary {
    /// Returns the number of rows that count for no result of the record.
    pub(crate) fn unassigned(&self) -> u64 {
        let assigned: u64 = self.tallies.iter().map(|tally| tally.rows).sum();
        self.rows.saturating_sub(assigned)
    }
}

/// The rows that count for one result.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    /// The number of rows with a readable score, and the sum of the scores.
    pub(crate) scored: u64,
    pub(crate) score: f64,
    pub(crate) correct: u64,
    /// The number of rows with an error.
    pub(crate) failed: u64,
}

impl Tally {
    fn count(&mut self, row: &Row<'_>) {
        self.rows += 1;
        self.scored += u64::from(row.score.is_some());
        self.score += row.score.unwrap_or_default();
        self.correct += u64::from(row.is_correct == Some(true));
        self.failed += u64::from(row.error.is_some());
    }

    fn add(&mut self, more: &Self) {
        self.rows += more.rows;
        self.scored += more.scored;
        self.score += more.score;
        self.correct += more.correct;
        self.failed += more.failed;
    }
}

/// A validator of one samples file.
pub(crate) struct SamplesValidator<'a, F: SampleObserver> {
    pub(crate) file: &'a Arc<str>,
    pub(crate) limit: u64,
    /// The facts of its record, when there is one that can be read.
    pub(crate) facts: Option<&'a RecordFacts>,
    /// Its SHA-256, when it was made before.
    pub(crate) known: Option<&'a str>,
    pub(crate) jobs: usize,
    /// Told of every block that has been read, in bytes.
    pub(crate) progress: &'a (dyn Fn(u64) + Sync),
    /// The observer of the rows, and its state.
    pub(crate) observed: Option<(&'a F, &'a F::Samples)>,
}

impl<F: SampleObserver> SamplesValidator<'_, F> {
    /// Reads and validates a whole file.
    pub(crate) fn run(&self, reader: &mut dyn Read) -> io::Result<(Findings, SamplesSummary)> {
        let algorithm = self.facts.map_or(Algorithm::Sha256, RecordFacts::algorithm);
        let known = self.known.filter(|_| algorithm == Algorithm::Sha256);
        let mut blocks = match known {
            Some(_) => Blocks::unhashed(reader),
            None => Blocks::new(reader, algorithm),
        };
        let merged = self.validate_blocks(&mut blocks)?;
        let (made, bytes) = blocks.finish();
        let digest = known.map_or(made, str::to_owned);
        let Merged {
            findings,
            rows,
            tallies,
            ..
        } = merged;
        Ok((
            findings,
            SamplesSummary {
                rows,
                bytes,
                algorithm,
                digest,
                tallies,
            },
        ))
    }

    /// One thread reads and hashes, the others validate; what they find is joined in the order of
    /// the file.
    fn validate_blocks(&self, blocks: &mut Blocks<&mut dyn Read>) -> io::Result<Merged> {
        let empty: Mutex<Vec<Block>> = Mutex::default();
        let spare = || empty.lock();
        let mut merged = Merged::default();
        ordered(
            self.jobs,
            || {
                let mut block = spare().pop().unwrap_or_default();
                let read = blocks.next(&mut block)?;
                (self.progress)(block.bytes.len() as u64);
                Ok::<_, io::Error>(read.then_some(block))
            },
            Worker::default,
            |worker, block| {
                let mut rows = self
                    .observed
                    .map(|(observer, samples)| observer.block(samples));
                let validated = worker.validate_block(self, &block, &mut rows);
                spare().push(block);
                (validated, rows)
            },
            |(validated, observed)| {
                merged.add(self, validated);
                if let (Some((observer, samples)), Some(rows)) = (self.observed, observed) {
                    observer.add(samples, rows);
                }
            },
        )?;
        Ok(merged)
    }
}

/// The outcome of one block.
#[derive(Default)]
struct ValidatedBlock {
    findings: Findings,
    rows: u64,
    tallies: Vec<Tally>,
    keys: Vec<(RowKey, RowPlace)>,
}

/// The blocks so far, in the order of the file.
#[derive(Default)]
struct Merged {
    findings: Findings,
    rows: u64,
    tallies: Vec<Tally>,
    seen: SeenRows,
}

impl Merged {
    fn add<F: SampleObserver>(
        &mut self,
        validator: &SamplesValidator<'_, F>,
        block: ValidatedBlock,
    ) {
        self.findings.append(validator.limit, block.findings);
        self.rows += block.rows;
        self.tallies.resize(
            block.tallies.len().max(self.tallies.len()),
            Tally::default(),
        );
        for (own, more) in self.tallies.iter_mut().zip(block.tallies) {
            own.add(&more);
        }
        for (key, at) in block.keys {
            if let Some(first) = self.seen.note(key, at.line) {
                let mut sink = Sink::new(validator.file, "", validator.limit, &mut self.findings)
                    .at(at.offset, at.line);
                rules::duplicate_sample::report(first, &mut sink);
            }
        }
    }
}

/// The rows seen so far, as many as memory allows.
#[derive(Default)]
struct SeenRows {
    lines: HashMap<u64, u32>,
    /// Number of low bits of a key that must be zero for the row to be remembered.
    forgotten: u32,
}

impl SeenRows {
    /// Remembers a row; returns the line of an earlier one with the same key.
    fn note(&mut self, key: RowKey, line: u64) -> Option<u64> {
        if !self.remembers(key.0) {
            return None;
        }
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let first = *self.lines.entry(key.0).or_insert(line);
        if self.lines.len() > REMEMBERED_ROWS {
            self.forgotten += 1;
            let mut lines = std::mem::take(&mut self.lines);
            lines.retain(|key, _| self.remembers(*key));
            self.lines = lines;
        }
        (first != line).then_some(u64::from(first))
    }

    fn remembers(&self, key: u64) -> bool {
        key.trailing_zeros() >= self.forgotten
    }
}

/// Validates blocks; keeps its buffers from one to the next.
#[derive(Default)]
struct Worker {
    parser: Parser,
    tape: Tape,
}

impl Worker {
    fn validate_block<F: SampleObserver>(
        &mut self,
        validator: &SamplesValidator<'_, F>,
        block: &Block,
        rows: &mut Option<F::Block>,
    ) -> ValidatedBlock {
        let results = validator.facts.map_or(0, |facts| facts.results.len());
        let mut validated = ValidatedBlock {
            tallies: vec![Tally::default(); results],
            ..ValidatedBlock::default()
        };
        if block.oversized {
            let text = String::from_utf8_lossy(&block.bytes);
            let mut sink = Sink::new(
                validator.file,
                &text,
                validator.limit,
                &mut validated.findings,
            )
            .at(block.offset, block.line);
            rules::too_large::row(limits::MAX_ROW_BYTES, 0..0, &mut sink);
            return validated;
        }
        // Checking a block at once is many times faster than row by row; the slow way only finds
        // the bad row.
        let text = simdutf8::basic::from_utf8(&block.bytes).ok();
        let mut start = 0;
        let mut line = block.line;
        for end in memchr::memchr_iter(b'\n', &block.bytes)
            .map(|at| at + 1)
            .chain([block.bytes.len()])
        {
            if start == end {
                continue;
            }
            let bytes = &block.bytes[start..end];
            let row = match text {
                Some(text) => text.get(start..end),
                None => std::str::from_utf8(bytes).ok(),
            };
            let at = RowPlace {
                offset: block.offset + start as u64,
                line,
            };
            match row {
                Some(row) => self.validate_row(validator, row, &at, &mut validated, rows),
                None => not_utf8(validator, bytes, &at, &mut validated),
            }
            start = end;
            line += 1;
        }
        validated
    }

    fn validate_row<F: SampleObserver>(
        &mut self,
        validator: &SamplesValidator<'_, F>,
        text: &str,
        at: &RowPlace,
        validated: &mut ValidatedBlock,
        rows: &mut Option<F::Block>,
    ) {
        let mut sink = Sink::new(
            validator.file,
            text,
            validator.limit,
            &mut validated.findings,
        )
        .at(at.offset, at.line);
        if let (0, Some(rest)) = (at.offset, text.strip_prefix('\u{feff}')) {
            rules::byte_order_mark::document(text, &mut sink);
            let at = RowPlace {
                offset: (text.len() - rest.len()) as u64,
                line: at.line,
            };
            self.validate_row(validator, rest, &at, validated, rows);
            return;
        }
        if text.trim_ascii().is_empty() {
            rules::blank_row::report(&mut sink);
            return;
        }
        validated.rows += 1;
        if !self.parser.parse(text, &mut self.tape) {
            for fault in self.parser.take_faults() {
                apply::syntax(&fault, &mut sink);
            }
        }
        let Some(root) = self.tape.root(text) else {
            return;
        };
        let version = rules::schema_version::row(root, validator.facts, &mut sink)
            .unwrap_or(Version::CURRENT);
        shape::evaluate(eee::instance_shape(version), root, &mut |fault| {
            apply::shape(&fault, &mut sink);
        });
        let row = Row::of(root);
        let result = validator.facts.and_then(|facts| row.result(facts));
        apply::row(&row, validator.facts, result, &mut sink);
        if let Some(key) = row.key() {
            validated.keys.push((key, *at));
        }
        if let Some(tally) = result.and_then(|result| validated.tallies.get_mut(result)) {
            tally.count(&row);
        }
        if let (Some((observer, samples)), Some(rows)) = (validator.observed, rows) {
            observer.row(samples, rows, root, at.line);
        }
    }
}

/// The place of a row in its file.
#[derive(Clone, Copy)]
struct RowPlace {
    offset: u64,
    line: u64,
}

fn not_utf8<F: SampleObserver>(
    validator: &SamplesValidator<'_, F>,
    bytes: &[u8],
    at: &RowPlace,
    validated: &mut ValidatedBlock,
) {
    validated.rows += 1;
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let mut sink = Sink::new(
        validator.file,
        text,
        validator.limit,
        &mut validated.findings,
    )
    .at(at.offset, at.line);
    rules::not_utf8::report(bytes, valid, &mut sink);
}
