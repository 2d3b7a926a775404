//! Published results of the demonstration: real models on real benchmarks, imported like any other
//! datastore.

use std::io::Read as _;
use std::path::{Component, Path};

use assay_hub_api::client::Client;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::commands::import::import_directory;

/// The records, packed; `demo/README.md` says where they come from.
const RECORDS: &[u8] = include_bytes!("../../../../demo/records.jsonl.gz");
/// The organisation that their benchmarks go to.
const NAMESPACE: &str = "every-eval-ever";

/// A record and its place in a datastore.
#[derive(Deserialize)]
struct PackedRecord {
    path: String,
    record: Json,
}

/// Imports the published results. What is there already stays as it is.
pub(super) fn fill(operator: &Client) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    unpack(directory.path()).map_err(|error| format!("the records cannot be unpacked: {error}"))?;
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let report = import_directory(operator, directory.path(), NAMESPACE, jobs)
        .map_err(|error| error.to_string())?;
    match report.failures.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} were refused: {first}", report.failures.len())),
    }
}

/// Writes the records as files of a datastore.
fn unpack(directory: &Path) -> std::io::Result<()> {
    let mut text = String::new();
    GzDecoder::new(RECORDS).read_to_string(&mut text)?;
    for line in text.lines() {
        let packed: PackedRecord = serde_json::from_str(line)?;
        let place = Path::new(&packed.path);
        debug_assert!(
            place
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
        );
        let file = directory.join(place);
        if let Some(parent) = file.parent() {
            fs_err::create_dir_all(parent)?;
        }
        fs_err::write(file, packed.record.to_string())?;
    }
    Ok(())
}
