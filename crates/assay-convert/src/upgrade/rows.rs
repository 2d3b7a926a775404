use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use assay_formats::rows::{Algorithm, Block, Blocks, Hasher};
use assay_formats::syntax::limits;

use super::elements::{Elements, Next};
use super::refusal::{MAX_REASONS, Reason, ReasonKind, Refusal};
use super::report::{Change, ChangeKind};
use super::row::RowUpgrader;

/// Number of different changes that are told apart in one file; a hostile file can have a new key
/// in every row.
const MAX_TALLIES: usize = 1000;

/// The fields of a record that the rows of its samples file must repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The record's `evaluation_id`.
    pub evaluation_id: String,
    /// The record's `model_info.id`.
    pub model_id: String,
}

/// The summary of a samples file that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsSummary {
    /// Number of rows that were written.
    pub rows: u64,
    /// The SHA-256 of what was written, in hexadecimal.
    pub sha256: String,
    /// The changes, with their counts.
    pub tallies: Vec<Tally>,
    /// The number of changes that are not in `tallies`, because there were too many different ones.
    pub untold: u64,
}

/// A change that many rows share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The place, with the positions in lists left out: `messages[].tool_calls[].arguments.query`.
    pub path: String,
    /// The change in words.
    pub detail: String,
    /// The number of times.
    pub count: u64,
}

/// The reason why a samples file was not rewritten.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The file could not be read.
    #[error("failed to read the samples")]
    Read(#[source] io::Error),
    /// The rewritten file could not be written.
    #[error("failed to write the samples")]
    Write(#[source] io::Error),
    /// A row cannot be upgraded.
    #[error("a row cannot be upgraded")]
    Refused(#[source] Refusal),
}

/// Upgrades the rows of one samples file, in memory that the largest row bounds.
#[derive(Debug)]
pub struct Rows {
    target: Target,
    upgrader: RowUpgrader,
    tallies: BTreeMap<(ChangeKind, String, String), u64>,
    untold: u64,
    reasons: Vec<Reason>,
}

impl Rows {
    /// Rows that belong to a record.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            upgrader: RowUpgrader::default(),
            tallies: BTreeMap::new(),
            untold: 0,
            reasons: Vec::new(),
        }
    }

    /// Copies rows, each upgraded on its way. The input is a row a line, or one JSON array of rows
    /// as 0.2 allowed; the output is always a row a line. After a refusal what was written is worth
    /// nothing.
    pub fn copy(
        mut self,
        mut reader: impl BufRead,
        writer: impl Write,
    ) -> Result<RowsSummary, RowsError> {
        let mut output = Output {
            writer,
            hasher: Hasher::new(Algorithm::Sha256),
            rows: 0,
        };
        let start = skip_space(&mut reader).map_err(RowsError::Read)?;
        if start.is_array {
            self.copy_elements(reader, start.line, &mut output)?;
        } else {
            self.copy_lines(reader, start.line, &mut output)?;
        }
        Refusal::unless_empty(self.reasons).map_err(RowsError::Refused)?;
        output.writer.flush().map_err(RowsError::Write)?;
        let tallies = self
            .tallies
            .into_iter()
            .map(|((kind, path, detail), count)| Tally {
                kind,
                path,
                detail,
                count,
            });
        Ok(RowsSummary {
            rows: output.rows,
            sha256: output.hasher.hex(),
            tallies: tallies.collect(),
            untold: self.untold,
        })
    }

    fn copy_lines(
        &mut self,
        reader: impl BufRead,
        first_line: u64,
        output: &mut Output<impl Write>,
    ) -> Result<(), RowsError> {
        let mut blocks = Blocks::new(reader, Algorithm::Sha256);
        let mut block = Block::default();
        while self.goes_on() && blocks.next(&mut block).map_err(RowsError::Read)? {
            let line = block.line + first_line - 1;
            if block.oversized {
                self.refuse(line, vec![too_large()]);
                continue;
            }
            for (row, line) in block.bytes.split(|&byte| byte == b'\n').zip(line..) {
                if !row.trim_ascii().is_empty() && self.goes_on() {
                    self.copy_row(row, line, output)?;
                }
            }
        }
        Ok(())
    }

    fn copy_elements(
        &mut self,
        reader: impl BufRead,
        first_line: u64,
        output: &mut Output<impl Write>,
    ) -> Result<(), RowsError> {
        let mut elements = Elements::new(reader, first_line);
        let mut row = Vec::new();
        while self.goes_on() {
            match elements.next(&mut row).map_err(RowsError::Read)? {
                Next::Element(line) => self.copy_row(&row, line, output)?,
                Next::TooLarge(line) => {
                    self.refuse(line, vec![too_large()]);
                    break;
                }
                Next::Broken(line, what) => {
                    let message = format!("the text is not strict JSON: {what}");
                    self.refuse(line, vec![Reason::whole(ReasonKind::NotJson, message)]);
                    break;
                }
                Next::End => break,
            }
        }
        Ok(())
    }

    fn copy_row(
        &mut self,
        row: &[u8],
        line: u64,
        output: &mut Output<impl Write>,
    ) -> Result<(), RowsError> {
        let Ok(source) = std::str::from_utf8(row) else {
            let reason = Reason::whole(ReasonKind::NotJson, "the row is not UTF-8");
            self.refuse(line, vec![reason]);
            return Ok(());
        };
        match self.upgrader.upgrade(source, &self.target) {
            Ok(text) => {
                self.tally();
                output.write(text).map_err(RowsError::Write)
            }
            Err(reasons) => {
                self.refuse(line, reasons);
                Ok(())
            }
        }
    }

    /// Returns whether there is still something to learn.
    fn goes_on(&self) -> bool {
        self.reasons.len() < MAX_REASONS
    }

    fn refuse(&mut self, line: u64, reasons: Vec<Reason>) {
        self.reasons
            .extend(reasons.into_iter().map(|reason| Reason {
                line: Some(line),
                ..reason
            }));
    }

    fn tally(&mut self) {
        for change in self.upgrader.ledger.changes.drain(..) {
            let pattern = change.pattern();
            let Change { kind, detail, .. } = change;
            let key = (kind, pattern, detail);
            let full = self.tallies.len() >= MAX_TALLIES;
            match self.tallies.get_mut(&key) {
                Some(count) => *count += 1,
                None if full => self.untold += 1,
                None => {
                    self.tallies.insert(key, 1);
                }
            }
        }
    }
}

