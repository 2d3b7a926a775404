//! The peer: unpacking and a full parse of the same bytes with the fastest JSON crate, and nothing else.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::generate::Kind;

/// Unpacks and parses everything that a log holds.
pub(crate) fn parse(kind: Kind, path: &Path) {
    match kind {
        Kind::InspectJson => whole(&std::fs::read(path).unwrap()),
        Kind::InspectEval => members(path),
        Kind::LmEval => {
            whole(&std::fs::read(path).unwrap());
            let samples = std::fs::read_to_string(samples_beside(path).unwrap()).unwrap();
            for line in samples.lines() {
                whole(line.as_bytes());
            }
        }
        Kind::Helm => {
            for entry in std::fs::read_dir(path).unwrap() {
                whole(&std::fs::read(entry.unwrap().path()).unwrap());
            }
        }
    }
}

/// The samples that belong to results of lm-evaluation-harness.
pub(crate) fn samples_beside(results: &Path) -> Option<PathBuf> {
    let name = results.file_name()?.to_str()?;
    let date = name.strip_prefix("results_")?.strip_suffix(".json")?;
    Some(results.with_file_name(format!("samples_{}_{date}.jsonl", crate::generate::TASK)))
}

fn whole(bytes: &[u8]) {
    black_box(sonic_rs::from_slice::<sonic_rs::Value>(bytes).unwrap());
}

fn members(path: &Path) {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut bytes = Vec::new();
    for index in 0..archive.len() {
        bytes.clear();
        let mut member = archive.by_index(index).unwrap();
        member.read_to_end(&mut bytes).unwrap();
        whole(&bytes);
    }
}
