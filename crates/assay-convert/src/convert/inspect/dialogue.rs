//! The dialogue of a sample: questions and answers.

use assay_formats::Value;
use assay_formats::eee::row::{Input, InteractionType, Output, Prompt, Text};

use super::super::question::lettered;
use super::message::{self, Attachments, content};

/// The exchange of a sample.
#[derive(Debug)]
pub(super) struct Dialogue<'d> {
    root: Value<'d>,
    pub(super) attachments: Attachments<'d>,
    pub(super) messages: Vec<Value<'d>>,
}

impl<'d> Dialogue<'d> {
    /// The exchange of a sample.
    pub(super) fn new(root: Value<'d>) -> Self {
        Self {
            root,
            attachments: Attachments::of(root),
            messages: root
                .get("messages")
                .into_iter()
                .flat_map(Value::items)
                .collect(),
        }
    }

    /// One exchange, several, or with tools.
    pub(super) fn interaction(&self) -> InteractionType {
        let is =
            |value: &Value<'d>, role: &str| value.get("role").is_some_and(|own| own.is_text(role));
        let calls = |value: &Value<'d>| {
            value
                .get("tool_calls")
                .is_some_and(|calls| calls.items().next().is_some())
        };
        if self
            .messages
            .iter()
            .any(|value| is(value, "tool") || calls(value))
        {
            InteractionType::Agentic
        } else if self
            .messages
            .iter()
            .filter(|value| is(value, "assistant"))
            .count()
            > 1
        {
            InteractionType::MultiTurn
        } else {
            InteractionType::SingleTurn
        }
    }

    /// The question and the right answers.
    /// A row without its turns says what the model was asked, where that is more than the question.
    pub(super) fn input(&self, with_prompt: bool) -> Input<'d> {
        let raw = self.question();
        let choices = self
            .root
            .present("choices")
            .map(|choices| texts(Some(choices), &self.attachments))
            .filter(|choices| !choices.is_empty());
        let mut reference = texts(self.root.get("target"), &self.attachments);
        if let Some(choices) = &choices {
            for target in &mut reference {
                if let Some(option) = lettered(target, choices) {
                    *target = option;
                }
            }
        }
        Input {
            formatted: with_prompt.then(|| self.prompt(&raw)).flatten(),
            raw,
            reference,
            choices,
        }
    }

    /// Returns the prompt before the answer: one message as it is, several with their roles.
    fn prompt(&self, question: &str) -> Option<Prompt<'d>> {
        let is_answer = |value: &&Value<'d>| {
            !value
                .get("role")
                .is_some_and(|role| role.is_text("assistant"))
        };
        let sent: Vec<Value<'d>> = self
            .messages
            .iter()
            .copied()
            .take_while(|m| is_answer(&m))
            .collect();
        let text = |value: Value<'d>| content(value.get("content"), &self.attachments, "\n").text;
        let whole: Text<'d> = match sent.as_slice() {
            [] => return None,
            [only] => text(*only),
            several => {
                let turn = |value: &Value<'d>| {
                    let role = value.text_of("role").unwrap_or_default();
                    format!("{role}: {}", text(*value))
                };
                several
                    .iter()
                    .map(turn)
                    .collect::<Vec<_>>()
                    .join("\n")
                    .into()
            }
        };
        (whole != question && !whole.is_empty()).then_some(Prompt::Text(whole))
    }

    /// The question: a text, or what the user says in a list of messages.
    fn question(&self) -> Text<'d> {
        let Some(input) = self.root.get("input") else {
            return Text::default();
        };
        if let Some(text) = self.attachments.text(input) {
            return text;
        }
        let said: Vec<Text<'d>> = input
            .items()
            .filter(|value| value.get("role").is_some_and(|role| role.is_text("user")))
            .map(|value| content(value.get("content"), &self.attachments, " ").text)
            .collect();
        said.join("\n").into()
    }

    /// Returns the output of the model: every choice it offered, else its last message, else
    /// nothing.
    pub(super) fn output(&self) -> Output<'d> {
        let output = self.root.get("output");
        let offered: Vec<_> = output
            .and_then(|output| output.get("choices"))
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|choice| choice.present("message"))
            .collect();
        let said = if offered.is_empty() {
            let is_answer = |value: &&Value<'d>| {
                value
                    .get("role")
                    .is_some_and(|role| role.is_text("assistant"))
            };
            self.messages
                .iter()
                .rev()
                .find(is_answer)
                .copied()
                .into_iter()
                .collect()
        } else {
            offered
        };
        let mut raw = Vec::new();
        let mut thoughts = Vec::new();
        for value in said {
            let content = content(value.get("content"), &self.attachments, "\n");
            raw.push(content.text);
            thoughts.extend(content.reasoning);
        }
        if raw.is_empty() {
            raw.push(
                output
                    .and_then(|output| output.text_of("completion"))
                    .unwrap_or_default(),
            );
        }
        Output {
            raw,
            reasoning_trace: (!thoughts.is_empty()).then_some(thoughts),
        }
    }
}

/// A text, or a list of them.
fn texts<'d>(value: Option<Value<'d>>, attachments: &Attachments<'d>) -> Vec<Text<'d>> {
    let Some(value) = value else {
        return Vec::new();
    };
    let text = |value: Value<'d>| {
        attachments
            .text(value)
            .unwrap_or_else(|| message::compact(value).into())
    };
    if value.kind() == assay_formats::Kind::List {
        value.items().map(text).collect()
    } else {
        vec![text(value)]
    }
}
