//! Rows of a samples file as columns: scores here, text there.

use std::borrow::Cow;

use assay_formats::eee::sample_hash;
use assay_formats::{Kind, Value};

use crate::batch::{Batch, Cell};
use crate::record::RecordFacts;
use crate::value::{integer_at, number, text, text_at, texts};

/// Takes rows of one record in.
pub(crate) struct RowReader {
    /// The scores.
    pub(crate) instances: Batch,
    /// The text.
    pub(crate) messages: Batch,
}

/// What all that is told of one sample carries.
struct Sample<'d> {
    task: Option<Cow<'d, str>>,
    id: Option<Cow<'d, str>>,
    hash: Option<String>,
    result_id: Option<Cow<'d, str>>,
    line: Option<i64>,
}

/// A piece of text of a sample.
#[derive(Default)]
struct Piece<'a> {
    turn: Option<i64>,
    role: Option<&'a str>,
    content: Option<&'a str>,
    reasoning: Option<&'a str>,
    tool_calls: Option<&'a str>,
    tool_call_id: Option<&'a str>,
}

impl RowReader {
    /// No rows yet.
    pub(crate) fn new() -> Self {
        Self {
            instances: Batch::new(crate::Table::Instances),
            messages: Batch::new(crate::Table::Messages),
        }
    }

    /// Takes a row in, which stands on this line of its file.
    pub(crate) fn push(&mut self, facts: &RecordFacts, row: Value<'_>, line: u64) {
        let parts = Parts::of(row);
        let references = parts.reference.map_or_else(Vec::new, texts);
        let sample = Sample {
            task: parts.task.and_then(text),
            id: parts.sample_id.and_then(text),
            hash: hash(&parts, &references),
            result_id: parts.result_id.and_then(text),
            line: i64::try_from(line).ok(),
        };
        self.push_instance(facts, &parts, &sample);
        self.push_messages(facts, &parts, &sample, &references);
    }

    fn push_instance(&mut self, facts: &RecordFacts, parts: &Parts<'_>, sample: &Sample<'_>) {
        let interaction = parts.interaction.and_then(text);
        let integer = |value: Option<Value<'_>>| Cell::Integer(value.and_then(Value::integer));
        let moment = |value: Option<Value<'_>>| Cell::Number(value.and_then(number));
        let failed = parts
            .error
            .is_some_and(|error| error.kind() == Kind::String);
        let metadata = parts
            .metadata
            .filter(|metadata| metadata.kind() == Kind::Map && !metadata.is_empty());
        self.instances.push(&[
            Cell::Text(Some(&facts.partition.benchmark)),
            Cell::Text(Some(&facts.partition.model)),
            Cell::Text(sample.task.as_deref()),
            Cell::Text(facts.metric(sample.result_id.as_deref(), sample.task.as_deref())),
            Cell::Text(sample.hash.as_deref()),
            Cell::Text(sample.id.as_deref()),
            Cell::Number(parts.score.and_then(number)),
            Cell::Truth(parts.is_correct.and_then(Value::truth)),
            Cell::Text(interaction.as_deref()),
            integer(parts.num_turns),
            integer(parts.tool_calls_count),
            integer(parts.input_tokens),
            integer(parts.output_tokens),
            integer(parts.total_tokens),
            integer(parts.reasoning_tokens),
            integer(parts.cache_read),
            integer(parts.cache_write),
            moment(parts.latency),
            moment(parts.first_token),
            moment(parts.generation),
            Cell::Truth(Some(failed)),
            Cell::Text(metadata.map(Value::raw)),
            Cell::Text(Some(&facts.id)),
            Cell::Text(sample.result_id.as_deref()),
            Cell::Integer(sample.line),
        ]);
    }

