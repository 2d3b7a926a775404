//! A row of a samples file as rows of two tables: scores in `instances`, text in `messages`.

mod hash;

use std::borrow::Cow;

use assay_formats::{Kind, Value};

use self::hash::hash_of;
use crate::batch::{Batch, Cell};
use crate::record::RecordFacts;
use crate::table::Table;
use crate::value::{each, number, text, texts};

/// The role of whoever asks.
const ASKER: &str = "user";
/// The role of whoever answers.
const ANSWERER: &str = "assistant";

/// Rows of both tables that are being gathered.
pub(crate) struct SampleBatches {
    pub(crate) instances: Batch,
    pub(crate) messages: Batch,
}

/// The parts of a row that columns are made of.
#[derive(Default)]
struct Parts<'d> {
    task: Option<Value<'d>>,
    result_id: Option<Value<'d>>,
    id: Option<Value<'d>>,
    hash: Option<Value<'d>>,
    interaction: Option<Value<'d>>,
    raw: Option<Value<'d>>,
    reference: Option<Value<'d>>,
    choices: Option<Value<'d>>,
    outputs: Option<Value<'d>>,
    traces: Option<Value<'d>>,
    messages: Option<Value<'d>>,
    interactions: Option<Value<'d>>,
    answers: Option<Value<'d>>,
    error: Option<Value<'d>>,
    metadata: Option<Value<'d>>,
    score: Option<Value<'d>>,
    is_correct: Option<Value<'d>>,
    turns: Option<Value<'d>>,
    tool_calls: Option<Value<'d>>,
    input_tokens: Option<Value<'d>>,
    output_tokens: Option<Value<'d>>,
    total_tokens: Option<Value<'d>>,
    reasoning_tokens: Option<Value<'d>>,
    cache_read: Option<Value<'d>>,
    cache_write: Option<Value<'d>>,
    latency: Option<Value<'d>>,
    first_token: Option<Value<'d>>,
    generation: Option<Value<'d>>,
}

/// What all rows of `messages` of one sample have in common.
struct Sample<'r> {
    facts: &'r RecordFacts,
    task: Option<&'r str>,
    metric: Option<&'r str>,
    hash: Option<&'r str>,
    id: Option<&'r str>,
    result_id: Option<&'r str>,
    line: Option<i64>,
}

/// A piece of text of a sample.
#[derive(Default)]
struct Piece<'r> {
    part: &'static str,
    turn: Option<i64>,
    role: Option<&'r str>,
    content: Option<&'r str>,
    reasoning: Option<&'r str>,
    tool_calls: Option<&'r str>,
    tool_call_id: Option<&'r str>,
}

impl Default for SampleBatches {
    fn default() -> Self {
        Self {
            instances: Batch::new(Table::Instances),
            messages: Batch::new(Table::Messages),
        }
    }
}

impl SampleBatches {
    /// Adds a row of a samples file, which stands on this line.
    pub(crate) fn push(&mut self, facts: &RecordFacts, row: Value<'_>, line: u64) {
        let parts = Parts::read(row);
        let [stated, id, result_id] =
            [parts.task, parts.id, parts.result_id].map(|part| part.and_then(text));
        let metric = facts.metric(result_id.as_deref(), stated.as_deref());
        let task = stated.map(|task| facts.task_name(task));
        let asked = parts.raw.and_then(text);
        let hash = parts.hash(asked.as_deref());
        let sample = Sample {
            facts,
            task: task.as_deref(),
            metric,
            hash: hash.as_deref(),
            id: id.as_deref(),
            result_id: result_id.as_deref(),
            line: i64::try_from(line).ok(),
        };
        parts.push_scores(&sample, &mut self.instances);
        parts.push_texts(&sample, asked.as_deref(), &mut self.messages);
    }
}

