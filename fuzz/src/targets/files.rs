//! The judge and the one who tells it what a file is.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

use assay_check::{Context, FileKind, FileReport, Files, Item, Options, validate};
use assay_model::{Diagnostic, Fix, Span};

use crate::harness::fuzz;

const STEM: &str = "data/tides/quay/pilot/5eed0000-0000-4000-8000-000000000100";
/// Enough rows that all threads judge one samples file together.
const LARGE: usize = 9 << 20;

/// Files that lie in memory.
struct InMemory(BTreeMap<String, Vec<u8>>);

impl Files for InMemory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.as_slice()))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

#[test]
fn kind() {
    fuzz("kind", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for path in ["a.json", "a.jsonl", "a.yaml", "a", ""] {
            let kind = FileKind::of_content(path, &text);
            if let Some(kind) = kind {
                assert_eq!(kind.to_string().parse(), Ok(kind));
            }
        }
        FileKind::of_path(&text);
    });
}

#[test]
fn validate_any_bytes() {
    fuzz("validate", |bytes| {
        let (files, items) = as_every_kind(bytes);

        let reports = judge_with(1, &files, &items);

        assert_eq!(
            format!("{reports:?}"),
            format!("{:?}", judge_with(4, &files, &items))
        );
        for report in &reports {
            assert_sound(report, &files);
        }
    });
}

#[test]
fn a_large_samples_file_is_judged_alike_by_one_thread_and_by_four() {
    let row = br#"{"schema_version": "0.3.0", "sample_id": 7, "interaction_type": "agentic", "messages": null}"#;
    let mut bytes = Vec::with_capacity(LARGE + row.len());
    while bytes.len() < LARGE {
        bytes.extend_from_slice(row);
        bytes.push(b'\n');
    }
    let (files, items) = as_every_kind(&bytes);
    let samples: Vec<Item> = items
        .into_iter()
        .filter(|item| item.kind == Some(FileKind::Samples))
        .collect();

    let alone = judge_with(1, &files, &samples);
    let together = judge_with(4, &files, &samples);

    assert!(alone[0].rows > Some(50_000) && alone[0].findings.has_errors());
    assert_eq!(format!("{alone:?}"), format!("{together:?}"));
}

/// The same bytes as a file of each kind.
fn as_every_kind(bytes: &[u8]) -> (InMemory, Vec<Item>) {
    let mut files = BTreeMap::new();
    let mut items = Vec::new();
    for kind in FileKind::ALL {
        let path = match kind {
            FileKind::EvalYaml => "eval.yaml".to_owned(),
            FileKind::EvalResults => ".eval_results/tides.yaml".to_owned(),
            FileKind::Record => format!("{STEM}.json"),
            FileKind::Samples => format!("{STEM}_samples.jsonl"),
        };
        items.push(Item {
            path: Arc::from(path.as_str()),
            kind: Some(kind),
        });
        files.insert(path, bytes.to_vec());
    }
    (InMemory(files), items)
}

fn judge_with(jobs: usize, files: &InMemory, items: &[Item]) -> Vec<FileReport> {
    let options = Options {
        jobs,
        ..Options::default()
    };
    validate(files, items, &Context::default(), &options)
}

/// Every finding lies in its file and has something to say.
fn assert_sound(report: &FileReport, files: &InMemory) {
    let bytes = &files.0[&*report.path];
    let lines = memchr::memchr_iter(b'\n', bytes).count() as u64 + 1;
    for finding in report.findings.diagnostics() {
        let Diagnostic {
            place,
            message,
            help,
            excerpt,
            fix,
            ..
        } = finding;
        assert_eq!(place.file, report.path, "{finding:?}");
        assert!(lies_in(place.span, bytes), "{finding:?}");
        assert!(
            place.is_whole() || (1..=lines).contains(&place.line) && place.column > 0,
            "{finding:?}"
        );
        assert!(
            !message.is_empty() && help.as_ref().is_some_and(|help| !help.is_empty()),
            "{finding:?}"
        );
        if let Some(excerpt) = excerpt {
            assert!(
                excerpt.text.get(excerpt.start..excerpt.end).is_some(),
                "{finding:?}"
            );
        }
        if let Some(Fix::Edit(edits)) = fix {
            assert!(
                edits.iter().all(|edit| lies_in(edit.span, bytes)),
                "{finding:?}"
            );
        }
    }
    assert!(report.validated.is_none() || !report.findings.has_errors());
}

fn lies_in(span: Span, bytes: &[u8]) -> bool {
    span.start <= span.end && span.end <= bytes.len() as u64
}
