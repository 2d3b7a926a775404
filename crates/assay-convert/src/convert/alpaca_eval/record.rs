use assay_formats::eee::record::{
    Bound, Details, EvaluationResult, Judge, LlmScoring, MetricConfig, ModelInfo, Record,
    ScoreDetails, SourceData, StandardError, Uncertainty,
};

use super::edition::Edition;
use super::leaderboard::Entry;
use crate::convert::run::{self, Run, UNKNOWN};
use crate::convert::{Harness, Identity, Options};

const HARNESS: &str = "alpaca_eval";

/// The developers of models by the beginning of their names, for families that only one developer
/// has. Whoever trains a model of another developer further names it after that, so a word inside a
/// name tells nothing.
const DEVELOPERS: &[(&str, &str)] = &[
    ("chatgpt", "openai"),
    ("claude-", "anthropic"),
    ("cohere", "cohere"),
    ("dbrx-", "databricks"),
    ("deepseek-", "deepseek-ai"),
    ("falcon-", "tiiuae"),
    ("gemini-", "google"),
    ("gpt-3.5-", "openai"),
    ("gpt-4", "openai"),
    ("gpt35_", "openai"),
    ("gpt4", "openai"),
    ("llama-2-", "meta-llama"),
    ("Meta-Llama-", "meta-llama"),
    ("mistral-large", "mistralai"),
    ("mistral-medium", "mistralai"),
    ("Mistral-7B-Instruct-", "mistralai"),
    ("Mixtral-8x", "mistralai"),
    ("Qwen", "Qwen"),
    ("text_davinci_", "openai"),
    ("tulu-2-", "allenai"),
    ("vicuna-", "lmsys"),
    ("yi-large", "01-ai"),
    ("Yi-34B-Chat", "01-ai"),
];

/// The record of one row of a leaderboard.
pub(super) struct Of<'r> {
    pub(super) options: &'r Options,
    pub(super) entry: &'r Entry,
    pub(super) edition: Edition,
}

