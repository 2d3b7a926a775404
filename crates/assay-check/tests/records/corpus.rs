//! Real records of other people, when they are at hand.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use assay_check::{Context, FileKind, Files, Item, Options, validate};
use assay_model::Severity;
use assay_testkit::corpus::{files_below, find_corpus, unpack_records};

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

/// The files below a directory that are validated, with paths from there.
fn items_below(root: &Path) -> Vec<Item> {
    let item = |path: PathBuf| {
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => FileKind::Record,
            Some("jsonl") => FileKind::Samples,
            Some(_) | None => return None,
        };
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        Some(Item {
            path: name.into(),
            kind: Some(kind),
        })
    };
    files_below(root).into_iter().filter_map(item).collect()
}

type Counts = BTreeMap<(Severity, String), u64>;

/// Validates a directory; returns how many files it has, how many findings of each code, and one
/// example of each.
fn judge(root: &Path) -> (usize, Counts, BTreeMap<String, String>) {
    let items = items_below(root);
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

fn expected(counts: &[(Severity, &str, u64)]) -> Counts {
    counts
        .iter()
        .map(|(severity, code, count)| ((*severity, (*code).to_owned()), *count))
        .collect()
}

/// Nothing but what is known of these records: the old version, addresses without a scheme, one
/// path of the wrong depth, directories that end in dots, numbers such as -1 that stand for no
/// score, and what records show beside each other; a sample of those is validated in
/// `docs/truth.md`.
#[test]
fn real_records_follow_their_own_version() {
    let Some(corpus) = find_corpus() else {
        return;
    };
    let root = unpack_records(&corpus, Path::new(env!("CARGO_TARGET_TMPDIR")));
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
                // RewardBench 2 lies in the folder of RewardBench.
                (Severity::Note, "AY440", 197),
                // Ids with the name of a model as its page has it.
                (Severity::Note, "AY443", 2),
                // Two precisions of a model, and names that were cut off, share an id.
                (Severity::Warning, "AY610", 86),
                (Severity::Note, "AY614", 8),
                // Models of one leaderboard that are the same weights under two names.
                (Severity::Warning, "AY613", 54),
                (Severity::Note, "AY612", 9),
                (Severity::Note, "AY616", 11),
            ]),
        ),
        (
            "records-0.2.2",
            246,
            expected(&[(Severity::Note, "AY402", 246), (Severity::Note, "AY612", 1)]),
        ),
    ];
    for (version, files, counts) in known {
        let (judged, found, examples) = judge(&root.join(version));

        assert_eq!((judged, found), (files, counts), "{examples:#?}");
    }
}

/// Output of the reference's converters is refused for one thing only, which its own schema refuses
/// too: a result id that is null.
#[test]
fn what_the_reference_converts_is_refused_for_null_ids_only() {
    let Some(corpus) = find_corpus() else {
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
