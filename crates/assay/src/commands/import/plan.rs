//! What a datastore will be on a hub: worked out first, sent afterwards.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;

use assay_check::Files as _;
use assay_formats::{eee, eval_results};
use assay_model::{Date, Direction, Entry, Framework, MetricId, RepoId, Score, Source, TaskId};
use serde_json::Value as Json;

use super::names;
use crate::disk::Disk;

/// The metric of an evaluation that does not name one.
const UNNAMED_METRIC: &str = "score";
/// How the file of samples is called that belongs to a record.
pub(super) const SAMPLES_ENDING: &str = "_samples.jsonl";
/// What is put behind the name of a metric that improves the other way in another evaluation of the same benchmark.
const OTHER_WAY: [&str; 2] = ["_higher_is_better", "_lower_is_better"];

/// Benchmarks and models, by their names in lower case: on a hub, names that differ in case are one.
pub(super) struct Plan {
    namespace: String,
    records: u64,
    pub(super) benchmarks: BTreeMap<String, BenchmarkPlan>,
    pub(super) models: BTreeMap<String, ModelPlan>,
}

/// A benchmark that is to be.
pub(super) struct BenchmarkPlan {
    pub(super) id: RepoId,
    /// What people call it.
    pub(super) name: String,
    /// The tasks, with the names that people know.
    pub(super) tasks: BTreeMap<TaskId, String>,
    /// The metrics, with how many results have each: the most common one is primary.
    pub(super) metrics: BTreeMap<MetricId, (Direction, u64)>,
    /// The records.
    pub(super) records: Vec<RecordPlan>,
}

/// A record that is to be, with its samples.
pub(super) struct RecordPlan {
    /// Where it belongs and where it is.
    pub(super) record: FilePlan,
    /// The same of its samples, when it has some.
    pub(super) samples: Option<FilePlan>,
}

/// A file that is to be.
pub(super) struct FilePlan {
    /// Where it belongs.
    pub(super) place: String,
    /// Where it is.
    pub(super) path: Arc<str>,
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
    /// The entries of each benchmark.
    pub(super) entries: BTreeMap<RepoId, Vec<Entry>>,
}

/// One result of a record, before it is an entry.
struct Reported {
    task: TaskId,
    task_name: String,
    metric: String,
    direction: Direction,
    score: Score,
    source: Option<String>,
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

    /// How many records are in the plan.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// How many repositories the plan has.
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

    /// Adds a record that the judge let pass. The error is the end of a sentence that begins with its path.
    pub(super) fn add(&mut self, disk: &Disk, path: &Arc<str>) -> Result<(), String> {
        let record = read(disk, path)?;
        let version = record["schema_version"].as_str().unwrap_or_default();
        if version != eee::Version::CURRENT.as_str() {
            return Err(format!(
                "is of version {version}; run `assay upgrade` first"
            ));
        }
        let parts: Vec<&str> = path.rsplit('/').collect();
        let [file, model, developer, benchmark, ..] = parts.as_slice() else {
            return Err("does not lie in `data/{benchmark}/{developer}/{model}/`".to_owned());
        };
        let results = results(&record);
        if results.is_empty() {
            return Err("has no result that a hub could show".to_owned());
        }
        let benchmark_id = names::repo(&self.namespace, &names::part(benchmark));
        let place = format!("data/{benchmark}/{developer}/{model}/{file}");
        let model_id = text(&record["model_info"]["id"]).unwrap_or_default();
        let model_id = names::model(&model_id, developer, model);
        let benchmark = self.benchmark(benchmark, benchmark_id);
        benchmark.records.push(RecordPlan {
            samples: samples(&record, &place, path),
            record: FilePlan {
                place,
                path: Arc::clone(path),
            },
        });
        let id = benchmark.id.clone();
        let entries = entries(&record, benchmark, results);
        let model = self
            .models
            .entry(model_id.as_str().to_ascii_lowercase())
            .or_insert_with(|| ModelPlan {
                id: model_id,
                entries: BTreeMap::new(),
            });
        model.entries.entry(id).or_default().extend(entries);
        self.records += 1;
        Ok(())
    }

