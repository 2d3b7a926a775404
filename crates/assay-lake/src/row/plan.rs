//! Where all that is wanted of a row stands in it.

use std::borrow::Cow;
use std::ops::Range;

use assay_formats::{Kind, Value};

use crate::sample::{Block, Part, Piece};
use crate::value::{each, number, text};

/// The place of a part that a row does not have.
const NOWHERE: u32 = u32::MAX;

/// Where in a row all that is wanted of it stands. It is the same for rows that are laid out alike.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) task: Place,
    pub(super) result_id: Place,
    pub(super) id: Place,
    pub(super) hash: Place,
    pub(super) interaction: Place,
    pub(super) input: Place,
    error: Place,
    pub(super) metadata: Place,
    pub(super) numbers: Vec<(Number, Place)>,
    /// What the model said, and what it thought before.
    outputs: Vec<Place>,
    traces: Vec<Place>,
    turns: Vec<Turn>,
    /// The calls that the turns answer.
    call_ids: Vec<Place>,
    /// The turns of the answers that were found, and the answers.
    answers: Vec<[Place; 2]>,
}

/// A turn of a conversation.
#[derive(Debug, PartialEq, Eq)]
struct Turn {
    number: Place,
    role: Place,
    content: Place,
    reasoning: Place,
    calls: Place,
    call_ids: Range<usize>,
}

/// Where a value stands in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u32);

/// The numbers and truths of a row, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Score,
    IsCorrect,
    Turns,
    ToolCalls,
    InputTokens,
    OutputTokens,
    TotalTokens,
    ReasoningTokens,
    CacheRead,
    CacheWrite,
    Latency,
    FirstToken,
    Generation,
    HasFailed,
}

impl Default for Place {
    fn default() -> Self {
        Self(NOWHERE)
    }
}

impl Place {
    fn of(value: Option<Value<'_>>) -> Self {
        value.map_or(Self::default(), |value| Self(value.place()))
    }

