//! A small datastore whose every answer can be worked out by hand, and a lake of it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_formats::rows::{Algorithm, Hasher};
use assay_lake::ingest::{Options, Report, ingest};
use assay_lake::{Engine, Lake, Limits};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One run: a record and its samples.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) number: u8,
    pub(crate) benchmark: &'static str,
    pub(crate) task: &'static str,
    pub(crate) metric: &'static str,
    pub(crate) model: &'static str,
    pub(crate) library: &'static str,
    pub(crate) relationship: &'static str,
    pub(crate) evaluated_at: &'static str,
    /// The mean that the record reports.
    pub(crate) score: f64,
    /// The scores of its samples; without any there is no samples file.
    pub(crate) samples: Vec<f64>,
    pub(crate) agentic: bool,
}

impl Run {
    /// The runs of the fixture.
    pub(crate) fn all() -> Vec<Self> {
        let sums = Self {
            number: 1,
            benchmark: "arith",
            task: "sums",
            metric: "exact_match",
            model: "acme/small",
            library: "lm_eval",
            relationship: "first_party",
            evaluated_at: "2026-01-01T00:00:00Z",
            score: 0.5,
            samples: vec![1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            agentic: false,
        };
        let prose = Self {
            number: 4,
            benchmark: "prose",
            task: "summaries",
            metric: "rouge",
            score: 0.5,
            samples: vec![0.25, 0.375, 0.625, 0.75],
            ..sums.clone()
        };
        vec![
            sums.clone(),
            Self {
                number: 2,
                model: "acme/large",
                library: "inspect_ai",
                evaluated_at: "2026-02-01T00:00:00Z",
                score: 0.75,
                samples: vec![1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0],
                ..sums.clone()
            },
            Self {
                number: 3,
                model: "zeta/base",
                relationship: "third_party",
                evaluated_at: "2026-02-10T00:00:00Z",
                score: 0.25,
                samples: vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                ..sums.clone()
            },
            prose.clone(),
            Self {
                number: 5,
                model: "acme/large",
                score: 0.625,
                samples: vec![0.5, 0.375, 0.75, 0.875],
                ..prose
            },
            // An earlier run of the same model by another harness, of which nobody kept the
            // samples.
            Self {
                number: 6,
                library: "inspect_ai",
                relationship: "third_party",
                evaluated_at: "2025-12-01T00:00:00Z",
                score: 0.375,
                samples: Vec::new(),
                ..sums.clone()
            },
            Self {
                number: 7,
                benchmark: "tools",
                task: "errands",
                model: "zeta/base",
                relationship: "third_party",
                score: 0.5,
                samples: vec![1.0, 0.0],
                agentic: true,
                ..sums
            },
        ]
    }

    /// What the file of the record is named by.
    pub(crate) fn uuid(&self) -> String {
        format!("5eed0000-0000-4000-8000-{:012}", self.number)
    }

    fn directory(&self) -> String {
        format!("data/{}/{}", self.benchmark, self.model)
    }

    fn evaluation_id(&self) -> String {
        format!(
            "{}/{}/{}",
            self.task,
            self.model.replace('/', "_"),
            self.number
        )
    }

    fn result_id(&self) -> String {
        format!("{}/{}", self.task, self.metric)
    }

    /// The record as a file.
    pub(crate) fn record(&self, samples: &[u8]) -> Value {
        let mut record = json!({
            "schema_version": "0.3.0",
            "evaluation_id": self.evaluation_id(),
            "retrieved_timestamp": "1771027200",
            "evaluation_timestamp": self.evaluated_at,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": if self.relationship == "first_party" { "Acme" } else { "Zeta" },
                "evaluator_relationship": self.relationship,
            },
            "eval_library": {"name": self.library, "version": "1.0"},
            "model_info": {
                "name": self.model,
                "id": self.model,
                "developer": self.model.split('/').next(),
                "additional_details": {"deployment_type": "self_deployed", "model_availability": "open_weights"},
            },
            "evaluation_results": [{
                "evaluation_result_id": self.result_id(),
                "evaluation_name": self.task,
                "source_data": {"dataset_name": self.task, "source_type": "hf_dataset", "hf_repo": format!("acme/{}", self.task)},
                "metric_config": {
                    "metric_id": self.metric, "lower_is_better": false,
                    "score_type": "continuous", "min_score": 0, "max_score": 1,
                },
                "score_details": {"score": self.score},
            }],
        });
        if !self.samples.is_empty() {
            let mut hasher = Hasher::new(Algorithm::Sha256);
            hasher.update(samples);
            record["detailed_evaluation_results"] = json!({
                "format": "jsonl",
                "file_path": format!("{}/{}_samples.jsonl", self.directory(), self.uuid()),
                "hash_algorithm": "sha256",
                "checksum": hasher.hex(),
                "total_rows": self.samples.len(),
            });
        }
        record
    }

