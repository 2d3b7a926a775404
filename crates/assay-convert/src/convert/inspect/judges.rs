//! Models that judge the answers of others.

use assay_formats::eee::record::{Details, Judge, LlmScoring};
use assay_formats::{Kind, Value};

use super::model::named_model;

/// Where scorers name their judge, newest first.
const MODEL_KEYS: [&str; 4] = ["model", "grader_model", "judge_model", "grader"];
/// Where scorers keep what the judge is asked.
const PROMPT_KEYS: [&str; 4] = [
    "template",
    "grader_template",
    "prompt_template",
    "instructions",
];
/// The role that Inspect's own scorers ask for.
const GRADER: &str = "grader";

/// The judges of an entry of the results, when there are any.
pub(super) fn scoring(root: Value<'_>, entry: Value<'_>) -> Option<LlmScoring> {
    let params = entry.present("params");
    let mut judges: Vec<Judge> = params
        .and_then(|params| MODEL_KEYS.iter().find_map(|key| params.present(key)))
        .map(judges_of)
        .unwrap_or_default();
    if judges.is_empty() {
        judges = by_role(root, entry);
    }
    if judges.is_empty() {
        return None;
    }
    let prompt = params
        .and_then(|params| PROMPT_KEYS.iter().find_map(|key| params.text_of(key)))
        .map_or_else(|| "unknown".to_owned(), std::borrow::Cow::into_owned);
    let mut additional_details = Details::new();
    let mut tell = |key: &str, value: &str| {
        additional_details.insert(key.to_owned(), value.to_owned());
    };
    if judges.len() > 1 {
        // Inspect lets several judges vote.
        tell("aggregation", "majority vote");
    }
    let evaluated = evaluated_model(root);
    let judges_itself =
        |judge: &Judge| Some(judge.model_info.name.as_str()) == evaluated.as_deref();
    if judges.iter().any(judges_itself) {
        tell("judge_is_evaluated_model", "true");
    }
    Some(LlmScoring {
        judges,
        input_prompt: prompt,
        additional_details,
    })
}

fn evaluated_model(root: Value<'_>) -> Option<String> {
    let model = root.get("eval")?.text_of("model")?;
    Some(model.into_owned()).filter(|model| !model.trim().is_empty())
}

/// The names of all judges of a log, whose tokens are not the model's.
pub(super) fn names(root: Value<'_>) -> Vec<String> {
    let scores = root
        .get("results")
        .and_then(|results| results.get("scores"));
    let mut names: Vec<String> = scores
        .into_iter()
        .flat_map(Value::items)
        .filter_map(|entry| scoring(root, entry))
        .flat_map(|scoring| scoring.judges)
        .map(|judge| judge.model_info.name)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A model-graded scorer that names no judge asks the model in the role of the grader, or else the evaluated model.
fn by_role(root: Value<'_>, entry: Value<'_>) -> Vec<Judge> {
    let scorer = entry.text_of("scorer").or_else(|| entry.text_of("name"));
    if !scorer.is_some_and(|scorer| scorer.contains("model_graded")) {
        return Vec::new();
    }
    let eval = root.get("eval");
    let grader = eval.and_then(|eval| eval.present("model_roles")?.present(GRADER));
    let asked = grader.or_else(|| eval?.present("model"));
    asked.map(judges_of).unwrap_or_default()
}

/// One judge or several, each a name or a configuration with a name.
fn judges_of(value: Value<'_>) -> Vec<Judge> {
    match value.kind() {
        Kind::List => value.items().flat_map(judges_of).collect(),
        Kind::String | Kind::Map => judge(value).into_iter().collect(),
        Kind::Null | Kind::Bool | Kind::Number => Vec::new(),
    }
}

fn judge(value: Value<'_>) -> Option<Judge> {
    let name = value
        .text()
        .or_else(|| value.text_of("model"))
        .or_else(|| value.text_of("name"))
        .filter(|name| !name.trim().is_empty())?;
    Some(Judge {
        model_info: named_model(&name),
        temperature: value
            .present("config")
            .and_then(|config| config.number_of("temperature")),
    })
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    fn scored_by(params: &str, roles: &str) -> Option<LlmScoring> {
        let text = format!(
            r#"{{"eval": {{"model": "acme/m", "model_roles": {roles}}}, "results": {{"scores": [{{"name": "model_graded_qa", "params": {params}}}]}}}}"#
        );
        let document = Document::new(text).unwrap();
        let root = document.root().unwrap();
        let entry = root.get("results").unwrap().get("scores").unwrap();
        scoring(root, entry.items().next().unwrap())
    }

    #[test]
    fn judges_are_found_under_every_key_they_had() {
        for params in [
            r#"{"model": "openai/j"}"#,
            r#"{"model": {"model": "openai/j", "config": {}}}"#,
            r#"{"grader_model": {"model": "openai/j"}}"#,
            r#"{"model": ["openai/j"]}"#,
        ] {
            let scoring = scored_by(params, "{}").unwrap();

            assert_eq!(scoring.judges[0].model_info.id, "openai/j", "{params}");
            assert_eq!(scoring.input_prompt, "unknown");
        }
    }

    #[test]
    fn a_scorer_without_a_judge_asks_the_grader_or_the_evaluated_model() {
        let by_role = scored_by(
            r#"{"template": "Grade: {answer}"}"#,
            r#"{"grader": {"model": "google/g", "config": {"temperature": 0.5}}}"#,
        )
        .unwrap();

        assert_eq!(by_role.judges[0].model_info.id, "google/g");
        assert_eq!(by_role.judges[0].temperature, Some(0.5));
        assert_eq!(by_role.input_prompt, "Grade: {answer}");
        assert_eq!(by_role.additional_details.len(), 0);
        let itself = scored_by("{}", "{}").unwrap();
        assert_eq!(itself.judges[0].model_info.name, "acme/m");
        assert_eq!(
            itself.additional_details["judge_is_evaluated_model"],
            "true"
        );
        let jury = scored_by(r#"{"model": ["a/b", "c/d"]}"#, "{}").unwrap();
        assert_eq!(jury.additional_details["aggregation"], "majority vote");
    }
}
