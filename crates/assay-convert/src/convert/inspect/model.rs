//! The model of an evaluation.

use assay_formats::eee::record::ModelInfo;
use assay_formats::{Kind, Value};

use super::super::model_name::published_path;
use super::super::served_model::named_model;
use super::message::compact;

/// The argument that says where a model lies.
const MODEL_PATH: &str = "model_path";

/// The model of an evaluation. Its arguments are kept: they tell models of one name apart, and some
/// name the model.
pub(super) fn model_info(eval: Value<'_>) -> ModelInfo {
    let path = eval.text_of("model").unwrap_or_default();
    let arguments = eval.present("model_args");
    let mut info = match arguments.and_then(|own| own.text_of(MODEL_PATH)) {
        // `hf/local` says nothing; the argument says which.
        Some(place) if !place.trim().is_empty() => ModelInfo {
            name: path.clone().into_owned(),
            ..named_model(&format!(
                "{}/{place}",
                path.split('/').next().unwrap_or_default()
            ))
        },
        _ => named_model(&path),
    };
    let kept: Vec<String> = arguments
        .into_iter()
        .flat_map(Value::entries)
        .filter(|(_, value)| value.kind() != Kind::Null)
        .filter_map(|(key, value)| {
            let value = match value.text() {
                Some(text) => quoted(&published_path(&text)),
                None => compact(value),
            };
            Some(format!("{}:{value}", quoted(&key.text()?)))
        })
        .collect();
    if !kept.is_empty() {
        let text = format!("{{{}}}", kept.join(","));
        info.additional_details
            .insert("model_args".to_owned(), text);
    }
    info
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
