//! The plan of a datastore on a hub: worked out first, sent afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use assay_formats::eval_results;
use assay_model::{Direction, Entry, MetricId, RepoId, Score, Setup, TaskId};
use serde_json::Value as Json;

use super::prepare::Prepared;
use super::reported::{self, Bounds, Reported};
use super::scales::Scales;
use assay_formats::eee::repo_names as names;

/// The ending of the name of the samples file of a record.
pub(super) const SAMPLES_ENDING: &str = "_samples.jsonl";

/// Benchmarks and models, by their names in lower case: on a hub, names that differ in case are
/// one.
pub(super) struct Plan {
    namespace: String,
    records: u64,
    pub(super) benchmarks: BTreeMap<String, BenchmarkPlan>,
    pub(super) models: BTreeMap<String, ModelPlan>,
}

/// A benchmark that is to be.
pub(super) struct BenchmarkPlan {
    pub(super) id: RepoId,
    /// The name that records file it under.
    pub(super) name: String,
    /// The titles in the records, with their counts.
    pub(super) titles: BTreeMap<String, u64>,
    /// The publishers of the results, with their counts.
    pub(super) publishers: BTreeMap<String, u64>,
    /// The places of the data, with their counts.
    pub(super) data: BTreeMap<String, u64>,
    /// The measures of its results, with their counts.
    pub(super) measures: BTreeMap<String, u64>,
    /// The tasks in the order in which records have them, with the names that people know.
    pub(super) tasks: Vec<(TaskId, String)>,
    /// The metrics.
    pub(super) metrics: BTreeMap<MetricId, MetricPlan>,
    /// The records.
    pub(super) records: Vec<RecordPlan>,
    /// The reports of the records, until all of them are known.
    reported: Vec<ReportedOfModel>,
}

/// A metric that is to be.
pub(super) struct MetricPlan {
    /// The label of the model.
    pub(super) display_name: String,
    pub(super) direction: Direction,
    /// From where to where its values go.
    pub(super) bounds: Option<Bounds>,
    /// Number of results that have it: the most common one is primary.
    pub(super) uses: u64,
}

/// A result of a record, and whose it is.
struct ReportedOfModel {
    /// The key of the model in the plan.
    model: String,
    /// The index of its record, from 0.
    record: u64,
    result: Reported,
}

/// A record that is to be, with its samples.
pub(super) struct RecordPlan {
    /// The target and the source of the record.
    pub(super) record: FilePlan,
    /// The same of its samples, when it has some.
    pub(super) samples: Option<FilePlan>,
}

/// A file that is to be.
pub(super) struct FilePlan {
    /// The target path.
    pub(super) place: String,
    /// The source of the bytes.
    pub(super) content: Content,
}

/// The source of the bytes of a file.
pub(super) enum Content {
    /// On the disk.
    File(PathBuf),
    /// In memory.
    Text(Arc<str>),
}

impl RecordPlan {
    /// The record, and its samples.
    pub(super) fn files(&self) -> impl Iterator<Item = &FilePlan> {
        std::iter::once(&self.record).chain(&self.samples)
    }
}

/// A model that is to be.
pub(super) struct ModelPlan {
    pub(super) id: RepoId,
    /// The label, when a record has one.
    pub(super) name: Option<String>,
    /// Number of parameters that it has, when a record says so.
    pub(super) parameters: Option<u64>,
    /// The entries of each benchmark.
    pub(super) entries: BTreeMap<RepoId, Vec<Entry>>,
}

impl Plan {
    /// Nothing yet; benchmarks go to this organisation.
    pub(super) fn new(namespace: &str) -> Self {
        Self {
            namespace: names::namespace(namespace),
            records: 0,
            benchmarks: BTreeMap::new(),
            models: BTreeMap::new(),
        }
    }

    /// Returns the number of records that are in the plan.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Returns the number of repositories that the plan has.
    pub(super) fn steps(&self) -> u64 {
        (self.benchmarks.len() + self.models.len()) as u64
    }

