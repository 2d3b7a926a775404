//! The model of a provider, as promptfoo names it.

use assay_formats::eee::record::ModelInfo;

use super::super::model_name::{is_path, repository_model};
use super::super::served_model::named_model;

/// Words between a provider and a model that name a way of asking.
const WAYS: [&str; 8] = [
    "chat",
    "completion",
    "responses",
    "messages",
    "realtime",
    "text-generation",
    "inference",
    "model",
];

/// A model as promptfoo names it: `provider:way:model`, or a path of a script.
pub(super) fn model(provider: &str) -> ModelInfo {
    let is_file = provider.contains("://") || is_path(provider);
    if is_file {
        let path = provider
            .split_once("://")
            .map_or(provider, |(_, path)| path);
        return repository_model(path);
    }
    let mut parts = provider.split(':');
    let service = parts.next().unwrap_or_default();
    let mut rest: Vec<&str> = parts.collect();
    if rest.len() > 1 && WAYS.contains(&rest[0]) {
        rest.remove(0);
    }
    if rest.is_empty() {
        return named_model(provider);
    }
    ModelInfo {
        name: provider.to_owned(),
        ..named_model(&format!("{service}/{}", rest.join(":")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_name_who_made_a_model_where_they_do() {
        for (provider, id) in [
            ("openai:gpt-4o", "openai/gpt-4o"),
            ("openai:chat:gpt-4o-mini", "openai/gpt-4o-mini"),
            ("anthropic:messages:claude-x", "anthropic/claude-x"),
            ("openrouter:meta-llama/llama-3", "meta-llama/llama-3"),
            ("groq:llama-3.1", "unknown/llama-3.1"),
            ("file:///work/provider.mjs", "unknown/work--provider.mjs"),
            ("echo", "unknown/echo"),
        ] {
            assert_eq!(model(provider).id, id, "{provider}");
        }
    }
}
