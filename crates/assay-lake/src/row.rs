//! Rows of a samples file as columns: scores here, text there.

use std::borrow::Cow;

use assay_formats::{Kind, Value};

use crate::record::RecordFacts;
use crate::sample::{Block, NUMBERS, Part, Piece, Sample, Score, hash_of};
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
        numbers: parts.numbers,
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
    error: Option<Value<'d>>,
    metadata: Option<Value<'d>>,
    /// The numbers and truths as bits, in the order of the table.
    numbers: [Option<u64>; NUMBERS],
}

/// Goes through a map whose keys are text, as they are written or spelled with escapes.
///
/// A row has some thirty keys, most of them wanted: comparing each with the names of its length is faster than looking for each
/// name.
fn each<'d>(map: Value<'d>, mut take: impl FnMut(&str, Value<'d>)) {
    for (key, value) in map.entries() {
        if let Some(name) = key.plain_text() {
            take(name, value);
        } else if let Some(name) = key.text() {
            take(&name, value);
        }
    }
}

impl<'d> Parts<'d> {
    fn of(row: Value<'d>) -> Self {
        let mut parts = Self::default();
        let mut interactions = None;
        each(row, |name, value| match name {
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
        });
        // In 0.2.0 the conversation was called `interactions`.
        parts.messages = parts.messages.or(interactions);
        let failed = parts
            .error
            .is_some_and(|error| error.kind() == Kind::String);
        parts.numbers[13] = Some(u64::from(failed));
        parts
    }

    fn take_input(&mut self, input: Value<'d>) {
        each(input, |name, value| match name {
            "raw" => self.question = Some(value),
            "reference" => self.reference = Some(value),
            "choices" => self.choices = Some(value),
            _ => {}
        });
    }

    fn take_output(&mut self, output: Value<'d>) {
        each(output, |name, value| match name {
            "raw" => self.output = Some(value),
            "reasoning_trace" => self.trace = Some(value),
            _ => {}
        });
    }

    fn take_evaluation(&mut self, evaluation: Value<'d>) {
        let numbers = &mut self.numbers;
        each(evaluation, |name, value| match name {
            "score" => numbers[0] = double(value),
            "is_correct" => numbers[1] = value.truth().map(u64::from),
            "num_turns" => numbers[2] = integer(value),
            "tool_calls_count" => numbers[3] = integer(value),
            _ => {}
        });
    }

    fn take_tokens(&mut self, usage: Value<'d>) {
        let numbers = &mut self.numbers;
        each(usage, |name, value| match name {
            "input_tokens" => numbers[4] = integer(value),
            "output_tokens" => numbers[5] = integer(value),
            "total_tokens" => numbers[6] = integer(value),
            "reasoning_tokens" => numbers[7] = integer(value),
            "input_tokens_cache_read" => numbers[8] = integer(value),
            "input_tokens_cache_write" => numbers[9] = integer(value),
            _ => {}
        });
    }

    fn take_performance(&mut self, performance: Value<'d>) {
        let numbers = &mut self.numbers;
        each(performance, |name, value| match name {
            "latency_ms" => numbers[10] = double(value),
            "time_to_first_token_ms" => numbers[11] = double(value),
            "generation_time_ms" => numbers[12] = double(value),
            _ => {}
        });
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

fn double(value: Value<'_>) -> Option<u64> {
    number(value).map(f64::to_bits)
}

fn integer(value: Value<'_>) -> Option<u64> {
    value.integer().map(i64::cast_unsigned)
}
