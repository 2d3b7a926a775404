//! A samples file judged in one pass: text, syntax, shape, rules, digest and counts, block by block.

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
use crate::follow::Follow;
use crate::record::RecordFacts;
use crate::row::{Row, RowKey};
use crate::rules;
use crate::sink::{Findings, Sink};

/// How many rows are remembered to find one that stands twice. Beyond it every second row is forgotten, then every
/// second of those, so that memory stays bounded; a file that was appended to itself is still caught.
const REMEMBERED_ROWS: usize = 1 << 19;

/// What a samples file turned out to be, for the rules that compare it with its record.
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
    /// How many rows count for no result of the record.
    pub(crate) fn unassigned(&self) -> u64 {
        let assigned: u64 = self.tallies.iter().map(|tally| tally.rows).sum();
        self.rows.saturating_sub(assigned)
    }
}

/// The rows that count for one result.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    /// How many of them have a score that can be read, and its sum.
    pub(crate) scored: u64,
    pub(crate) score: f64,
    pub(crate) correct: u64,
    /// How many of them say that something went wrong.
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

/// How a samples file is to be judged.
pub(crate) struct Judge<'a, F: Follow> {
    pub(crate) file: &'a Arc<str>,
    pub(crate) limit: u64,
    /// What its record says, when there is one that can be read.
    pub(crate) facts: Option<&'a RecordFacts>,
    /// Its SHA-256, when it was made before.
    pub(crate) known: Option<&'a str>,
    pub(crate) jobs: usize,
    /// Told of every block that has been read, in bytes.
    pub(crate) progress: &'a (dyn Fn(u64) + Sync),
    /// Who takes the rows in, and what has come of them.
    pub(crate) followed: Option<(&'a F, &'a F::Samples)>,
}

impl<F: Follow> Judge<'_, F> {
    /// Reads and judges a whole file.
    pub(crate) fn run(&self, reader: &mut dyn Read) -> io::Result<(Findings, SamplesSummary)> {
        let algorithm = self.facts.map_or(Algorithm::Sha256, RecordFacts::algorithm);
        let known = self.known.filter(|_| algorithm == Algorithm::Sha256);
        let mut blocks = match known {
            Some(_) => Blocks::unhashed(reader),
            None => Blocks::new(reader, algorithm),
        };
        let merged = self.judge_blocks(&mut blocks)?;
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

    /// One thread reads and hashes, the others judge; what they find is joined in the order of the file.
    fn judge_blocks(&self, blocks: &mut Blocks<&mut dyn Read>) -> io::Result<Merged> {
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
                let mut rows = self.followed.map(|(follow, samples)| follow.block(samples));
                let judged = worker.judge(self, &block, &mut rows);
                spare().push(block);
                (judged, rows)
            },
            |(judged, followed)| {
                merged.add(self, judged);
                if let (Some((follow, samples)), Some(rows)) = (self.followed, followed) {
                    follow.add(samples, rows);
                }
            },
        )?;
        Ok(merged)
    }
}

/// What one block turned out to be.
#[derive(Default)]
struct Judged {
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
    fn add<F: Follow>(&mut self, judge: &Judge<'_, F>, block: Judged) {
        self.findings.append(judge.limit, block.findings);
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
                let mut sink = Sink::new(judge.file, "", judge.limit, &mut self.findings)
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
    /// How many low bits of a key must be zero for the row to be remembered.
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

/// Judges blocks; keeps its buffers from one to the next.
#[derive(Default)]
struct Worker {
    parser: Parser,
    tape: Tape,
}

impl Worker {
    fn judge<F: Follow>(
        &mut self,
        judge: &Judge<'_, F>,
        block: &Block,
        rows: &mut Option<F::Block>,
    ) -> Judged {
        let results = judge.facts.map_or(0, |facts| facts.results.len());
        let mut judged = Judged {
            tallies: vec![Tally::default(); results],
            ..Judged::default()
        };
        if block.oversized {
            let text = String::from_utf8_lossy(&block.bytes);
            let mut sink = Sink::new(judge.file, &text, judge.limit, &mut judged.findings)
                .at(block.offset, block.line);
            rules::too_large::row(limits::MAX_ROW_BYTES, 0..0, &mut sink);
            return judged;
        }
        // Checking a block at once is many times faster than row by row; the slow way only finds the bad row.
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
                Some(row) => self.judge_row(judge, row, &at, &mut judged, rows),
                None => not_utf8(judge, bytes, &at, &mut judged),
            }
            start = end;
            line += 1;
        }
        judged
    }

    fn judge_row<F: Follow>(
        &mut self,
        judge: &Judge<'_, F>,
        text: &str,
        at: &RowPlace,
        judged: &mut Judged,
        rows: &mut Option<F::Block>,
    ) {
        let mut sink =
            Sink::new(judge.file, text, judge.limit, &mut judged.findings).at(at.offset, at.line);
        if let (0, Some(rest)) = (at.offset, text.strip_prefix('\u{feff}')) {
            rules::byte_order_mark::document(text, &mut sink);
            let at = RowPlace {
                offset: (text.len() - rest.len()) as u64,
                line: at.line,
            };
            self.judge_row(judge, rest, &at, judged, rows);
            return;
        }
        if text.trim_ascii().is_empty() {
            rules::blank_row::report(&mut sink);
            return;
        }
        judged.rows += 1;
        if !self.parser.parse(text, &mut self.tape) {
            for fault in self.parser.take_faults() {
                apply::syntax(&fault, &mut sink);
            }
        }
        let Some(root) = self.tape.root(text) else {
            return;
        };
        let version =
            rules::schema_version::row(root, judge.facts, &mut sink).unwrap_or(Version::CURRENT);
        shape::evaluate(eee::instance_shape(version), root, &mut |fault| {
            apply::shape(&fault, &mut sink);
        });
        let row = Row::of(root);
        let result = judge.facts.and_then(|facts| row.result(facts));
        apply::row(&row, judge.facts, result, &mut sink);
        if let Some(key) = row.key() {
            judged.keys.push((key, *at));
        }
        if let Some(tally) = result.and_then(|result| judged.tallies.get_mut(result)) {
            tally.count(&row);
        }
        if let (Some((follow, samples)), Some(rows)) = (judge.followed, rows) {
            follow.row(samples, rows, root, at.line);
        }
    }
}

/// Where in its file a row stands.
#[derive(Clone, Copy)]
struct RowPlace {
    offset: u64,
    line: u64,
}

fn not_utf8<F: Follow>(judge: &Judge<'_, F>, bytes: &[u8], at: &RowPlace, judged: &mut Judged) {
    judged.rows += 1;
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let mut sink =
        Sink::new(judge.file, text, judge.limit, &mut judged.findings).at(at.offset, at.line);
    rules::not_utf8::report(bytes, valid, &mut sink);
}
