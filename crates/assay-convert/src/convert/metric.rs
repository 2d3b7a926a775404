use assay_formats::eee::record::{Bound, MetricConfig};
use assay_model::Direction;

/// What is known of a metric by its name alone: its range, its unit and which way it improves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownMetric {
    /// Its stable name.
    pub id: &'static str,
    /// Its family.
    pub kind: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The lowest possible score.
    pub min: Bound,
    /// The highest possible score.
    pub max: Bound,
    /// Which way it improves.
    pub direction: Direction,
}

use Direction::{HigherIsBetter, LowerIsBetter};

const fn share(id: &'static str, kind: &'static str) -> KnownMetric {
    known(
        id,
        kind,
        "proportion",
        Bound::At(0.0),
        Bound::At(1.0),
        HigherIsBetter,
    )
}

const fn known(
    id: &'static str,
    kind: &'static str,
    unit: &'static str,
    min: Bound,
    max: Bound,
    direction: Direction,
) -> KnownMetric {
    KnownMetric {
        id,
        kind,
        unit,
        min,
        max,
        direction,
    }
}

/// The metrics whose range does not depend on who computes them.
const KNOWN: &[KnownMetric] = &[
    share("accuracy", "accuracy"),
    share("acc", "accuracy"),
    share("acc_norm", "accuracy"),
    share("exact_match", "exact_match"),
    share("em", "exact_match"),
    share("f1", "f1"),
    share("mc1", "accuracy"),
    share("mc2", "accuracy"),
    share("rouge1", "rouge"),
    share("rouge2", "rouge"),
    share("rougeL", "rouge"),
    share("rouge_l", "rouge"),
    share("bleu_1", "bleu"),
    share("bleu_4", "bleu"),
    share("quasi_exact_match", "exact_match"),
    share("prefix_exact_match", "exact_match"),
    share("quasi_prefix_exact_match", "exact_match"),
    share("classification_micro_f1", "f1"),
    share("classification_macro_f1", "f1"),
    share("f1_score", "f1"),
    share("ifeval_strict_accuracy", "accuracy"),
    share("chain_of_thought_correctness", "accuracy"),
    share("math_equiv", "accuracy"),
    share("math_equiv_chain_of_thought", "accuracy"),
    share("qem", "exact_match"),
    share("pem", "exact_match"),
    share("pqem", "exact_match"),
    share("extractive_match", "exact_match"),
    share("loglikelihood_f1", "f1"),
    share("mrr", "reciprocal_rank"),
    share("rougeLsum", "rouge"),
    share("pass@k", "pass_rate"),
    share("maj@n", "accuracy"),
    known(
        "mcc",
        "correlation",
        "coefficient",
        Bound::At(-1.0),
        Bound::At(1.0),
        HigherIsBetter,
    ),
    known(
        "bleu",
        "bleu",
        "points",
        Bound::At(0.0),
        Bound::At(100.0),
        HigherIsBetter,
    ),
    known(
        "brier_score",
        "brier",
        "score",
        Bound::At(0.0),
        Bound::At(2.0),
        LowerIsBetter,
    ),
    known(
        "ter",
        "error_rate",
        "points",
        Bound::At(0.0),
        Bound::Infinity,
        LowerIsBetter,
    ),
    known(
        "bits_per_byte",
        "perplexity",
        "bits",
        Bound::At(0.0),
        Bound::Infinity,
        LowerIsBetter,
    ),
    known(
        "byte_perplexity",
        "perplexity",
        "perplexity",
        Bound::At(1.0),
        Bound::Infinity,
        LowerIsBetter,
    ),
    known(
        "word_perplexity",
        "perplexity",
        "perplexity",
        Bound::At(1.0),
        Bound::Infinity,
        LowerIsBetter,
    ),
    known(
        "perplexity",
        "perplexity",
        "perplexity",
        Bound::At(1.0),
        Bound::Infinity,
        LowerIsBetter,
    ),
];

/// Looks a metric up by its name. A metric that is not known has no bounds, and its direction must come from the log.
pub fn known_metric(name: &str) -> Option<&'static KnownMetric> {
    KNOWN.iter().find(|metric| metric.id == name)
}

impl KnownMetric {
    /// The metric as a record describes it.
    pub fn config(&self) -> MetricConfig {
        MetricConfig {
            metric_id: Some(self.id.to_owned()),
            metric_kind: Some(self.kind.to_owned()),
            metric_unit: Some(self.unit.to_owned()),
            lower_is_better: self.direction == LowerIsBetter,
            score_type: Some("continuous"),
            min_score: Some(self.min),
            max_score: Some(self.max),
            ..MetricConfig::default()
        }
    }
}
