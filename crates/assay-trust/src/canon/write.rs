use assay_formats::eval_results::{TOKEN_KEYS, quoted};

use crate::Json;

/// The keys that people look for first, in the order in which they read them; the others follow by
/// name.
const FIRST: [&str; 12] = [
    "dataset",
    "id",
    "task_id",
    "revision",
    "framework",
    "name",
    "version",
    "command",
    "model_revision",
    "metrics",
    "metric_id",
    "value",
];

/// An entry as a result file has it: texts in double quotes, numbers as every tool reads them.
pub(super) fn yaml(entry: &Json, token: Option<&str>) -> String {
    let mut entry = entry.clone();
    entry.set(
        TOKEN_KEYS[0],
        token.map(|token| Json::Text(token.to_owned())),
    );
    let mut text = String::new();
    item(&entry, 0, &mut text);
    text
}

/// A value on the line of the dash, at this indent.
fn item(value: &Json, indent: usize, text: &mut String) {
    pad(indent, text);
    text.push('-');
    match value {
        Json::Map(members) if !members.is_empty() => {
            text.push(' ');
            map(value, indent + 2, true, text);
        }
        Json::List(items) if !items.is_empty() => {
            text.push('\n');
            list(items, indent + 2, text);
        }
        Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::Text(_)
        | Json::List(_)
        | Json::Map(_) => scalar(value, text),
    }
}

/// The members of a map, each on a line of its own; the first may stand on the line that is begun.
fn map(value: &Json, indent: usize, is_begun: bool, text: &mut String) {
    let Json::Map(members) = value else { return };
    let rank = |key: &str| {
        FIRST
            .iter()
            .position(|first| *first == key)
            .unwrap_or(FIRST.len())
    };
    let mut members: Vec<(&String, &Json)> = members.iter().collect();
    members.sort_by_key(|(key, _)| (rank(key), key.as_str()));
    for (position, (key, value)) in members.into_iter().enumerate() {
        if position > 0 || !is_begun {
            pad(indent, text);
        }
        write_key(key, text);
        match value {
            Json::Map(inner) if !inner.is_empty() => {
                text.push('\n');
                map(value, indent + 2, false, text);
            }
            Json::List(items) if !items.is_empty() => {
                text.push('\n');
                list(items, indent + 2, text);
            }
            Json::Null
            | Json::Bool(_)
            | Json::Number(_)
            | Json::Text(_)
            | Json::List(_)
            | Json::Map(_) => scalar(value, text),
        }
    }
}

fn list(items: &[Json], indent: usize, text: &mut String) {
    for value in items {
        item(value, indent, text);
    }
}

/// A value that fits on the line, and the end of the line.
fn scalar(value: &Json, text: &mut String) {
    text.push(' ');
    match value {
        Json::Text(own) => text.push_str(&quoted(own)),
        Json::Number(number) => text.push_str(&number.to_literal()),
        Json::Null | Json::Bool(_) | Json::List(_) | Json::Map(_) => text.push_str(&value.to_jcs()),
    }
    text.push('\n');
}

/// A key; those that some tool takes for a number or a boolean stand in quotes.
fn write_key(key: &str, text: &mut String) {
    if assay_formats::yaml::is_text(key) && !key.starts_with('-') {
        text.push_str(key);
    } else {
        text.push_str(&quoted(key));
    }
    text.push(':');
}

fn pad(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}
