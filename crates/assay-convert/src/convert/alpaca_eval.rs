//! AlpacaEval: a leaderboard as CSV, one record for each row.
//!
//! A leaderboard has no time and no samples: it is documentation, and its records hold scores alone.

mod edition;
mod leaderboard;
mod record;

use super::{Converted, Identity, Log, RecordWriter, Refusal};
use edition::Edition;
use leaderboard::Leaderboard;

/// How large a leaderboard may be, in bytes; the public ones have some ten kilobytes.
const MAX_BYTES: u64 = 64 << 20;

/// Converts one log.
pub(super) fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let bytes = read(log)?;
    let leaderboard = Leaderboard::read(&bytes, log.path)?;
    let edition = Edition::of(log.path, &leaderboard);
    let mut converted = Vec::new();
    let mut without_score = 0;
    for entry in &leaderboard.entries {
        if entry.win_rate.is_none() && entry.length_controlled.is_none() {
            without_score += 1;
            continue;
        }
        let made = record::Of {
            options: log.options,
            entry,
            edition,
        };
        // One model may stand on a board twice, so that the place in it tells rows apart.
        let place = entry.place.to_le_bytes();
        let content = [bytes.as_slice(), &place];
        let identity = Identity::new(edition.dataset(), &made.model_id(), &content);
        let mut writer = RecordWriter::begin(log.datastore, identity.clone())?;
        if converted.is_empty() {
            warn(log, &leaderboard, edition, &mut writer);
        }
        converted.push(writer.finish(made.record(&identity))?);
    }
    let Some(first) = converted.first_mut() else {
        let message = format!("`{}` has no model with a win rate", log.path);
        return Err(Refusal::Nothing(message));
    };
    if without_score > 0 {
        first.warnings.push(super::Warning {
            message: "a model has no win rate that is a number: left out".to_owned(),
            count: without_score,
        });
    }
    Ok(converted)
}

/// What holds for the whole leaderboard is said once.
fn warn(log: &Log<'_>, board: &Leaderboard, edition: Edition, writer: &mut RecordWriter<'_>) {
    if log.options.retrieved_timestamp.is_none() {
        writer.warn("a leaderboard holds no time: the records were retrieved at an unknown time");
    }
    if !edition.is_known() {
        writer.warn(
            "neither the path nor the rows tell which AlpacaEval this is: the judge is unknown",
        );
    }
    for _ in 0..board.unnamed {
        writer.warn("a row names no model: left out");
    }
    for _ in 0..board.broken {
        writer.warn("a row cannot be read: left out");
    }
}

/// Reads the leaderboard whole.
fn read(log: &Log<'_>) -> Result<Vec<u8>, Refusal> {
    use std::io::Read;

    let failed = |source| Refusal::Read {
        path: log.path.to_owned(),
        source,
    };
    let file = log.logs.open(log.path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    (log.progress)(bytes.len() as u64);
    if bytes.len() as u64 > MAX_BYTES {
        let what = format!("it is larger than {MAX_BYTES} bytes");
        return Err(Refusal::damaged(log.path, what));
    }
    Ok(bytes)
}
