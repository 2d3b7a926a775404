use std::collections::BTreeMap;

use assay_formats::eee::record::MetricConfig;

use super::super::known_metric;
use super::super::metric::MetricFacts;

/// The beginnings of names of stats that HELM counts beside the scores.
const BOOKKEEPING_PREFIXES: &[&str] = &[
    "num_",
    "inference_",
    "estimated_",
    "training_",
    "finish_reason_",
];
/// The names of stats that HELM counts beside the scores.
const BOOKKEEPING: &[&str] = &[
    "batch_size",
    "logprob",
    "max_prob",
    "platt_coef",
    "platt_intercept",
    "predicted_index",
    "prompt_truncated",
];
/// The stats over the tokens of every run, which only say something about the data when the model
/// read it rather than wrote it.
const LANGUAGE_MODELING: &[&str] = &["bits_per_byte", "logprob_per_byte", "perplexity"];

/// Returns whether a stat is a score.
pub(super) fn is_score(name: &str, method: &str) -> bool {
    let prefixed = BOOKKEEPING_PREFIXES
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if prefixed || BOOKKEEPING.contains(&name) {
        return false;
    }
    method == "language_modeling" || !LANGUAGE_MODELING.contains(&name)
}

/// Returns whether a metric counts right answers; of several answers HELM takes the best.
pub(super) fn counts_right_answers(name: &str) -> bool {
    known_metric(base_of(name).0).is_some_and(|known| known.counts_right_answers)
}

/// `exact_match@5` is `exact_match` of the best of five.
fn base_of(name: &str) -> (&str, Option<u64>) {
    name.rsplit_once('@')
        .and_then(|(base, k)| Some((base, Some(k.parse().ok()?))))
        .unwrap_or((name, None))
}

/// The metric as a record describes it. Nothing in a run says how far a metric reaches and which
/// way it improves.
pub(super) fn config(name: &str, score: f64) -> MetricConfig {
    let (base, k) = base_of(name);
    let facts = MetricFacts {
        library: "helm",
        name,
        base: Some(base),
        score,
        higher_is_better: None,
    };
    let mut config = facts.config();
    config.evaluation_description = Some(name.to_owned());
    config.metric_parameters = k
        .map(|k| BTreeMap::from([("k".to_owned(), k.into())]))
        .unwrap_or_default();
    config
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
    fn matches_count_right_answers_and_overlaps_do_not() {
        for (name, expected) in [
            ("exact_match", true),
            ("quasi_exact_match@5", true),
            ("f1_score", false),
            ("safety_score", false),
        ] {
            assert_eq!(counts_right_answers(name), expected, "{name}");
        }
    }

    #[test]
    fn the_best_of_several_is_a_parameter() {
        let config = config("exact_match@5", 0.5);

        assert_eq!(config.metric_id.as_deref(), Some("exact_match"));
        assert_eq!(config.metric_name.as_deref(), Some("exact_match@5"));
        assert_eq!(config.metric_parameters["k"], 5);
    }
}
