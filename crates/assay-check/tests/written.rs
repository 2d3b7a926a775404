//! Result files that are written by the program break none of its own rules.

#![cfg(test)]

use std::io::{self, Cursor, Read};

use assay_check::{Context, FileKind, Files, Item, Options, Validated, ValidatedFile, validate};
use assay_formats::eval_results;
use assay_model::{Date, Entry, Framework, Number, Score, Source};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

const PATH: &str = ".eval_results/sums.yaml";

struct OneFile(String);

impl Files for OneFile {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        if path == PATH {
            Ok(Box::new(Cursor::new(self.0.as_bytes())))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        (path == PATH).then_some(self.0.len() as u64)
    }
}

/// Text that a person could have meant, among it what YAML would take for something else if it
/// stood without quotes.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z][A-Za-z0-9 .,:#'\"\\\\{}\\[\\]&*!|>%@`-]{0,30}[a-z]",
        Just("1.10".to_owned()),
        Just("null".to_owned()),
        Just("2026-02-14".to_owned()),
        Just("- a: b # c".to_owned()),
        Just("zwei Läufe, 東京".to_owned()),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    let metrics = btree_set("[a-z][a-z0-9_]{0,10}", 1..4);
    let texts = (words(), words(), words(), option::of(words()));
    (
        metrics,
        vec(-1_000_000_000_i64..1_000_000_000, 4),
        texts,
        1_600_000_000..1_760_000_000_i64,
        1..100_000_u64,
    )
        .prop_map(|(metrics, digits, texts, seconds, size)| {
            let score = |(metric, digits): (String, i64)| {
                let value: f64 = format!("{digits}e-4").parse().expect("it is a number");
                let value = Number::new(value).expect("it is finite");
                Score {
                    metric: Some(metric.parse().expect("it is an id")),
                    value,
                    literal: value.to_literal(),
                    slice: None,
                    value_type: None,
                    sample_size: None,
                    uncertainty: assay_model::StatedUncertainty::default(),
                    context: None,
                }
            };
            Entry {
                dataset: "acme/sums".parse().expect("it is an id"),
                task: "words".parse().expect("it is an id"),
                dataset_revision: None,
                model_revision: None,
                scores: metrics.into_iter().zip(digits).map(score).collect(),
                framework: Some(Framework {
                    name: Some(texts.0),
                    version: Some(texts.1),
                    command: None,
                }),
                token: None,
                source: Some(Source {
                    url: "https://acme.example/run".to_owned(),
                    name: Some(texts.2),
                    user: None,
                    org: None,
                }),
                date: Date::of_unix_seconds(seconds),
                notes: texts.3,
                subset: None,
                sample_size: Some(size),
                normalization: None,
                setup: assay_model::Setup::default(),
                provenance: assay_model::Provenance::default(),
            }
        })
}

proptest! {
    #[test]
    fn what_is_written_is_valid_and_says_the_same(entry in entry()) {
        let file = OneFile(eval_results::write(std::slice::from_ref(&entry)));
        let items = [Item { path: PATH.into(), kind: Some(FileKind::EvalResults) }];

        let reports = validate(&file, &items, &Context::default(), &Options::default());

        prop_assert_eq!(reports.len(), 1);
        let found = reports[0].findings.diagnostics();
        prop_assert!(found.is_empty(), "{:?}\n{}", found, file.0);
        let content = reports[0].validated.as_ref().map(Validated::get);
        prop_assert_eq!(content, Some(&ValidatedFile::Results(vec![entry])));
    }
}
