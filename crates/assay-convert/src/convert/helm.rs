//! HELM: run directories.
//!
//! A run is read in three passes, each from front to back. `stats.json` says which scores there
//! are; `per_instance_stats.json` which of them each instance got, kept under the instance, its
//! perturbation and its train trial, because only the three together name what was scored;
//! `scenario_state.json` what was asked and answered. The last is walked through once before, for
//! the times that name the record.

mod batch;
mod files;
mod jury;
mod known;
mod metrics;
mod name;
mod record;
mod results;
mod row;
mod rows;
mod run_spec;
mod scores;
mod survey;
mod text;

use super::detect::Evidence;
use super::{Converted, Converter, HarnessInfo, Identity, Log, RecordWriter, Refusal};

use files::RunFiles;
use record::HelmRun;
use results::Results;
use row::Common;
use run_spec::RunSpec;
use scores::PerInstance;
use survey::Survey;

/// The file that every run directory has, and those of which it has at least one.
const RUN_SPEC: &str = "run_spec.json";
const PARTS: [&str; 2] = ["stats.json", "scenario_state.json"];

/// The converter.
pub(super) struct Helm;

impl Converter for Helm {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "helm",
            title: "HELM",
            framework: "helm",
            library: "helm",
            source_name: "HELM",
            log: "a run directory with run_spec.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        matches!(evidence, Evidence::Directory(_))
            && evidence.has_entry(RUN_SPEC)
            && PARTS.iter().any(|part| evidence.has_entry(part))
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one run.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let files = RunFiles::find(log)?;
    let spec = RunSpec::read(log, &files)?;
    let results = Results::read(log, &files, &spec.method)?;
    let per_instance = PerInstance::read(log, &files, &results)?;
    let survey = Survey::read(log, &files)?;
    let mut run = HelmRun {
        evaluation_id: String::new(),
        options: log.options,
        spec: &spec,
        results: &results,
        per_instance: &per_instance,
        survey: &survey,
    };
    let content = [
        spec.bytes.as_slice(),
        &results.digest,
        &per_instance.digest,
        &survey.digest,
    ];
    let identity = Identity::new(&spec.dataset, &run.model_id(), &content);
    run.evaluation_id = run.name_run(&identity);
    let mut writer = RecordWriter::begin(log.datastore, identity)?;
    warn(&run, &mut writer);
    if log.options.samples {
        let common = Common {
            evaluation_id: run.evaluation_id.clone(),
            model_id: run.model_id(),
        };
        rows::write(log, &files, &run, &common, &mut writer)?;
    }
    Ok(vec![writer.finish(run.record())?])
}

/// Says what was left out of the record, and what is not known.
fn warn(run: &HelmRun<'_>, writer: &mut RecordWriter<'_>) {
    let left_out = [
        (
            run.results.left_out,
            "a score of `stats.json` that is not finite or cannot be read was left out",
        ),
        (
            run.per_instance.not_finite,
            "a score of an instance that is not finite was left out",
        ),
        (
            run.per_instance.broken,
            "an entry of `per_instance_stats.json` that cannot be read was left out",
        ),
    ];
    for (count, what) in left_out {
        writer.warn_times(what, count);
    }
    let progress = run.progress();
    if progress.is_incomplete() {
        writer.warn(progress.words());
    }
    if run.survey.first.is_none() {
        writer.warn(
            "no request says when it was answered, so the time of the evaluation is recorded as 0",
        );
    }
}
