//! verifiers: the directory of a run, with `traces.jsonl` and the configuration in `configs`.
//!
//! Scores are the means that verifiers shows while it runs: over traces of the evaluated agent that
//! did not fail.

mod trace;

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult};
use assay_formats::rows::{Block, Blocks};

use super::detect::Evidence;
use super::document::Document;
use super::metric::{Correctness, MetricFacts};
use super::run::{Run, RunProgress, insert_setup};
use super::served_model::named_model;
use super::task_writer::{TaskWriter, named_data, scored_result};
use super::time::stamp;
use super::turns::detail;
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};
use trace::{Trace, is_binary};

/// The sum of the rewards of a trace by their weights.
pub(super) const REWARD: &str = "reward";
/// The keys of the sampling that tell runs apart, each with its key in a setup.
const SAMPLING: [(&str, &str); 4] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("max_tokens", "max_tokens"),
    ("reasoning_effort", "effort"),
];

/// The converter.
pub(super) struct Verifiers;

impl Converter for Verifiers {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "verifiers",
            title: "verifiers",
            framework: "verifiers",
            library: "verifiers",
            source_name: "verifiers",
            log: "a run directory",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        matches!(evidence, Evidence::Directory(_))
            && evidence.has_entry("traces.jsonl")
            && evidence.has_entry("configs")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// Converts one run, reading its traces twice: for the scores, and for the rows.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let config = format!("{}/configs/resolved/eval.json", log.path);
    let config = Document::read_if_there(log, &config)?;
    let config = config.as_ref().map(Document::root);
    let mut survey = Survey::default();
    each_trace(log, &mut |line| {
        survey.add(&line);
        Ok(())
    })?;
    let facts = survey.facts.take().ok_or_else(|| {
        Refusal::Nothing(format!("`{}` has no trace of an evaluated agent", log.path))
    })?;
    if survey.scores.is_empty() {
        let message = format!("no trace of `{}` was scored", log.path);
        return Err(Refusal::Nothing(message));
    }
    let results: Vec<Scored> = survey.results(&facts.environment);
    let content = [facts.run.as_bytes(), facts.environment.as_bytes()];
    let dataset = facts.environment.clone();
    let mut writer = TaskWriter::begin(log, run(&survey, &facts, config), &dataset, &content)?;
    writer.warn_times("a line that is no episode was left out", survey.broken);
    writer.warn_times(
        "a trace of another agent, such as a judge, has no row",
        survey.others,
    );
    if writer.wants_rows() {
        let mut attempts: BTreeMap<String, u32> = BTreeMap::new();
        each_trace(log, &mut |line| {
            if let Line::Evaluated(trace) = line {
                let attempt = attempts.entry(trace.task.clone()).or_default();
                *attempt += 1;
                trace.write_rows(&mut writer, *attempt, &results)?;
            }
            Ok(())
        })?;
    }
    writer.finish(results.into_iter().map(|own| own.result).collect())
}

/// The content of a line of the traces.
enum Line<'t, 'd> {
    /// A trace of the evaluated agent.
    Evaluated(&'t Trace<'d>),
    /// A trace of another one.
    Other,
    /// No episode.
    Broken,
}

