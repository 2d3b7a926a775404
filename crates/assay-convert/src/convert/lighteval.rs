//! lighteval: `results_<date>.json`, one record for each task, with the samples of
//! `details_<task>_<date>.parquet`.

mod answer;
mod details;
mod field;
mod metric;
mod nesting;
mod record;
mod results;
mod sample;
mod table;

use assay_formats::Tape;
use assay_formats::json::Parser;

use super::detect::Evidence;
use super::document::read_text;
use super::{Converted, Converter, HarnessInfo, Identity, Log, RecordWriter, Refusal, Warning};
use details::Details;
use record::{RecordOf, Scored};
use results::{Results, Task};
use sample::Rows;

/// Maximum size of a results file, in bytes; real ones have some hundred kilobytes.
const MAX_RESULTS_BYTES: usize = 256 << 20;
/// The greatest depth of a results file.
const MAX_DEPTH: usize = 1024;

/// The converter.
pub(super) struct Lighteval;

impl Converter for Lighteval {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "lighteval",
            title: "lighteval",
            framework: "lighteval",
            library: "lighteval",
            source_name: "lighteval",
            log: "results_*.json with details_*.parquet",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_map("results") && evidence.has_map("config_general")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one log.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let text = read_text(log, log.path, MAX_RESULTS_BYTES)?;
    let mut tape = Tape::new();
    let mut parser = Parser::with_depth(MAX_DEPTH);
    parser.parse(&text, &mut tape);
    let root = tape.root(&text).ok_or_else(|| {
        Refusal::damaged(
            log.path,
            "it is not a JSON document, or it ends in the middle",
        )
    })?;
    let results = Results::of(root, log.path)?;
    let details = Details::find(log, &results);
    let mut converted = Vec::new();
    let mut aside = Vec::new();
    for task in results.tasks() {
        let scored = Scored::of(&task);
        if scored.is_empty() {
            let message = format!("`{}` has no score that is a number: left out", task.key);
            aside.push(Warning { message, count: 1 });
            continue;
        }
        let content = [text.as_bytes(), task.key.as_bytes()];
        let identity = Identity::new(
            &task.name,
            &record::model_id(&results, log.options),
            &content,
        );
        converted.push(task_record(
            log, &results, &task, scored, &details, identity,
        )?);
    }
    let Some(first) = converted.first_mut() else {
        let message = format!("`{}` has no task with a score that is a number", log.path);
        return Err(Refusal::Nothing(message));
    };
    first.warnings.append(&mut aside);
    Ok(converted)
}

/// Makes the record of one task, and its samples.
fn task_record(
    log: &Log<'_>,
    results: &Results<'_>,
    task: &Task<'_>,
    scored: Scored,
    details: &Details,
    identity: Identity,
) -> Result<Converted, Refusal> {
    let mut of = RecordOf::new(log, results, task, scored, &identity);
    let mut writer = RecordWriter::begin(log.datastore, identity)?;
    for metric in of.not_numbers() {
        writer.warn(format!(
            "`{metric}` of `{}` is not a number: left out",
            task.key
        ));
    }
    if results.time.is_none() && log.options.retrieved_timestamp.is_none() {
        writer.warn("the file name holds no time: the record was retrieved at an unknown time");
    }
    let mut of_samples = Vec::new();
    match details.table(log, &task.key) {
        Ok(Some(table)) => {
            of.samples = table.count();
            if log.options.samples {
                of_samples = Rows::new(&of).write(log, table, &mut writer)?;
            }
        }
        Ok(None) if log.options.samples => {
            writer.warn(format!(
                "no details were found for `{}`: it has no samples",
                task.key
            ));
        }
        Ok(None) => {}
        Err(why) => writer.warn(format!("{why}: `{}` has no samples", task.key)),
    }
    let mut converted = writer.finish(of.record())?;
    converted.warnings.append(&mut of_samples);
    Ok(converted)
}
