//! Rows of a samples file as columns: scores here, text there.

use std::borrow::Cow;
use std::num::NonZeroU64;

use assay_formats::{Kind, Value};

use crate::record::RecordFacts;
use crate::sample::{Asked, Block, NUMBERS, Part, Piece, Questions, Sample, Score};
use crate::value::{each, number, text, texts};

/// The parts of a row.
#[derive(Debug, Clone, Copy)]
enum Field {
    Task,
    ResultId,
    SampleId,
    SampleHash,
    Interaction,
    Input,
    Output,
    Trace,
    Messages,
    /// The conversation, as it was called in 0.2.0.
    Interactions,
    Attribution,
    Error,
    Metadata,
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
}

/// How many parts there are.
const FIELDS: usize = Field::Generation as usize + 1;
/// The place of a part that a row does not have.
const NOWHERE: u32 = u32::MAX;

/// Where each part of a row stands.
type Places = [u32; FIELDS];

/// Reads the rows of a file, each in the light of those before.
#[derive(Debug)]
pub(crate) struct Reader {
    /// Where the parts of the last row stood.
    places: Places,
    /// How that was laid out, as far as it is known.
    layout: Option<NonZeroU64>,
    /// Where the next question is expected.
    expected: u32,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            places: [NOWHERE; FIELDS],
            layout: None,
            expected: 0,
        }
    }
}

/// A row taken apart.
struct Parts<'d, 'r> {
    row: Value<'d>,
    places: &'r Places,
}

impl Reader {
    /// Takes a row in, which stands on this line of its file.
    pub(crate) fn push(
        &mut self,
        block: &mut Block,
        facts: &RecordFacts,
        questions: &Questions,
        row: Value<'_>,
        line: u64,
    ) {
        self.look_at(row);
        let parts = Parts {
            row,
            places: &self.places,
        };
        let asked = match parts.get(Field::Input) {
            Some(input) => questions.asked(input, self.expected),
            None => Asked::Nothing,
        };
        if let Asked::Kept(place) = asked {
            self.expected = place + 1;
        }
        let [task, id, result_id, interaction] = [
            Field::Task,
            Field::SampleId,
            Field::ResultId,
            Field::Interaction,
        ]
        .map(|field| parts.text(field));
        // Where the question was left out, what the row says is all there is.
        let ours = asked
            .get(questions)
            .and_then(|question| question.hash.as_ref());
        let theirs = match ours {
            Some(_) => None,
            None => parts.text(Field::SampleHash),
        };
        let sample = Sample {
            task: task.as_deref(),
            hash: match ours {
                Some(digits) => Some(digits),
                None => theirs.as_deref().map(str::as_bytes),
            },
            id: id.as_deref(),
            result_id: result_id.as_deref(),
            line: i64::try_from(line).ok(),
        };
        let metadata = parts
            .get(Field::Metadata)
            .filter(|metadata| metadata.kind() == Kind::Map && !metadata.is_empty());
        let score = Score {
            interaction: interaction.as_deref(),
            metadata: metadata.map(Value::raw),
            numbers: parts.numbers(),
        };
        block.push(&sample, &score, || {
            facts.metric(result_id.as_deref(), task.as_deref())
        });
        block.ask(asked, questions);
        parts.say(block);
    }

    /// Finds the parts of a row. Most rows of a file are laid out alike, and then they stand where those of the row before stood.
    fn look_at(&mut self, row: Value<'_>) {
        let layout = row.layout();
        if layout.is_none() || layout != self.layout {
            self.places = places_in(row);
            self.layout = layout;
        }
    }
}

/// Goes through a row and its maps once, and not once for each of the keys.
fn places_in(row: Value<'_>) -> Places {
    let mut places = [NOWHERE; FIELDS];
    let mut put = |field: Field, value: Value<'_>| places[field as usize] = value.place();
    each(row, |name, value| match name {
        "evaluation_name" => put(Field::Task, value),
        "evaluation_result_id" => put(Field::ResultId, value),
        "sample_id" => put(Field::SampleId, value),
        "sample_hash" => put(Field::SampleHash, value),
        "interaction_type" => put(Field::Interaction, value),
        "input" => put(Field::Input, value),
        "output" => each(value, |name, value| match name {
            "raw" => put(Field::Output, value),
            "reasoning_trace" => put(Field::Trace, value),
            _ => {}
        }),
        "messages" => put(Field::Messages, value),
        "interactions" => put(Field::Interactions, value),
        "answer_attribution" => put(Field::Attribution, value),
        "evaluation" => each(value, |name, value| match name {
            "score" => put(Field::Score, value),
            "is_correct" => put(Field::IsCorrect, value),
            "num_turns" => put(Field::Turns, value),
            "tool_calls_count" => put(Field::ToolCalls, value),
            _ => {}
        }),
        "token_usage" => each(value, |name, value| match name {
            "input_tokens" => put(Field::InputTokens, value),
            "output_tokens" => put(Field::OutputTokens, value),
            "total_tokens" => put(Field::TotalTokens, value),
            "reasoning_tokens" => put(Field::ReasoningTokens, value),
            "input_tokens_cache_read" => put(Field::CacheRead, value),
            "input_tokens_cache_write" => put(Field::CacheWrite, value),
            _ => {}
        }),
        "performance" => each(value, |name, value| match name {
            "latency_ms" => put(Field::Latency, value),
            "time_to_first_token_ms" => put(Field::FirstToken, value),
            "generation_time_ms" => put(Field::Generation, value),
            _ => {}
        }),
        "error" => put(Field::Error, value),
        "metadata" => put(Field::Metadata, value),
        _ => {}
    });
    places
}

