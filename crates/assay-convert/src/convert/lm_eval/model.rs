use std::borrow::Cow;

use assay_formats::eee::record::{Engine, ModelInfo};
use assay_formats::{Kind, Value};

use super::results::Results;
use super::text::{text_of, write_string};
use crate::convert::Options;

/// The arguments that name the model, the most telling first.
const NAMING: [&str; 6] = [
    "pretrained",
    "model",
    "model_name",
    "path",
    "engine",
    "model_id",
];
/// Arguments that open doors; they are never copied.
const SECRETS: [&str; 8] = [
    "api_key",
    "token",
    "hf_token",
    "auth_token",
    "use_auth_token",
    "password",
    "secret",
    "header",
];
/// What stands in place of a secret.
const REDACTED: &str = "[redacted]";
/// How the cache of the model hub names the directory of a repository.
const CACHED: &str = "models--";

/// The model of a run.
pub(super) fn model(results: &Results<'_>, options: &Options) -> ModelInfo {
    let arguments = Arguments::of(results.config("model_args"));
    let backend = results
        .get("model_source")
        .or_else(|| results.config("model"))
        .and_then(Value::text)
        .unwrap_or_default();
    let written = NAMING
        .iter()
        .find_map(|key| arguments.get(key))
        .map(str::to_owned)
        .or_else(|| Some(results.get("model_name")?.text()?.into_owned()))
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| "unknown".to_owned());
    let id = id_of(&written, is_service(&backend)).into_owned();
    let mut model = ModelInfo::new(id.clone(), id);
    model.developer = model
        .id
        .split_once('/')
        .map(|(developer, _)| developer.to_owned());
    model.inference_platform = platform(&backend).map(str::to_owned);
    model.inference_engine = engine(&backend, results, options);
    for (key, name) in [
        ("model_num_parameters", "num_parameters"),
        ("model_dtype", "dtype"),
        ("model_revision", "revision"),
        ("model_sha", "sha"),
    ] {
        let value = results
            .config(key)
            .map(text_of)
            .filter(|text| !text.is_empty());
        if let Some(value) = value {
            model
                .additional_details
                .insert(name.to_owned(), value.into_owned());
        }
    }
    if let Some(text) = arguments.published() {
        model
            .additional_details
            .insert("model_args".to_owned(), text);
    }
    model
}

/// The arguments of a model, which newer versions write as a map and older ones as `key=value,key=value`.
struct Arguments<'d> {
    pairs: Vec<(Cow<'d, str>, Cow<'d, str>)>,
    form: Form,
}

/// How the arguments were written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Map,
    Text,
}

impl<'d> Arguments<'d> {
    fn of(value: Option<Value<'d>>) -> Self {
        let text = value.and_then(Value::text);
        let Some(text) = text else {
            let pairs = value
                .into_iter()
                .flat_map(Value::entries)
                .filter(|(_, value)| value.kind() != Kind::Null)
                .filter_map(|(key, value)| Some((key.text()?, text_of(value))));
            return Self {
                pairs: pairs.collect(),
                form: Form::Map,
            };
        };
        let mut pairs: Vec<(Cow<'d, str>, Cow<'d, str>)> = Vec::new();
        for part in text.split(',') {
            match (part.split_once('='), pairs.last_mut()) {
                (Some((key, value)), _) => {
                    pairs.push((key.trim().to_owned().into(), value.to_owned().into()));
                }
                // A value may hold commas itself.
                (None, Some((_, value))) => {
                    let value = value.to_mut();
                    value.push(',');
                    value.push_str(part);
                }
                (None, None) => {}
            }
        }
        Self {
            pairs,
            form: Form::Text,
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(own, value)| own == key && !value.trim().is_empty())
            .map(|(_, value)| value.as_ref())
    }

