use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_formats::eee::record::{Record, Uncertainty};
use assay_formats::ordered;
use assay_formats::rows::{Block, Blocks};
use assay_formats::syntax::limits;

use super::record::{LmEvalRun, result_id};
use super::results::Task;
use super::row::{Loss, Plan, Reader, Scored, Written};
use crate::convert::{Log, RecordWriter, Refusal, known_metric};

/// Adds the rows of a task's samples to its record, if there are samples.
pub(super) fn convert(
    log: &Log<'_>,
    run: &LmEvalRun<'_>,
    task: &Task<'_>,
    record: &mut Record,
    writer: &mut RecordWriter<'_>,
) -> Result<(), Refusal> {
    let Some(path) = path_of(log.path, &task.name) else {
        return Ok(());
    };
    let file = match log.logs.open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(Refusal::Read { path, source }),
    };
    let plan = plan(run, task, record);
    let mut tally = Written::default();
    tally.rows.resize(plan.results.len(), 0);
    let mut blocks = Blocks::unhashed(file);
    // A write that fails ends the reading: the rest of a large file would be converted for nothing.
    let failed = AtomicBool::new(false);
    let mut failure = None;
    let produce = || {
        let mut block = Block::default();
        let more = !failed.load(Ordering::Relaxed) && blocks.next(&mut block)?;
        (log.progress)(block.bytes.len() as u64);
        Ok(more.then_some(block))
    };
    let work = |reader: &mut Reader<'_>, block: Block| convert_block(reader, &block);
    let consume = |written: Written| {
        let count = written.rows.iter().sum();
        if failure.is_none()
            && let Err(refusal) = writer.rows(&written.bytes, count)
        {
            failed.store(true, Ordering::Relaxed);
            failure = Some(refusal);
        }
        for (sum, rows) in tally.rows.iter_mut().zip(&written.rows) {
            *sum += rows;
        }
        for (loss, count) in written.losses {
            *tally.losses.entry(loss).or_default() += count;
        }
    };
    let read: io::Result<()> = ordered(
        log.options.jobs,
        produce,
        || Reader::new(&plan),
        work,
        consume,
    );
    read.map_err(|source| Refusal::Read { path, source })?;
    if let Some(refusal) = failure {
        return Err(refusal);
    }
    for (loss, count) in &tally.losses {
        writer.warn_times(words(*loss, &plan), *count);
    }
    let rows = tally.rows;
    drop(plan);
    count_samples(record, &rows);
    Ok(())
}

/// The samples of a task: the file beside the results that has its very name and their very date.
/// Names that begin alike belong to other tasks, and other dates to other runs.
fn path_of(results: &str, task: &str) -> Option<String> {
    // A name with a slash would lead out of the directory.
    if task.contains(['/', '\\']) {
        return None;
    }
    let (directory, file) = match results.rsplit_once('/') {
        Some((directory, file)) => (Some(directory), file),
        None => (None, results),
    };
    let (_, date) = file.strip_suffix(".json")?.rsplit_once('_')?;
    let name = is_date(date).then(|| format!("samples_{task}_{date}.jsonl"))?;
    Some(match directory {
        Some(directory) => format!("{directory}/{name}"),
        None => name,
    })
}

/// Returns whether a text has the form `2026-01-21T03-44-18.458309`; the fraction may be missing.
fn is_date(text: &str) -> bool {
    const FORM: &[u8] = b"dddd-dd-ddTdd-dd-dd";
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    seconds.len() == FORM.len()
        && seconds.bytes().zip(FORM).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            other => byte == *other,
        })
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn plan<'r>(run: &'r LmEvalRun<'_>, task: &'r Task<'_>, record: &'r Record) -> Plan<'r> {
    let scored = record.evaluation_results.iter().filter_map(|result| {
        let id = &result.evaluation_result_id;
        let score = task
            .scores
            .iter()
            .find(|score| result_id(task, score) == *id)?;
        Some(Scored {
            id,
            metric: &score.metric,
            filter: &score.filter,
            counts_right_answers: known_metric(&score.metric)
                .is_some_and(|known| known.counts_right_answers),
            config: &result.metric_config,
        })
    });
    Plan {
        evaluation_id: &record.evaluation_id,
        model_id: &record.model_info.id,
        evaluation_name: &task.name,
        results: scored.collect(),
        has_several_filters: task.has_several_filters(),
        prompt: run.prompt_form(task),
    }
}

fn convert_block(reader: &mut Reader<'_>, block: &Block) -> Written {
    let mut written = Written::default();
    if block.oversized {
        written.lose(Loss::Oversized);
        return written;
    }
    written.bytes.reserve(block.bytes.len());
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', &block.bytes) {
        reader.line(&block.bytes[start..end], true, &mut written);
        start = end + 1;
    }
    reader.line(&block.bytes[start..], false, &mut written);
    written
}

fn words(loss: Loss, plan: &Plan<'_>) -> String {
    let metric = |position: usize| plan.results.get(position).map_or("", |result| result.id);
    match loss {
        Loss::CutOff => "the samples end in the middle of a row, which is left out".to_owned(),
        Loss::Unreadable => "a row of the samples is not JSON and is left out".to_owned(),
        Loss::Oversized => format!(
            "a row of the samples is larger than {} bytes and is left out",
            limits::MAX_ROW_BYTES
        ),
        Loss::Cut => "a row was too large; its score was kept and its texts cut".to_owned(),
        Loss::Incomplete => "a sample has no id or no prompt and is left out".to_owned(),
        Loss::NoFilter => {
            "a sample does not say by which filter it was scored and is left out".to_owned()
        }
        Loss::Absent(position) => format!(
            "a sample has no value for `{}`, so no row",
            metric(position)
        ),
        Loss::NotANumber(position) => format!(
            "the value of a sample for `{}` is not a number, so it has no row",
            metric(position)
        ),
        Loss::OutOfRange(position) => format!(
            "the value of a sample for `{}` is not on the scale of the metric, so it has no row",
            metric(position)
        ),
    }
}

/// Older versions do not say how many samples a score rests on; their rows do.
fn count_samples(record: &mut Record, rows: &[u64]) {
    for (result, rows) in record.evaluation_results.iter_mut().zip(rows) {
        let uncertainty = &mut result.score_details.uncertainty;
        if *rows > 0 {
            uncertainty
                .get_or_insert_with(Uncertainty::default)
                .num_samples
                .get_or_insert(*rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_joined_by_exact_task_and_exact_date() {
        for (results, expected) in [
            (
                "run/results_2026-01-21T03-44-18.458309.json",
                Some("run/samples_arc_2026-01-21T03-44-18.458309.jsonl"),
            ),
            (
                "my_eval_2026-01-21T03-44-18.json",
                Some("samples_arc_2026-01-21T03-44-18.jsonl"),
            ),
            ("run/results.json", None),
            ("run/results_latest.json", None),
            ("run/results_2026-01-21T03-44-18..json", None),
        ] {
            assert_eq!(path_of(results, "arc").as_deref(), expected, "{results}");
        }
    }

    #[test]
    fn the_name_of_a_task_cannot_lead_out_of_the_directory() {
        assert_eq!(
            path_of("run/results_2026-01-21T03-44-18.json", "../../etc"),
            None
        );
    }
}
