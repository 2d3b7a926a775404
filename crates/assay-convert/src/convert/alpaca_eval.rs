//! AlpacaEval: a leaderboard as CSV, one record for each row.
//!
//! A leaderboard has no time and no samples: it is documentation, and its records hold scores
//! alone.

mod edition;
mod leaderboard;
mod record;

use super::detect::Evidence;
use super::document::read_bytes;
use super::{Converted, Converter, HarnessInfo, Identity, Log, RecordWriter, Refusal, Warning};
use edition::Edition;
use leaderboard::{Entry, Leaderboard};

/// Maximum size of a leaderboard, in bytes; the public ones have some ten kilobytes.
const MAX_BYTES: usize = 64 << 20;

/// The converter.
pub(super) struct AlpacaEval;

impl Converter for AlpacaEval {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "alpaca-eval",
            title: "AlpacaEval",
            framework: "alpaca-eval",
            library: "alpaca_eval",
            source_name: "AlpacaEval leaderboard",
            log: "leaderboard.csv",
        }
    }

    /// The column of the model comes first.
    fn detect(&self, evidence: &Evidence) -> bool {
        let columns = evidence.columns();
        let first = columns.first().map(String::as_str);
        first.is_some_and(|first| leaderboard::MODEL_COLUMNS.contains(&first))
            && columns.iter().skip(1).any(|name| name == "win_rate")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one log.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let bytes = read_bytes(log, log.path, MAX_BYTES)?;
    let leaderboard = Leaderboard::read(&bytes, log.path)?;
    let edition = Edition::of(log.path, &leaderboard);
    let mut converted = Vec::new();
    let scored = |entry: &&Entry| entry.win_rate.is_some() || entry.length_controlled.is_some();
    for entry in leaderboard.entries.iter().filter(scored) {
        let of = record::Of {
            options: log.options,
            entry,
            edition,
        };
        // One model may stand on a board twice, so that the place in it tells rows apart.
        let place = entry.place.to_le_bytes();
        let content = [bytes.as_slice(), &place];
        let identity = Identity::new(edition.dataset(), &of.model_id(), &content);
        let writer = RecordWriter::begin(log.datastore, identity.clone())?;
        converted.push(writer.finish(of.record(&identity))?);
    }
    let without_score = (leaderboard.entries.len() - converted.len()) as u64;
    let Some(first) = converted.first_mut() else {
        let message = format!("`{}` has no model with a win rate", log.path);
        return Err(Refusal::Nothing(message));
    };
    // What holds for the whole leaderboard is said once.
    first.warnings = warnings(log, &leaderboard, edition, without_score);
    Ok(converted)
}

fn warnings(
    log: &Log<'_>,
    board: &Leaderboard,
    edition: Edition,
    without_score: u64,
) -> Vec<Warning> {
    let counted = [
        (
            "a leaderboard holds no time: the records were retrieved at an unknown time",
            u64::from(log.options.retrieved_timestamp.is_none()),
        ),
        (
            "neither the path nor the rows tell which AlpacaEval this is: the judge is unknown",
            u64::from(!edition.is_known()),
        ),
        ("a row names no model: left out", board.unnamed),
        ("a row cannot be read: left out", board.broken),
        (
            "a model has no win rate that is a number from 0 to 100: left out",
            without_score,
        ),
    ];
    counted
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(message, count)| Warning {
            message: message.to_owned(),
            count,
        })
        .collect()
}