impl<'d> Parts<'d> {
    /// Goes through a row and its maps once, and not once for each of the keys.
    fn read(row: Value<'d>) -> Self {
        let mut parts = Self::default();
        each(row, |name, value| match name {
            "evaluation_name" => parts.task = Some(value),
            "evaluation_result_id" => parts.result_id = Some(value),
            "sample_id" => parts.id = Some(value),
            "sample_hash" => parts.hash = Some(value),
            "interaction_type" => parts.interaction = Some(value),
            "input" => each(value, |name, value| match name {
                "raw" => parts.raw = Some(value),
                "reference" => parts.reference = Some(value),
                "choices" => parts.choices = Some(value),
                _ => {}
            }),
            "output" => each(value, |name, value| match name {
                "raw" => parts.outputs = Some(value),
                "reasoning_trace" => parts.traces = Some(value),
                _ => {}
            }),
            "messages" => parts.messages = Some(value),
            // The conversation, as it was called in 0.2.0.
            "interactions" => parts.interactions = Some(value),
            "answer_attribution" => parts.answers = Some(value),
            "evaluation" => each(value, |name, value| match name {
                "score" => parts.score = Some(value),
                "is_correct" => parts.is_correct = Some(value),
                "num_turns" => parts.turns = Some(value),
                "tool_calls_count" => parts.tool_calls = Some(value),
                _ => {}
            }),
            "token_usage" => each(value, |name, value| match name {
                "input_tokens" => parts.input_tokens = Some(value),
                "output_tokens" => parts.output_tokens = Some(value),
                "total_tokens" => parts.total_tokens = Some(value),
                "reasoning_tokens" => parts.reasoning_tokens = Some(value),
                "input_tokens_cache_read" => parts.cache_read = Some(value),
                "input_tokens_cache_write" => parts.cache_write = Some(value),
                _ => {}
            }),
            "performance" => each(value, |name, value| match name {
                "latency_ms" => parts.latency = Some(value),
                "time_to_first_token_ms" => parts.first_token = Some(value),
                "generation_time_ms" => parts.generation = Some(value),
                _ => {}
            }),
            "error" => parts.error = Some(value),
            "metadata" if value.kind() == Kind::Map && !value.is_empty() => {
                parts.metadata = Some(value);
            }
            _ => {}
        });
        parts
    }