impl<'d> Parts<'d, '_> {
    fn get(&self, field: Field) -> Option<Value<'d>> {
        self.row.at_place(self.places[field as usize])
    }

    fn text(&self, field: Field) -> Option<Cow<'d, str>> {
        self.get(field).and_then(text)
    }

    /// The numbers and truths as bits, in the order of the table.
    fn numbers(&self) -> [Option<u64>; NUMBERS] {
        let double = |field| Some(number(self.get(field)?)?.to_bits());
        let integer = |field| Some(self.get(field)?.integer()?.cast_unsigned());
        let has_failed = self
            .get(Field::Error)
            .is_some_and(|error| error.kind() == Kind::String);
        [
            double(Field::Score),
            self.get(Field::IsCorrect)
                .and_then(Value::truth)
                .map(u64::from),
            integer(Field::Turns),
            integer(Field::ToolCalls),
            integer(Field::InputTokens),
            integer(Field::OutputTokens),
            integer(Field::TotalTokens),
            integer(Field::ReasoningTokens),
            integer(Field::CacheRead),
            integer(Field::CacheWrite),
            double(Field::Latency),
            double(Field::FirstToken),
            double(Field::Generation),
            Some(u64::from(has_failed)),
        ]
    }

    /// Adds what was said, in the order of the conversation.
    fn say(&self, block: &mut Block) {
        let mut outputs = self.get(Field::Output).into_iter().flat_map(texts);
        let mut traces = self.get(Field::Trace).into_iter().flat_map(texts);
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
        let conversation = self
            .get(Field::Messages)
            .or_else(|| self.get(Field::Interactions));
        for message in conversation.into_iter().flat_map(Value::items) {
            say_message(block, message);
        }
        let answers = self.get(Field::Attribution).into_iter();
        for answer in answers.flat_map(Value::items) {
            let [turn, value] = answer.parts(["turn_idx", "extracted_value"]);
            if let Some(value) = value.and_then(text) {
                block.say(&Piece {
                    turn: turn.and_then(Value::integer),
                    ..Piece::of(Part::Answer, &value)
                });
            }
        }
        if let Some(error) = self.text(Field::Error) {
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

#[cfg(test)]
mod tests {
    use assay_formats::Tape;
    use assay_formats::json::Parser;
    use proptest::prelude::*;

    use super::*;

    /// A row with some of the parts, in one of two orders; digits and words differ from row to row.
    fn row() -> impl Strategy<Value = String> {
        (any::<[bool; 5]>(), "[1-9][0-9]{0,2}", "[a-c]{0,3}").prop_map(|(has, number, word)| {
            let mut parts = vec![
                format!(r#""evaluation_name": "{word}""#),
                format!(r#""evaluation": {{"score": {number}, "is_correct": true}}"#),
            ];
            if has[0] {
                parts.push(format!(r#""input": {{"raw": "{word}", "reference": []}}"#));
            }
            if has[1] {
                parts.push(format!(r#""token_usage": {{"output_tokens": {number}}}"#));
            }
            if has[2] {
                parts.push(r#""interactions": [], "error": null"#.to_owned());
            }
            if has[3] {
                parts.push(format!(
                    r#""output": {{"raw": ["{word}"]}}, "sample_\u0069d": "{number}""#
                ));
            }
            if has[4] {
                parts.reverse();
            }
            format!("{{{}}}", parts.join(", "))
        })
    }

    proptest! {
        #[test]
        fn parts_stand_where_they_are_found_without_the_row_before(
            rows in proptest::collection::vec((row(), 1_usize..40), 1..6),
        ) {
            let (mut parser, mut tape, mut reader) = (Parser::default(), Tape::new(), Reader::default());
            let mut known = 0;
            for (row, times) in &rows {
                for number in 0..*times {
                    let text = row.replace('1', &(number % 9 + 1).to_string());
                    prop_assert!(parser.parse(&text, &mut tape));
                    let row = tape.root(&text).unwrap();
                    known += usize::from(row.layout().is_some() && row.layout() == reader.layout);
                    reader.look_at(row);
                    prop_assert_eq!(reader.places, places_in(row));
                }
            }
            // Rows that are repeated often enough are known.
            prop_assert!(known > 0 || rows.iter().all(|(_, times)| *times < 30));
        }
    }
}