    /// The samples as a file.
    pub(crate) fn rows(&self) -> Vec<u8> {
        let rows = self.samples.iter().enumerate().map(|(index, score)| {
            let mut row = self.row(index + 1, *score);
            if self.agentic {
                Self::talk(index + 1, &mut row);
            }
            format!("{row}\n")
        });
        rows.collect::<String>().into_bytes()
    }

    fn row(&self, number: usize, score: f64) -> Value {
        let is_correct = score > 0.5;
        let answer = if is_correct { number + 1 } else { number };
        let mut row = json!({
            "schema_version": "0.3.0",
            "evaluation_id": self.evaluation_id(),
            "model_id": self.model,
            "evaluation_name": self.task,
            "evaluation_result_id": self.result_id(),
            "sample_id": number.to_string(),
            "interaction_type": "single_turn",
            "input": {"raw": format!("{}: {number} + 1", self.task), "reference": [(number + 1).to_string()]},
            "output": {"raw": [format!("it is {answer}")]},
            "answer_attribution": [{
                "turn_idx": 0, "source": "output.raw", "extracted_value": answer.to_string(),
                "extraction_method": "regex", "is_terminal": true,
            }],
            "evaluation": {"score": score, "is_correct": is_correct},
            "token_usage": {"input_tokens": 10, "output_tokens": number, "total_tokens": 10 + number},
            "performance": {"latency_ms": 100 * number},
            "metadata": {"parity": if number.is_multiple_of(2) { "even" } else { "odd" }},
        });
        if self.number == 3 && number == 8 {
            row["error"] = json!("the context was too long");
        }
        row
    }

    /// Turns a row into a conversation with a tool.
    fn talk(number: usize, row: &mut Value) {
        row["interaction_type"] = json!("agentic");
        row["output"] = Value::Null;
        row["messages"] = json!([
            {"turn_idx": 0, "role": "user", "content": row["input"]["raw"]},
            {"turn_idx": 1, "role": "assistant", "tool_calls": [{"id": "call-1", "name": "add"}]},
            {"turn_idx": 2, "role": "tool", "content": "sum", "tool_call_id": ["call-1"]},
            {"turn_idx": 3, "role": "assistant", "content": format!("so it is {}", number + 1)},
        ]);
        row["answer_attribution"] = json!([]);
        row["evaluation"]["num_turns"] = json!(4);
        row["evaluation"]["tool_calls_count"] = json!(number);
    }

    /// Writes both files below a directory.
    pub(crate) fn write(&self, root: &Path) -> PathBuf {
        let directory = root.join(self.directory());
        std::fs::create_dir_all(&directory).unwrap();
        let rows = self.rows();
        if !rows.is_empty() {
            std::fs::write(
                directory.join(format!("{}_samples.jsonl", self.uuid())),
                &rows,
            )
            .unwrap();
        }
        let path = directory.join(format!("{}.json", self.uuid()));
        std::fs::write(&path, self.record(&rows).to_string()).unwrap();
        path
    }
}

