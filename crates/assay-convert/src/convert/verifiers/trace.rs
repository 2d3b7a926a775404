//! One trace: an agent's attempt at a task.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::row::{Performance, Text, TokenUsage, ToolCall};

use super::super::Refusal;
use super::super::metric::Correctness;
use super::super::task_writer::{TaskWriter, row_without_question, unscored_row};
use super::super::turns::{Turns, detail, text_of};
use super::{Facts, REWARD, Scored};

/// The prefixes of the names of single rewards and of metrics.
pub(super) const REWARDS: &str = "rewards/";
pub(super) const METRICS: &str = "metrics/";
/// The keys under which tasks of verifiers keep the right answer.
const ANSWERS: [&str; 2] = ["answer", "reference"];
/// The most messages of a branch; a graph with a loop has no end.
const MAX_NODES: usize = 100_000;

/// A trace of an agent.
pub(super) struct Trace<'d> {
    episode: Value<'d>,
    root: Value<'d>,
    /// Tells the task from others.
    pub(super) task: String,
    /// Whether it is of the agent that is evaluated, and not of a judge or a user that a model
    /// plays.
    pub(super) is_evaluated: bool,
    pub(super) error: Option<String>,
    pub(super) started: Option<f64>,
    pub(super) ended: Option<f64>,
}

impl<'d> Trace<'d> {
    /// Reads a trace; nothing when it is none.
    pub(super) fn read(episode: Value<'d>, root: Value<'d>) -> Option<Self> {
        let task = root.present("task")?;
        let data = task.present("data");
        let index = data.and_then(|data| data.present("idx").map(detail));
        let name = data.and_then(|data| data.text_of("name").map(Text::into_owned));
        let key = task.text_of("key").map(Text::into_owned);
        let agent = root.present("agent")?;
        let is_ok = root.present("ok").and_then(Value::truth) == Some(true);
        let timing = root.present("timing");
        let time = |key: &str| {
            timing
                .and_then(|own| own.number_of(key))
                .filter(|own| *own > 0.0)
        };
        let spans = ["scoring", "finalize", "agent"];
        let ended = spans.iter().find_map(|span| {
            let end = timing?.present(span)?.number_of("end");
            end.filter(|end| *end > 0.0)
        });
        Some(Self {
            episode,
            root,
            task: name.or(index).or(key)?,
            is_evaluated: agent.present("trainable").and_then(Value::truth) != Some(false),
            error: (!is_ok).then(|| error(root)),
            started: time("start"),
            ended,
        })
    }