struct Output<W> {
    writer: W,
    hasher: Hasher,
    rows: u64,
}

impl<W: Write> Output<W> {
    fn write(&mut self, mut row: String) -> io::Result<()> {
        row.push('\n');
        self.hasher.update(row.as_bytes());
        self.rows += 1;
        self.writer.write_all(row.as_bytes())
    }
}

/// The start of the first value of a file.
struct Start {
    line: u64,
    is_array: bool,
}

/// Passes over space in front of the first value, and over a byte order mark.
fn skip_space(reader: &mut impl BufRead) -> io::Result<Start> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let (mut line, mut at_front) = (1, true);
    loop {
        let buffer = reader.fill_buf()?;
        let marked = if at_front && buffer.starts_with(MARK) {
            MARK.len()
        } else {
            0
        };
        let rest = &buffer[marked..];
        let space = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        line += count_lines(&rest[..space]);
        let first = rest.get(space).copied();
        let ended = buffer.is_empty();
        at_front = false;
        reader.consume(marked + space);
        if first.is_some() || ended {
            let is_array = first == Some(b'[');
            return Ok(Start { line, is_array });
        }
    }
}

pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn too_large() -> Reason {
    Reason::whole(
        ReasonKind::RowTooLarge,
        format!("the row has more than {} bytes", limits::MAX_ROW_BYTES),
    )
}
