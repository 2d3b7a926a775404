//! Files in memory, a valid record with its samples, and findings as short texts.

use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_check::{Context, FileKind, FileReport, Files, Item, LayoutPolicy, Options, validate};
use assay_formats::rows::{Algorithm, Block, Blocks};
use assay_model::Diagnostic;
use serde_json::{Value, json};

pub(crate) const UUID: &str = "5eed0000-0000-4000-8000-000000000100";
pub(crate) const DIRECTORY: &str = "data/sums/acme/model-x";

/// Files in memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Memory {
    pub(crate) fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), bytes.into());
        self
    }

    /// Validates all files, each by what its name says it is.
    pub(crate) fn judge(&self) -> Vec<FileReport> {
        self.judge_with(&Context::default(), 1)
    }

    pub(crate) fn judge_with(&self, context: &Context<'_>, jobs: usize) -> Vec<FileReport> {
        let paths: Vec<&str> = self.0.keys().map(String::as_str).collect();
        self.judge_some(&paths, context, jobs)
    }

    pub(crate) fn judge_some(
        &self,
        paths: &[&str],
        context: &Context<'_>,
        jobs: usize,
    ) -> Vec<FileReport> {
        let items: Vec<Item> = paths
            .iter()
            .map(|path| Item {
                path: (*path).into(),
                kind: Some(if path.rsplit('.').next() == Some("jsonl") {
                    FileKind::Samples
                } else {
                    FileKind::Record
                }),
            })
            .collect();
        let options = Options {
            jobs,
            ..Options::default()
        };
        validate(self, &items, context, &options)
    }
}

impl Files for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

/// A record and its samples, as values that a test can change before they are written.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) record: Value,
    pub(crate) rows: Vec<Value>,
    pub(crate) directory: String,
    /// True if the record declares the digest and the number of the rows as they are when written.
    pub(crate) seals: bool,
}

impl Pair {
    pub(crate) fn new() -> Self {
        Self {
            record: record(),
            rows: vec![single_turn("0"), agentic("1")],
            directory: DIRECTORY.to_owned(),
            seals: true,
        }
    }

    /// Changes the first result of the record.
    pub(crate) fn result(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.record["evaluation_results"][0]);
        self
    }

    pub(crate) fn record(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.record);
        self
    }

    pub(crate) fn row(mut self, index: usize, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.rows[index]);
        self
    }

    pub(crate) fn unsealed(mut self) -> Self {
        self.seals = false;
        self
    }

    pub(crate) fn record_path(&self) -> String {
        format!("{}/{UUID}.json", self.directory)
    }

    pub(crate) fn samples_path(&self) -> String {
        format!("{}/{UUID}_samples.jsonl", self.directory)
    }

    pub(crate) fn samples(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            text.push_str(&row.to_string());
            text.push('\n');
        }
        text
    }

    /// Writes both files; the record is spread over lines, so that places can be told.
    pub(crate) fn files(&self) -> Memory {
        let samples = self.samples();
        let mut record = self.record.clone();
        if self.seals {
            let declared = &mut record["detailed_evaluation_results"];
            declared["checksum"] = json!(digest(samples.as_bytes(), Algorithm::Sha256));
            declared["total_rows"] = json!(self.rows.len());
        }
        Memory::default()
            .with(&self.record_path(), pretty(&record))
            .with(&self.samples_path(), samples)
    }

    /// Returns the findings in both files, as short texts.
    pub(crate) fn findings(&self) -> Vec<String> {
        findings(&self.files().judge())
    }
}

pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

pub(crate) fn digest(bytes: &[u8], algorithm: Algorithm) -> String {
    let mut blocks = Blocks::new(bytes, algorithm);
    let mut block = Block::default();
    while blocks.next(&mut block).unwrap() {}
    blocks.finish().0
}

