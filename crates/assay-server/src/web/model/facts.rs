//! Facts of a model from its card.

use assay_app::RepoInfo;
use serde_json::Value as Json;

use crate::web::show;

/// Returns the facts that are worth a line, with their names.
pub(super) fn facts(info: &RepoInfo) -> Vec<(&'static str, String)> {
    let text = |key: &str| {
        let card = info.card.as_ref()?;
        match card.get(key)? {
            Json::String(text) => Some(show::shortened(text, 80)),
            Json::Number(number) => Some(number.to_string()),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        }
    };
    let mut facts = Vec::new();
    let known = [
        ("Licence", text("license")),
        (
            "Parameters",
            text("parameters").map(|text| short_size(&text)),
        ),
        ("Does", info.pipeline_tag.clone()),
        ("Library", info.library_name.clone()),
    ];
    for (name, value) in known {
        facts.extend(value.map(|value| (name, value)));
    }
    facts.push(("Created", show::day(info.created)));
    facts.push(("Changed", show::day(info.updated)));
    facts
}

fn short_size(text: &str) -> String {
    text.parse()
        .map_or_else(|_| text.to_owned(), show::parameters)
}