    fn push_messages(
        &mut self,
        facts: &RecordFacts,
        parts: &Parts<'_>,
        sample: &Sample<'_>,
        references: &[Cow<'_, str>],
    ) {
        let mut position = 0;
        let mut say = |batch: &mut Batch, part: &str, piece: &Piece<'_>| {
            push_piece(batch, facts, sample, position, part, piece);
            position += 1;
        };
        let batch = &mut self.messages;
        if let Some(raw) = parts.question.and_then(text) {
            say(batch, "input", &Piece::by("user", &raw));
        }
        for reference in references {
            say(batch, "reference", &Piece::of(reference));
        }
        let choices = parts.choices.map_or_else(Vec::new, texts);
        for choice in &choices {
            say(batch, "choice", &Piece::of(choice));
        }
        let outputs = parts.output.map_or_else(Vec::new, texts);
        let traces = parts.trace.map_or_else(Vec::new, texts);
        for index in 0..outputs.len().max(traces.len()) {
            let piece = Piece {
                role: Some("assistant"),
                content: outputs.get(index).map(|text| &**text),
                reasoning: traces.get(index).map(|text| &**text),
                ..Piece::default()
            };
            say(batch, "output", &piece);
        }
        for message in parts.messages.into_iter().flat_map(Value::items) {
            let [role, content, reasoning] =
                ["role", "content", "reasoning_trace"].map(|key| text_at(message, &[key]));
            let call_ids = message.get("tool_call_id").map_or_else(Vec::new, texts);
            let call_ids = (!call_ids.is_empty()).then(|| call_ids.join(" "));
            let calls = message
                .get("tool_calls")
                .filter(|calls| calls.kind() == Kind::List && !calls.is_empty());
            let piece = Piece {
                turn: integer_at(message, &["turn_idx"]),
                role: role.as_deref(),
                content: content.as_deref(),
                reasoning: reasoning.as_deref(),
                tool_calls: calls.map(Value::raw),
                tool_call_id: call_ids.as_deref(),
            };
            say(batch, "message", &piece);
        }
        for answer in parts.attribution.into_iter().flat_map(Value::items) {
            let Some(value) = text_at(answer, &["extracted_value"]) else {
                continue;
            };
            let piece = Piece {
                turn: integer_at(answer, &["turn_idx"]),
                ..Piece::of(&value)
            };
            say(batch, "answer", &piece);
        }
        if let Some(error) = parts.error.and_then(text) {
            say(batch, "error", &Piece::of(&error));
        }
    }
}

impl<'a> Piece<'a> {
    fn of(content: &'a str) -> Self {
        Self {
            content: Some(content),
            ..Self::default()
        }
    }

    fn by(role: &'a str, content: &'a str) -> Self {
        Self {
            role: Some(role),
            ..Self::of(content)
        }
    }
}

fn push_piece(
    batch: &mut Batch,
    facts: &RecordFacts,
    sample: &Sample<'_>,
    position: i64,
    part: &str,
    piece: &Piece<'_>,
) {
    batch.push(&[
        Cell::Text(Some(&facts.partition.benchmark)),
        Cell::Text(Some(&facts.partition.model)),
        Cell::Text(sample.task.as_deref()),
        Cell::Text(sample.hash.as_deref()),
        Cell::Text(sample.id.as_deref()),
        Cell::Integer(sample.line),
        Cell::Integer(Some(position)),
        Cell::Text(Some(part)),
        Cell::Integer(piece.turn),
        Cell::Text(piece.role),
        Cell::Text(piece.content),
        Cell::Text(piece.reasoning),
        Cell::Text(piece.tool_calls),
        Cell::Text(piece.tool_call_id),
        Cell::Text(Some(&facts.id)),
        Cell::Text(sample.result_id.as_deref()),
    ]);
}

/// What tells one question from another, in every harness alike.
///
/// Converters in the wild have recipes of their own for `sample_hash`, so the question is hashed here by the one that the
/// schema describes. Where the question was left out, what the row says is all there is.
fn hash(parts: &Parts<'_>, references: &[Cow<'_, str>]) -> Option<String> {
    let raw = parts.question.and_then(text);
    match raw.filter(|raw| !raw.trim().is_empty()) {
        Some(raw) => Some(sample_hash(&raw, references)),
        None => parts.sample_hash.and_then(text).map(Cow::into_owned),
    }
}