    pub(super) fn facts(&self) -> Facts {
        let text = |value: Option<Value<'_>>, key: &str| {
            value.and_then(|value| value.text_of(key).map(Text::into_owned))
        };
        let run = self.episode.present("run");
        let agent = self
            .root
            .present("agent")
            .and_then(|own| own.present("config"));
        let environment = text(self.episode.present("env"), "id").filter(|own| !own.is_empty());
        Facts {
            run: text(run, "id")
                .or_else(|| text(Some(self.root), "id"))
                .unwrap_or_default(),
            name: text(run, "name"),
            environment: environment.unwrap_or_else(|| "unknown".to_owned()),
            version: text(self.root.present("verifiers"), "version"),
            model: text(agent, "model").unwrap_or_default(),
            harness: text(agent.and_then(|own| own.present("harness")), "id"),
        }
    }

    fn rewards(&self) -> impl Iterator<Item = (String, f64, f64)> {
        let rewards = self
            .root
            .present("rewards")
            .into_iter()
            .flat_map(Value::entries);
        rewards.filter_map(|(name, reward)| {
            let weight = reward.number_of("weight").unwrap_or(1.0);
            Some((
                name.text()?.into_owned(),
                reward.number_of("score")?,
                weight,
            ))
        })
    }

    pub(super) fn reward_names(&self) -> impl Iterator<Item = String> {
        self.rewards().map(|(name, _, _)| name)
    }

    /// Every score of the trace: the whole reward, its parts, and the metrics beside it.
    pub(super) fn scores(&self) -> BTreeMap<String, f64> {
        let mut scores = BTreeMap::new();
        let mut whole = None;
        for (name, score, weight) in self.rewards() {
            whole = Some(whole.unwrap_or(0.0) + score * weight);
            scores.insert(format!("{REWARDS}{name}"), score);
        }
        scores.extend(whole.map(|whole| (REWARD.to_owned(), whole)));
        let metrics = self
            .root
            .present("metrics")
            .into_iter()
            .flat_map(Value::entries);
        for (name, value) in metrics {
            if let (Some(name), Some(value)) = (name.text(), value.number()) {
                scores.insert(format!("{METRICS}{name}"), value);
            }
        }
        scores
    }

    /// The messages from the first to the last one, along the last branch.
    fn turns(&self) -> Turns<'d> {
        let nodes: Vec<Value<'d>> = self
            .root
            .get("nodes")
            .into_iter()
            .flat_map(Value::items)
            .collect();
        let mut path = Vec::new();
        let mut next = nodes.len().checked_sub(1);
        while let Some(node) = next.and_then(|index| nodes.get(index))
            && path.len() < MAX_NODES
        {
            path.push(*node);
            let parent = node.present("parent").and_then(Value::integer);
            next = parent.and_then(|parent| usize::try_from(parent).ok());
        }
        let mut turns = Turns::default();
        for node in path.into_iter().rev() {
            let Some(message) = node.present("message") else {
                continue;
            };
            let content = message.present("content").map(text_of).unwrap_or_default();
            let role = message.text_of("role").unwrap_or("unknown".into());
            let turn = turns.push(role, content);
            turn.reasoning_trace = message.text_of("reasoning_content");
            let calls = message.present("tool_calls").into_iter();
            turn.tool_calls = calls.flat_map(Value::items).map(call).collect();
            turn.tool_call_id = message.text_of("tool_call_id").into_iter().collect();
        }
        turns
    }

    /// Writes a row for each score. A trace that failed has one for each reward, with its error.
    pub(super) fn write_rows(
        &self,
        writer: &mut TaskWriter<'_>,
        attempt: u32,
        results: &[Scored],
    ) -> Result<(), Refusal> {
        let data = self
            .root
            .present("task")
            .and_then(|task| task.present("data"));
        let turns = self.turns();
        let prompt = data.and_then(|data| data.present("prompt")).map(text_of);
        let question = turns.question.clone().or(prompt);
        let mut row = match question {
            Some(question) => {
                let answer = ANSWERS.iter().find_map(|key| data?.text_of(key));
                unscored_row(
                    self.task.as_str().into(),
                    question,
                    answer.into_iter().collect(),
                )
            }
            None => row_without_question(self.task.as_str().into()),
        };
        turns.fill(&mut row);
        row.metadata
            .insert("epoch".into(), attempt.to_string().into());
        if let Some(why) = self.root.text_of("stop_condition") {
            row.metadata.insert("stop_reason".into(), why);
        }
        row.error = self.error.as_deref().map(Into::into);
        row.token_usage = self.usage();
        row.performance = self
            .started
            .zip(self.ended)
            .map(|(start, end)| Performance {
                latency_ms: Some((end - start) * 1000.0),
                ..Performance::default()
            });
        let scores = self.scores();
        for own in results {
            let id = &own.result.evaluation_result_id;
            let is_metric = id.starts_with(METRICS);
            let (score, correctness) = match (scores.get(id), &self.error) {
                (Some(score), None) => (*score, own.correctness(*score)),
                (None, None) if !is_metric => (0.0, own.correctness(0.0)),
                (_, Some(_)) if !is_metric => (0.0, Correctness::Wrong),
                (_, _) => continue,
            };
            writer.row(&mut row, &own.result, score, correctness)?;
        }
        Ok(())
    }

    /// The tokens of all calls.
    fn usage(&self) -> Option<TokenUsage> {
        let mut usage: Option<TokenUsage> = None;
        for call in self.root.get("calls").into_iter().flat_map(Value::items) {
            let Some(own) = call.present("usage") else {
                continue;
            };
            let count = |key: &str| u64::try_from(own.present(key)?.integer()?).ok();
            let sum = usage.get_or_insert_with(TokenUsage::default);
            sum.input_tokens += count("prompt_tokens").unwrap_or(0);
            sum.output_tokens += count("completion_tokens").unwrap_or(0);
            sum.total_tokens = sum.input_tokens + sum.output_tokens;
        }
        usage
    }
}

/// The last error.
fn error(root: Value<'_>) -> String {
    let errors = root.present("errors").into_iter().flat_map(Value::items);
    let Some(last) = errors.last() else {
        return "the trace did not end well".to_owned();
    };
    let kind = last.text_of("type").unwrap_or_default();
    format!("{kind}: {}", last.text_of("message").unwrap_or_default())
}

fn call(value: Value<'_>) -> ToolCall<'_> {
    let function = value.present("function").unwrap_or(value);
    let arguments = function.present("arguments");
    ToolCall {
        id: value.text_of("id").unwrap_or_default(),
        name: function.text_of("name").unwrap_or_default(),
        arguments: arguments.map(|own| [("arguments".into(), detail(own).into())].into()),
    }
}

/// Returns whether a score is 0 or 1.
pub(super) fn is_binary(score: f64) -> bool {
    score == 0.0 || score.to_bits() == 1_f64.to_bits()
}