    /// Every organisation that has to be there.
    pub(super) fn organisations(&self) -> Vec<String> {
        let models = self.models.values().map(|model| &model.id);
        let benchmarks = self.benchmarks.values().map(|benchmark| &benchmark.id);
        let names: BTreeMap<String, String> = models
            .chain(benchmarks)
            .filter_map(RepoId::namespace)
            .map(|name| (name.to_ascii_lowercase(), name.to_owned()))
            .collect();
        names.into_values().collect()
    }

    /// Adds a record that the validator let pass. The error is the end of a sentence that begins
    /// with its path.
    pub(super) fn add(&mut self, prepared: &Prepared) -> Result<(), String> {
        let record = &prepared.record;
        let parts: Vec<&str> = prepared.place.rsplit('/').collect();
        let [file, model, developer, folder, ..] = parts.as_slice() else {
            return Err("does not lie in `data/{benchmark}/{developer}/{model}/`".to_owned());
        };
        let results = reported::results(record);
        if results.is_empty() {
            return Err("has no result that a hub could show".to_owned());
        }
        let key = self.model(record, developer, model);
        let place = format!("data/{folder}/{developer}/{model}/{file}");
        let number = self.records;
        let benchmark = self.benchmark(&benchmark_name(record, folder));
        let about = &record["source_metadata"];
        count(&mut benchmark.titles, &about["source_name"]);
        count(
            &mut benchmark.publishers,
            &about["source_organization_name"],
        );
        benchmark.records.push(RecordPlan {
            samples: samples(prepared, &place),
            record: FilePlan {
                place,
                content: match &prepared.text {
                    Some(text) => Content::Text(Arc::clone(text)),
                    None => Content::File(prepared.file.clone()),
                },
            },
        });
        for result in results {
            for (counts, words) in [
                (&mut benchmark.data, &result.data),
                (&mut benchmark.measures, &result.metric_words),
            ] {
                if let Some(words) = words {
                    *counts.entry(words.clone()).or_default() += 1;
                }
            }
            if !benchmark.tasks.iter().any(|(task, _)| *task == result.task) {
                let named = (result.task.clone(), result.task_name.clone());
                benchmark.tasks.push(named);
            }
            benchmark.reported.push(ReportedOfModel {
                model: key.clone(),
                record: number,
                result,
            });
        }
        self.records += 1;
        Ok(())
    }

    /// Makes entries of all that was reported, now that all of it is known. Returns what had to be
    /// decided, a sentence each.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let mut remarks = Vec::new();
        for benchmark in self.benchmarks.values_mut() {
            let reported = std::mem::take(&mut benchmark.reported);
            let scales = Scales::new(reported.iter().map(|own| &own.result));
            remarks.extend(
                scales
                    .remarks()
                    .map(|remark| format!("`{}`: {remark}", benchmark.id)),
            );
            let mut last: Option<(u64, Setup)> = None;
            for ReportedOfModel {
                model,
                record,
                result,
            } in reported
            {
                let Some((metric, result)) = scales.settle(result) else {
                    continue;
                };
                benchmark.count_metric(&metric, &scales);
                let Some(plan) = self.models.get_mut(&model) else {
                    continue;
                };
                let entries = plan.entries.entry(benchmark.id.clone()).or_default();
                let of_record = (record, result.setup.clone());
                let is_beside = last.as_ref() == Some(&of_record);
                last = Some(of_record);
                add_result(entries, &benchmark.id, metric, result, is_beside);
            }
        }
        remarks
    }

    /// The key of a model, which is made when it is new.
    fn model(&mut self, record: &Json, developer: &str, model: &str) -> String {
        let info = &record["model_info"];
        let id = reported::text(&info["id"]).unwrap_or_default();
        let id = names::model(&id, developer, model);
        let key = id.as_str().to_ascii_lowercase();
        let plan = self.models.entry(key.clone()).or_insert_with(|| ModelPlan {
            id,
            name: None,
            parameters: None,
            entries: BTreeMap::new(),
        });
        let details = &info["additional_details"];
        let name =
            reported::text(&details["display_name"]).or_else(|| reported::text(&info["name"]));
        plan.name = plan.name.take().or(name);
        plan.parameters = plan.parameters.or_else(|| parameters(details));
        key
    }

    fn benchmark(&mut self, name: &str) -> &mut BenchmarkPlan {
        let id = names::repo(&self.namespace, &names::part(name));
        self.benchmarks
            .entry(id.as_str().to_ascii_lowercase())
            .or_insert_with(|| BenchmarkPlan {
                id,
                name: name.to_owned(),
                titles: BTreeMap::new(),
                publishers: BTreeMap::new(),
                data: BTreeMap::new(),
                measures: BTreeMap::new(),
                tasks: Vec::new(),
                metrics: BTreeMap::new(),
                records: Vec::new(),
                reported: Vec::new(),
            })
    }
}

