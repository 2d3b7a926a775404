//! The record of a log.

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, LlmScoring, Record};
use assay_model::Setup;

use super::super::run::{self, Run, RunProgress, insert_setup};
use super::super::{Harness, Identity, Options, SETUP_KEYS, time};
use super::excerpt::Document;
use super::frame::Frame;
use super::message::{compact, detail};
use super::results::Aggregate;
use super::{dataset, generation, judges, model, results};

/// The ids of a run, which tell it from every other.
const RUN_IDS: [&str; 4] = ["eval_id", "run_id", "task_id", "eval_set_id"];
/// The limits of a run that bear on its scores.
const LIMITS: [&str; 6] = [
    "message_limit",
    "token_limit",
    "time_limit",
    "working_limit",
    "limit",
    "sample_id",
];

/// The header of a log and what follows from it.
pub(super) struct Header {
    document: Document,
    /// The identity of the record. One run has one record, in whichever form its log is kept and
    /// however far it came.
    pub(super) identity: Identity,
    pub(super) frame: Frame,
    pub(super) warnings: Vec<String>,
}

impl Header {
    /// Reads a header; `None` when it is none.
    pub(super) fn new(text: String, options: &Options) -> Option<Self> {
        let document = Document::new(text)?;
        let mut warnings = Vec::new();
        let (identity, frame) = {
            let root = document.root()?;
            let eval = root.present("eval")?;
            let aggregates = results::aggregates(root, |warning| warnings.push(warning));
            let model_id = run::model_id(&model::model_info(eval), options);
            let identity = identity(eval, &model_id);
            let frame = frame(root, eval, model_id, &identity, aggregates);
            (identity, frame)
        };
        Some(Self {
            document,
            identity,
            frame,
            warnings,
        })
    }