impl Of<'_> {
    /// The model as `developer/model`.
    pub(super) fn model_id(&self) -> String {
        run::model_id(&self.model(), self.options)
    }

    fn model(&self) -> ModelInfo {
        let name = self.entry.model.replace('/', "_");
        let maker = developer(&self.entry.model);
        let mut model = ModelInfo::new(self.entry.model.clone(), format!("{maker}/{name}"));
        model.developer = (maker != UNKNOWN).then(|| maker.to_owned());
        model
    }

    pub(super) fn record(&self, identity: &Identity) -> Record {
        let mut run = Run::new(Harness::AlpacaEval, self.model());
        run.source_type = "documentation";
        if let Some(mode) = &self.entry.mode {
            run.source_details.insert("mode".to_owned(), mode.clone());
        }
        if let Some(facts) = self.edition.facts() {
            run.version = Some(facts.version.to_owned());
            let details = &mut run.library_details;
            details.insert("baseline".to_owned(), facts.baseline.to_owned());
        }
        if let Some(facts) = self.edition.judged() {
            let details = &mut run.library_details;
            details.insert("annotator".to_owned(), facts.annotator.to_owned());
        }
        // A leaderboard has no time that could name the record, so its content does.
        let id = identity.evaluation_id(self.edition.dataset(), &self.model_id(), None);
        run.record(self.options, id, self.results())
    }

    fn results(&self) -> Vec<EvaluationResult> {
        let entry = self.entry;
        let rates = [
            ("win_rate", "Win rate", entry.win_rate, entry.standard_error),
            (
                "length_controlled_win_rate",
                "Length-controlled win rate",
                entry.length_controlled,
                entry.length_controlled_error,
            ),
            (
                "discrete_win_rate",
                "Discrete win rate",
                entry.discrete,
                None,
            ),
        ];
        let rates = rates.into_iter().filter_map(|(id, name, rate, error)| {
            let mut metric = metric(id, name, "win_rate", "proportion");
            metric.max_score = Some(Bound::At(1.0));
            metric.llm_scoring = self.judges();
            Some(self.result(id, metric, share(rate?), error.map(share)))
        });
        let length = entry.average_length.map(|length| {
            let id = "average_length";
            // Nothing bounds how long an answer may be, and longer is not better.
            let mut metric = metric(id, "Average length", "length", "characters");
            metric.max_score = Some(Bound::Infinity);
            metric
                .additional_details
                .insert("polarity".to_owned(), "assumed".to_owned());
            self.result(id, metric, length, None)
        });
        rates.chain(length).collect()
    }

    fn result(
        &self,
        id: &str,
        metric_config: MetricConfig,
        score: f64,
        error: Option<f64>,
    ) -> EvaluationResult {
        let standard_error = error.map(|value| StandardError {
            value,
            method: None,
        });
        let num_samples = self.entry.total;
        let known = standard_error.is_some() || num_samples.is_some();
        EvaluationResult {
            evaluation_result_id: format!("{HARNESS}.{id}"),
            evaluation_name: self.edition.dataset().to_owned(),
            source_data: self.data(),
            evaluation_timestamp: None,
            metric_config,
            score_details: ScoreDetails {
                score,
                details: Details::new(),
                uncertainty: known.then(|| Uncertainty {
                    standard_error,
                    num_samples,
                    ..Uncertainty::default()
                }),
            },
            generation_config: None,
        }
    }

    fn data(&self) -> SourceData {
        let dataset_name = self.edition.dataset().to_owned();
        match self.edition.judged() {
            Some(facts) => SourceData::Url {
                dataset_name,
                url: vec![facts.url.to_owned()],
                additional_details: Details::new(),
            },
            None => SourceData::Other {
                dataset_name,
                additional_details: Details::new(),
            },
        }
    }

    fn judges(&self) -> Option<LlmScoring> {
        let facts = self.edition.judged()?;
        let name = facts.judge.rsplit('/').next().unwrap_or(facts.judge);
        let mut model_info = ModelInfo::new(name.to_owned(), facts.judge.to_owned());
        model_info.developer = Some("openai".to_owned());
        Some(LlmScoring {
            judges: vec![Judge {
                model_info,
                temperature: None,
            }],
            // The leaderboard names the prompt and does not hold it.
            input_prompt: facts.annotator.to_owned(),
            aggregation_method: None,
            additional_details: Details::from([("baseline".to_owned(), facts.baseline.to_owned())]),
        })
    }
}

/// A metric that begins at zero; who asks for it says where it ends.
fn metric(id: &str, name: &str, kind: &str, unit: &str) -> MetricConfig {
    MetricConfig {
        metric_id: Some(format!("{HARNESS}.{id}")),
        metric_name: Some(name.to_owned()),
        metric_kind: Some(kind.to_owned()),
        metric_unit: Some(unit.to_owned()),
        lower_is_better: false,
        score_type: Some("continuous"),
        min_score: Some(Bound::At(0.0)),
        ..MetricConfig::default()
    }
}

/// A rate of a hundred as a share of one, with six decimals.
fn share(rate: f64) -> f64 {
    (rate * 1e4).round() / 1e6
}

fn developer(model: &str) -> &'static str {
    DEVELOPERS
        .iter()
        .find(|(prefix, _)| model.starts_with(prefix))
        .map_or(UNKNOWN, |(_, developer)| developer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_made_a_model_is_told_by_the_beginning_of_its_name_or_not_at_all() {
        for (model, expected) in [
            ("gpt4_1106_preview", "openai"),
            ("claude-2.1_concise", "anthropic"),
            ("SPPO-Llama-3-Instruct-8B-PairRM", "unknown"),
            ("openpipe-moa-gpt-4-turbo-v1", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(developer(model), expected, "{model}");
        }
    }

    #[test]
    fn rates_are_shares_with_six_decimals() {
        assert_eq!(share(95.279_503_105).to_bits(), 0.952_795_f64.to_bits());
        assert_eq!(share(100.0).to_bits(), 1.0_f64.to_bits());
    }
}
