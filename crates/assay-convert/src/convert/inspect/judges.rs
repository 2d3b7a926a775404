//! Models that judge the answers of others.

use assay_formats::eee::record::{AggregationMethod, Judge, LlmScoring};
use assay_formats::{Kind, Value};

use super::super::judging::{self, UNKNOWN_PROMPT, llm_scoring};
use super::super::served_model::named_model;
use super::message::compact;

/// The keys under which scorers name their judge, newest first.
const MODEL_KEYS: [&str; 4] = ["model", "grader_model", "judge_model", "grader"];
/// The keys under which scorers keep the prompt of the judge.
const PROMPT_KEYS: [&str; 3] = ["template", "grader_template", "prompt_template"];
/// The argument that is filled into the template.
const INSTRUCTIONS: &str = "instructions";
/// The argument that says how several judgements become one.
const REDUCER: &str = "reducer";
/// The role that Inspect's own scorers ask for, unless they are given another.
const GRADER: &str = "grader";
const ROLE_KEY: &str = "model_role";
/// The part that the names of Inspect's own model-graded scorers share.
const MODEL_GRADED: &str = "model_graded";

/// A scorer of a log and what it was given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scorer<'d> {
    name: Value<'d>,
    params: Option<Value<'d>>,
}

impl<'d> Scorer<'d> {
    /// The scorer of an entry of the results.
    pub(super) fn of_result(entry: Value<'d>) -> Option<Self> {
        let name = entry.present("scorer").or_else(|| entry.present("name"))?;
        let params = entry.present("params");
        Some(Self { name, params })
    }

    /// The scorers that the configuration of the run lists.
    fn configured(root: Value<'d>) -> impl Iterator<Item = Self> {
        let eval = root.get("eval");
        let scorers = eval.and_then(|eval| eval.get("scorers"));
        scorers
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|own| {
                Some(Self {
                    name: own.present("name")?,
                    params: own.present("options"),
                })
            })
    }

    fn name(self) -> String {
        let name = self.name.text().or_else(|| self.name.text_of("name"));
        name.unwrap_or_default().into_owned()
    }

    fn is_model_graded(self) -> bool {
        self.name().contains(MODEL_GRADED)
    }

    /// Returns how several judgements become one, with the name that the log has for it.
    fn aggregation(self) -> (Option<AggregationMethod>, Option<String>) {
        let reducer = self.params.and_then(|params| params.text_of(REDUCER));
        let method = match reducer.as_deref() {
            Some("majority" | "mode") => Some(AggregationMethod::MajorityVote),
            Some("mean") => Some(AggregationMethod::Average),
            Some("median") => Some(AggregationMethod::Median),
            Some(_) => None,
            // Inspect's own scorers let their judges vote unless told otherwise.
            None => self
                .is_model_graded()
                .then_some(AggregationMethod::MajorityVote),
        };
        (method, reducer.map(std::borrow::Cow::into_owned))
    }
}

/// The judges that a scorer asks, and what it asks them.
#[derive(Debug, Default)]
struct Panel {
    judges: Vec<Judge>,
    prompts: Vec<String>,
    instructions: Vec<String>,
}

impl Panel {
    fn of(root: Value<'_>, scorer: Scorer<'_>) -> Self {
        let mut panel = Self::default();
        panel.add(root, scorer);
        panel
    }

    fn add(&mut self, root: Value<'_>, scorer: Scorer<'_>) {
        let params = scorer.params;
        let named = params
            .and_then(|params| MODEL_KEYS.iter().find_map(|key| params.present(key)))
            .map(judges_of);
        let mut judges = named.unwrap_or_default();
        if judges.is_empty() {
            judges = by_role(root, scorer);
        }
        if judges.is_empty() {
            // A scorer that combines others has them in its arguments.
            let others = params.and_then(|params| params.present("scorers"));
            for own in others.into_iter().flat_map(Value::items) {
                if let Some(name) = own.present("name") {
                    let params = own.present("params");
                    self.add(root, Scorer { name, params });
                }
            }
            return;
        }
        self.judges.append(&mut judges);
        let text = |keys: &[&str]| {
            let found = params.and_then(|params| keys.iter().find_map(|key| params.text_of(key)));
            found.map(std::borrow::Cow::into_owned)
        };
        insert(&mut self.prompts, text(&PROMPT_KEYS));
        insert(&mut self.instructions, text(&[INSTRUCTIONS]));
    }
}