    fn benchmark(&mut self, directory: &str, id: RepoId) -> &mut BenchmarkPlan {
        self.benchmarks
            .entry(id.as_str().to_ascii_lowercase())
            .or_insert_with(|| BenchmarkPlan {
                id,
                name: directory.to_owned(),
                tasks: BTreeMap::new(),
                metrics: BTreeMap::new(),
                records: Vec::new(),
            })
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
}

/// The samples of a record, which lie beside it: the judge has looked.
fn samples(record: &Json, place: &str, path: &str) -> Option<FilePlan> {
    record.get("detailed_evaluation_results")?.as_object()?;
    let beside = |path: &str| Some(format!("{}{SAMPLES_ENDING}", path.strip_suffix(".json")?));
    Some(FilePlan {
        place: beside(place)?,
        path: beside(path)?.into(),
    })
}

fn read(disk: &Disk, path: &str) -> Result<Json, String> {
    let mut bytes = Vec::new();
    let opened = disk
        .open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes));
    opened.map_err(|error| format!("cannot be read: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("cannot be read: {error}"))
}

/// The results that have a finite score.
fn results(record: &Json) -> Vec<Reported> {
    let list = record["evaluation_results"].as_array();
    list.into_iter().flatten().filter_map(result).collect()
}

fn result(result: &Json) -> Option<Reported> {
    let name = text(&result["evaluation_name"])?;
    let config = &result["metric_config"];
    let details = &result["score_details"];
    let literal = details["score"].as_number()?.to_string();
    let metric = text(&config["metric_id"]).or_else(|| text(&config["metric_name"]));
    Some(Reported {
        task: names::task(&name)?,
        task_name: name,
        metric: metric.unwrap_or_else(|| UNNAMED_METRIC.to_owned()),
        direction: Direction::from_higher_is_better(config["lower_is_better"] != true),
        score: Score {
            metric: None,
            value: literal.parse().ok()?,
            literal,
            slice: None,
            value_type: None,
            sample_size: details["uncertainty"]["num_samples"].as_u64(),
        },
        source: first_url(&result["source_data"]),
    })
}

/// The address that a result names as its source.
fn first_url(source: &Json) -> Option<String> {
    let urls = &source["url"];
    let url = urls
        .as_array()
        .and_then(|list| list.first())
        .unwrap_or(urls);
    text(url).filter(|url| url.starts_with("https://") || url.starts_with("http://"))
}

/// The results of a record as entries: one for each task, with all its metrics.
fn entries(record: &Json, benchmark: &mut BenchmarkPlan, results: Vec<Reported>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for mut result in results {
        let Some(metric) = metric(benchmark, &result) else {
            continue;
        };
        benchmark
            .tasks
            .entry(result.task.clone())
            .or_insert(result.task_name);
        result.score.metric = Some(metric.clone());
        let same = entries.iter_mut().find(|entry| {
            let taken = entry
                .scores
                .iter()
                .any(|score| score.metric.as_ref() == Some(&metric));
            entry.task == result.task && !taken
        });
        match same {
            Some(entry) => entry.scores.push(result.score),
            None => entries.push(entry(
                record,
                &benchmark.id,
                result.task,
                result.score,
                result.source,
            )),
        }
    }
    entries
}

/// The metric of the benchmark that a result is of. One id has one direction, so a metric that improves the other way
/// in another evaluation becomes a metric of its own.
fn metric(benchmark: &mut BenchmarkPlan, result: &Reported) -> Option<MetricId> {
    let plain = names::metric(&result.metric)?;
    let suffix = match result.direction {
        Direction::HigherIsBetter => OTHER_WAY[0],
        Direction::LowerIsBetter => OTHER_WAY[1],
    };
    let own = names::metric(&format!("{plain}{suffix}"))?;
    let known = benchmark
        .metrics
        .get(&plain)
        .map(|(direction, _)| *direction);
    let id = match known {
        Some(direction) if direction != result.direction => own,
        Some(_) | None => plain,
    };
    let (_, uses) = benchmark
        .metrics
        .entry(id.clone())
        .or_insert((result.direction, 0));
    *uses += 1;
    Some(id)
}

fn entry(
    record: &Json,
    benchmark: &RepoId,
    task: TaskId,
    score: Score,
    source: Option<String>,
) -> Entry {
    let about = &record["source_metadata"];
    let library = &record["eval_library"];
    Entry {
        dataset: benchmark.clone(),
        task,
        dataset_revision: None,
        model_revision: None,
        scores: vec![score],
        framework: known(&library["name"]).map(|name| Framework {
            name: Some(name),
            version: known(&library["version"]),
            command: None,
        }),
        token: None,
        source: source.map(|url| Source {
            url,
            name: text(&about["source_name"]),
            user: None,
            org: None,
        }),
        date: date(record),
        notes: notes(about),
        subset: None,
        sample_size: None,
    }
}

/// Who says so, in words: the record has it, and readers of a board want it.
fn notes(about: &Json) -> Option<String> {
    let organisation = text(&about["source_organization_name"])?;
    let relationship = text(&about["evaluator_relationship"])?.replace('_', " ");
    Some(format!("reported by {organisation} ({relationship})"))
}

/// When it was evaluated, else when it was found.
fn date(record: &Json) -> Option<Date> {
    let moment =
        text(&record["evaluation_timestamp"]).or_else(|| text(&record["retrieved_timestamp"]))?;
    if let Ok(date) = moment.parse() {
        return Some(date);
    }
    let seconds: f64 = moment.parse().ok()?;
    if !(0.0..=253_402_207_200.0).contains(&seconds) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range was just looked at"
    )]
    Date::of_unix_seconds(seconds as i64)
}

/// A text that says something.
fn text(value: &Json) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A text that is not the word for not knowing.
fn known(value: &Json) -> Option<String> {
    text(value).filter(|text| !text.eq_ignore_ascii_case("unknown"))
}
