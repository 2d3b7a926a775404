//! Texts out of the many shapes in which HELM keeps them.

use std::borrow::Cow;

use assay_formats::{Kind, Value};

/// A string, or a number as it was written: ids are either.
pub(super) fn scalar(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => value.text(),
        Kind::Number => Some(Cow::Borrowed(value.raw())),
        Kind::Null | Kind::Bool | Kind::List | Kind::Map => None,
    }
}

/// JSON text on one line, with a space after each comma and colon.
pub(super) fn one_line(raw: &str) -> String {
    let mut line = String::with_capacity(raw.len());
    let mut in_string = false;
    let mut escaped = false;
    for c in raw.chars() {
        if in_string {
            line.push(c);
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' => {}
            ',' | ':' => {
                line.push(c);
                line.push(' ');
            }
            _ => {
                in_string = c == '"';
                line.push(c);
            }
        }
    }
    line
}

/// The question or an answer: a bare string in the oldest runs, later a map with a text, messages
/// or media.
pub(super) fn content(value: Value<'_>) -> Option<Cow<'_, str>> {
    if value.kind() == Kind::String {
        return value.text();
    }
    value
        .text_of("text")
        .filter(|text| !text.is_empty())
        .or_else(|| value.present("messages").map(messages).map(Cow::Owned))
        .or_else(|| {
            value
                .present("multimedia_content")
                .map(media)
                .map(Cow::Owned)
        })
        .or_else(|| value.text_of("text"))
}

/// Returns the text that was sent to the model.
pub(super) fn prompt(request: Value<'_>) -> Option<Cow<'_, str>> {
    request
        .text_of("prompt")
        .filter(|prompt| !prompt.is_empty())
        .or_else(|| request.present("messages").map(messages).map(Cow::Owned))
        .or_else(|| {
            request
                .present("multimodal_prompt")
                .map(media)
                .map(Cow::Owned)
        })
        .or_else(|| request.text_of("prompt"))
}

/// A chat as text: each turn begins with who speaks.
fn messages(list: Value<'_>) -> String {
    let turn = |message: Value<'_>| {
        let role = message.text_of("role").unwrap_or(Cow::Borrowed("unknown"));
        let said = match message.present("content") {
            Some(content) if content.kind() == Kind::List => parts(content),
            Some(content) => scalar(content).unwrap_or_default().into_owned(),
            None => String::new(),
        };
        format!("{role}: {said}")
    };
    list.items().map(turn).collect::<Vec<_>>().join("\n")
}

fn media(content: Value<'_>) -> String {
    content.get("media_objects").map(parts).unwrap_or_default()
}

/// Texts and media in their order. Media lie on the machine that ran the evaluation, so what stands
/// for them is only their kind.
fn parts(list: Value<'_>) -> String {
    let part = |part: Value<'_>| {
        if let Some(text) = part.text_of("text").or_else(|| part.text()) {
            return text.into_owned();
        }
        let kind = part
            .text_of("content_type")
            .or_else(|| part.text_of("type"));
        format!("[{}]", kind.as_deref().unwrap_or("media"))
    };
    list.items().map(part).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use assay_formats::Tape;
    use assay_formats::json::parse;

    use super::*;

    fn with<T>(json: &str, ask: impl FnOnce(Value<'_>) -> T) -> T {
        let mut tape = Tape::new();
        parse(json, &mut tape);
        ask(tape.root(json).unwrap())
    }

    #[test]
    fn json_is_put_on_one_line_and_its_strings_are_left_alone() {
        let pretty = "{\n  \"a\": [\n    1,\n    \"x, y: \\\" \\\\\"\n  ],\n  \"b\":{}}";

        assert_eq!(one_line(pretty), r#"{"a": [1, "x, y: \" \\"], "b": {}}"#);
    }

    #[test]
    fn a_question_is_found_in_every_shape_it_has_had() {
        for (json, expected) in [
            (r#""bare""#, Some("bare")),
            (r#"{"text": "plain"}"#, Some("plain")),
            (r#"{"text": ""}"#, Some("")),
            (
                r#"{"text": "", "messages": [{"role": "system", "content": "be"}, {"role": "user", "content": [
                    {"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "x"}}]}]}"#,
                Some("system: be\nuser: see\n[image_url]"),
            ),
            (
                r#"{"multimedia_content": {"media_objects": [{"content_type": "image/png", "location": "/a.png"},
                    {"content_type": "text/plain", "text": "what?"}]}}"#,
                Some("[image/png]\nwhat?"),
            ),
            (r#"{"other": 1}"#, None),
            ("7", None),
        ] {
            let found = with(json, |value| content(value).map(Cow::into_owned));

            assert_eq!(found.as_deref(), expected, "{json}");
        }
    }
}
