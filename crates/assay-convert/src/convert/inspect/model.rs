//! Who made a model, and who answered for it, out of the name that Inspect calls it by.

use assay_formats::eee::record::{Engine, ModelInfo};

/// Providers that serve models of their own.
const MAKERS: [&str; 7] = [
    "openai",
    "anthropic",
    "google",
    "grok",
    "mistral",
    "deepseek",
    "perplexity",
];
/// Providers that serve the models of others, named `provider/maker/model`.
const HOSTS: [&str; 5] = [
    "together",
    "cf",
    "openrouter",
    "openai-api",
    "hf-inference-providers",
];
/// Software that runs the models of others, named `software/maker/model`.
const ENGINES: [&str; 3] = ["hf", "vllm", "sglang"];
/// Software that runs models under names of its own.
const LOCAL_ENGINES: [&str; 2] = ["ollama", "llama-cpp-python"];
/// What a part of a name says about the maker, for hosts that leave the maker out.
const FAMILIES: [(&str, &str); 7] = [
    ("llama", "meta-llama"),
    ("gpt", "openai"),
    ("qwen", "qwen"),
    ("swallow", "tokyotech-llm"),
    ("allam", "humain-ai"),
    ("mistral", "mistral"),
    ("deepseek", "deepseek-ai"),
];

/// The model that a name such as `openai/azure/gpt-4o` stands for. A provider that is not known is taken as the maker:
/// a name must never stop a log from being converted.
pub(super) fn model_info(path: &str) -> ModelInfo {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let [prefix, rest @ ..] = parts.as_slice() else {
        return bare(path);
    };
    if rest.is_empty() {
        return bare(path);
    }
    let provider = prefix.to_ascii_lowercase();
    let platform = Some(provider.as_str());
    match provider.as_str() {
        maker if MAKERS.contains(&maker) => made_by(path, maker, rest),
        "bedrock" => bedrock(path, &rest.join("/")),
        "azureai" | "azure-ai" => named(path, prefix, rest[rest.len() - 1], platform),
        host if HOSTS.contains(&host) => match rest {
            [maker, model, ..] => named(path, maker, model, platform),
            _ => named(path, prefix, &rest.join("/"), platform),
        },
        "groq" | "sambanova" | "fireworks" => hosted(path, prefix, rest[rest.len() - 1]),
        engine if ENGINES.contains(&engine) => {
            let info = match rest {
                [maker, model, ..] => named(path, maker, model, None),
                _ => named(path, prefix, &rest.join("/"), None),
            };
            run_by(info, engine)
        }
        engine if LOCAL_ENGINES.contains(&engine) => run_by(
            named(path, prefix, &rest.join("_").replace(':', "-"), None),
            engine,
        ),
        "llamacpp" => named(path, "unknown", &rest.join("/"), None),
        _ => named(path, prefix, &rest.join("/"), None),
    }
}

/// A model named without a provider.
fn bare(path: &str) -> ModelInfo {
    let name = if path.trim().is_empty() {
        "unknown"
    } else {
        path
    };
    ModelInfo::new(
        name.to_owned(),
        format!("unknown/{}", name.trim_matches('/')),
    )
}

fn named(path: &str, maker: &str, model: &str, platform: Option<&str>) -> ModelInfo {
    ModelInfo {
        developer: Some(maker.to_owned()),
        inference_platform: platform.map(str::to_owned),
        ..ModelInfo::new(path.to_owned(), format!("{maker}/{model}"))
    }
}

fn run_by(info: ModelInfo, engine: &str) -> ModelInfo {
    ModelInfo {
        inference_engine: Some(Engine {
            name: Some(engine.to_owned()),
            version: None,
        }),
        ..info
    }
}

/// A model of a maker with a service of its own, which clouds may serve too: `openai/azure/…`, `anthropic/bedrock/…`.
fn made_by(path: &str, maker: &str, rest: &[&str]) -> ModelInfo {
    match rest {
        [cloud @ ("vertex" | "bedrock"), model, ..] if maker == "anthropic" => {
            named(path, maker, &claude(model), Some(cloud))
        }
        [cloud @ ("azure" | "vertex" | "bedrock"), model, ..] => {
            named(path, maker, model, Some(cloud))
        }
        _ => named(path, maker, &rest.join("/"), Some(maker)),
    }
}

/// The name of a Claude model without what clouds put around it: `anthropic.` in front, `-v1:0` or `@date` behind.
fn claude(model: &str) -> String {
    let start = model.find("claude").unwrap_or(0);
    let name = without_revision(&model[start..]);
    name.replace('@', "-")
}

/// A model of Amazon Bedrock: `maker.model-v1:0`, perhaps with a region in front.
fn bedrock(path: &str, name: &str) -> ModelInfo {
    let mut parts: Vec<&str> = name.splitn(3, '.').collect();
    if parts.len() == 3 && matches!(parts[0], "us" | "eu" | "apac" | "global") {
        parts.remove(0);
    }
    match parts.as_slice() {
        [maker, model @ ..] if !model.is_empty() => named(
            path,
            maker,
            without_revision(&model.join(".")),
            Some("bedrock"),
        ),
        _ => named(path, "bedrock", name, Some("bedrock")),
    }
}

/// A name without a revision such as `-v1`, `-v1.1` or `-v1:0` at its end.
fn without_revision(name: &str) -> &str {
    let Some((front, revision)) = name.rsplit_once("-v") else {
        return name;
    };
    let is_revision = revision.starts_with(|c: char| c.is_ascii_digit())
        && revision
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ':'));
    if is_revision { front } else { name }
}

/// A model of a host that leaves the maker out of the name.
fn hosted(path: &str, host: &str, model: &str) -> ModelInfo {
    let lower = model.to_ascii_lowercase();
    let maker = FAMILIES
        .iter()
        .find(|(family, _)| lower.contains(family))
        .map_or(host, |(_, maker)| maker);
    named(path, maker, model, Some(&host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_made_a_model_and_who_served_it() {
        for (path, id, platform, engine) in [
            ("openai/gpt-4o", "openai/gpt-4o", Some("openai"), None),
            ("openai/azure/gpt-4o", "openai/gpt-4o", Some("azure"), None),
            (
                "anthropic/bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
                "anthropic/claude-3-5-sonnet-20240620",
                Some("bedrock"),
                None,
            ),
            (
                "bedrock/us.meta.llama3-1-70b-instruct-v1:0",
                "meta/llama3-1-70b-instruct",
                Some("bedrock"),
                None,
            ),
            (
                "together/meta-llama/Llama-3",
                "meta-llama/Llama-3",
                Some("together"),
                None,
            ),
            (
                "groq/llama-3.1-8b-instant",
                "meta-llama/llama-3.1-8b-instant",
                Some("groq"),
                None,
            ),
            (
                "fireworks/accounts/fireworks/models/phi-3",
                "fireworks/phi-3",
                Some("fireworks"),
                None,
            ),
            ("vllm/acme/tiny", "acme/tiny", None, Some("vllm")),
            (
                "ollama/qwen2.5:0.5b",
                "ollama/qwen2.5-0.5b",
                None,
                Some("ollama"),
            ),
            ("mockllm/model", "mockllm/model", None, None),
            ("in-house/a/b", "in-house/a/b", None, None),
            ("none", "unknown/none", None, None),
            ("", "unknown/unknown", None, None),
        ] {
            let info = model_info(path);

            assert_eq!(info.id, id);
            assert_eq!(info.inference_platform.as_deref(), platform, "{path}");
            assert_eq!(
                info.inference_engine
                    .and_then(|engine| engine.name)
                    .as_deref(),
                engine
            );
        }
    }
}
