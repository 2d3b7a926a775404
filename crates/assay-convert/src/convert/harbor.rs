//! Harbor, which runs Terminal-Bench: a job directory, with a directory for each trial.
//!
//! A job may hold several agents, models and datasets; each combination becomes a record, as in
//! Harbor's own statistics.

mod trajectory;
mod trial;

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, MetricConfig};

use super::detect::Evidence;
use super::document::Document;
use super::identity::digest;
use super::metric::{Correctness, MetricFacts, mark};
use super::run::{Run, RunProgress, insert_setup};
use super::served_model::named_model;
use super::task_writer::{TaskWriter, named_data, scored_result};
use super::time::{stamp, unix_seconds};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal, Warning};
use trial::Trial;

/// The metric of Harbor that is the mean over trials, of which one without a reward counts as zero.
const MEAN: &str = "mean";
/// The distance of a score from the mean of its rows that rounding alone explains.
const ROUNDING: f64 = 1e-9;

/// The converter.
pub(super) struct Harbor;

impl Converter for Harbor {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "harbor",
            title: "Harbor",
            framework: "harbor",
            library: "harbor",
            source_name: "Harbor",
            log: "a job directory",
        }
    }

    /// A trial has the same files and its own log; those of a job are named after jobs.
    fn detect(&self, evidence: &Evidence) -> bool {
        let has = |name: &str| evidence.has_entry(name);
        matches!(evidence, Evidence::Directory(_))
            && has("result.json")
            && has("config.json")
            && (has("lock.json") || has("job.log"))
            && !has("trial.log")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one job.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let job = Document::read(log, &format!("{}/result.json", log.path))?;
    if job.root().present("n_total_trials").is_none() {
        return Err(Refusal::Nothing(format!(
            "`{}` is no job of Harbor; name the directory of the job, which has one for each trial",
            log.path
        )));
    }
    let lock = Document::read_if_there(log, &format!("{}/lock.json", log.path))?;
    let mut groups: BTreeMap<trial::Group, Vec<Trial>> = BTreeMap::new();
    let trials = trial::read_all(log)?;
    for (group, trial) in trials.ended {
        groups.entry(group).or_default().push(trial);
    }
    let is_only_one = groups.len() == 1;
    let job = Job {
        root: job.root(),
        lock: lock.as_ref().map(Document::root),
        is_only_one,
    };
    let mut converted: Vec<Converted> = Vec::new();
    for (group, trials) in &groups {
        converted.push(job.convert(log, group, trials)?);
    }
    let Some(first) = converted.first_mut() else {
        let message = format!("the job `{}` has no trial that has ended", log.path);
        return Err(Refusal::Nothing(message));
    };
    if trials.broken > 0 {
        first.warnings.push(Warning {
            message: "a trial whose result cannot be read was left out".to_owned(),
            count: trials.broken,
        });
    }
    Ok(converted)
}

/// A job by its own files.
struct Job<'d> {
    root: Value<'d>,
    lock: Option<Value<'d>>,
    /// True if all trials are of one agent, model and dataset.
    is_only_one: bool,
}