    /// The arguments for everyone to read: without secrets, and without the directories of somebody's machine.
    fn published(&self) -> Option<String> {
        if self.pairs.is_empty() {
            return None;
        }
        let pairs = self.pairs.iter().map(|(key, value)| {
            let value = if is_secret(key) {
                REDACTED
            } else if is_path(value) {
                last_component(value)
            } else {
                value
            };
            (key.as_ref(), value)
        });
        Some(match self.form {
            Form::Text => pairs
                .map(|(key, value)| format!("{key}={value}"))
                .collect::<Vec<_>>()
                .join(","),
            Form::Map => {
                let mut text = String::from("{");
                for (position, (key, value)) in pairs.enumerate() {
                    if position > 0 {
                        text.push_str(", ");
                    }
                    write_string(key, &mut text);
                    text.push_str(": ");
                    write_string(value, &mut text);
                }
                text.push('}');
                text
            }
        })
    }
}

fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRETS.contains(&key.as_str()) || key.ends_with("_key") || key.ends_with("_secret")
}

/// The id of a model by the name it was loaded with. Paths of a machine tell nothing but their last part, unless they
/// lead into the cache of the model hub, whose directories tell the repository.
fn id_of(written: &str, is_service: bool) -> Cow<'_, str> {
    let written = written.trim();
    let components = || written.split(['/', '\\']).filter(|part| !part.is_empty());
    if let Some(cached) = components().find_map(|part| part.strip_prefix(CACHED)) {
        return Cow::Owned(cached.replacen("--", "/", 1));
    }
    let is_deep = !is_service && components().count() > 2;
    if is_path(written) || is_deep || written.ends_with('/') {
        return Cow::Borrowed(last_component(written));
    }
    Cow::Borrowed(written)
}

fn is_path(written: &str) -> bool {
    let is_drive = |bytes: &[u8]| matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    written.starts_with(['/', '~', '.', '\\']) || is_drive(written.as_bytes())
}

fn last_component(path: &str) -> &str {
    path.split(['/', '\\'])
        .rev()
        .find(|part| !matches!(*part, "" | "." | ".." | "~"))
        .unwrap_or("unknown")
}

/// Whether a backend asks a service, whose model names may have any number of parts.
fn is_service(backend: &str) -> bool {
    backend.contains("completions") || platform(backend).is_some()
}

fn platform(backend: &str) -> Option<&'static str> {
    Some(match backend {
        "openai-completions" | "openai-chat-completions" => "openai",
        "anthropic" | "anthropic-chat" | "anthropic-chat-completions" | "anthropic-completions" => {
            "anthropic"
        }
        "together" => "together",
        _ => return None,
    })
}

fn engine(backend: &str, results: &Results<'_>, options: &Options) -> Option<Engine> {
    let known = match backend {
        "hf" | "hf-auto" | "huggingface" | "hf-multimodal" => Some("transformers"),
        "vllm" | "vllm-vlm" => Some("vllm"),
        "gguf" | "ggml" => Some("llama.cpp"),
        "sglang" => Some("sglang"),
        _ => None,
    };
    let name = known
        .map(str::to_owned)
        .or_else(|| options.inference_engine.clone())?;
    let logged = (known == Some("transformers"))
        .then(|| results.get("transformers_version")?.text())
        .flatten()
        .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    Some(Engine {
        version: logged
            .map(Cow::into_owned)
            .or_else(|| options.inference_engine_version.clone()),
        name: Some(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_machine_become_the_last_of_their_parts() {
        for (written, expected) in [
            ("/home/someone/checkpoints/llama-ft/", "llama-ft"),
            ("./llama-ft", "llama-ft"),
            ("~/models/llama-ft", "llama-ft"),
            ("C:\\models\\llama-ft", "llama-ft"),
            ("runs/7/llama-ft", "llama-ft"),
            ("/", "unknown"),
            ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
            ("gpt-4o", "gpt-4o"),
            (
                "/root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f",
                "meta-llama/Llama-3.1-8B",
            ),
        ] {
            assert_eq!(id_of(written, false), expected, "{written}");
        }
        assert_eq!(id_of("a/b/c", true), "a/b/c");
    }

    #[test]
    fn secrets_and_paths_are_not_published() {
        let arguments = Arguments {
            pairs: vec![
                ("pretrained".into(), "/home/someone/llama".into()),
                ("api_key".into(), "sk-1".into()),
                ("tokenizer".into(), "acme/tok".into()),
            ],
            form: Form::Text,
        };

        assert_eq!(
            arguments.published().unwrap(),
            "pretrained=llama,api_key=[redacted],tokenizer=acme/tok"
        );
    }
}
