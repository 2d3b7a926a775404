//! The records of the wild. They are not part of the repository: without them the test says so and passes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_convert::upgrade;

use crate::files::InMemory;

/// Where the corpus is: `ASSAY_CORPUS`, or beside the repository.
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("ASSAY_CORPUS").map_or(beside, PathBuf::from);
    corpus.is_dir().then_some(corpus)
}

/// The directory of one version's records, unpacked once.
fn records(corpus: &Path, version: &str) -> Option<PathBuf> {
    let name = format!("records-{version}");
    let unpacked = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
    let archive = corpus.join("eee-records-0.2.tar.gz");
    if !unpacked.is_dir() && archive.is_file() {
        #[expect(
            clippy::disallowed_methods,
            reason = "unpacking is no business of git's"
        )]
        let mut tar = std::process::Command::new("tar");
        let status = tar
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(env!("CARGO_TARGET_TMPDIR"))
            .arg(&name)
            .status()
            .ok()?;
        assert!(status.success(), "tar could not unpack the records");
    }
    unpacked.is_dir().then_some(unpacked)
}

fn files_below(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

struct Outcome {
    records: usize,
    valid: usize,
    refused: BTreeMap<&'static str, usize>,
}

/// Upgrades all records of one version and holds what comes out against the judge and the published schema.
fn upgrade_all(corpus: &Path, version: &str) -> Option<Outcome> {
    let root = records(corpus, version)?;
    let mut paths = Vec::new();
    files_below(&root, &mut paths);
    let mut refused = BTreeMap::new();
    let mut files = InMemory::default();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        match upgrade::record(&text, &path.to_string_lossy()) {
            Ok(upgraded) => {
                assert_eq!(upgraded.report.from.as_str(), version);
                files.0.insert(upgraded.path, upgraded.json.into_bytes());
            }
            Err(refusal) => *refused.entry(refusal.reasons[0].kind.slug()).or_default() += 1,
        }
    }
    assert_eq!(files.errors(), Vec::<String>::new());
    follow_the_schema(corpus, &files);
    Some(Outcome {
        records: paths.len(),
        valid: files.0.len(),
        refused,
    })
}

fn follow_the_schema(corpus: &Path, files: &InMemory) {
    let text = std::fs::read_to_string(corpus.join("schemas/eval.schema.0.3.0.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    for (path, bytes) in &files.0 {
        let record = serde_json::from_slice(bytes).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&record)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{path}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn the_records_of_the_wild_are_upgraded_or_refused_for_a_known_reason() {
    let outcomes = corpus().and_then(|corpus| {
        Some((
            upgrade_all(&corpus, "0.2.0")?,
            upgrade_all(&corpus, "0.2.2")?,
        ))
    });

    let Some((old, new)) = outcomes else {
        eprintln!("skipped: there is no corpus; set ASSAY_CORPUS to its directory");
        return;
    };

    assert_eq!((old.records, old.valid), (5320, 5264));
    assert_eq!(
        old.refused,
        BTreeMap::from([
            ("path-depth", 1),
            ("path-not-portable", 11),
            ("score-out-of-bounds", 44)
        ])
    );
    assert_eq!((new.records, new.valid), (246, 246));
    assert_eq!(new.refused, BTreeMap::new());
}
