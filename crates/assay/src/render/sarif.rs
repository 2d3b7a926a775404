//! SARIF 2.1.0, which code scanning services read.

use std::path::Path;

use assay_check::{Rule, rules};
use assay_cli::{Exit, Printer};
use assay_model::{Diagnostic, Fix, Severity};
use serde_json::{Value, json};

use super::{Outcome, fixed_line};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Prints the log.
pub(crate) fn print(outcome: &Outcome<'_>, printer: &mut Printer) {
    // The log has no room for what is mended already.
    for fixed in outcome.fixed {
        printer.aside(&fixed_line(fixed));
    }
    let results: Vec<Value> = outcome
        .reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .map(result)
        .collect();
    let rules: Vec<Value> = rules::ALL.iter().map(|rule| descriptor(rule)).collect();
    let exit = outcome.summary.exit();
    printer.json(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "assay",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": exit != Exit::Failed,
                "exitCode": exit.number(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }));
}

fn descriptor(rule: &Rule) -> Value {
    let page = rule.page();
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.title() },
        "fullDescription": { "text": rule.title() },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(diagnostic: &Diagnostic) -> Value {
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": level(diagnostic.severity),
        "message": { "text": message(diagnostic) },
        "locations": [{ "physicalLocation": physical_location(diagnostic) }],
    });
    let index = rules::ALL
        .iter()
        .position(|rule| rule.code == diagnostic.code);
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if let Some(fix) = fix(diagnostic) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// The message with its evidence and the next step: most viewers show nothing else.
fn message(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![diagnostic.message.as_str()];
    lines.extend(diagnostic.notes.iter().map(String::as_str));
    lines.extend(diagnostic.help.as_deref());
    lines.join("\n")
}

fn physical_location(diagnostic: &Diagnostic) -> Value {
    let place = &diagnostic.place;
    let mut location = json!({ "artifactLocation": { "uri": uri(&place.file) } });
    if place.is_whole() {
        return location;
    }
    let mut region = json!({
        "startLine": place.line,
        "startColumn": place.column,
        "byteOffset": place.span.start,
        "byteLength": place.span.len(),
    });
    if let Some(excerpt) = &diagnostic.excerpt {
        region["snippet"] = json!({ "text": excerpt.text });
    }
    location["region"] = region;
    location
}

fn fix(diagnostic: &Diagnostic) -> Option<Value> {
    let Some(Fix::Edit(edits)) = &diagnostic.fix else {
        return None;
    };
    let replacements: Vec<Value> = edits
        .iter()
        .map(|edit| {
            json!({
                "deletedRegion": { "byteOffset": edit.span.start, "byteLength": edit.span.len() },
                "insertedContent": { "text": edit.text },
            })
        })
        .collect();
    let words = diagnostic.help.as_deref().unwrap_or(&diagnostic.message);
    Some(json!({
        "description": { "text": words },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&diagnostic.place.file) },
            "replacements": replacements,
        }],
    }))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as the reference that SARIF wants: relative as it is, absolute with its scheme, and
/// percent-encoded.
fn uri(path: &str) -> String {
    let scheme = match (Path::new(path).is_absolute(), path.starts_with('/')) {
        (false, _) => "",
        (true, true) => "file://",
        (true, false) => "file:///",
    };
    let encoded = path.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    std::iter::once(scheme.to_owned()).chain(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("data/a b/[x].json"), "data/a%20b/%5Bx%5D.json");
        assert_eq!(uri("naïve:1.yaml"), "na%C3%AFve%3A1.yaml");
    }

    #[cfg(unix)]
    #[test]
    fn an_absolute_path_gets_its_scheme() {
        assert_eq!(uri("/tmp/50%.json"), "file:///tmp/50%25.json");
    }
}
