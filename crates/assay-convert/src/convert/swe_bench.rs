//! SWE-bench: the report of a run, which its harness writes as `MODEL.RUN.json`.

use std::collections::BTreeSet;

use assay_formats::Value;
use assay_formats::eee::record::{Details, ModelInfo};

use super::detect::Evidence;
use super::document::{Document, file_name};
use super::metric::{Correctness, MetricFacts};
use super::model_name::repository_model;
use super::run::{Run, RunProgress};
use super::task_writer::{TaskWriter, named_data, row_without_question, scored_result};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// The benchmark; reports do not say which of its datasets was used.
const DATASET: &str = "swe-bench";
/// The metric: solved instances of all instances.
const RESOLVED: &str = "resolved_rate";
/// How the harness writes the slash of a model's name in the name of a file.
const SLASH: &str = "__";
/// The lists of instances without a verdict, and what became of those in them.
const WITHOUT_VERDICT: [(&str, &str); 2] = [
    ("error_ids", "the evaluation of the instance failed"),
    ("incomplete_ids", "no prediction was submitted"),
];

/// The converter.
pub(super) struct SweBench;

impl Converter for SweBench {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "swe-bench",
            title: "SWE-bench",
            framework: "swe-bench",
            library: "swebench",
            source_name: "SWE-bench",
            log: "MODEL.RUN.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        let keys = [
            "total_instances",
            "submitted_instances",
            "resolved_instances",
        ];
        keys.iter().all(|key| evidence.has_key(key))
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// Converts one report.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let count = |key: &str| u64::try_from(root.present(key)?.integer()?).ok();
    let (total, resolved) = match (count("total_instances"), count("resolved_instances")) {
        (Some(total), Some(resolved)) if total > 0 && resolved <= total => (total, resolved),
        (Some(_), Some(_)) => {
            let what = "it counts more solved instances than there are, or none at all";
            return Err(Refusal::damaged(log.path, what));
        }
        _ => {
            let message = format!("`{}` counts no instances, so it is no report", log.path);
            return Err(Refusal::Nothing(message));
        }
    };
    let (model, run_id) = named(log.path);
    let mut run = Run::new(Harness::SweBench, model);
    run.source_details
        .extend(run_id.map(|id| ("run_id".to_owned(), id)));
    let missing =
        count("error_instances").unwrap_or(0) + ids(root, "incomplete_ids").count() as u64;
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        planned: Some(total),
        completed: Some(total.saturating_sub(missing)),
        scored: Some(total.saturating_sub(missing)),
        failed: Some(missing),
    };
    let mut details = Details::new();
    for (key, value) in root.entries() {
        if let (Some(key), Some(count)) = (key.text(), value.integer())
            && key.ends_with("_instances")
        {
            details.insert(key.into_owned(), count.to_string());
        }
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "benchmarks have fewer instances than that"
    )]
    let score = resolved as f64 / total as f64;
    let facts = MetricFacts {
        library: "swe_bench",
        name: RESOLVED,
        base: None,
        score,
        higher_is_better: Some(true),
    };
    let data = named_data(DATASET, Details::new());
    let mut result = scored_result(
        RESOLVED.to_owned(),
        DATASET,
        data,
        facts.config(),
        score,
        Some(total),
    );
    result.score_details.details = details;
    let mut writer = TaskWriter::begin(log, run, DATASET, &[document.bytes()])?;
    writer.warn_times(
        "a report does not say which dataset of SWE-bench it is of; name the benchmark yourself",
        1,
    );
    if writer.wants_rows() {
        let solved: BTreeSet<_> = ids(root, "resolved_ids").collect();
        let empty: BTreeSet<_> = ids(root, "empty_patch_ids").collect();
        let reasons = root.present("failure_reasons");
        let judged = ["resolved_ids", "unresolved_ids", "empty_patch_ids"];
        let judged = judged
            .iter()
            .flat_map(|key| ids(root, key).map(|id| (id, None)));
        let failed = WITHOUT_VERDICT.iter();
        let failed = failed.flat_map(|(key, why)| ids(root, key).map(|id| (id, Some(*why))));
        for (id, error) in judged.chain(failed) {
            let is_solved = error.is_none() && solved.contains(&id);
            let mut row = row_without_question(id.clone());
            row.error = error.map(Into::into);
            let reason = reasons.and_then(|reasons| reasons.text_of(&id));
            row.metadata
                .extend(reason.map(|reason| ("failure_reason".into(), reason)));
            if empty.contains(&id) {
                row.metadata.insert("patch".into(), "empty".into());
            }
            let correctness = Correctness::from_grade(is_solved);
            writer.row(
                &mut row,
                &result,
                f64::from(u8::from(is_solved)),
                correctness,
            )?;
        }
    }
    writer.finish(vec![result])
}

fn ids<'d>(root: Value<'d>, key: &str) -> impl Iterator<Item = std::borrow::Cow<'d, str>> {
    let list = root.present(key).into_iter();
    list.flat_map(Value::items).filter_map(Value::text)
}

/// The model and the run, which only the name of the file has. The harness writes `__` where a
/// model has a slash.
fn named(path: &str) -> (ModelInfo, Option<String>) {
    let name = file_name(path);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let (model, run) = match stem.rsplit_once('.') {
        Some((model, run)) => (model, Some(run.to_owned())),
        None => (stem, None),
    };
    let info = repository_model(&model.replacen(SLASH, "/", 1));
    (info, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_and_run_are_those_of_the_file_name() {
        for (path, id, run) in [
            (
                "out/acme__agent-1.0__model-x.nightly.json",
                "acme/agent-1.0__model-x",
                Some("nightly"),
            ),
            ("gpt-4.run-1.json", "unknown/gpt-4", Some("run-1")),
            ("report.json", "unknown/report", None),
        ] {
            let (model, own) = named(path);

            assert_eq!(model.id, id);
            assert_eq!(own.as_deref(), run, "{path}");
        }
    }
}