impl Job<'_> {
    fn convert(
        &self,
        log: &Log<'_>,
        group: &trial::Group,
        trials: &[Trial],
    ) -> Result<Converted, Refusal> {
        let dataset = group.dataset();
        let results = self.results(group, trials);
        let id = self.root.text_of("id").unwrap_or_default();
        let key = group.key();
        let content = [id.as_bytes(), key.as_bytes()];
        let mut writer = TaskWriter::begin(log, self.run(group, trials), dataset, &content)?;
        if writer.wants_rows() {
            let mut attempts: BTreeMap<&str, u32> = BTreeMap::new();
            for trial in trials {
                let attempt = attempts.entry(&trial.task).or_default();
                *attempt += 1;
                trial::write_rows(log, &mut writer, trial, *attempt, &results)?;
            }
        }
        writer.finish(results.into_iter().map(|scored| scored.result).collect())
    }

    fn run(&self, group: &trial::Group, trials: &[Trial]) -> Run {
        let model = named_model(group.model.as_deref().unwrap_or_default());
        let mut run = Run::new(Harness::Harbor, model);
        run.version = self.lock.and_then(|lock| {
            let harbor = lock.present("harbor")?;
            harbor.text_of("version").map(Into::into)
        });
        let time = |key: &str| Some(stamp(unix_seconds(&self.root.text_of(key)?)?));
        run.started = time("started_at");
        run.ended = time("finished_at").or_else(|| time("updated_at"));
        if let Some(id) = self.root.text_of("id") {
            run.source_details
                .insert("job_id".to_owned(), id.into_owned());
        }
        run.progress = self.progress(trials);
        let mut costs = trials.iter().filter_map(|trial| trial.cost).peekable();
        if costs.peek().is_some() {
            let cost: f64 = costs.sum();
            run.source_details
                .insert("cost_usd".to_owned(), cost.to_string());
        }
        insert_setup(&mut run.setup, "agent", &group.agent);
        insert_setup(&mut run.setup, "agent_version", &group.agent_version);
        for (key, value) in &trials[0].settings {
            insert_setup(&mut run.setup, key, value);
        }
        let tasks = trials
            .iter()
            .filter(|trial| trial.task == trials[0].task)
            .count();
        if tasks > 1 {
            insert_setup(&mut run.setup, "attempts", &tasks.to_string());
        }
        run
    }

    /// How far the job came. A trial that the verifier gave a reward counts, whatever became of its
    /// agent.
    fn progress(&self, trials: &[Trial]) -> RunProgress {
        let stats = self.root.present("stats");
        let count = |key: &str| stats?.present(key)?.integer();
        let status = if count("n_cancelled_trials").is_some_and(|count| count > 0) {
            "cancelled"
        } else if self.root.present("finished_at").is_some() {
            "success"
        } else {
            "started"
        };
        let planned = || u64::try_from(self.root.present("n_total_trials")?.integer()?).ok();
        let scored = trials.iter().filter(|trial| trial.is_scored()).count() as u64;
        let all = trials.len() as u64;
        RunProgress {
            status: Some(status.to_owned()),
            planned: self.is_only_one.then(planned).flatten(),
            completed: Some(scored),
            scored: Some(scored),
            failed: Some(all - scored),
        }
    }

    /// The scores of a combination as Harbor computed them; their mean, where it has not yet.
    fn results(&self, group: &trial::Group, trials: &[Trial]) -> Vec<Scored> {
        let stats = self.root.present("stats");
        let own = stats.and_then(|stats| stats.present("evals")?.present(&group.key()));
        let lists = own.and_then(|own| own.present("metrics")).into_iter();
        let computed: Vec<(String, f64)> = lists
            .flat_map(Value::items)
            .flat_map(Value::entries)
            .filter_map(|(key, value)| Some((key.text()?.into_owned(), value.number()?)))
            .collect();
        let mut results: Vec<Scored> = Vec::new();
        let is_computed = !computed.is_empty();
        let computed = if is_computed {
            computed
        } else {
            vec![(MEAN.to_owned(), trial::mean(trials, None))]
        };
        for (name, score) in computed {
            let repeated = results.iter().filter(|own| own.name == name).count();
            let mut scored = self.scored(group, trials, name, score, repeated);
            if !is_computed {
                let details = &mut scored.result.score_details.details;
                details.insert("computed_from".to_owned(), "trials".to_owned());
            }
            results.push(scored);
        }
        let passes = own.and_then(|own| own.present("pass_at_k")).into_iter();
        for (k, value) in passes.flat_map(Value::entries) {
            if let (Some(k), Some(score)) = (k.text(), value.number()) {
                results.push(self.pass_at(group, trials, &k, score));
            }
        }
        results
    }

    fn scored(
        &self,
        group: &trial::Group,
        trials: &[Trial],
        name: String,
        score: f64,
        repeated: usize,
    ) -> Scored {
        let reward = (name != MEAN).then_some(name.as_str());
        let is_mean = (trial::mean(trials, reward) - score).abs() <= ROUNDING;
        // Harbor itself takes rewards of 0 and 1 as failed and passed.
        let counts = is_mean && trials.iter().all(|trial| trial.is_binary(reward));
        let facts = MetricFacts {
            library: "harbor",
            name: &name,
            base: (counts && name == MEAN).then_some("accuracy"),
            score,
            higher_is_better: Some(true),
        };
        let id = if repeated == 0 {
            name.clone()
        } else {
            format!("{name}#{}", repeated + 1)
        };
        Scored {
            result: self.result(id, group, facts.config(), score, trials),
            has_rows: is_mean,
            counts,
            name,
        }
    }

    fn pass_at(&self, group: &trial::Group, trials: &[Trial], k: &str, score: f64) -> Scored {
        let name = format!("pass@{k}");
        let facts = MetricFacts {
            library: "harbor",
            name: &name,
            base: Some("pass@k"),
            score,
            higher_is_better: Some(true),
        };
        let mut config = facts.config();
        if let Ok(k) = k.parse::<u64>() {
            config.metric_parameters.insert("k".to_owned(), k.into());
        }
        Scored {
            result: self.result(name.clone(), group, config, score, trials),
            name,
            has_rows: false,
            counts: false,
        }
    }

    fn result(
        &self,
        id: String,
        group: &trial::Group,
        mut config: MetricConfig,
        score: f64,
        trials: &[Trial],
    ) -> EvaluationResult {
        mark(&mut config, "missing_rewards", "count as 0");
        let dataset = group.dataset();
        let data = named_data(dataset, self.data_details(group, trials));
        let tasks: std::collections::BTreeSet<&str> =
            trials.iter().map(|trial| trial.task.as_str()).collect();
        scored_result(id, dataset, data, config, score, Some(tasks.len() as u64))
    }

    /// Which tasks these are: one digest of the digests in the lock of the job.
    fn data_details(&self, group: &trial::Group, trials: &[Trial]) -> Details {
        let mut details = Details::new();
        let locked = self.lock.and_then(|lock| lock.present("trials"));
        let mut digests: Vec<String> = locked
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|trial| trial.present("task"))
            .filter(|task| task.text_of("source").as_deref() == group.source.as_deref())
            .filter_map(|task| {
                Some(format!(
                    "{} {}",
                    task.text_of("name")?,
                    task.text_of("digest")?
                ))
            })
            .collect();
        digests.sort();
        digests.dedup();
        if !digests.is_empty() {
            details.insert("tasks_digest".to_owned(), digest(&digests.join("\n")));
        }
        details.insert("trials".to_owned(), trials.len().to_string());
        details
    }
}

/// A result, and how trials count for it.
struct Scored {
    result: EvaluationResult,
    /// The name of the metric or the reward.
    name: String,
    /// True if it is the mean over the trials.
    has_rows: bool,
    /// True if a reward of 1 is a task that was solved.
    counts: bool,
}

impl Scored {
    fn correctness(&self, score: f64) -> Correctness {
        Correctness::from_score(self.counts, score)
    }

    /// The reward that the metric is of; none where each trial has one alone.
    fn reward(&self) -> Option<&str> {
        (self.name != MEAN).then_some(self.name.as_str())
    }
}
