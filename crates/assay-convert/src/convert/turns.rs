//! The turns of an exchange between a model, its user and its tools, as a row has them.

use assay_formats::eee::row::{Attribution, InteractionType, Message, Output, Row, Text};
use assay_formats::json::{self, Layout, Node};
use assay_formats::{Kind, Value};

/// The role of the model in a row.
const ASSISTANT: &str = "assistant";

/// An exchange.
#[derive(Debug, Default)]
pub(super) struct Turns<'d> {
    /// The first message of the user.
    pub(super) question: Option<Text<'d>>,
    messages: Vec<Message<'d>>,
}

impl<'d> Turns<'d> {
    /// Adds a turn, to which calls and reasoning can be added.
    pub(super) fn push(&mut self, role: Text<'d>, content: Text<'d>) -> &mut Message<'d> {
        if self.question.is_none() && role == "user" {
            self.question = Some(content.clone());
        }
        let position = self.messages.len();
        self.messages.push(Message {
            turn_idx: position,
            role,
            content: Some(content),
            reasoning_trace: None,
            tool_calls: Vec::new(),
            tool_call_id: Vec::new(),
        });
        &mut self.messages[position]
    }

    /// Puts the turns into a row.
    pub(super) fn fill(self, row: &mut Row<'d>) {
        let answers = || self.messages.iter().filter(|own| own.role == ASSISTANT);
        let calls: usize = answers().map(|own| own.tool_calls.len()).sum();
        row.interaction_type = if calls > 0 {
            InteractionType::Agentic
        } else if answers().count() > 1 {
            InteractionType::MultiTurn
        } else {
            InteractionType::SingleTurn
        };
        let last = self.messages.iter().rfind(|own| own.role == ASSISTANT);
        if let Some(answer) = last {
            row.answer_attribution.push(Attribution {
                turn_idx: answer.turn_idx,
                source: "messages".into(),
                extracted_value: answer.content.clone().unwrap_or_default(),
                extraction_method: "last_message".into(),
                is_terminal: true,
            });
        }
        if row.interaction_type == InteractionType::SingleTurn {
            let said = last.and_then(|own| own.content.clone());
            row.output = Some(Output {
                raw: said.into_iter().collect(),
                reasoning_trace: last.and_then(|own| Some(vec![own.reasoning_trace.clone()?])),
            });
            for answer in &mut row.answer_attribution {
                (answer.turn_idx, answer.source) = (0, "output.raw".into());
            }
            return;
        }
        row.output = None;
        row.evaluation.num_turns = Some(self.messages.len());
        row.evaluation.tool_calls_count = Some(calls);
        row.messages = Some(self.messages);
    }
}

/// The text of a message: a text, or parts of which texts are joined; a picture is its kind in
/// brackets.
pub(super) fn text_of(content: Value<'_>) -> Text<'_> {
    if let Some(text) = content.text() {
        return text;
    }
    let part = |part: Value<'_>| match part.text_of("text") {
        Some(text) => text.into_owned(),
        None => format!("[{}]", part.text_of("type").unwrap_or_default()),
    };
    let parts: Vec<String> = content.items().map(part).collect();
    parts.join("\n").into()
}

/// A text as it is, anything else as JSON.
pub(super) fn detail(value: Value<'_>) -> String {
    match value.kind() {
        Kind::String => value.text().unwrap_or_default().into_owned(),
        _ => json::write(&Node::of(value), Layout::Compact),
    }
}