    /// The hash of the question. Converters in the wild have recipes of their own, so the question
    /// is hashed here by the one that the schema describes; where it was left out, what the row
    /// says is all there is.
    fn hash(&self, asked: Option<&str>) -> Option<Cow<'d, str>> {
        match (self.raw, asked) {
            (Some(raw), Some(asked)) if !asked.trim().is_empty() => {
                Some(Cow::Owned(hash_of(raw, asked, self.reference)))
            }
            _ => self.hash.and_then(text),
        }
    }

    fn push_scores(&self, sample: &Sample<'_>, instances: &mut Batch) {
        let facts = sample.facts;
        let interaction = self.interaction.and_then(text);
        let real = |value: Option<Value<'_>>| Cell::Number(value.and_then(number));
        let whole = |value: Option<Value<'_>>| Cell::Integer(value.and_then(Value::integer));
        let has_failed = self.error.is_some_and(|error| error.kind() == Kind::String);
        instances.push(&[
            Cell::Text(Some(&facts.partition.benchmark)),
            Cell::Text(Some(&facts.partition.model)),
            Cell::Text(sample.task),
            Cell::Text(sample.metric),
            Cell::Text(sample.hash),
            Cell::Text(sample.id),
            real(self.score),
            Cell::Truth(self.is_correct.and_then(Value::truth)),
            Cell::Text(interaction.as_deref()),
            whole(self.turns),
            whole(self.tool_calls),
            whole(self.input_tokens),
            whole(self.output_tokens),
            whole(self.total_tokens),
            whole(self.reasoning_tokens),
            whole(self.cache_read),
            whole(self.cache_write),
            real(self.latency),
            real(self.first_token),
            real(self.generation),
            Cell::Truth(Some(has_failed)),
            Cell::Text(self.metadata.map(Value::raw)),
            Cell::Text(Some(&facts.id)),
            Cell::Text(sample.result_id),
            Cell::Integer(sample.line),
        ]);
    }

    /// Adds what was asked and what was said, in the order of the conversation.
    fn push_texts(&self, sample: &Sample<'_>, asked: Option<&str>, messages: &mut Batch) {
        let mut position = 0;
        let mut push = |piece: &Piece<'_>| {
            sample.push(piece, position, messages);
            position += 1;
        };
        if asked.is_some() {
            push(&Piece {
                part: "input",
                role: Some(ASKER),
                content: asked,
                ..Piece::default()
            });
        }
        for (part, list) in [("reference", self.reference), ("choice", self.choices)] {
            for content in list.into_iter().flat_map(texts) {
                push(&Piece::new(part, &content));
            }
        }
        let mut outputs = self.outputs.into_iter().flat_map(texts);
        let mut traces = self.traces.into_iter().flat_map(texts);
        loop {
            let (output, trace) = (outputs.next(), traces.next());
            if output.is_none() && trace.is_none() {
                break;
            }
            push(&Piece {
                part: "output",
                role: Some(ANSWERER),
                content: output.as_deref(),
                reasoning: trace.as_deref(),
                ..Piece::default()
            });
        }
        let turns = self.messages.or(self.interactions);
        for turn in turns.into_iter().flat_map(Value::items) {
            push_turn(turn, &mut push);
        }
        for answer in self.answers.into_iter().flat_map(Value::items) {
            let [turn, value] = answer.parts(["turn_idx", "extracted_value"]);
            if let Some(value) = value.and_then(text) {
                push(&Piece {
                    turn: turn.and_then(Value::integer),
                    ..Piece::new("answer", &value)
                });
            }
        }
        if let Some(error) = self.error.and_then(text) {
            push(&Piece::new("error", &error));
        }
    }
}

impl<'r> Piece<'r> {
    fn new(part: &'static str, content: &'r str) -> Self {
        Self {
            part,
            content: Some(content),
            ..Self::default()
        }
    }
}

impl Sample<'_> {
    fn push(&self, piece: &Piece<'_>, position: i64, messages: &mut Batch) {
        messages.push(&[
            Cell::Text(Some(&self.facts.partition.benchmark)),
            Cell::Text(Some(&self.facts.partition.model)),
            Cell::Text(self.task),
            Cell::Text(self.hash),
            Cell::Text(self.id),
            Cell::Integer(self.line),
            Cell::Integer(Some(position)),
            Cell::Text(Some(piece.part)),
            Cell::Integer(piece.turn),
            Cell::Text(piece.role),
            Cell::Text(piece.content),
            Cell::Text(piece.reasoning),
            Cell::Text(piece.tool_calls),
            Cell::Text(piece.tool_call_id),
            Cell::Text(Some(&self.facts.id)),
            Cell::Text(self.result_id),
        ]);
    }
}

/// Adds a turn of a conversation.
fn push_turn(turn: Value<'_>, push: &mut impl FnMut(&Piece<'_>)) {
    let [number, role, content, reasoning, calls, call_ids] = turn.parts([
        "turn_idx",
        "role",
        "content",
        "reasoning_trace",
        "tool_calls",
        "tool_call_id",
    ]);
    let [role, content, reasoning] = [role, content, reasoning].map(|part| part.and_then(text));
    let calls = calls.filter(|calls| calls.kind() == Kind::List && !calls.is_empty());
    let call_ids: Vec<Cow<'_, str>> = call_ids.into_iter().flat_map(texts).collect();
    let call_ids = (!call_ids.is_empty()).then(|| call_ids.join(" "));
    push(&Piece {
        part: "message",
        turn: number.and_then(Value::integer),
        role: role.as_deref(),
        content: content.as_deref(),
        reasoning: reasoning.as_deref(),
        tool_calls: calls.map(Value::raw),
        tool_call_id: call_ids.as_deref(),
    });
}