    /// The map at the top.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        self.document.root()
    }

    fn eval(&self) -> Option<Value<'_>> {
        self.root()?.present("eval")
    }

    /// The version of the format, when the log says.
    pub(super) fn version(&self) -> Option<i64> {
        self.root()?.get("version")?.integer()
    }

    /// The judges of a scorer, in a log without results.
    pub(super) fn judged(&self, scorer: &str) -> Option<LlmScoring> {
        judges::scoring_of(self.root()?, scorer)
    }

    /// Returns the arguments of a scorer, in a log without results.
    pub(super) fn scorer_args(&self, scorer: &str) -> Option<String> {
        judges::arguments_of(self.root()?, scorer)
    }

    /// Returns the status of the run.
    pub(super) fn status(&self) -> String {
        let status = self.root().and_then(|root| root.text_of("status"));
        status.map_or_else(|| "started".to_owned(), std::borrow::Cow::into_owned)
    }

    /// Returns whether the results are there but none of them is a number.
    pub(super) fn has_results(&self) -> bool {
        let scores = self
            .root()
            .and_then(|root| root.present("results")?.present("scores"));
        scores.is_some_and(|scores| scores.items().next().is_some())
    }

    /// Returns whether an id of a sample is a whole number. A log that does not list its ids shows
    /// it by their letters.
    pub(super) fn numbers(&self) -> impl Fn(&str) -> bool + use<> {
        let ids = self
            .eval()
            .and_then(|eval| eval.present("dataset")?.present("sample_ids"));
        let texts: std::collections::BTreeSet<String> = ids
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|id| Some(id.text()?.into_owned()))
            .collect();
        move |id: &str| {
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) && !texts.contains(id)
        }
    }

    /// Returns the number of samples that the run was to evaluate, epochs counted.
    pub(super) fn planned(&self) -> Option<u64> {
        let root = self.root()?;
        let stated = root.get("results").and_then(|own| own.get("total_samples"));
        if let Some(total) = count(stated) {
            return Some(total);
        }
        let eval = self.eval()?;
        let dataset = eval.present("dataset")?;
        let listed = dataset
            .present("sample_ids")
            .map(|ids| ids.items().count() as u64);
        let samples = listed.or_else(|| count(dataset.get("samples")))?;
        let epochs = count(eval.get("config").and_then(|config| config.get("epochs")));
        Some(samples.saturating_mul(epochs.unwrap_or(1).max(1)))
    }

    /// Completes what was counted with what the header says, for a log whose samples were not read.
    pub(super) fn progress(&self, own: RunProgress) -> RunProgress {
        let results = self.root().and_then(|root| root.present("results"));
        let completed = count(results.and_then(|results| results.get("completed_samples")));
        let lost = match (own.planned, completed) {
            (Some(planned), Some(completed)) if own.status.as_deref() == Some("success") => {
                Some(planned.saturating_sub(completed))
            }
            _ => None,
        };
        RunProgress {
            completed: completed.or(own.completed),
            failed: own.failed.or(lost),
            ..own
        }
    }

    /// The record. `warn` is told when the log names no time at all.
    pub(super) fn record(
        &self,
        options: &Options,
        aggregates: Vec<Aggregate>,
        served: Option<&str>,
        progress: RunProgress,
        warn: impl FnOnce(&str),
    ) -> Option<Record> {
        let root = self.root()?;
        let eval = self.eval()?;
        let times = Times::of(root);
        if times.end.is_none() && options.retrieved_timestamp.is_none() {
            warn("the log names no time, so `retrieved_timestamp` is 0");
        }
        let mut run = Run::new(Harness::Inspect, model::model_info(eval));
        // What was asked for and what answered may differ, as `gpt-4o` and one of its dated
        // versions do.
        let asked = self.frame.model.rsplit('/').next();
        if let Some(served) = served.filter(|served| served.rsplit('/').next() != asked) {
            let details = &mut run.model.additional_details;
            details.insert("served_model".to_owned(), served.to_owned());
        }
        run.started = times.start.map(time::stamp);
        run.ended = times.end.map(time::stamp);
        run.progress = progress;
        (run.version, run.library_details) = packages(eval);
        for key in RUN_IDS {
            if let Some(id) = eval.text_of(key).filter(|id| !id.is_empty()) {
                run.source_details.insert(key.to_owned(), id.into_owned());
            }
        }
        run.setup = setup(root, eval);
        let source_data = dataset::source_data(eval, aggregates.len());
        let results = aggregates
            .into_iter()
            .map(|aggregate| {
                let mut generation = generation::generation(root);
                if let Some(arguments) = aggregate.scorer_args {
                    let details = &mut generation.additional_details;
                    details.insert("scorer_args".to_owned(), arguments);
                    details.insert(SETUP_KEYS.to_owned(), "scorer_args".to_owned());
                }
                EvaluationResult {
                    evaluation_result_id: aggregate.id,
                    evaluation_name: self.frame.evaluation_name.clone(),
                    source_data: source_data.clone(),
                    evaluation_timestamp: times.start.map(time::stamp),
                    metric_config: aggregate.metric,
                    score_details: aggregate.score,
                    generation_config: Some(generation),
                }
            })
            .collect();
        Some(run.record(options, self.frame.evaluation_id.clone(), results))
    }
}

fn count(value: Option<Value<'_>>) -> Option<u64> {
    u64::try_from(value?.integer()?).ok()
}

/// The place of the record. Status and scores are no part of it: a log that goes on, or is scored
/// again, is of one run.
fn identity(eval: Value<'_>, model_id: &str) -> Identity {
    let facts = ["eval_id", "run_id", "task_id", "created", "task"];
    let facts = facts.map(|key| eval.text_of(key).unwrap_or_default());
    let content: Vec<&[u8]> = facts.iter().map(|fact| fact.as_bytes()).collect();
    Identity::new(&dataset::dataset_name(eval), model_id, &content)
}

/// The version of Inspect, and the versions of the other packages that took part.
fn packages(eval: Value<'_>) -> (Option<String>, Details) {
    let mut version = None;
    let mut others: Vec<String> = Vec::new();
    let packages = eval.get("packages").into_iter().flat_map(Value::entries);
    for (name, own) in packages {
        match (name.text(), own.text()) {
            (Some(name), Some(own)) if name == "inspect_ai" => version = Some(own.into_owned()),
            (Some(name), Some(own)) => others.push(format!("{name}:{own}")),
            _ => {}
        }
    }
    let mut details = Details::new();
    if !others.is_empty() {
        details.insert("packages".to_owned(), others.join(","));
    }
    (version, details)
}

