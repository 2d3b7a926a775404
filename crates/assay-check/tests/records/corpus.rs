//! Real records of other people, when they are at hand.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use assay_check::{Context, FileKind, Files, Item, Options, validate};
use assay_model::Severity;

/// A directory on disk; paths are relative to it.
struct Disk(PathBuf);

impl Files for Disk {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(fs::File::open(self.0.join(path))?))
    }

    fn size(&self, path: &str) -> Option<u64> {
        let metadata = fs::metadata(self.0.join(path)).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tells where data lies that is not part of the repository"
)]
fn corpus() -> Option<PathBuf> {
    let path = std::env::var("ASSAY_CORPUS").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    path.is_dir().then_some(path)
}

/// The records, unpacked once.
#[expect(
    clippy::disallowed_methods,
    reason = "no crate that reads archives is worth one test"
)]
fn records() -> Option<PathBuf> {
    let archive = corpus()?.join("eee-records-0.2.tar.gz");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eee-records-0.2");
    if !target.join("records-0.2.2").is_dir() {
        fs::create_dir_all(&target).ok()?;
        let unpacked = std::process::Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(&target)
            .status();
        if !unpacked.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    Some(target)
}

fn files_below(root: &Path, here: &Path, items: &mut Vec<Item>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(here)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(root, &path, items);
            continue;
        }
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => FileKind::Record,
            Some("jsonl") => FileKind::Samples,
            Some(_) | None => continue,
        };
        items.push(Item {
            path: name.into(),
            kind: Some(kind),
        });
    }
}

type Counts = BTreeMap<(Severity, String), u64>;

/// Judges a directory; returns how many files it has, how many findings of each code, and one example of each.
fn judge(root: &Path) -> (usize, Counts, BTreeMap<String, String>) {
    let mut items = Vec::new();
    files_below(root, root, &mut items);
    let options = Options {
        jobs: 2,
        ..Options::default()
    };
    let reports = validate(
        &Disk(root.to_owned()),
        &items,
        &Context::default(),
        &options,
    );
    let (mut counts, mut examples) = (Counts::new(), BTreeMap::new());
    for report in &reports {
        for (severity, code, count) in report.findings.counts() {
            *counts.entry((severity, code.to_string())).or_default() += count;
        }
        for found in report.findings.diagnostics() {
            examples.entry(found.code.to_string()).or_insert_with(|| {
                format!(
                    "{}:{}: {}",
                    found.place.file, found.place.line, found.message
                )
            });
        }
    }
    (items.len(), counts, examples)
}

#[expect(clippy::print_stdout, reason = "whoever runs the test should know")]
fn skipped() {
    println!("skipped: the corpus is not at hand");
}

fn expected(counts: &[(Severity, &str, u64)]) -> Counts {
    counts
        .iter()
        .map(|(severity, code, count)| ((*severity, (*code).to_owned()), *count))
        .collect()
}

/// Nothing but what is known of these records: the old version, addresses without a scheme, one path of the wrong depth,
/// directories that end in dots, and numbers such as -1 that stand for no score.
#[test]
fn real_records_follow_their_own_version() {
    let Some(root) = records() else {
        skipped();
        return;
    };
    let known = [
        (
            "records-0.2.0",
            5320,
            expected(&[
                (Severity::Note, "AY402", 5320),
                (Severity::Warning, "AY421", 24),
                (Severity::Error, "AY404", 1),
                (Severity::Error, "AY407", 11),
                (Severity::Error, "AY416", 166),
                // One collection gives the ends of its intervals as distances from the score.
                (Severity::Warning, "AY605", 384),
            ]),
        ),
        (
            "records-0.2.2",
            246,
            expected(&[(Severity::Note, "AY402", 246)]),
        ),
    ];
    for (version, files, counts) in known {
        let (judged, found, examples) = judge(&root.join(version));

        assert_eq!((judged, found), (files, counts), "{examples:#?}");
    }
}

/// What the reference's converters write is refused for one thing only, which its own schema refuses too: a result id
/// that is null.
#[test]
fn what_the_reference_converts_is_refused_for_null_ids_only() {
    let Some(corpus) = corpus() else {
        skipped();
        return;
    };
    let mut runs = 0;
    for entry in fs::read_dir(corpus.join("golden")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let (_, counts, examples) = judge(&path);
        runs += 1;

        for (_, code) in counts
            .keys()
            .filter(|(severity, _)| *severity == Severity::Error)
        {
            assert!(
                code == "AY102" && examples[code].contains("`evaluation_result_id`"),
                "{} {examples:#?}",
                path.display()
            );
        }
    }
    assert!(runs > 0);
}
