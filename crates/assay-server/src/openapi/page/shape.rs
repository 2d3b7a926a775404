//! Schemas in words and lists.

use std::fmt::Write as _;

use serde_json::Value;

use super::escape::{Escaped, prose};
use super::{list, object, text};

/// Returns the anchor of a shape.
pub(super) fn anchor(name: &str) -> String {
    format!("shape-{name}")
}

/// A schema in a few words, with links to the shapes it names.
pub(super) fn words(schema: &Value) -> String {
    if let Some(place) = schema["$ref"].as_str() {
        let name = place.rsplit('/').next().unwrap_or(place);
        return format!("<a href=\"#{}\">{}</a>", anchor(name), Escaped(name));
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let is_null = |choice: &&Value| choice["type"] == "null";
            let some = choices.iter().filter(|choice| !is_null(choice));
            let null = choices.iter().filter(is_null);
            let words: Vec<String> = some.chain(null).map(words_of).collect();
            return words.join(" or ");
        }
    }
    words_of(schema)
}

fn words_of(schema: &Value) -> String {
    if schema.get("$ref").is_some() || schema.get("oneOf").is_some() {
        return words(schema);
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("<code>{}</code>", Escaped(&value.to_string())))
            .collect();
        return values.join(" or ");
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::Array(names) => names.iter().map(text).collect(),
        name => vec![text(name)],
    };
    let names = names.into_iter().map(|name| match name {
        "array" => format!("list of {}", words(&schema["items"])),
        "" => "anything".to_owned(),
        name => Escaped(name).to_string(),
    });
    names.collect::<Vec<_>>().join(" or ")
}

/// A shape with all its keys.
pub(super) fn show(page: &mut String, schema: &Value) {
    if let Some(description) = schema["description"].as_str() {
        let _ = writeln!(page, "<p>{}</p>", prose(description));
    }
    let Some(properties) = schema["properties"].as_object() else {
        let _ = writeln!(page, "<p class=\"words\">{}</p>", words(schema));
        for choice in list(&schema["oneOf"]) {
            keys(page, choice);
        }
        return;
    };
    if !properties.is_empty() {
        keys(page, schema);
    }
}

fn keys(page: &mut String, schema: &Value) {
    if !schema["properties"].is_object() {
        return;
    }
    page.push_str("<dl>\n");
    let required = list(&schema["required"]);
    for (key, value) in object(&schema["properties"]) {
        let always = if required.iter().any(|own| own == key) {
            ", always"
        } else {
            ""
        };
        // What may be null keeps its description with what it is when it is not.
        let choices = list(&value["oneOf"]).iter();
        let description = [value]
            .into_iter()
            .chain(choices)
            .find_map(|own| own["description"].as_str())
            .unwrap_or_default();
        let _ = writeln!(
            page,
            "<dt><code>{}</code> <small>{}{always}</small></dt>\n<dd>{}</dd>",
            Escaped(key),
            words(value),
            prose(description)
        );
    }
    page.push_str("</dl>\n");
}
