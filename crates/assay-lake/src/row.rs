//! Rows of a samples file as columns: scores here, text there.

use std::borrow::Cow;

use assay_formats::{Kind, Value};

use crate::record::RecordFacts;
use crate::sample::{Block, Part, Piece, Sample, Score, hash_of};
use crate::value::{number, text, texts};

/// Takes a row in, which stands on this line of its file.
pub(crate) fn push_row(block: &mut Block, facts: &RecordFacts, row: Value<'_>, line: u64) {
    let parts = Parts::of(row);
    let question = parts.question.and_then(text);
    let [task, id, result_id, interaction] = [
        parts.task,
        parts.sample_id,
        parts.result_id,
        parts.interaction,
    ]
    .map(|value| value.and_then(text));
    let hash = hash(&parts, question.as_deref());
    let sample = Sample {
        task: task.as_deref(),
        hash: hash.as_ref().map(Hash::as_bytes),
        id: id.as_deref(),
        result_id: result_id.as_deref(),
        line: i64::try_from(line).ok(),
    };
    let metadata = parts
        .metadata
        .filter(|metadata| metadata.kind() == Kind::Map && !metadata.is_empty());
    let score = Score {
        interaction: interaction.as_deref(),
        metadata: metadata.map(Value::raw),
        numbers: parts.numbers(),
    };
    block.push(&sample, &score, || {
        facts.metric(result_id.as_deref(), task.as_deref())
    });
    parts.say(block, question.as_deref());
}

/// What tells one question from another, in every harness alike.
enum Hash<'d> {
    Ours([u8; 64]),
    Theirs(Cow<'d, str>),
}

impl Hash<'_> {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Ours(digits) => digits,
            Self::Theirs(text) => text.as_bytes(),
        }
    }
}

/// Converters in the wild have recipes of their own for `sample_hash`, so the question is hashed here by the one that the
/// schema describes. Where the question was left out, what the row says is all there is.
fn hash<'d>(parts: &Parts<'d>, question: Option<&str>) -> Option<Hash<'d>> {
    let asked = question.filter(|question| !question.trim().is_empty());
    match (parts.question, asked) {
        (Some(value), Some(raw)) => Some(Hash::Ours(hash_of(value, raw, parts.reference))),
        (None, _) | (_, None) => parts.sample_hash.and_then(text).map(Hash::Theirs),
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
    evaluation: Option<Value<'d>>,
    usage: Option<Value<'d>>,
    performance: Option<Value<'d>>,
    error: Option<Value<'d>>,
    metadata: Option<Value<'d>>,
}

/// The values behind some keys of a map that may be missing itself.
fn parts_of<'d, const N: usize>(map: Option<Value<'d>>, keys: [&str; N]) -> [Option<Value<'d>>; N] {
    map.map_or([None; N], |map| map.parts(keys))
}

impl<'d> Parts<'d> {
    fn of(row: Value<'d>) -> Self {
        let [
            task,
            result_id,
            sample_id,
            sample_hash,
            interaction,
            input,
            output,
            messages,
            attribution,
            evaluation,
            usage,
            performance,
            error,
            metadata,
            interactions,
        ] = row.parts([
            "evaluation_name",
            "evaluation_result_id",
            "sample_id",
            "sample_hash",
            "interaction_type",
            "input",
            "output",
            "messages",
            "answer_attribution",
            "evaluation",
            "token_usage",
            "performance",
            "error",
            "metadata",
            "interactions",
        ]);
        let [question, reference, choices] = parts_of(input, ["raw", "reference", "choices"]);
        let [output, trace] = parts_of(output, ["raw", "reasoning_trace"]);
        Self {
            task,
            result_id,
            sample_id,
            sample_hash,
            interaction,
            question,
            reference,
            choices,
            output,
            trace,
            // In 0.2.0 the conversation was called `interactions`.
            messages: messages.or(interactions),
            attribution,
            evaluation,
            usage,
            performance,
            error,
            metadata,
        }
    }