fn insert(texts: &mut Vec<String>, text: Option<String>) {
    texts.extend(text.filter(|text| !texts.contains(text)));
}

/// The judges of a scorer, when it asks any.
pub(super) fn scoring(root: Value<'_>, scorer: Scorer<'_>) -> Option<LlmScoring> {
    let panel = Panel::of(root, scorer);
    let (method, reducer) = scorer.aggregation();
    let mut prompts = panel.prompts.into_iter();
    let mut instructions = panel.instructions.into_iter();
    let prompt = prompts.next().or_else(|| instructions.next());
    let evaluated = evaluated_model(root);
    let mut scoring = llm_scoring(panel.judges, evaluated.as_deref(), prompt, method)?;
    let is_jury = scoring.judges.len() > 1;
    let mut tell = |key: &str, value: String| {
        scoring.additional_details.insert(key.to_owned(), value);
    };
    if let Some(reducer) = reducer.filter(|_| is_jury) {
        tell(REDUCER, reducer);
    }
    for (number, prompt) in (2..).zip(prompts) {
        tell(&format!("input_prompt_{number}"), prompt);
    }
    for (number, own) in (1..).zip(instructions) {
        let key = match number {
            1 => INSTRUCTIONS.to_owned(),
            _ => format!("{INSTRUCTIONS}_{number}"),
        };
        tell(&key, own);
    }
    Some(scoring)
}

/// The judges of a scorer in a log that has no results.
pub(super) fn scoring_of(root: Value<'_>, name: &str) -> Option<LlmScoring> {
    let own = Scorer::configured(root).find(|scorer| plain_name(&scorer.name()) == name)?;
    scoring(root, own)
}

/// Returns the arguments of a scorer as JSON, in a log that has no results.
pub(super) fn arguments_of(root: Value<'_>, name: &str) -> Option<String> {
    let own = Scorer::configured(root).find(|scorer| plain_name(&scorer.name()) == name)?;
    own.params.filter(|params| !params.is_empty()).map(compact)
}

fn plain_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn evaluated_model(root: Value<'_>) -> Option<String> {
    let model = root.get("eval")?.text_of("model")?;
    Some(model.into_owned()).filter(|model| !model.trim().is_empty())
}