/// Returns the setup that tells a run from others of the same model and task.
fn setup(root: Value<'_>, eval: Value<'_>) -> Setup {
    let mut setup = Setup::default();
    let mut add = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            insert_setup(&mut setup, key, &value);
        }
    };
    let filled = |map: Value<'_>, key: &str| {
        let value = map.present(key).filter(|value| !value.is_empty())?;
        Some(compact(value))
    };
    let text = |map: Value<'_>, key: &str| map.present(key).map(detail);
    add("task_args", filled(eval, "task_args"));
    let version = text(eval, "task_version").filter(|version| version != "0");
    add("harness_task_version", version);
    add("solver", text(eval, "solver"));
    add("solver_args", filled(eval, "solver_args"));
    let tags = eval.get("tags").into_iter().flat_map(Value::items);
    let mut tags: Vec<String> = tags.map(detail).collect();
    // Inspect writes a set, in another order each time.
    tags.sort();
    add("tags", (!tags.is_empty()).then(|| tags.join(", ")));
    if let Some(config) = eval.present("config") {
        let epochs = count(config.get("epochs")).filter(|epochs| *epochs > 1);
        add("attempts", epochs.map(|epochs| epochs.to_string()));
        let reducers = config.get("epochs_reducer").into_iter();
        let reducers: Vec<String> = reducers.flat_map(Value::items).map(detail).collect();
        if epochs.is_some() && !reducers.is_empty() {
            add("epochs_reducer", Some(reducers.join(", ")));
        }
        for key in LIMITS {
            add(key, text(config, key));
        }
    }
    let revision = eval.present("revision");
    add("git_revision", revision.and_then(|own| text(own, "commit")));
    let is_dirty = revision.and_then(|own| own.get("dirty")?.truth()) == Some(true);
    add("git_dirty", is_dirty.then(|| "true".to_owned()));
    let planned = root.present("plan").and_then(|plan| plan.present("config"));
    let effort = planned
        .and_then(|config| text(config, "reasoning_effort"))
        .or_else(|| text(eval.present("model_generate_config")?, "reasoning_effort"));
    add("effort", effort);
    let judges = judges::names(root);
    add("judge", (!judges.is_empty()).then(|| judges.join(", ")));
    let roles = judges::other_roles(eval);
    add("model_roles", (!roles.is_empty()).then(|| roles.join(", ")));
    setup
}

/// The beginning and the end of a run.
struct Times {
    start: Option<f64>,
    end: Option<f64>,
}

impl Times {
    fn of(root: Value<'_>) -> Self {
        let stats = root.present("stats");
        let read = |map: Option<Value<'_>>, key: &str| time::unix_seconds(&map?.text_of(key)?);
        let start = read(stats, "started_at").or_else(|| read(root.present("eval"), "created"));
        Self {
            start,
            end: read(stats, "completed_at").or(start),
        }
    }
}

fn frame(
    root: Value<'_>,
    eval: Value<'_>,
    model_id: String,
    identity: &Identity,
    aggregates: Vec<Aggregate>,
) -> Frame {
    let model = eval.text_of("model").unwrap_or_default().into_owned();
    let start = Times::of(root).start;
    let named = |key: &str| eval.text_of(key).filter(|name| !name.trim().is_empty());
    let evaluation_name = named("task_display_name")
        .or_else(|| named("task"))
        .map_or_else(|| dataset::dataset_name(eval), std::borrow::Cow::into_owned);
    Frame {
        evaluation_id: identity.evaluation_id(
            &dataset::dataset_name(eval),
            &model_id.replace('/', "_"),
            start.map(time::stamp).as_deref(),
        ),
        evaluation_name,
        model_id,
        model,
        judges: judges::names(root),
        without_prompt: judges::without_prompt(root),
        scorers: eval
            .get("scorers")
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|scorer| Some(scorer.text_of("name")?.into_owned()))
            .map(|name| name.rsplit('/').next().unwrap_or_default().to_owned())
            .collect(),
        aggregates,
    }
}