    /// The value at this place.
    #[inline]
    pub(super) fn get(self, row: Value<'_>) -> Option<Value<'_>> {
        row.at_place(self.0)
    }

    /// Its text.
    #[inline]
    pub(super) fn text(self, row: Value<'_>) -> Option<Cow<'_, str>> {
        self.get(row).and_then(text)
    }
}

impl Number {
    /// The number as bits, when it is one.
    #[inline]
    pub(super) fn read(self, value: Value<'_>) -> Option<u64> {
        match self {
            Self::Score | Self::Latency | Self::FirstToken | Self::Generation => {
                number(value).map(f64::to_bits)
            }
            Self::IsCorrect => value.truth().map(u64::from),
            Self::HasFailed => Some(u64::from(value.kind() == Kind::String)),
            Self::Turns
            | Self::ToolCalls
            | Self::InputTokens
            | Self::OutputTokens
            | Self::TotalTokens
            | Self::ReasoningTokens
            | Self::CacheRead
            | Self::CacheWrite => value.integer().map(i64::cast_unsigned),
        }
    }
}

impl Plan {
    /// Goes through a row and its maps once, and not once for each of the keys.
    pub(super) fn make(&mut self, row: Value<'_>) {
        self.forget();
        let (mut messages, mut interactions, mut answers) = (None, None, None);
        each(row, |name, value| match name {
            "evaluation_name" => self.task = Place(value.place()),
            "evaluation_result_id" => self.result_id = Place(value.place()),
            "sample_id" => self.id = Place(value.place()),
            "sample_hash" => self.hash = Place(value.place()),
            "interaction_type" => self.interaction = Place(value.place()),
            "input" => self.input = Place(value.place()),
            "output" => each(value, |name, value| match name {
                "raw" => list(value, &mut self.outputs),
                "reasoning_trace" => list(value, &mut self.traces),
                _ => {}
            }),
            "messages" => messages = Some(value),
            // The conversation, as it was called in 0.2.0.
            "interactions" => interactions = Some(value),
            "answer_attribution" => answers = Some(value),
            "evaluation" | "token_usage" | "performance" => each(value, |own, value| {
                if let Some(number) = number_named(name, own) {
                    self.add_number(number, value);
                }
            }),
            "error" => {
                self.error = Place(value.place());
                self.add_number(Number::HasFailed, value);
            }
            "metadata" if value.kind() == Kind::Map && !value.is_empty() => {
                self.metadata = Place(value.place());
            }
            _ => {}
        });
        for turn in messages.or(interactions).into_iter().flat_map(Value::items) {
            self.add_turn(turn);
        }
        for answer in answers.into_iter().flat_map(Value::items) {
            let parts = answer.parts(["turn_idx", "extracted_value"]);
            self.answers.push(parts.map(Place::of));
        }
    }

    /// Adds a number. Of two under one name, which is a fault that others tell of, the last counts.
    fn add_number(&mut self, number: Number, value: Value<'_>) {
        self.numbers.retain(|(own, _)| *own != number);
        self.numbers.push((number, Place(value.place())));
    }

    fn add_turn(&mut self, turn: Value<'_>) {
        let [number, role, content, reasoning, calls, call_ids] = turn.parts([
            "turn_idx",
            "role",
            "content",
            "reasoning_trace",
            "tool_calls",
            "tool_call_id",
        ]);
        let start = self.call_ids.len();
        if let Some(call_ids) = call_ids {
            add_list(call_ids, &mut self.call_ids);
        }
        let calls = calls.filter(|calls| calls.kind() == Kind::List && !calls.is_empty());
        self.turns.push(Turn {
            number: Place::of(number),
            role: Place::of(role),
            content: Place::of(content),
            reasoning: Place::of(reasoning),
            calls: Place::of(calls),
            call_ids: start..self.call_ids.len(),
        });
    }

    /// Forgets all places, and keeps the memory.
    fn forget(&mut self) {
        for place in [
            &mut self.task,
            &mut self.result_id,
            &mut self.id,
            &mut self.hash,
            &mut self.interaction,
            &mut self.input,
            &mut self.error,
            &mut self.metadata,
        ] {
            *place = Place::default();
        }
        self.numbers.clear();
        self.outputs.clear();
        self.traces.clear();
        self.turns.clear();
        self.call_ids.clear();
        self.answers.clear();
    }

    /// Adds what was said, in the order of the conversation.
    pub(super) fn say(&self, row: Value<'_>, block: &mut Block) {
        let mut outputs = self.outputs.iter().filter_map(|place| place.text(row));
        let mut traces = self.traces.iter().filter_map(|place| place.text(row));
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
        for turn in &self.turns {
            self.say_turn(turn, row, block);
        }
        for [turn, value] in &self.answers {
            if let Some(value) = value.text(row) {
                block.say(&Piece {
                    turn: turn.get(row).and_then(Value::integer),
                    ..Piece::of(Part::Answer, &value)
                });
            }
        }
        if let Some(error) = self.error.text(row) {
            block.say(&Piece::of(Part::Error, &error));
        }
    }

    fn say_turn(&self, turn: &Turn, row: Value<'_>, block: &mut Block) {
        let [role, content, reasoning] =
            [turn.role, turn.content, turn.reasoning].map(|place| place.text(row));
        let call_ids = self.call_ids[turn.call_ids.clone()].iter();
        let call_ids: Vec<Cow<'_, str>> = call_ids.filter_map(|place| place.text(row)).collect();
        let call_ids = (!call_ids.is_empty()).then(|| call_ids.join(" "));
        block.say(&Piece {
            part: Part::Message,
            turn: turn.number.get(row).and_then(Value::integer),
            role: role.as_deref(),
            texts: [
                content.as_deref(),
                reasoning.as_deref(),
                turn.calls.get(row).map(Value::raw),
                call_ids.as_deref(),
            ],
        });
    }
}

/// The number that stands under a name in a part of a row.
fn number_named(part: &str, name: &str) -> Option<Number> {
    Some(match (part, name) {
        ("evaluation", "score") => Number::Score,
        ("evaluation", "is_correct") => Number::IsCorrect,
        ("evaluation", "num_turns") => Number::Turns,
        ("evaluation", "tool_calls_count") => Number::ToolCalls,
        ("token_usage", "input_tokens") => Number::InputTokens,
        ("token_usage", "output_tokens") => Number::OutputTokens,
        ("token_usage", "total_tokens") => Number::TotalTokens,
        ("token_usage", "reasoning_tokens") => Number::ReasoningTokens,
        ("token_usage", "input_tokens_cache_read") => Number::CacheRead,
        ("token_usage", "input_tokens_cache_write") => Number::CacheWrite,
        ("performance", "latency_ms") => Number::Latency,
        ("performance", "time_to_first_token_ms") => Number::FirstToken,
        ("performance", "generation_time_ms") => Number::Generation,
        _ => return None,
    })
}

/// The places of a list of texts. A text alone is a list of one: in 0.2.0 many lists may be either.
fn list(value: Value<'_>, places: &mut Vec<Place>) {
    places.clear();
    add_list(value, places);
}

fn add_list(value: Value<'_>, places: &mut Vec<Place>) {
    match value.kind() {
        Kind::List => places.extend(value.items().map(|item| Place(item.place()))),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => places.push(Place(value.place())),
        Kind::Map => {}
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
