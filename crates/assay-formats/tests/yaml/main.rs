//! Tests of `yaml::parse`: kinds, places, faults.

#![cfg(test)]

mod faults;
mod places;
mod properties;
mod pyyaml;
mod scalars;
mod written;

use std::fmt::Write;

use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind};
use assay_formats::{Kind, Tape, Value, yaml};

/// Reads `source` and shows the tree as JSON-like text, so that a test can say what it expects in
/// one line.
///
/// A `?` marks what tools disagree on.
fn shown(source: &str) -> String {
    let mut tape = Tape::new();
    yaml::parse(source, &mut tape);
    let mut out = String::new();
    if let Some(root) = tape.root(source) {
        show(root, &mut out);
    }
    out
}

fn show(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool => out.push_str(if value.truth() == Some(true) {
            "true"
        } else {
            "false"
        }),
        Kind::Number => out.push_str(value.raw()),
        Kind::String => write!(out, "{:?}", value.text().unwrap()).unwrap(),
        Kind::List => {
            out.push('[');
            for (position, item) in value.items().enumerate() {
                out.push_str(if position > 0 { ", " } else { "" });
                show(item, out);
            }
            out.push(']');
        }
        Kind::Map => {
            out.push('{');
            for (position, (key, value)) in value.entries().enumerate() {
                out.push_str(if position > 0 { ", " } else { "" });
                show(key, out);
                out.push_str(": ");
                show(value, out);
            }
            out.push('}');
        }
    }
    if value.is_loose() {
        out.push('?');
    }
}

/// The faults of `source`, each with the text it points at.
fn faults(source: &str) -> Vec<(SyntaxFaultKind, &str)> {
    let mut tape = Tape::new();
    let faults = yaml::parse(source, &mut tape);
    faults
        .into_iter()
        .map(|SyntaxFault { kind, range }| (kind, source.get(range).unwrap()))
        .collect()
}

/// Every value and key of a tree, parents first.
fn flat(value: Value<'_>) -> Vec<Value<'_>> {
    let mut all = vec![value];
    for item in value.items() {
        all.extend(flat(item));
    }
    for (key, value) in value.entries() {
        all.push(key);
        all.extend(flat(value));
    }
    all
}
