use std::borrow::Cow;

use assay_formats::eee::record::{Engine, ModelInfo};
use assay_formats::{Kind, Value};

use super::results::Results;
use super::text::{text_of, write_string};
use crate::convert::model_name::{LoadedModel, is_path, loaded_model, published_path};
use crate::convert::secrets::{Scope, is_secret_key};

/// The arguments that name the model, the most telling first.
const NAMING: [&str; 6] = [
    "pretrained",
    "model",
    "model_name",
    "path",
    "engine",
    "model_id",
];
/// The arguments that name weights which change the base model: they are the model, and the base is
/// what they change.
const ADAPTERS: [&str; 2] = ["peft", "delta"];

/// The model of a run.
pub(super) fn model(results: &Results<'_>) -> ModelInfo {
    let arguments = Arguments::of(results.config("model_args"));
    let backend = results
        .get("model_source")
        .or_else(|| results.config("model"))
        .and_then(Value::text)
        .unwrap_or_default();
    let base = NAMING
        .iter()
        .find_map(|key| arguments.get(key))
        .map(str::to_owned)
        .or_else(|| Some(results.get("model_name")?.text()?.into_owned()))
        .filter(|name| !name.trim().is_empty());
    let adapter = ADAPTERS
        .iter()
        .find_map(|key| Some((*key, arguments.get(key)?)));
    let written = match (&adapter, &base) {
        (Some((_, adapter)), _) => *adapter,
        (None, Some(base)) => base,
        (None, None) => "unknown",
    };
    let loaded = name_of(written, is_service(&backend));
    let mut model = ModelInfo::new(loaded.id.clone(), loaded.id);
    let mut tell = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            model.additional_details.insert(key.to_owned(), value);
        }
    };
    tell("model_path_digest", loaded.path_digest);
    if let (Some((kind, _)), Some(base)) = (&adapter, &base) {
        tell("adapter", Some((*kind).to_owned()));
        tell("base_model", Some(name_of(base, false).id));
    }
    model.developer = model
        .id
        .split_once('/')
        .map(|(developer, _)| developer.to_owned());
    model.inference_platform = platform(&backend).map(str::to_owned);
    model.inference_engine = engine(&backend, results);
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

/// The arguments of a model, which newer versions write as a map and older ones as
/// `key=value,key=value`.
struct Arguments<'d> {
    pairs: Vec<(Cow<'d, str>, Cow<'d, str>)>,
    form: Form,
}

/// The spelling of the arguments.
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

    /// The arguments for everyone to read: without secrets, and without the directories of
    /// somebody's machine.
    fn published(&self) -> Option<String> {
        if self.pairs.is_empty() {
            return None;
        }
        let pairs = self.pairs.iter().map(|(key, value)| {
            let value = if is_secret_key(key, Scope::Record) {
                "[redacted]".to_owned()
            } else {
                published_path(value)
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
                    write_string(&value, &mut text);
                }
                text.push('}');
                text
            }
        })
    }
}

/// A model by the name it was loaded with. The names of a service may have any number of parts.
fn name_of(written: &str, is_service: bool) -> LoadedModel {
    if is_service && !is_path(written) {
        return LoadedModel {
            id: written.trim().to_owned(),
            path_digest: None,
        };
    }
    loaded_model(written)
}

/// Returns whether a backend asks a service, whose model names may have any number of parts.
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

fn engine(backend: &str, results: &Results<'_>) -> Option<Engine> {
    let known = match backend {
        "hf" | "hf-auto" | "huggingface" | "hf-multimodal" => Some("transformers"),
        "vllm" | "vllm-vlm" => Some("vllm"),
        "gguf" | "ggml" => Some("llama.cpp"),
        "sglang" => Some("sglang"),
        _ => None,
    };
    let logged = (known == Some("transformers"))
        .then(|| results.get("transformers_version")?.text())
        .flatten()
        .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    Some(Engine {
        version: logged.map(Cow::into_owned),
        name: Some(known?.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(model_args: &str) -> ModelInfo {
        let text = format!(r#"{{"config": {{"model": "hf", "model_args": {model_args}}}}}"#);
        let mut tape = assay_formats::Tape::new();
        assay_formats::json::parse(&text, &mut tape);
        model(&Results::new(tape.root(&text).unwrap()))
    }

    #[test]
    fn an_adapter_is_the_model_and_its_base_is_a_detail() {
        let adapted = with(r#""pretrained=acme/base,peft=acme/adapter""#);

        assert_eq!(adapted.id, "acme/adapter");
        assert_eq!(adapted.additional_details["base_model"], "acme/base");
        assert_eq!(adapted.additional_details["adapter"], "peft");
        assert_eq!(
            with(r#"{"pretrained": "acme/base", "delta": "acme/d"}"#).id,
            "acme/d"
        );
        assert_eq!(with(r#"{"pretrained": "acme/base"}"#).id, "acme/base");
        assert_eq!(name_of("a/b/c", true).id, "a/b/c");
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
