//! The trials of a job: one attempt of an agent at a task.

use std::borrow::Cow;
use std::collections::BTreeMap;

use assay_formats::eee::row::{Performance, TokenUsage};
use assay_formats::{Kind, Value};

use super::super::document::Document;
use super::super::task_writer::{TaskWriter, row_without_question, unscored_row};
use super::super::time::unix_seconds;
use super::super::turns::detail;
use super::super::{Log, Refusal};
use super::{Scored, trajectory};

/// The dataset of tasks that belong to none, as Harbor calls it.
const NO_DATASET: &str = "adhoc";
/// Settings of an agent that bear on its scores, and the key of the setup for each.
const SETTINGS: [(&str, &str); 3] = [
    ("kwargs", "agent_args"),
    ("skills", "skills"),
    ("mcp_servers", "tools"),
];

/// The fields that the trials of one evaluation share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) agent: String,
    pub(super) agent_version: String,
    /// The model as it was asked for: `provider/name`.
    pub(super) model: Option<String>,
    /// The model as Harbor's statistics name it.
    short_model: Option<String>,
    pub(super) source: Option<String>,
}

impl Group {
    /// The name of the evaluation in Harbor's statistics.
    pub(super) fn key(&self) -> String {
        match &self.short_model {
            Some(model) => format!("{}__{model}__{}", self.agent, self.dataset()),
            None => format!("{}__{}", self.agent, self.dataset()),
        }
    }

    pub(super) fn dataset(&self) -> &str {
        self.source.as_deref().unwrap_or(NO_DATASET)
    }
}

/// One trial.
#[derive(Debug)]
pub(super) struct Trial {
    directory: String,
    name: String,
    pub(super) task: String,
    /// The rewards of the verifier; none when it gave none.
    rewards: Option<BTreeMap<String, f64>>,
    error: Option<String>,
    usage: Option<TokenUsage>,
    pub(super) cost: Option<f64>,
    /// The time that the agent worked, in milliseconds.
    duration: Option<f64>,
    /// Settings of the agent, as keys of a setup.
    pub(super) settings: BTreeMap<&'static str, String>,
}

impl Trial {
    pub(super) fn is_scored(&self) -> bool {
        self.rewards.is_some()
    }

    /// The reward of this name, or the only one.
    fn reward(&self, name: Option<&str>) -> f64 {
        let rewards = self.rewards.as_ref();
        let own = rewards.and_then(|own| match name {
            Some(name) => own.get(name),
            None => own.values().next(),
        });
        own.copied().unwrap_or(0.0)
    }

    /// Returns whether the reward is one of a task that was solved or not.
    pub(super) fn is_binary(&self, name: Option<&str>) -> bool {
        let reward = self.reward(name);
        reward == 0.0 || reward.to_bits() == 1_f64.to_bits()
    }
}

/// The mean of a reward over trials, of which one without it counts as zero.
pub(super) fn mean(trials: &[Trial], reward: Option<&str>) -> f64 {
    let sum: f64 = trials.iter().map(|trial| trial.reward(reward)).sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "jobs have fewer trials than that"
    )]
    let count = trials.len() as f64;
    sum / count
}

/// The trials of a job.
#[derive(Default)]
pub(super) struct Trials {
    /// Those that have ended, in the order of their names.
    pub(super) ended: Vec<(Group, Trial)>,
    /// The number of trials with an unreadable result.
    pub(super) broken: u64,
}

/// Reads all trials of a job.
pub(super) fn read_all(log: &Log<'_>) -> Result<Trials, Refusal> {
    let names = log.logs.list(log.path).map_err(|source| Refusal::Read {
        path: log.path.to_owned(),
        source,
    })?;
    let mut trials = Trials::default();
    for name in names {
        let directory = format!("{}/{name}", log.path);
        let result = match Document::read_if_there(log, &format!("{directory}/result.json")) {
            Err(Refusal::Damaged { .. }) => {
                trials.broken += 1;
                None
            }
            result => result?,
        };
        let trial = result.and_then(|own| read(own.root(), directory));
        trials.ended.extend(trial);
    }
    Ok(trials)
}

