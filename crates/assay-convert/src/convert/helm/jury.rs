//! Juries: the models that a metric asks to judge the answers of a run.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{AggregationMethod, Judge, LlmScoring, ModelInfo};

use super::super::judging::{SentPrompt, llm_scoring};
use super::text::scalar;

/// The judges of a metric.
#[derive(Debug)]
pub(super) struct Jury {
    /// The annotator that asked them.
    pub(super) annotator: String,
    pub(super) scoring: LlmScoring,
}

/// The judges of each metric that a jury decides, by its name. HELM takes the mean of their scores.
pub(super) fn juries(spec: Value<'_>, evaluated: Option<&str>) -> BTreeMap<String, Jury> {
    let metrics = spec.present("metric_specs");
    let metrics = metrics.into_iter().flat_map(Value::items);
    metrics
        .filter_map(|metric| {
            let arguments = metric.present("args")?;
            let name = arguments.text_of("metric_name")?;
            let models = arguments.present("annotator_models")?.entries();
            let judges = models.filter_map(|(_, model)| judge(model)).collect();
            let average = Some(AggregationMethod::Average);
            let annotator = arguments.text_of("scenario_name").unwrap_or_default();
            let jury = Jury {
                annotator: annotator.into_owned(),
                scoring: llm_scoring(judges, evaluated, None, average)?,
            };
            Some((name.into_owned(), jury))
        })
        .collect()
}

/// Returns the prompts of the annotators for one answer.
pub(super) fn prompts(state: Value<'_>) -> Vec<SentPrompt> {
    let instance = state.present("instance");
    let sample = instance.and_then(|instance| scalar(instance.get("id")?));
    let annotations = state.present("annotations").into_iter();
    let prompt = |(annotator, own): (Value<'_>, Value<'_>)| {
        let sample = sample.clone().unwrap_or_default().into_owned();
        SentPrompt::new(&annotator.text()?, sample, &own.text_of("prompt_text")?)
    };
    annotations
        .flat_map(Value::entries)
        .filter_map(prompt)
        .collect()
}

fn judge(model: Value<'_>) -> Option<Judge> {
    let name = model
        .text_of("model_name")
        .filter(|name| !name.trim().is_empty())?;
    Some(Judge {
        model_info: model_info(&name, model.text_of("model_deployment").as_deref()),
        temperature: None,
    })
}

/// A model as HELM names it: `developer/model`, served by `platform/model`.
pub(super) fn model_info(name: &str, deployment: Option<&str>) -> ModelInfo {
    let front = |own: &str| own.split_once('/').map(|(front, _)| front.to_owned());
    let mut info = ModelInfo::new(name.to_owned(), name.to_owned());
    info.developer = front(name);
    info.inference_platform = deployment.and_then(front);
    info
}
