//! The peer: unpacking and a full parse of the same bytes with the fastest JSON crate, and nothing
//! else.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::generate::Kind;

/// Unpacks and parses all that a converter has to read of a log; returns how many bytes that is.
pub(crate) fn parse(kind: Kind, path: &Path) -> usize {
    match kind {
        Kind::InspectJson => whole(&std::fs::read(path).unwrap()),
        Kind::InspectEval | Kind::InspectSmall => members(path),
        Kind::LmEval => {
            let samples = std::fs::read_to_string(samples_beside(path).unwrap()).unwrap();
            let rows: usize = samples.lines().map(|line| whole(line.as_bytes())).sum();
            whole(&std::fs::read(path).unwrap()) + rows
        }
        Kind::Helm => std::fs::read_dir(path)
            .unwrap()
            .map(|entry| whole(&std::fs::read(entry.unwrap().path()).unwrap()))
            .sum(),
    }
}

/// The samples that belong to results of lm-evaluation-harness.
pub(crate) fn samples_beside(results: &Path) -> Option<PathBuf> {
    let name = results.file_name()?.to_str()?;
    let date = name.strip_prefix("results_")?.strip_suffix(".json")?;
    Some(results.with_file_name(format!("samples_{}_{date}.jsonl", crate::generate::TASK)))
}

fn whole(bytes: &[u8]) -> usize {
    black_box(sonic_rs::from_slice::<sonic_rs::Value>(bytes).unwrap());
    bytes.len()
}

fn members(path: &Path) -> usize {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut bytes = Vec::new();
    let mut size = 0;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).unwrap();
        if !name.starts_with("samples/") && name != "header.json" {
            continue;
        }
        bytes.clear();
        let mut member = archive.by_index(index).unwrap();
        member.read_to_end(&mut bytes).unwrap();
        size += whole(&bytes);
    }
    size
}