/// Visits the traces of every episode.
fn each_trace(
    log: &Log<'_>,
    visit: &mut dyn FnMut(Line<'_, '_>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let path = format!("{}/traces.jsonl", log.path);
    let unreadable = |source| Refusal::Read {
        path: path.clone(),
        source,
    };
    let file = log.logs.open(&path).map_err(unreadable)?;
    let mut blocks = Blocks::unhashed(file);
    let mut block = Block::default();
    while blocks.next(&mut block).map_err(unreadable)? {
        (log.progress)(block.bytes.len() as u64);
        if block.oversized {
            visit(Line::Broken)?;
            continue;
        }
        for line in block.bytes.split(|byte| *byte == b'\n') {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let Some(document) = Document::parse(String::from_utf8_lossy(line).into_owned()) else {
                visit(Line::Broken)?;
                continue;
            };
            let episode = document.root();
            for trace in episode.present("traces").into_iter().flat_map(Value::items) {
                match Trace::read(episode, trace) {
                    Some(trace) if trace.is_evaluated => visit(Line::Evaluated(&trace))?,
                    Some(_) => visit(Line::Other)?,
                    None => visit(Line::Broken)?,
                }
            }
        }
    }
    Ok(())
}

/// The facts of the run in its first trace.
struct Facts {
    run: String,
    name: Option<String>,
    environment: String,
    version: Option<String>,
    model: String,
    harness: Option<String>,
}

/// The sums of a score.
#[derive(Debug, Default)]
struct Tally {
    sum: f64,
    /// True if every value was 0 or 1.
    is_fraction: bool,
}

/// The totals of all traces.
#[derive(Default)]
struct Survey {
    facts: Option<Facts>,
    scores: BTreeMap<String, Tally>,
    /// Number of traces that did not fail.
    scored: u64,
    failed: u64,
    others: u64,
    broken: u64,
    started: Option<f64>,
    ended: Option<f64>,
    rewards: std::collections::BTreeSet<String>,
}

impl Survey {
    fn add(&mut self, line: &Line<'_, '_>) {
        let trace = match line {
            Line::Evaluated(trace) => trace,
            Line::Other => {
                self.others += 1;
                return;
            }
            Line::Broken => {
                self.broken += 1;
                return;
            }
        };
        self.facts.get_or_insert_with(|| trace.facts());
        if let Some(start) = trace.started {
            self.started = Some(self.started.map_or(start, |own| own.min(start)));
        }
        if let Some(end) = trace.ended {
            self.ended = Some(self.ended.map_or(end, |own| own.max(end)));
        }
        if trace.error.is_some() {
            self.failed += 1;
            return;
        }
        self.scored += 1;
        for (name, score) in trace.scores() {
            let tally = self.scores.entry(name).or_default();
            tally.sum += score;
            tally.is_fraction |= !is_binary(score);
        }
        self.rewards.extend(trace.reward_names());
    }

    /// The mean of each score over the traces that did not fail; one without it counts as zero, as
    /// in verifiers.
    fn results(&self, dataset: &str) -> Vec<Scored> {
        #[expect(clippy::cast_precision_loss, reason = "nobody runs that many traces")]
        let count = self.scored as f64;
        let result = |(name, tally): (&String, &Tally)| {
            let score = tally.sum / count;
            let facts = MetricFacts {
                library: "verifiers",
                name,
                base: None,
                score,
                higher_is_better: (!name.starts_with(trace::METRICS)).then_some(true),
            };
            let data = named_data(dataset, Details::new());
            let is_reward =
                name.starts_with(trace::REWARDS) || (name == REWARD && self.rewards.len() == 1);
            Scored {
                result: scored_result(
                    name.clone(),
                    dataset,
                    data,
                    facts.config(),
                    score,
                    Some(self.scored),
                ),
                counts: is_reward && !tally.is_fraction,
            }
        };
        self.scores.iter().map(result).collect()
    }
}

/// A result, and whether 1 is right and 0 wrong for it.
struct Scored {
    result: EvaluationResult,
    counts: bool,
}

impl Scored {
    fn correctness(&self, score: f64) -> Correctness {
        Correctness::from_score(self.counts, score)
    }
}

fn run(survey: &Survey, facts: &Facts, config: Option<Value<'_>>) -> Run {
    let mut run = Run::new(Harness::Verifiers, named_model(&facts.model));
    run.version.clone_from(&facts.version);
    run.started = survey.started.map(stamp);
    run.ended = survey.ended.map(stamp);
    let ids = [
        ("run_id", Some(&facts.run)),
        ("run_name", facts.name.as_ref()),
    ];
    for (key, value) in ids {
        if let Some(value) = value {
            run.source_details.insert(key.to_owned(), value.clone());
        }
    }
    let all = survey.scored + survey.failed;
    run.progress = RunProgress {
        status: None,
        planned: Some(all),
        completed: Some(survey.scored),
        scored: Some(survey.scored),
        failed: Some(survey.failed),
    };
    if let Some(harness) = &facts.harness {
        insert_setup(&mut run.setup, "agent", harness);
    }
    let sampling = config.and_then(|config| config.present("sampling"));
    for (key, name) in SAMPLING {
        if let Some(value) = sampling.and_then(|sampling| sampling.present(key)) {
            insert_setup(&mut run.setup, name, &detail(value));
        }
    }
    let rollouts = config.and_then(|config| config.present("num_rollouts")?.integer());
    if let Some(rollouts) = rollouts.filter(|count| *count > 1) {
        insert_setup(&mut run.setup, "attempts", &rollouts.to_string());
    }
    let arguments = config.and_then(|config| config.present("env")?.present("taskset"));
    if let Some(arguments) = arguments {
        insert_setup(&mut run.setup, "task_args", &detail(arguments));
    }
    run
}