    /// The numbers and truths, in the order of the table.
    fn numbers(&self) -> [Option<u64>; 14] {
        let [score, is_correct, turns, calls] = parts_of(
            self.evaluation,
            ["score", "is_correct", "num_turns", "tool_calls_count"],
        );
        let [input, output, total, reasoning, cache_read, cache_write] = parts_of(
            self.usage,
            [
                "input_tokens",
                "output_tokens",
                "total_tokens",
                "reasoning_tokens",
                "input_tokens_cache_read",
                "input_tokens_cache_write",
            ],
        );
        let [latency, first_token, generation] = parts_of(
            self.performance,
            ["latency_ms", "time_to_first_token_ms", "generation_time_ms"],
        );
        let double = |value: Option<Value<'_>>| value.and_then(number).map(f64::to_bits);
        let integer = |value: Option<Value<'_>>| {
            let integer = value.and_then(Value::integer);
            integer.map(i64::cast_unsigned)
        };
        let failed = self.error.is_some_and(|error| error.kind() == Kind::String);
        [
            double(score),
            is_correct.and_then(Value::truth).map(u64::from),
            integer(turns),
            integer(calls),
            integer(input),
            integer(output),
            integer(total),
            integer(reasoning),
            integer(cache_read),
            integer(cache_write),
            double(latency),
            double(first_token),
            double(generation),
            Some(u64::from(failed)),
        ]
    }

    /// Adds the text, in the order of the conversation.
    fn say(&self, block: &mut Block, question: Option<&str>) {
        if let Some(raw) = question {
            block.say(&Piece {
                role: Some("user"),
                ..Piece::of(Part::Input, raw)
            });
        }
        for reference in self.reference.into_iter().flat_map(texts) {
            block.say(&Piece::of(Part::Reference, &reference));
        }
        for choice in self.choices.into_iter().flat_map(texts) {
            block.say(&Piece::of(Part::Choice, &choice));
        }
        let mut outputs = self.output.into_iter().flat_map(texts);
        let mut traces = self.trace.into_iter().flat_map(texts);
        loop {
            let (output, trace) = (outputs.next(), traces.next());
            if output.is_none() && trace.is_none() {
                break;
            }
            block.say(&Piece {
                part: Part::Output,
                role: Some("assistant"),
                texts: [output.as_deref(), trace.as_deref(), None, None],
                ..Piece::default()
            });
        }
        for message in self.messages.into_iter().flat_map(Value::items) {
            say_message(block, message);
        }
        for answer in self.attribution.into_iter().flat_map(Value::items) {
            let [turn, value] = answer.parts(["turn_idx", "extracted_value"]);
            if let Some(value) = value.and_then(text) {
                block.say(&Piece {
                    turn: turn.and_then(Value::integer),
                    ..Piece::of(Part::Answer, &value)
                });
            }
        }
        if let Some(error) = self.error.and_then(text) {
            block.say(&Piece::of(Part::Error, &error));
        }
    }
}

impl<'a> Piece<'a> {
    fn of(part: Part, content: &'a str) -> Self {
        Self {
            part,
            texts: [Some(content), None, None, None],
            ..Self::default()
        }
    }
}

fn say_message(block: &mut Block, message: Value<'_>) {
    let [turn, role, content, reasoning, calls, call_ids] = message.parts([
        "turn_idx",
        "role",
        "content",
        "reasoning_trace",
        "tool_calls",
        "tool_call_id",
    ]);
    let [role, content, reasoning] = [role, content, reasoning].map(|value| value.and_then(text));
    let call_ids: Vec<Cow<'_, str>> = call_ids.into_iter().flat_map(texts).collect();
    let call_ids = (!call_ids.is_empty()).then(|| call_ids.join(" "));
    let calls = calls.filter(|calls| calls.kind() == Kind::List && !calls.is_empty());
    block.say(&Piece {
        part: Part::Message,
        turn: turn.and_then(Value::integer),
        role: role.as_deref(),
        texts: [
            content.as_deref(),
            reasoning.as_deref(),
            calls.map(Value::raw),
            call_ids.as_deref(),
        ],
    });
}