impl Run {
    /// Writes both files below a directory, with two epochs of every sample, each of which a second
    /// metric scores as wrong.
    pub(crate) fn write_twice_by_two_metrics(&self, root: &Path) {
        if self.samples.is_empty() {
            return;
        }
        let own = String::from_utf8(self.rows()).unwrap();
        let second = format!("{}/f1", self.task);
        let mut rows = String::new();
        for line in own.lines().chain(own.lines()) {
            let mut row: Value = serde_json::from_str(line).unwrap();
            writeln!(rows, "{row}").unwrap();
            row["evaluation_result_id"] = json!(second);
            row["evaluation"]["score"] = json!(0.0);
            row["evaluation"]["is_correct"] = json!(false);
            writeln!(rows, "{row}").unwrap();
        }
        let mut record = self.record(rows.as_bytes());
        record["detailed_evaluation_results"]["total_rows"] = json!(self.samples.len() * 4);
        let mut other = record["evaluation_results"][0].clone();
        other["evaluation_result_id"] = json!(second);
        other["metric_config"]["metric_id"] = json!("f1");
        other["score_details"]["score"] = json!(0.0);
        let results = record["evaluation_results"].as_array_mut().unwrap();
        results.push(other);
        let directory = root.join(self.directory());
        let samples = directory.join(format!("{}_samples.jsonl", self.uuid()));
        std::fs::write(samples, &rows).unwrap();
        let path = directory.join(format!("{}.json", self.uuid()));
        std::fs::write(path, record.to_string()).unwrap();
    }
}

/// A directory with a datastore, models and a lake.
pub(crate) struct World {
    pub(crate) root: TempDir,
    pub(crate) lake: Lake,
}

impl World {
    /// The fixture on the disk and nothing in the lake.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for run in Run::all() {
            run.write(root.path());
        }
        let results = root.path().join("models/acme/large/.eval_results");
        std::fs::create_dir_all(&results).unwrap();
        let entry = "- dataset:\n    id: acme/arith\n    task_id: sums\n  value: 0.75\n  date: '2026-02-02'\n";
        std::fs::write(results.join("arith.yaml"), entry).unwrap();
        let lake = Lake::at(root.path().join("lake"));
        Self { root, lake }
    }

    /// The fixture in a lake.
    pub(crate) fn ingested() -> Self {
        let world = Self::new();
        let report = world.ingest();
        assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
        world
    }

    /// The fixture in a lake, each record in files of its own.
    pub(crate) fn ingested_apart() -> Self {
        let world = Self::new();
        for run in Run::all() {
            let path = format!("{}/{}.json", run.directory(), run.uuid());
            assert_eq!(world.ingest_paths(&[&path]).added, 1);
        }
        world.ingest();
        world
    }

    /// Takes in everything below the root.
    pub(crate) fn ingest(&self) -> Report {
        self.ingest_paths(&["data", "models"])
    }

    /// Takes in some paths below the root.
    pub(crate) fn ingest_paths(&self, paths: &[&str]) -> Report {
        let paths: Vec<PathBuf> = paths
            .iter()
            .map(|path| self.root.path().join(path))
            .collect();
        let options = Options {
            jobs: 2,
            progress: &|_, _| {},
        };
        ingest(&self.lake, &paths, &options).unwrap()
    }

    /// An engine over what the lake holds now.
    pub(crate) async fn engine(&self) -> Engine {
        let limits = Limits {
            memory: 256 << 20,
            timeout: Some(Duration::from_mins(1)),
            threads: 2,
        };
        Engine::open(self.lake.read().unwrap(), limits)
            .await
            .unwrap()
    }

    /// The answer to a question, a line a row.
    pub(crate) async fn answer(&self, sql: &str) -> Vec<String> {
        let batches = self.engine().await.all(sql).await;
        lines(&batches.unwrap_or_else(|error| panic!("{sql}: {error}")))
    }
}

/// Rows as text, the values of one joined by a bar.
pub(crate) fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default().with_null("-");
    let mut lines = Vec::new();
    for batch in batches {
        let columns: Vec<ArrayFormatter<'_>> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = columns
                .iter()
                .map(|column| column.value(row).to_string())
                .collect();
            lines.push(cells.join(" | "));
        }
    }
    lines
}
