//! Who made a model, and who answered for it, out of a name such as `openai/azure/gpt-4o`.

use assay_formats::eee::record::{Engine, ModelInfo};

use super::model_name::loaded_model;
use super::run::UNKNOWN;

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
/// Providers that serve the models of others, named `provider/maker/model`, or without the maker.
const HOSTS: [&str; 11] = [
    "together",
    "together_ai",
    "fireworks_ai",
    "cf",
    "openrouter",
    "hf-inference-providers",
    "groq",
    "sambanova",
    "fireworks",
    "azureai",
    "azure-ai",
];
/// Software that runs the models of others, named `software/maker/model`, or by the path of a
/// model.
const ENGINES: [&str; 6] = [
    "hf",
    "vllm",
    "sglang",
    "transformer_lens",
    "nnterp",
    "llamacpp",
];
/// Software that runs models under names of its own.
const LOCAL_ENGINES: [&str; 2] = ["ollama", "llama-cpp-python"];

/// The model that a name such as `openai/azure/gpt-4o` stands for. A provider that is not known is
/// taken as the maker: a name must never stop a log from being converted. A maker that the name
/// does not tell is unknown, never guessed.
pub(super) fn named_model(path: &str) -> ModelInfo {
    let Some((prefix, whole)) = path.split_once('/') else {
        return bare(path);
    };
    let rest: Vec<&str> = whole.split('/').filter(|part| !part.is_empty()).collect();
    if rest.is_empty() {
        return bare(path);
    }
    let provider = prefix.to_ascii_lowercase();
    let platform = Some(provider.as_str());
    match provider.as_str() {
        "" => bare(path),
        maker if MAKERS.contains(&maker) => made_by(path, maker, &rest),
        "bedrock" => bedrock(path, &rest.join("/")),
        // The service comes first, and then the model as the service names it.
        "openai-api" => match rest.as_slice() {
            [service, model @ ..] if !model.is_empty() => hosted(path, model, Some(service)),
            _ => hosted(path, &rest, platform),
        },
        host if HOSTS.contains(&host) => hosted(path, &rest, platform),
        engine if ENGINES.contains(&engine) => run_by(loaded(path, whole), engine),
        engine if LOCAL_ENGINES.contains(&engine) => run_by(
            named(path, prefix, &rest.join("_").replace(':', "-"), None),
            engine,
        ),
        _ => named(path, prefix, &rest.join("/"), None),
    }
}

/// A model that software loaded from a repository or a path.
fn loaded(path: &str, written: &str) -> ModelInfo {
    let model = loaded_model(written);
    let mut info = match model.id.split_once('/') {
        Some((maker, name)) => named(path, maker, name, None),
        None => unmade(path, &model.id, None),
    };
    if let Some(digest) = model.path_digest {
        info.name = format!(
            "{}/{}",
            path.split('/').next().unwrap_or_default(),
            model.id
        );
        let details = &mut info.additional_details;
        details.insert("model_path_digest".to_owned(), digest);
    }
    info
}

/// A model of a host: `maker/model`, perhaps behind a mark of the host, or the model alone.
fn hosted(path: &str, rest: &[&str], platform: Option<&str>) -> ModelInfo {
    match rest {
        // Cloudflare puts `@cf` in front, Fireworks `accounts/…/models`.
        [mark, others @ ..] if mark.starts_with('@') && !others.is_empty() => {
            hosted(path, others, platform)
        }
        ["accounts", maker, "models", model @ ..] if !model.is_empty() => {
            named(path, maker, &model.join("/"), platform)
        }
        [model] => unmade(path, model, platform),
        [maker, model @ ..] => named(path, maker, &model.join("/"), platform),
        [] => bare(path),
    }
}

/// A model whose maker is not known.
fn unmade(path: &str, model: &str, platform: Option<&str>) -> ModelInfo {
    ModelInfo {
        developer: None,
        ..named(path, UNKNOWN, model, platform)
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

/// A model of a maker with a service of its own, which clouds may serve too: `openai/azure/…`,
/// `anthropic/bedrock/…`.
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

/// The name of a Claude model without what clouds put around it: `anthropic.` in front, `-v1:0` or
/// `@date` behind.
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
                "unknown/llama-3.1-8b-instant",
                Some("groq"),
                None,
            ),
            (
                "groq/moonshotai/kimi-k2",
                "moonshotai/kimi-k2",
                Some("groq"),
                None,
            ),
            (
                "openai-api/svc/org/model-x",
                "org/model-x",
                Some("svc"),
                None,
            ),
            (
                "openai-api/svc/model-x",
                "unknown/model-x",
                Some("svc"),
                None,
            ),
            (
                "cf/@cf/meta/llama-3.1-8b-instruct",
                "meta/llama-3.1-8b-instruct",
                Some("cf"),
                None,
            ),
            (
                "hf//mnt/models/llama-3",
                "unknown/llama-3",
                None,
                Some("hf"),
            ),
            (
                "vllm//ckpt/run-a/final",
                "unknown/run-a--final",
                None,
                Some("vllm"),
            ),
            (
                "openrouter/org/family/model:free",
                "org/family/model:free",
                Some("openrouter"),
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
            let info = named_model(path);

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
