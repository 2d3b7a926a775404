//! The samples of one record, from blocks of rows to columns, on several threads.

use std::fs::File;
use std::sync::Mutex;

use assay_formats::json::Parser;
use assay_formats::rows::{Algorithm, Block, Blocks};
use assay_formats::{Tape, ordered};
use datafusion::arrow::array::RecordBatch;

use crate::error::{Error, Result};
use crate::record::RecordFacts;
use crate::row::RowReader;

/// What was read of a samples file.
#[derive(Debug)]
pub(super) struct ReadSamples {
    /// The SHA-256 of its bytes.
    pub(super) digest: String,
    /// How many rows it has; `None` when it is not what was judged.
    pub(super) rows: Option<u64>,
}

/// The rows of one block as columns.
struct Columns {
    instances: RecordBatch,
    messages: RecordBatch,
}

/// Reads all rows and hands them on as columns, scores and text, in the order of the file.
pub(super) fn read(
    path: &str,
    facts: &RecordFacts,
    jobs: usize,
    mut hand_on: impl FnMut(RecordBatch, RecordBatch) -> Result<()> + Send,
) -> Result<ReadSamples> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let mut blocks = Blocks::new(file, Algorithm::Sha256);
    // The outcome is written by whichever thread finishes a block and read when all have.
    let outcome: Mutex<Result<Option<u64>>> = Mutex::new(Ok(Some(0)));
    ordered(
        jobs,
        || {
            let mut block = Block::default();
            let more = blocks.next(&mut block).map_err(Error::io("read", path))?;
            Ok::<_, Error>(more.then_some(block))
        },
        || (Tape::new(), Parser::default()),
        |(tape, parser), block| columns(&block, facts, tape, parser),
        |columns: Result<Option<Columns>>| {
            let mut outcome = outcome
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let Ok(Some(rows)) = &mut *outcome else {
                return;
            };
            let next = match columns {
                Ok(Some(columns)) => {
                    *rows += columns.instances.num_rows() as u64;
                    match hand_on(columns.instances, columns.messages) {
                        Ok(()) => return,
                        Err(error) => Err(error),
                    }
                }
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            *outcome = next;
        },
    )?;
    let rows = outcome
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)?;
    Ok(ReadSamples {
        digest: blocks.finish().0,
        rows,
    })
}

/// The rows of a block; `None` when one of them is not what the judge let pass, so the file has changed since.
fn columns(
    block: &Block,
    facts: &RecordFacts,
    tape: &mut Tape,
    parser: &mut Parser,
) -> Result<Option<Columns>> {
    let Ok(text) = std::str::from_utf8(&block.bytes) else {
        return Ok(None);
    };
    let mut reader = RowReader::new(facts);
    for (line, row) in (block.line..).zip(text.lines()) {
        let row = row.strip_prefix('\u{feff}').unwrap_or(row);
        if row.trim().is_empty() {
            continue;
        }
        parser.parse(row, tape);
        match tape.root(row) {
            Some(root) => reader.push(root, line),
            None => return Ok(None),
        }
    }
    Ok(Some(Columns {
        instances: reader.instances.finish()?,
        messages: reader.messages.finish()?,
    }))
}
