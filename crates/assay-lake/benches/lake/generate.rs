//! A datastore of any size, the same bytes on every run.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use assay_formats::rows::{Algorithm, Hasher};
use serde_json::json;

/// How many models there are.
const MODELS: usize = 20;
/// How many benchmarks there are, of one task each.
const TASKS: usize = 5;
/// Words that questions and answers are made of.
const WORDS: [&str; 16] = [
    "the",
    "model",
    "answer",
    "question",
    "because",
    "therefore",
    "compute",
    "matrix",
    "protein",
    "statute",
    "evidence",
    "patient",
    "river",
    "treaty",
    "value",
    "index",
];

/// Writes records with so many samples in all, and two models that share some; returns how many
/// bytes the samples have.
pub(crate) fn datastore(root: &Path, samples: usize, shared: usize) -> u64 {
    let rows = samples / (MODELS * TASKS);
    let mut bytes = 0;
    for task in 0..TASKS {
        for model in 0..MODELS {
            let run = Run {
                number: task * MODELS + model,
                task: format!("task-{task}"),
                model: format!("acme/model-{model}"),
                rows,
            };
            bytes += run.write(root);
        }
    }
    for (number, model) in [(9_001, "head/one"), (9_002, "head/two")] {
        let run = Run {
            number,
            task: "head".to_owned(),
            model: model.to_owned(),
            rows: shared,
        };
        bytes += run.write(root);
    }
    bytes
}

/// The records below a directory.
pub(crate) fn records(root: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|own| own == "json"))
        .collect()
}

struct Run {
    number: usize,
    task: String,
    model: String,
    rows: usize,
}

impl Run {
    fn write(&self, root: &Path) -> u64 {
        let directory = format!("data/{}/{}", self.task, self.model);
        let uuid = format!("5eed0000-0000-4000-8000-{:012}", self.number);
        let folder = root.join(&directory);
        fs::create_dir_all(&folder).unwrap();
        let file = fs::File::create(folder.join(format!("{uuid}_samples.jsonl"))).unwrap();
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let mut hasher = Hasher::new(Algorithm::Sha256);
        let (mut bytes, mut right) = (0, 0);
        for row in 0..self.rows {
            // What is right follows from model and row alone, so that runs differ and are the same
            // on every machine.
            let is_right = mixed(self.number as u64 * 1_000_003 + row as u64) % 100 < 62;
            right += usize::from(is_right);
            let line = format!("{}\n", self.row(row, is_right));
            hasher.update(line.as_bytes());
            file.write_all(line.as_bytes()).unwrap();
            bytes += line.len() as u64;
        }
        file.flush().unwrap();
        let samples = format!("{directory}/{uuid}_samples.jsonl");
        let record = self.record(&samples, &hasher.hex(), right as f64 / self.rows as f64);
        fs::write(folder.join(format!("{uuid}.json")), record.to_string()).unwrap();
        bytes
    }

    fn row(&self, row: usize, is_right: bool) -> serde_json::Value {
        let seed = mixed(row as u64);
        let answer = if is_right { "right" } else { "wrong" };
        json!({
            "schema_version": "0.3.0", "evaluation_id": self.evaluation_id(), "model_id": self.model,
            "evaluation_name": self.task, "evaluation_result_id": self.task,
            "sample_id": row.to_string(), "interaction_type": "single_turn",
            "input": {"raw": format!("{} {row}: {}", self.task, words(seed, 80)), "reference": ["right"]},
            "output": {"raw": [format!("{} so it is {answer}", words(seed + self.number as u64, 60))]},
            "answer_attribution": [{"turn_idx": 0, "source": "output.raw", "extracted_value": answer,
                                    "extraction_method": "regex", "is_terminal": true}],
            "evaluation": {"score": u8::from(is_right), "is_correct": is_right},
            "token_usage": {"input_tokens": 120, "output_tokens": seed % 400, "total_tokens": 120 + seed % 400},
            "performance": {"latency_ms": seed % 9_000},
        })
    }

    fn record(&self, samples: &str, checksum: &str, score: f64) -> serde_json::Value {
        json!({
            "schema_version": "0.3.0", "evaluation_id": self.evaluation_id(),
            "retrieved_timestamp": "1772323200", "evaluation_timestamp": "2026-03-01T00:00:00Z",
            "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "Acme",
                                "evaluator_relationship": "first_party"},
            "eval_library": {"name": "abacus", "version": "1.0"},
            "model_info": {"name": self.model, "id": self.model,
                           "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"}},
            "evaluation_results": [{
                "evaluation_result_id": self.task, "evaluation_name": self.task,
                "source_data": {"dataset_name": self.task, "source_type": "other"},
                "metric_config": {"metric_id": "accuracy", "lower_is_better": false, "score_type": "continuous",
                                  "min_score": 0, "max_score": 1},
                "score_details": {"score": score},
            }],
            "detailed_evaluation_results": {"format": "jsonl", "file_path": samples, "hash_algorithm": "sha256",
                                            "checksum": checksum, "total_rows": self.rows},
        })
    }

    fn evaluation_id(&self) -> String {
        format!(
            "{}/{}/{}",
            self.task,
            self.model.replace('/', "_"),
            self.number
        )
    }
}

fn words(seed: u64, count: usize) -> String {
    let words = (0..count as u64).map(|index| {
        let word = mixed(seed * 131 + index) % WORDS.len() as u64;
        WORDS[usize::try_from(word).unwrap()]
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A number that looks like chance.
fn mixed(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) >> 16
}