/// A record that breaks no rule.
pub(crate) fn record() -> Value {
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme_model-x/1767225600",
        "retrieved_timestamp": "1767225600",
        "evaluation_timestamp": "2026-01-01T00:00:00Z",
        "source_metadata": {
            "source_name": "our own run",
            "source_type": "evaluation_run",
            "source_organization_name": "Acme",
            "source_organization_url": "https://acme.example",
            "evaluator_relationship": "first_party"
        },
        "eval_library": {"name": "abacus", "version": "1.0"},
        "model_info": {
            "name": "Model X",
            "id": "acme/model-x",
            "additional_details": {
                "deployment_type": "self_deployed",
                "model_availability": "open_weights"
            }
        },
        "evaluation_results": [{
            "evaluation_result_id": "sums/accuracy",
            "evaluation_name": "sums",
            "source_data": {
                "dataset_name": "sums",
                "source_type": "hf_dataset",
                "hf_repo": "acme/sums",
                "samples_number": 2,
                "sample_ids": ["0", "1"]
            },
            "metric_config": {
                "metric_id": "accuracy",
                "lower_is_better": false,
                "score_type": "continuous",
                "min_score": 0,
                "max_score": 1
            },
            "score_details": {
                "score": 0.5,
                "uncertainty": {
                    "standard_error": {"value": 0.5},
                    "confidence_interval": {"lower": 0.0, "upper": 1.0, "confidence_level": 0.95},
                    "standard_deviation": 0.7,
                    "num_samples": 2
                }
            }
        }],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": format!("{DIRECTORY}/{UUID}_samples.jsonl"),
            "hash_algorithm": "sha256"
        }
    })
}

/// A row with one turn that breaks no rule.
pub(crate) fn single_turn(sample: &str) -> Value {
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme_model-x/1767225600",
        "model_id": "acme/model-x",
        "evaluation_name": "sums",
        "evaluation_result_id": "sums/accuracy",
        "sample_id": sample,
        "sample_hash": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "interaction_type": "single_turn",
        "input": {"raw": "1 + 1", "reference": ["2"]},
        "output": {"raw": ["2"]},
        "answer_attribution": [{
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": "2",
            "extraction_method": "exact_match",
            "is_terminal": true
        }],
        "evaluation": {"score": 1, "is_correct": true},
        "token_usage": {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}
    })
}

/// A row with tools that breaks no rule.
pub(crate) fn agentic(sample: &str) -> Value {
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme_model-x/1767225600",
        "model_id": "acme/model-x",
        "evaluation_name": "sums",
        "evaluation_result_id": "sums/accuracy",
        "sample_id": sample,
        "interaction_type": "agentic",
        "input": {"raw": "1 + 2", "reference": ["3"]},
        "messages": [
            {"turn_idx": 0, "role": "user", "content": "1 + 2"},
            {"turn_idx": 1, "role": "assistant", "tool_calls": [{"id": "call-1", "name": "add"}]},
            {"turn_idx": 2, "role": "tool", "content": "4", "tool_call_id": ["call-1"]},
            {"turn_idx": 3, "role": "assistant", "content": "4"}
        ],
        "answer_attribution": [{
            "turn_idx": 3,
            "source": "messages[3].content",
            "extracted_value": "4",
            "extraction_method": "exact_match",
            "is_terminal": true
        }],
        "evaluation": {"score": 0, "is_correct": false, "num_turns": 4, "tool_calls_count": 1}
    })
}

/// All findings as `error AY404 5:3 message`, with the ending of the file in front.
pub(crate) fn findings(reports: &[FileReport]) -> Vec<String> {
    reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .map(short)
        .collect()
}

fn short(diagnostic: &Diagnostic) -> String {
    let ending = diagnostic.place.file.rsplit('.').next().unwrap();
    assert!(
        diagnostic
            .help
            .as_ref()
            .is_some_and(|help| !help.is_empty()),
        "every finding has a next step: {diagnostic:?}"
    );
    format!(
        "{ending} {} {} {}:{} {}",
        diagnostic.severity,
        diagnostic.code,
        diagnostic.place.line,
        diagnostic.place.column,
        diagnostic.message
    )
}

/// A context with this policy for paths.
pub(crate) fn context(layout: LayoutPolicy) -> Context<'static> {
    Context {
        layout,
        ..Context::default()
    }
}
