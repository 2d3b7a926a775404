//! lm-evaluation-harness: `results_<date>.json`, and beside it `samples_<task>_<date>.jsonl` for
//! every task that was asked to log its samples.
//!
//! Every task becomes a record with its samples, every group that aggregates a record without: its
//! samples are those of its tasks, and must not be counted twice.

mod answer;
mod arguments;
mod metric;
mod model;
mod record;
mod results;
mod row;
mod samples;
mod text;

use std::collections::BTreeSet;

use assay_formats::json::Parser;
use assay_formats::syntax::limits;
use assay_formats::{Kind, Tape, Value};
use sha2::{Digest, Sha256};

use self::record::LmEvalRun;
use self::results::Results;
use super::detect::Evidence;
use super::document::read_text;
use super::{Converted, Converter, HarnessInfo, Log, RecordWriter, Refusal, Warning};

/// The greatest depth of the results: functions and templates of tasks are text, so real files stay
/// far below.
const MAX_DEPTH: usize = 1024;

/// The converter.
pub(super) struct LmEval;

impl Converter for LmEval {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "lm-eval",
            title: "lm-evaluation-harness",
            framework: "lm-evaluation-harness",
            library: "lm_eval",
            source_name: "lm-evaluation-harness",
            log: "results_*.json with samples_*.jsonl",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_map("results")
            && (evidence.has_key("lm_eval_version")
                || (evidence.has_map("configs") && evidence.has_map("n-shot")))
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one log.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let text = read_text(log, log.path, limits::MAX_DOCUMENT_BYTES)?;
    let mut tape = Tape::new();
    let mut parser = Parser::with_depth(MAX_DEPTH);
    parser.parse(&text, &mut tape);
    let Some(root) = tape.root(&text) else {
        return Err(Refusal::damaged(log.path, "it is not JSON"));
    };
    if root.get("results").map(Value::kind) != Some(Kind::Map) {
        return Err(Refusal::Nothing(format!(
            "`{}` has no `results`, so it is not a log of lm-evaluation-harness",
            log.path
        )));
    }
    let run = LmEvalRun::new(
        Results::new(root),
        log.options,
        Sha256::digest(text.as_bytes()).to_vec(),
    );
    convert_tasks(log, &run)
}

fn convert_tasks(log: &Log<'_>, run: &LmEvalRun<'_>) -> Result<Vec<Converted>, Refusal> {
    let mut converted = Vec::new();
    let mut without_score = Vec::new();
    let mut seen = BTreeSet::new();
    for task in run.results.tasks() {
        if !seen.insert(task.name.clone()) {
            continue;
        }
        let outcome = run.outcome(&task);
        if outcome.results.is_empty() {
            // A group that aggregates nothing has only a name; a task has lost its scores.
            if !task.is_group() {
                without_score.push(format!(
                    "task `{}` has no score that is a number",
                    task.name
                ));
            }
            continue;
        }
        let identity = run.identity(&task);
        let evaluation_id = run.evaluation_id(&task, &identity);
        let mut writer = RecordWriter::begin(log.datastore, identity)?;
        for warning in &outcome.warnings {
            writer.warn(warning.as_str());
        }
        let mut record = run.record(&task, evaluation_id, outcome.results);
        if log.options.samples && !task.is_group() {
            samples::convert(log, run, &task, &mut record, &mut writer)?;
        }
        converted.push(writer.finish(record)?);
    }
    let Some(first) = converted.first_mut() else {
        return Err(Refusal::Nothing(format!(
            "`{}` holds no score that is a number",
            log.path
        )));
    };
    // What has no record of its own is told with the first one.
    first.warnings.extend(
        without_score
            .into_iter()
            .map(|message| Warning { message, count: 1 }),
    );
    Ok(converted)
}
