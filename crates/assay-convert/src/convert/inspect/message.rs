//! Messages and their parts as the text that a row holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use assay_formats::eee::row::{Message, Text, ToolCall};
use assay_formats::json::{self, Layout, Node};
use assay_formats::{Kind, Value};

use super::excerpt::ATTACHMENT_PREFIXES;

/// The long texts that a sample refers to.
#[derive(Debug, Default)]
pub(super) struct Attachments<'d> {
    by_key: BTreeMap<Text<'d>, Value<'d>>,
}

impl<'d> Attachments<'d> {
    /// The attachments of a sample; of two with one key the first counts.
    pub(super) fn of(sample: Value<'d>) -> Self {
        let mut by_key = BTreeMap::new();
        let attachments = sample.present("attachments");
        for (key, value) in attachments.into_iter().flat_map(Value::entries) {
            by_key
                .entry(key.text().unwrap_or_default())
                .or_insert(value);
        }
        Self { by_key }
    }

    /// The text, or the one that it refers to. A reference that leads nowhere stays.
    fn resolve(&self, text: Cow<'d, str>) -> Text<'d> {
        let target = ATTACHMENT_PREFIXES
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .and_then(|key| self.by_key.get(key)?.text());
        target.unwrap_or(text)
    }

    /// The text of a value that is one.
    pub(super) fn text(&self, value: Value<'d>) -> Option<Text<'d>> {
        value.text().map(|text| self.resolve(text))
    }
}

/// The text and the reasoning of a message.
#[derive(Debug, Default)]
pub(super) struct Content<'d> {
    pub(super) text: Text<'d>,
    pub(super) reasoning: Option<Text<'d>>,
}

/// Reads the content of a message: a text, or parts of which texts are joined by `separator`. A
/// picture, a sound or a file becomes its kind in brackets, because a row is text; its bytes stay
/// in the log.
pub(super) fn content<'d>(
    value: Option<Value<'d>>,
    attachments: &Attachments<'d>,
    separator: &str,
) -> Content<'d> {
    let Some(value) = value else {
        return Content::default();
    };
    if let Some(text) = attachments.text(value) {
        return Content {
            text,
            reasoning: None,
        };
    }
    let mut texts: Vec<Text<'d>> = Vec::new();
    let mut thoughts: Vec<Text<'d>> = Vec::new();
    for part in value.items() {
        match part.text_of("type").as_deref() {
            Some("text") => texts.extend(part.get("text").and_then(|text| attachments.text(text))),
            Some("reasoning") => thoughts.extend(reasoning(part, attachments)),
            Some("document") => texts.push(match part.text_of("filename") {
                Some(name) => format!("[document: {name}]").into(),
                None => "[document]".into(),
            }),
            Some("tool_use") => texts.push(tool_use(part)),
            Some(other) => texts.push(format!("[{other}]").into()),
            None => texts.extend(attachments.text(part)),
        }
    }
    Content {
        text: join(texts, separator),
        reasoning: (!thoughts.is_empty()).then(|| join(thoughts, "\n")),
    }
}

/// Returns the reasoning of the model. Text that the provider made unreadable is never shown; its
/// summary is, when there is one.
fn reasoning<'d>(part: Value<'d>, attachments: &Attachments<'d>) -> Option<Text<'d>> {
    let is_redacted = part.get("redacted").and_then(Value::truth) == Some(true);
    let key = if is_redacted { "summary" } else { "reasoning" };
    part.present(key)
        .or_else(|| part.present("summary"))
        .and_then(|text| attachments.text(text))
        .filter(|text| !text.is_empty())
}

/// A call that the provider made on its own side.
fn tool_use(part: Value<'_>) -> Text<'_> {
    let name = part.text_of("name").unwrap_or_default();
    format!("[tool_use: {name}]").into()
}

fn join<'d>(mut parts: Vec<Text<'d>>, separator: &str) -> Text<'d> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    parts.join(separator).into()
}

/// A message as a turn.
pub(super) fn message<'d>(
    position: usize,
    value: Value<'d>,
    attachments: &Attachments<'d>,
) -> Message<'d> {
    let content = content(value.get("content"), attachments, "\n");
    let text = match tool_error(value) {
        Some(error) if content.text.is_empty() => error,
        Some(_) | None => content.text,
    };
    Message {
        turn_idx: position,
        role: value.text_of("role").unwrap_or(Cow::Borrowed("unknown")),
        content: Some(text),
        reasoning_trace: content.reasoning,
        tool_calls: calls(value, attachments).collect(),
        tool_call_id: answered(value),
    }
}

