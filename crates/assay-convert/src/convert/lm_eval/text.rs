use std::borrow::Cow;
use std::fmt::Write as _;

use assay_formats::{Kind, Value};

/// A value as text: a string as it is, anything else as JSON.
pub(super) fn text_of(value: Value<'_>) -> Cow<'_, str> {
    match value.text() {
        Some(text) => text,
        None => Cow::Owned(python_json(value)),
    }
}

/// A value as the JSON that Python writes: a space after commas and colons, nothing but ASCII.
/// Details of records hold such text, and comparing two records should not depend on who wrote
/// them.
pub(super) fn python_json(value: Value<'_>) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Adds the text of a value; recursion is as deep as the reader allowed.
fn write(value: Value<'_>, to: &mut String) {
    match value.kind() {
        Kind::Null | Kind::Bool | Kind::Number => to.push_str(value.raw()),
        Kind::String => write_string(&value.text().unwrap_or_default(), to),
        Kind::List => {
            to.push('[');
            for (position, item) in value.items().enumerate() {
                separate(position, to);
                write(item, to);
            }
            to.push(']');
        }
        Kind::Map => {
            to.push('{');
            for (position, (key, item)) in value.entries().enumerate() {
                separate(position, to);
                write_string(&key.text().unwrap_or_default(), to);
                to.push_str(": ");
                write(item, to);
            }
            to.push('}');
        }
    }
}

fn separate(position: usize, to: &mut String) {
    if position > 0 {
        to.push_str(", ");
    }
}

/// Adds a string in quotes.
pub(super) fn write_string(text: &str, to: &mut String) {
    to.push('"');
    for character in text.chars() {
        match character {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\u{8}' => to.push_str("\\b"),
            '\u{c}' => to.push_str("\\f"),
            ' '..='~' => to.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(to, "\\u{unit:04x}");
                }
            }
        }
    }
    to.push('"');
}

#[cfg(test)]
mod tests {
    use assay_formats::{Tape, json};

    use super::*;

    #[test]
    fn json_is_written_as_python_writes_it() {
        let source = "{\"until\":[\"Q:\",\"\\n\\n\",\"é😀\"],\"x\":{\"y\":null,\"z\":1.50}}";
        let mut tape = Tape::new();
        json::parse(source, &mut tape);

        let text = python_json(tape.root(source).unwrap());

        assert_eq!(
            text,
            r#"{"until": ["Q:", "\n\n", "\u00e9\ud83d\ude00"], "x": {"y": null, "z": 1.50}}"#
        );
    }
}
