use std::collections::BTreeMap;

use assay_formats::eee::record::{Bound, MetricConfig};
use assay_model::Direction;

use super::super::{KnownMetric, known_metric};

/// What HELM counts beside the scores, by how its name begins.
const BOOKKEEPING_PREFIXES: &[&str] = &[
    "num_",
    "inference_",
    "estimated_",
    "training_",
    "finish_reason_",
];
/// What HELM counts beside the scores.
const BOOKKEEPING: &[&str] = &[
    "batch_size",
    "logprob",
    "max_prob",
    "platt_coef",
    "platt_intercept",
    "predicted_index",
    "prompt_truncated",
];
/// What is computed over the tokens of every run, but only says something about the data when the model read it rather
/// than wrote it.
const LANGUAGE_MODELING: &[&str] = &["bits_per_byte", "logprob_per_byte", "perplexity"];

/// The metrics that are 1 when an answer matches and 0 when it does not; HELM takes the best of several answers.
const MATCHES: &[&str] = &[
    "chain_of_thought_correctness",
    "exact_match",
    "math_equiv",
    "math_equiv_chain_of_thought",
    "prefix_exact_match",
    "quasi_exact_match",
    "quasi_prefix_exact_match",
];

/// Whether a stat is a score.
pub(super) fn is_score(name: &str, method: &str) -> bool {
    let prefixed = BOOKKEEPING_PREFIXES
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if prefixed || BOOKKEEPING.contains(&name) {
        return false;
    }
    method == "language_modeling" || !LANGUAGE_MODELING.contains(&name)
}

/// When the answer to one instance is right, by its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Correctness {
    /// As soon as anything matches.
    AboveZero,
    /// Only with the full score.
    Full,
    /// The score does not say.
    Undefined,
}

impl Correctness {
    pub(super) fn of(name: &str) -> Self {
        let base = base_of(name).0;
        if MATCHES.contains(&base) {
            return Self::AboveZero;
        }
        match known_metric(base) {
            Some(metric) if is_share(metric) => Self::Full,
            Some(_) | None => Self::Undefined,
        }
    }

    pub(super) fn judge(self, score: f64) -> bool {
        match self {
            Self::AboveZero => score > 0.0,
            Self::Full => score >= 1.0,
            Self::Undefined => false,
        }
    }
}

fn is_share(metric: &KnownMetric) -> bool {
    metric.min == Bound::At(0.0)
        && metric.max == Bound::At(1.0)
        && metric.direction == Direction::HigherIsBetter
}

/// `exact_match@5` is `exact_match` of the best of five.
fn base_of(name: &str) -> (&str, Option<u64>) {
    name.rsplit_once('@')
        .and_then(|(base, k)| Some((base, Some(k.parse().ok()?))))
        .unwrap_or((name, None))
}

/// The metric as a record describes it. Nothing in a run says how far a metric reaches and which way it improves, so what
/// is not known of it by name is marked as unknown, and so is a range that the score itself belies.
pub(super) fn config(name: &str, score: f64) -> MetricConfig {
    let (base, k) = base_of(name);
    let known = known_metric(base).filter(|metric| holds(metric, score));
    let mut config = known.map_or_else(unknown, KnownMetric::config);
    config
        .metric_id
        .get_or_insert_with(|| format!("helm.{base}"));
    config.evaluation_description = Some(name.to_owned());
    config.metric_name = Some(name.to_owned());
    config.metric_parameters = k
        .map(|k| BTreeMap::from([("k".to_owned(), k.into())]))
        .unwrap_or_default();
    config
}

fn holds(metric: &KnownMetric, score: f64) -> bool {
    let above = match metric.min {
        Bound::At(min) => score >= min,
        Bound::Infinity => false,
        Bound::NegativeInfinity => true,
    };
    let below = match metric.max {
        Bound::At(max) => score <= max,
        Bound::Infinity => true,
        Bound::NegativeInfinity => false,
    };
    above && below
}

fn unknown() -> MetricConfig {
    let mark = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    MetricConfig {
        additional_details: [
            mark("bounds_status", "unknown"),
            mark("polarity", "assumed"),
        ]
        .into(),
        ..MetricConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookkeeping_is_no_score() {
        for name in [
            "num_prompt_tokens",
            "inference_runtime",
            "estimated_num_tokens_cost",
            "training_co2_cost",
            "finish_reason_stop",
            "max_prob",
            "perplexity",
        ] {
            assert!(!is_score(name, "generation"), "{name}");
        }
        for name in ["exact_match@5", "safety_score", "ece_10_bin", "bleu_4"] {
            assert!(is_score(name, "generation"), "{name}");
        }
        assert!(is_score("perplexity", "language_modeling"));
    }

    #[test]
    fn an_answer_is_right_by_the_kind_of_its_metric() {
        for (name, score, right) in [
            ("exact_match", 1.0, true),
            ("quasi_exact_match@5", 0.25, true),
            ("exact_match", 0.0, false),
            ("f1_score", 0.5, false),
            ("f1_score", 1.0, true),
            ("safety_score", 1.0, false),
        ] {
            assert_eq!(Correctness::of(name).judge(score), right, "{name} {score}");
        }
        assert_eq!(Correctness::of("safety_score"), Correctness::Undefined);
    }

    #[test]
    fn a_metric_that_nobody_knows_gets_no_range() {
        let config = config("safety_score", 0.5);

        assert_eq!(config.score_type, None);
        assert_eq!(config.metric_id.as_deref(), Some("helm.safety_score"));
        assert_eq!(config.additional_details["bounds_status"], "unknown");
        assert_eq!(config.additional_details["polarity"], "assumed");
    }

    #[test]
    fn a_range_that_the_score_belies_is_not_claimed() {
        assert_eq!(config("f1_score", 44.0).max_score, None);
        assert_eq!(config("f1_score", 0.44).max_score, Some(Bound::At(1.0)));
    }

    #[test]
    fn the_best_of_several_is_a_parameter() {
        let config = config("exact_match@5", 0.5);

        assert_eq!(config.metric_id.as_deref(), Some("exact_match"));
        assert_eq!(config.metric_name.as_deref(), Some("exact_match@5"));
        assert_eq!(config.metric_parameters["k"], 5);
    }
}