/// Returns the error of a tool; the oldest logs have the text alone.
fn tool_error(value: Value<'_>) -> Option<Text<'_>> {
    value
        .present("error")
        .and_then(|error| error.text_of("message"))
        .or_else(|| value.text_of("tool_error"))
}

/// The calls that a message answers: one, or several.
fn answered(value: Value<'_>) -> Vec<Text<'_>> {
    match value.present("tool_call_id") {
        Some(ids) if ids.kind() == Kind::List => ids.items().filter_map(Value::text).collect(),
        Some(id) => id.text().into_iter().collect(),
        None => Vec::new(),
    }
}

fn calls<'d>(
    value: Value<'d>,
    attachments: &Attachments<'d>,
) -> impl Iterator<Item = ToolCall<'d>> {
    value
        .get("tool_calls")
        .into_iter()
        .flat_map(Value::items)
        .map(move |call| ToolCall {
            id: call.text_of("id").unwrap_or_default(),
            name: function(call),
            arguments: arguments(call, attachments),
        })
}

/// The tool; some servers wrap its name.
fn function(call: Value<'_>) -> Text<'_> {
    let function = call.get("function");
    function
        .and_then(Value::text)
        .or_else(|| function?.text_of("name"))
        .unwrap_or_default()
}

/// Returns the arguments of a tool: texts as they are, anything else as JSON.
fn arguments<'d>(
    call: Value<'d>,
    attachments: &Attachments<'d>,
) -> Option<BTreeMap<Text<'d>, Text<'d>>> {
    let arguments = call.present("arguments")?;
    if arguments.kind() != Kind::Map {
        let text = attachments
            .text(arguments)
            .unwrap_or_else(|| compact(arguments).into());
        return Some([(Cow::Borrowed("arguments"), text)].into());
    }
    Some(
        arguments
            .entries()
            .filter_map(|(key, value)| {
                let text = attachments
                    .text(value)
                    .unwrap_or_else(|| compact(value).into());
                Some((key.text()?, text))
            })
            .collect(),
    )
}

/// A value as JSON on one line.
pub(super) fn compact(value: Value<'_>) -> String {
    json::write(&Node::of(value), Layout::Compact)
}

/// A value as a detail: a text as it is, anything else as JSON.
pub(super) fn detail(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.into_owned(),
        None => compact(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    fn read(text: &str) -> Document {
        Document::new(text.to_owned()).unwrap()
    }

    #[test]
    fn redacted_reasoning_never_shows_its_text() {
        let document = read(
            r#"[{"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": true, "summary": "adds"},
                {"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": true},
                {"type": "reasoning", "reasoning": "open", "redacted": false},
                {"type": "text", "text": "42"}]"#,
        );

        let content = content(document.root(), &Attachments::default(), "\n");

        assert_eq!(content.text, "42");
        assert_eq!(content.reasoning.as_deref(), Some("adds\nopen"));
    }

    #[test]
    fn media_become_their_kind_and_references_their_text() {
        let document = read(
            r#"{"content": [{"type": "text", "text": "attachment://ab1"}, {"type": "image", "image": "attachment://ff"},
                {"type": "document", "filename": "a.pdf"}, {"type": "text", "text": "tc://gone"}],
                "attachments": {"ab1": "a long text"}}"#,
        );
        let root = document.root().unwrap();

        let content = content(root.get("content"), &Attachments::of(root), " ");

        assert_eq!(
            content.text,
            "a long text [image] [document: a.pdf] tc://gone"
        );
    }

    #[test]
    fn arguments_are_texts_or_json_and_errors_of_tools_are_kept() {
        let document = read(
            r#"[{"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": "add", "arguments": {"x": 2, "s": "ls", "l": [1, "a"]}}]},
                {"role": "tool", "content": "", "tool_call_id": "1", "error": {"type": "timeout", "message": "too slow"}},
                {"role": "user", "content": "x", "tool_call_id": ["1", "2"]}]"#,
        );
        let messages: Vec<Message<'_>> = document
            .root()
            .unwrap()
            .items()
            .enumerate()
            .map(|(position, value)| message(position, value, &Attachments::default()))
            .collect();

        let arguments = messages[0].tool_calls[0].arguments.as_ref().unwrap();
        assert_eq!(arguments["x"], "2");
        assert_eq!(arguments["s"], "ls");
        assert_eq!(arguments["l"], r#"[1,"a"]"#);
        assert_eq!(messages[1].content.as_deref(), Some("too slow"));
        assert_eq!(messages[2].tool_call_id, ["1", "2"]);
    }
}