/// The scorers of a log: those of its results, or of its configuration when it has none.
fn scorers(root: Value<'_>) -> Vec<Scorer<'_>> {
    let results = root.get("results");
    let scores = results.and_then(|results| results.get("scores"));
    let scored: Vec<Scorer<'_>> = scores
        .into_iter()
        .flat_map(Value::items)
        .filter_map(Scorer::of_result)
        .collect();
    if scored.is_empty() {
        Scorer::configured(root).collect()
    } else {
        scored
    }
}

/// The names of all judges of a log, whose tokens are not the model's.
pub(super) fn names(root: Value<'_>) -> Vec<String> {
    let scorings: Vec<LlmScoring> = scorers(root)
        .into_iter()
        .filter_map(|scorer| scoring(root, scorer))
        .collect();
    judging::names(&scorings)
}

/// The scorers whose judges were asked what the header of the log does not hold.
pub(super) fn without_prompt(root: Value<'_>) -> Vec<String> {
    let is_unknown = |scorer: &Scorer<'_>| {
        scoring(root, *scorer).is_some_and(|scoring| scoring.input_prompt == UNKNOWN_PROMPT)
    };
    let found = scorers(root).into_iter().filter(is_unknown);
    let mut names: Vec<String> = found
        .map(|scorer| plain_name(&scorer.name()).to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A model-graded scorer that names no judge asks the model in the role of the grader, or else the
/// evaluated model.
fn by_role(root: Value<'_>, scorer: Scorer<'_>) -> Vec<Judge> {
    if !scorer.is_model_graded() {
        return Vec::new();
    }
    let eval = root.get("eval");
    let role = scorer.params.and_then(|params| params.present(ROLE_KEY));
    let role = role.and_then(|role| role.text().or_else(|| role.text_of("name")));
    let role = role.as_deref().unwrap_or(GRADER);
    let grader = eval.and_then(|eval| eval.present("model_roles")?.present(role));
    let asked = grader.or_else(|| eval?.present("model"));
    asked.map(judges_of).unwrap_or_default()
}

/// The models that took part without being evaluated or judging, as `role=model`.
pub(super) fn other_roles(eval: Value<'_>) -> Vec<String> {
    let roles = eval.get("model_roles").into_iter().flat_map(Value::entries);
    let mut found = Vec::new();
    for (role, models) in roles {
        let Some(role) = role.text().filter(|role| role != GRADER) else {
            continue;
        };
        let models = judges_of(models).into_iter();
        found.extend(models.map(|model| format!("{role}={}", model.model_info.name)));
    }
    found
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
        let name = if params.contains("scorers") {
            "multi_scorer"
        } else {
            "model_graded_qa"
        };
        let text = format!(
            r#"{{"eval": {{"model": "acme/m", "model_roles": {roles}}}, "results": {{"scores": [{{"name": "{name}", "params": {params}}}]}}}}"#
        );
        let document = Document::new(text).unwrap();
        let root = document.root().unwrap();
        let scores = root.get("results").unwrap().get("scores").unwrap();
        let entry = scores.items().next().unwrap();
        scoring(root, Scorer::of_result(entry).unwrap())
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
    }

    #[test]
    fn a_jury_says_how_its_judgements_become_one() {
        for (reducer, method) in [
            ("", Some(AggregationMethod::MajorityVote)),
            (
                r#", "reducer": "mode""#,
                Some(AggregationMethod::MajorityVote),
            ),
            (r#", "reducer": "mean""#, Some(AggregationMethod::Average)),
            (r#", "reducer": "median""#, Some(AggregationMethod::Median)),
            (r#", "reducer": "max""#, None),
        ] {
            let jury = scored_by(&format!(r#"{{"model": ["a/b", "c/d"]{reducer}}}"#), "{}");

            assert_eq!(jury.unwrap().aggregation_method, method, "{reducer}");
        }
        let single = scored_by(r#"{"model": ["a/b"]}"#, "{}").unwrap();
        assert_eq!(single.aggregation_method, None);
    }

    #[test]
    fn a_scorer_of_scorers_has_the_judges_and_the_prompts_of_all() {
        let jury = scored_by(
            r#"{"reducer": "mean", "scorers": [
                {"name": "model_graded_qa", "params": {"model": {"model": "a/b"}, "template": "One"}},
                {"name": "model_graded_fact", "params": {"template": "Two", "instructions": "Be brief"}},
                {"name": "match", "params": {}}]}"#,
            r#"{"grader": "c/d"}"#,
        );

        let jury = jury.unwrap();
        let names: Vec<&str> = jury
            .judges
            .iter()
            .map(|judge| judge.model_info.name.as_str())
            .collect();
        assert_eq!(names, ["a/b", "c/d"]);
        assert_eq!(jury.input_prompt, "One");
        assert_eq!(jury.additional_details["input_prompt_2"], "Two");
        assert_eq!(jury.additional_details["instructions"], "Be brief");
        assert_eq!(jury.aggregation_method, Some(AggregationMethod::Average));
    }
}
