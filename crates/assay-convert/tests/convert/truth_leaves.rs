//! The values of documents, wherever they stand: what a log says and no record has can be told by
//! them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::kit::Files;

/// The tasks of the runs; their names are keys in logs.
const TASKS: [&str; 4] = ["sums", "kinds", "everything", "pages"];

/// Maps whose keys are names: of scorers, models, roles, metrics, packages and texts.
const NAMED: [&str; 8] = [
    "attachments",
    "metrics",
    "model_roles",
    "model_usage",
    "packages",
    "role_usage",
    "scores",
    "value",
];
/// Lists that are left out as a whole.
const WHOLE: &str = "events";

/// Every value that a conversion wrote.
#[derive(Default)]
pub(crate) struct Leaves {
    texts: String,
    numbers: BTreeSet<u64>,
    /// Truth values with their keys, since one alone says nothing.
    flags: BTreeSet<(String, bool)>,
}

impl Leaves {
    pub(crate) fn of_files(files: &Files) -> Self {
        let mut own = Self::default();
        for bytes in files.0.values() {
            let text = std::str::from_utf8(bytes).unwrap();
            let documents = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            documents.for_each(|document| own.add(&document.unwrap()));
        }
        own
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(truth) => self.add_text(&truth.to_string()),
            Value::Number(number) => {
                self.numbers.insert(bits(number));
            }
            Value::String(text) => {
                self.add_text(text);
                // Details are texts, which may be JSON themselves.
                match serde_json::from_str::<Value>(text) {
                    Ok(Value::Number(number)) => self.add(&Value::Number(number)),
                    Ok(inner @ (Value::Array(_) | Value::Object(_))) => self.add(&inner),
                    _ => {}
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(map) => {
                for (key, item) in map {
                    // Details are texts.
                    let truth = item.as_bool().or_else(|| item.as_str()?.parse().ok());
                    self.flags.extend(truth.map(|own| (key.clone(), own)));
                    self.add(item);
                }
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        self.texts.push_str(text);
        self.texts.push('\n');
    }

    /// Returns whether something that was written has a value.
    pub(crate) fn has(&self, value: &Value) -> bool {
        match value {
            Value::Bool(truth) => self.texts.contains(&truth.to_string()),
            Value::Number(number) => self.numbers.contains(&bits(number)),
            Value::String(text) => self.texts.contains(text.trim()),
            Value::Null | Value::Array(_) | Value::Object(_) => true,
        }
    }
}

impl Leaves {
    /// Returns whether something that was written has a truth value under a key.
    pub(crate) fn has_flag(&self, key: &str, truth: bool) -> bool {
        self.flags.contains(&(key.to_owned(), truth))
    }
}

/// A number by its bits; zero has no sign.
fn bits(number: &serde_json::Number) -> u64 {
    (number.as_f64().unwrap() + 0.0).to_bits()
}

/// Visits every value of a document with its path, in which names of tasks, requests, models and
/// the like are `*`.
pub(crate) fn leaves(document: &Value, visit: &mut impl FnMut(&str, &Value)) {
    walk(document, "", visit);
}

fn walk(value: &Value, path: &str, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(_) | Value::Array(_) if path.ends_with(&format!(".{WHOLE}[]")) => {
            each(value, &mut |leaf| visit(path, leaf));
        }
        Value::Object(map) => {
            let is_named = NAMED.contains(&path.rsplit('.').next().unwrap());
            for (key, inner) in map {
                let word = key.split(['|', '_']).next().unwrap();
                let is_name = is_named || TASKS.contains(&word) || key.starts_with("gen_args_");
                let key = if is_name { "*" } else { key };
                walk(inner, &format!("{path}.{key}"), visit);
            }
        }
        Value::Array(items) => {
            let path = format!("{path}[]");
            for inner in items {
                walk(inner, &path, visit);
            }
        }
        leaf => visit(path, leaf),
    }
}

/// Visits every value of a document.
fn each(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(map) => map.values().for_each(|inner| each(inner, visit)),
        Value::Array(items) => items.iter().for_each(|inner| each(inner, visit)),
        leaf => visit(leaf),
    }
}