/// A row taken apart, each of its maps gone through once, and not once for each of the keys.
#[derive(Default)]
struct Parts<'d> {
    task: Option<Value<'d>>,
    result_id: Option<Value<'d>>,
    sample_id: Option<Value<'d>>,
    sample_hash: Option<Value<'d>>,
    interaction: Option<Value<'d>>,
    question: Option<Value<'d>>,
    reference: Option<Value<'d>>,
    choices: Option<Value<'d>>,
    output: Option<Value<'d>>,
    trace: Option<Value<'d>>,
    messages: Option<Value<'d>>,
    attribution: Option<Value<'d>>,
    score: Option<Value<'d>>,
    is_correct: Option<Value<'d>>,
    num_turns: Option<Value<'d>>,
    tool_calls_count: Option<Value<'d>>,
    input_tokens: Option<Value<'d>>,
    output_tokens: Option<Value<'d>>,
    total_tokens: Option<Value<'d>>,
    reasoning_tokens: Option<Value<'d>>,
    cache_read: Option<Value<'d>>,
    cache_write: Option<Value<'d>>,
    latency: Option<Value<'d>>,
    first_token: Option<Value<'d>>,
    generation: Option<Value<'d>>,
    error: Option<Value<'d>>,
    metadata: Option<Value<'d>>,
}

impl<'d> Parts<'d> {
    fn of(row: Value<'d>) -> Self {
        let mut parts = Self::default();
        let mut interactions = None;
        for (key, value) in named(row) {
            match &*key {
                "evaluation_name" => parts.task = Some(value),
                "evaluation_result_id" => parts.result_id = Some(value),
                "sample_id" => parts.sample_id = Some(value),
                "sample_hash" => parts.sample_hash = Some(value),
                "interaction_type" => parts.interaction = Some(value),
                "input" => parts.take_input(value),
                "output" => parts.take_output(value),
                "messages" => parts.messages = Some(value),
                "interactions" => interactions = Some(value),
                "answer_attribution" => parts.attribution = Some(value),
                "evaluation" => parts.take_evaluation(value),
                "token_usage" => parts.take_tokens(value),
                "performance" => parts.take_performance(value),
                "error" => parts.error = Some(value),
                "metadata" => parts.metadata = Some(value),
                _ => {}
            }
        }
        // In 0.2.0 the conversation was called `interactions`.
        parts.messages = parts.messages.or(interactions);
        parts
    }

    fn take_input(&mut self, input: Value<'d>) {
        for (key, value) in named(input) {
            match &*key {
                "raw" => self.question = Some(value),
                "reference" => self.reference = Some(value),
                "choices" => self.choices = Some(value),
                _ => {}
            }
        }
    }

    fn take_output(&mut self, output: Value<'d>) {
        for (key, value) in named(output) {
            match &*key {
                "raw" => self.output = Some(value),
                "reasoning_trace" => self.trace = Some(value),
                _ => {}
            }
        }
    }

    fn take_evaluation(&mut self, evaluation: Value<'d>) {
        for (key, value) in named(evaluation) {
            match &*key {
                "score" => self.score = Some(value),
                "is_correct" => self.is_correct = Some(value),
                "num_turns" => self.num_turns = Some(value),
                "tool_calls_count" => self.tool_calls_count = Some(value),
                _ => {}
            }
        }
    }

    fn take_tokens(&mut self, usage: Value<'d>) {
        for (key, value) in named(usage) {
            match &*key {
                "input_tokens" => self.input_tokens = Some(value),
                "output_tokens" => self.output_tokens = Some(value),
                "total_tokens" => self.total_tokens = Some(value),
                "reasoning_tokens" => self.reasoning_tokens = Some(value),
                "input_tokens_cache_read" => self.cache_read = Some(value),
                "input_tokens_cache_write" => self.cache_write = Some(value),
                _ => {}
            }
        }
    }

    fn take_performance(&mut self, performance: Value<'d>) {
        for (key, value) in named(performance) {
            match &*key {
                "latency_ms" => self.latency = Some(value),
                "time_to_first_token_ms" => self.first_token = Some(value),
                "generation_time_ms" => self.generation = Some(value),
                _ => {}
            }
        }
    }
}

/// The entries of a map whose keys are text, as they are written or spelled with escapes.
fn named(map: Value<'_>) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>)> {
    map.entries()
        .filter_map(|(key, value)| Some((key.text()?, value)))
}