fn read(root: Value<'_>, directory: String) -> Option<(Group, Trial)> {
    let text = |value: Value<'_>, key: &str| value.text_of(key).map(Cow::into_owned);
    let agent = root.present("agent_info")?;
    let config = root.present("config").and_then(|own| own.present("agent"));
    let model = agent.present("model_info");
    let short = model.and_then(|model| text(model, "name"));
    let asked = config.and_then(|config| text(config, "model_name"));
    let group = Group {
        agent: text(agent, "name")?,
        agent_version: text(agent, "version").unwrap_or_default(),
        model: asked.or_else(|| short.clone()),
        short_model: short,
        source: text(root, "source"),
    };
    let verified = root.present("verifier_result");
    let rewards = verified.and_then(|own| own.present("rewards"));
    let outcome = root.present("agent_result");
    let mut settings = BTreeMap::new();
    for (key, name) in SETTINGS {
        let value = config.and_then(|config| config.present(key));
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            settings.insert(name, detail(value));
        }
    }
    let trial = Trial {
        name: text(root, "trial_name")?,
        task: text(root, "task_name")?,
        rewards: rewards.filter(|own| own.kind() == Kind::Map).map(|own| {
            let pairs = own.entries();
            pairs
                .filter_map(|(key, value)| Some((key.text()?.into_owned(), value.number()?)))
                .collect()
        }),
        error: root.present("exception_info").map(exception),
        usage: outcome.and_then(usage),
        cost: outcome.and_then(|own| own.number_of("cost_usd")),
        duration: root.present("agent_execution").and_then(milliseconds),
        settings,
        directory,
    };
    Some((group, trial))
}

fn exception(own: Value<'_>) -> String {
    let kind = own.text_of("exception_type").unwrap_or_default();
    let message = own.text_of("exception_message").unwrap_or_default();
    format!("{kind}: {message}")
}

/// The tokens of the agent. Those read from the cache are among those that were read.
fn usage(outcome: Value<'_>) -> Option<TokenUsage> {
    let count = |key: &str| u64::try_from(outcome.present(key)?.integer()?).ok();
    let (input_tokens, output_tokens) = (count("n_input_tokens")?, count("n_output_tokens")?);
    Some(TokenUsage {
        input_tokens,
        output_tokens,
        total_tokens: input_tokens.saturating_add(output_tokens),
        input_tokens_cache_read: count("n_cache_tokens"),
        ..TokenUsage::default()
    })
}

fn milliseconds(times: Value<'_>) -> Option<f64> {
    let time = |key: &str| unix_seconds(&times.text_of(key)?);
    let duration = (time("finished_at")? - time("started_at")?) * 1000.0;
    (duration >= 0.0).then_some(duration)
}

/// Writes a row of a trial for each result that is a mean over trials.
pub(super) fn write_rows(
    log: &Log<'_>,
    writer: &mut TaskWriter<'_>,
    trial: &Trial,
    attempt: u32,
    results: &[Scored],
) -> Result<(), Refusal> {
    let path = format!("{}/agent/trajectory.json", trial.directory);
    let document = match Document::read_if_there(log, &path) {
        Err(Refusal::Damaged { .. }) => {
            writer.warn_times(
                "a trajectory that cannot be read was left out of its row",
                1,
            );
            None
        }
        document => document?,
    };
    let steps = document.as_ref().map(|own| trajectory::read(own.root()));
    let task = trial.task.as_str();
    let question = steps.as_ref().and_then(|own| own.question.clone());
    let mut row = match question {
        Some(question) => unscored_row(task.into(), question, Vec::new()),
        None => row_without_question(task.into()),
    };
    if let Some(steps) = steps {
        steps.fill(&mut row);
    }
    row.metadata
        .insert("epoch".into(), attempt.to_string().into());
    row.metadata
        .insert("trial".into(), trial.name.as_str().into());
    row.error = trial.error.as_deref().map(Into::into);
    row.token_usage = trial.usage;
    row.performance = trial.duration.map(|duration| Performance {
        latency_ms: Some(duration),
        ..Performance::default()
    });
    if let Some(cost) = trial.cost {
        row.metadata
            .insert("cost_usd".into(), cost.to_string().into());
    }
    for scored in results.iter().filter(|scored| scored.has_rows) {
        let score = trial.reward(scored.reward());
        let correctness = scored.correctness(score);
        writer.row(&mut row, &scored.result, score, correctness)?;
    }
    Ok(())
}
