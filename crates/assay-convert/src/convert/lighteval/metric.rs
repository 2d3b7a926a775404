use assay_formats::Value;
use assay_formats::eee::record::{Judge, MetricConfig};

use super::results::Task;
use crate::convert::judging::llm_scoring;
use crate::convert::known_metric;
use crate::convert::metric::{MetricFacts, mark};
use crate::convert::model_name::repository_model;

/// What stands before the name of a judge, and before what it was asked by.
const JUDGE: &str = "judge=Model: ";
const BACKEND: &str = ", Judge Backend: ";

/// A metric as a record describes it: from what is known of its name, and from what the log says.
/// The evaluated model may be its own judge.
pub(super) fn config(task: &Task<'_>, evaluated: &str, name: &str, score: f64) -> MetricConfig {
    // Parameters stand behind a colon: `pass@k:k=1`.
    let base = name.split(':').next().unwrap_or(name);
    let said = described(task, name).or_else(|| described(task, base));
    let facts = MetricFacts {
        library: "lighteval",
        name,
        base: Some(base),
        score,
        higher_is_better: said.and_then(|said| is_higher_better(said, name)),
    };
    let mut config = facts.config();
    for key in ["category", "corpus_level_fn"] {
        if let Some(text) = said.and_then(|said| said.text_of(key)) {
            mark(&mut config, key, &text);
        }
    }
    let function = said.and_then(|said| said.text_of("sample_level_fn"));
    let judges = function.and_then(|function| judge(&function)).into_iter();
    config.llm_scoring = llm_scoring(judges.collect(), Some(evaluated), None, None);
    config
}

/// The model that judges, by how lighteval writes the function that scores a sample:
/// `JudgeLLM(short_judge_name=x, judge=Model: gpt-4o, Judge Backend: openai, URL: None)`.
fn judge(function: &str) -> Option<Judge> {
    let (_, said) = function.split_once(JUDGE)?;
    let (name, rest) = said.split_once(BACKEND)?;
    let mut model_info = repository_model(name);
    let backend = rest.split([',', ')']).next();
    model_info.inference_platform = backend.map(str::to_owned);
    Some(Judge {
        model_info,
        temperature: None,
    })
}

/// The entry in the task's configuration that describes a metric, or the group of metrics it
/// belongs to.
pub(super) fn described<'d>(task: &Task<'d>, metric: &str) -> Option<Value<'d>> {
    let config = task.config?;
    let metrics = config.present("metrics").or(config.present("metric"))?;
    metrics.items().find(|item| {
        item.get("metric_name").is_some_and(|name| {
            name.is_text(metric) || name.items().any(|name| name.is_text(metric))
        })
    })
}

/// Returns whether a metric counts right answers.
pub(super) fn counts_right_answers(name: &str) -> bool {
    let base = name.split(':').next().unwrap_or(name);
    let known = known_metric(name).or_else(|| known_metric(base));
    known.is_some_and(|known| known.counts_right_answers)
}

/// Returns the direction of a metric: given for it alone, or for each metric of its group.
fn is_higher_better(said: Value<'_>, metric: &str) -> Option<bool> {
    let higher = said.get("higher_is_better")?;
    higher.truth().or_else(|| higher.get(metric)?.truth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_is_named_by_the_function_that_scores_a_sample() {
        let function = "JudgeLLMMTBench(short_judge_name=gpt4o, judge=Model: openai/gpt-4o, Judge Backend: litellm, URL: None)";

        let judge = judge(function).unwrap().model_info;

        assert_eq!(judge.id, "openai/gpt-4o");
        assert_eq!(judge.inference_platform.as_deref(), Some("litellm"));
        assert!(super::judge("ExactMatches(strip_strings=True)").is_none());
    }
}