impl BenchmarkPlan {
    fn count_metric(&mut self, id: &MetricId, scales: &Scales) {
        let plan = self.metrics.entry(id.clone()).or_insert_with(|| {
            let scale = scales.of(id);
            MetricPlan {
                display_name: scale.display_name.clone(),
                direction: scale.direction,
                bounds: scale.bounds,
                uses: 0,
            }
        });
        plan.uses += 1;
    }
}

impl ModelPlan {
    /// The result files of the model: path and text.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        self.entries
            .iter()
            .map(|(benchmark, entries)| {
                let path = format!(".eval_results/{}", benchmark.result_file_name());
                (path, eval_results::write(entries))
            })
            .collect()
    }

    /// Returns the `README.md` of a new repository of the model.
    pub(super) fn readme(&self) -> String {
        let name = self.name.as_deref().unwrap_or(self.id.name());
        let title = format!("# {}\n", name.replace(['\r', '\n'], " "));
        match self.parameters {
            Some(count) => format!("---\nparameters: {count}\n---\n\n{title}"),
            None => title,
        }
    }
}

/// The benchmark that a record is of. Its id begins with that; several may lie in one folder.
fn benchmark_name(record: &Json, folder: &str) -> String {
    let id = reported::text(&record["evaluation_id"]);
    let named = id.as_deref().and_then(|id| id.split_once('/'));
    match named {
        Some((name, _)) if !name.trim().is_empty() => name.trim().to_owned(),
        Some(_) | None => folder.to_owned(),
    }
}

fn count(counts: &mut BTreeMap<String, u64>, value: &Json) {
    if let Some(text) = reported::known(value) {
        *counts.entry(text).or_default() += 1;
    }
}

/// Returns the number of parameters of a model that a record states.
fn parameters(details: &Json) -> Option<u64> {
    let written = &details["params_billions"];
    let billions = written
        .as_f64()
        .or_else(|| written.as_str()?.parse().ok())?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between one and a million billion"
    )]
    (1e-3..=1e6)
        .contains(&billions)
        .then(|| (billions * 1e9).round() as u64)
}

/// Adds a result to the entries of a model: to the last one when that is of the same record, task
/// and setup.
fn add_result(
    entries: &mut Vec<Entry>,
    benchmark: &RepoId,
    metric: MetricId,
    result: Reported,
    is_beside: bool,
) {
    let score = Score {
        metric: Some(metric),
        value: result.value,
        literal: result.literal,
        slice: None,
        value_type: None,
        sample_size: result.sample_size,
        uncertainty: result.uncertainty,
        context: None,
    };
    let last = entries.last_mut().filter(|last| {
        let is_taken = last.scores.iter().any(|own| own.metric == score.metric);
        is_beside && last.task == result.task && !is_taken
    });
    if let Some(last) = last {
        last.scores.push(score);
        return;
    }
    let notes: BTreeSet<String> = result.notes.into_iter().collect();
    entries.push(Entry {
        framework: result.framework,
        source: result.source,
        date: result.date,
        notes: (!notes.is_empty()).then(|| Vec::from_iter(notes).join("; ")),
        setup: result.setup,
        provenance: result.provenance,
        ..Entry::new(benchmark.clone(), result.task, vec![score])
    });
}

/// The samples of a record, which lie beside it: the validator has looked.
fn samples(prepared: &Prepared, place: &str) -> Option<FilePlan> {
    let named = prepared.record.get("detailed_evaluation_results")?;
    named.as_object()?;
    Some(FilePlan {
        place: format!("{}{SAMPLES_ENDING}", place.strip_suffix(".json")?),
        content: Content::File(prepared.samples_file.clone()),
    })
}
