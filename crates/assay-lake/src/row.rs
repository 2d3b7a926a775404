//! Rows of a samples file as columns: scores here, text there.

use std::borrow::Cow;

use assay_formats::eee::sample_hash;
use assay_formats::{Kind, Value};

use crate::batch::{Batch, Cell};
use crate::record::RecordFacts;
use crate::value::{at, integer_at, number_at, text_at, texts};

/// Takes the rows of one record in.
pub(crate) struct RowReader<'f> {
    facts: &'f RecordFacts,
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

impl<'f> RowReader<'f> {
    /// No rows yet.
    pub(crate) fn new(facts: &'f RecordFacts) -> Self {
        Self {
            facts,
            instances: Batch::new(crate::Table::Instances),
            messages: Batch::new(crate::Table::Messages),
        }
    }

    /// Takes a row in, which stands on this line of its file.
    pub(crate) fn push(&mut self, row: Value<'_>, line: u64) {
        let references = at(row, &["input", "reference"]).map_or_else(Vec::new, texts);
        let sample = Sample {
            task: text_at(row, &["evaluation_name"]),
            id: text_at(row, &["sample_id"]),
            hash: hash(row, &references),
            result_id: text_at(row, &["evaluation_result_id"]),
            line: i64::try_from(line).ok(),
        };
        self.push_instance(row, &sample);
        self.push_messages(row, &sample, &references);
    }

    fn push_instance(&mut self, row: Value<'_>, sample: &Sample<'_>) {
        let evaluation = |key: &str| at(row, &["evaluation", key]);
        let tokens = |key: &str| integer_at(row, &["token_usage", key]);
        let time = |key: &str| number_at(row, &["performance", key]);
        let interaction = text_at(row, &["interaction_type"]);
        let is_correct = evaluation("is_correct").and_then(Value::truth);
        let failed = row
            .get("error")
            .is_some_and(|error| error.kind() == Kind::String);
        let metadata = row
            .get("metadata")
            .filter(|metadata| metadata.kind() == Kind::Map && !metadata.is_empty());
        let facts = self.facts;
        self.instances.push(&[
            Cell::Text(Some(&facts.partition.benchmark)),
            Cell::Text(Some(&facts.partition.model)),
            Cell::Text(sample.task.as_deref()),
            Cell::Text(facts.metric(sample.result_id.as_deref(), sample.task.as_deref())),
            Cell::Text(sample.hash.as_deref()),
            Cell::Text(sample.id.as_deref()),
            Cell::Number(number_at(row, &["evaluation", "score"])),
            Cell::Truth(is_correct),
            Cell::Text(interaction.as_deref()),
            Cell::Integer(integer_at(row, &["evaluation", "num_turns"])),
            Cell::Integer(integer_at(row, &["evaluation", "tool_calls_count"])),
            Cell::Integer(tokens("input_tokens")),
            Cell::Integer(tokens("output_tokens")),
            Cell::Integer(tokens("total_tokens")),
            Cell::Integer(tokens("reasoning_tokens")),
            Cell::Integer(tokens("input_tokens_cache_read")),
            Cell::Integer(tokens("input_tokens_cache_write")),
            Cell::Number(time("latency_ms")),
            Cell::Number(time("time_to_first_token_ms")),
            Cell::Number(time("generation_time_ms")),
            Cell::Truth(Some(failed)),
            Cell::Text(metadata.map(Value::raw)),
            Cell::Text(Some(&facts.id)),
            Cell::Text(sample.result_id.as_deref()),
            Cell::Integer(sample.line),
        ]);
    }

    fn push_messages(&mut self, row: Value<'_>, sample: &Sample<'_>, references: &[Cow<'_, str>]) {
        let mut position = 0;
        let mut say = |batch: &mut Batch, facts: &RecordFacts, part: &str, piece: &Piece<'_>| {
            push_piece(batch, facts, sample, position, part, piece);
            position += 1;
        };
        let (batch, facts) = (&mut self.messages, self.facts);
        if let Some(raw) = text_at(row, &["input", "raw"]) {
            say(batch, facts, "input", &Piece::by("user", &raw));
        }
        for reference in references {
            say(batch, facts, "reference", &Piece::of(reference));
        }
        let choices = at(row, &["input", "choices"]).map_or_else(Vec::new, texts);
        for choice in &choices {
            say(batch, facts, "choice", &Piece::of(choice));
        }
        let outputs = at(row, &["output", "raw"]).map_or_else(Vec::new, texts);
        let traces = at(row, &["output", "reasoning_trace"]).map_or_else(Vec::new, texts);
        for index in 0..outputs.len().max(traces.len()) {
            let piece = Piece {
                role: Some("assistant"),
                content: outputs.get(index).map(|text| &**text),
                reasoning: traces.get(index).map(|text| &**text),
                ..Piece::default()
            };
            say(batch, facts, "output", &piece);
        }
        // In 0.2.0 the conversation was called `interactions`.
        let messages = row.get("messages").or_else(|| row.get("interactions"));
        for message in messages.into_iter().flat_map(Value::items) {
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
            say(batch, facts, "message", &piece);
        }
        for answer in row
            .get("answer_attribution")
            .into_iter()
            .flat_map(Value::items)
        {
            let Some(value) = text_at(answer, &["extracted_value"]) else {
                continue;
            };
            let piece = Piece {
                turn: integer_at(answer, &["turn_idx"]),
                ..Piece::of(&value)
            };
            say(batch, facts, "answer", &piece);
        }
        if let Some(error) = text_at(row, &["error"]) {
            say(batch, facts, "error", &Piece::of(&error));
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
fn hash(row: Value<'_>, references: &[Cow<'_, str>]) -> Option<String> {
    let raw = text_at(row, &["input", "raw"]);
    match raw.filter(|raw| !raw.trim().is_empty()) {
        Some(raw) => Some(sample_hash(&raw, references)),
        None => text_at(row, &["sample_hash"]).map(Cow::into_owned),
    }
}
