//! The table of metrics whose range does not depend on who computes them.

use assay_formats::eee::record::Bound;
use assay_model::Direction::{self, HigherIsBetter, LowerIsBetter};

use super::KnownMetric;

/// A share of right answers.
const fn count(
    id: &'static str,
    other_names: &'static [&'static str],
    kind: &'static str,
) -> KnownMetric {
    KnownMetric {
        counts_right_answers: true,
        ..share(id, other_names, kind)
    }
}

/// A share of one that says nothing of right and wrong.
const fn share(
    id: &'static str,
    other_names: &'static [&'static str],
    kind: &'static str,
) -> KnownMetric {
    KnownMetric {
        id,
        other_names,
        kind,
        unit: "proportion",
        min: Bound::At(0.0),
        max: Bound::At(1.0),
        direction: HigherIsBetter,
        counts_right_answers: false,
    }
}

const fn other(
    id: &'static str,
    other_names: &'static [&'static str],
    kind: &'static str,
    unit: &'static str,
    range: (Bound, Bound),
    direction: Direction,
) -> KnownMetric {
    KnownMetric {
        id,
        other_names,
        kind,
        unit,
        min: range.0,
        max: range.1,
        direction,
        counts_right_answers: false,
    }
}

const FROM_ZERO: (Bound, Bound) = (Bound::At(0.0), Bound::Infinity);
const FROM_ONE: (Bound, Bound) = (Bound::At(1.0), Bound::Infinity);
const TO_HUNDRED: (Bound, Bound) = (Bound::At(0.0), Bound::At(100.0));

/// The metrics whose range does not depend on who computes them.
pub const KNOWN_METRICS: &[KnownMetric] = &[
    count("accuracy", &["acc"], "accuracy"),
    count("acc_norm", &[], "accuracy"),
    count("acc_mutual_info", &[], "accuracy"),
    count("acc_bytes", &[], "accuracy"),
    count("mc1", &[], "accuracy"),
    count(
        "exact_match",
        &["em", "exact-match", "exactmatch", "exact match"],
        "exact_match",
    ),
    count("quasi_exact_match", &["qem"], "exact_match"),
    count("prefix_exact_match", &["pem"], "exact_match"),
    count("quasi_prefix_exact_match", &["pqem"], "exact_match"),
    count("extractive_match", &[], "exact_match"),
    count("chain_of_thought_correctness", &[], "accuracy"),
    count("math_equiv", &[], "accuracy"),
    count("math_equiv_chain_of_thought", &[], "accuracy"),
    count("pass@k", &["pass_at_k", "pass_at"], "pass_rate"),
    count("pass_rate", &[], "pass_rate"),
    count("resolved_rate", &["resolve_rate"], "pass_rate"),
    count("maj@n", &["maj_at_n", "majority_vote"], "accuracy"),
    share("mc2", &[], "accuracy"),
    share("f1", &["f1_score", "f1-score"], "f1"),
    share("classification_micro_f1", &["f1_micro"], "f1"),
    share("classification_macro_f1", &["f1_macro"], "f1"),
    share("loglikelihood_f1", &[], "f1"),
    share("rouge_1", &["rouge1", "rouge-1"], "rouge"),
    share("rouge_2", &["rouge2", "rouge-2"], "rouge"),
    share(
        "rouge_l",
        &["rougeL", "rougel", "rouge-l", "rouge-L"],
        "rouge",
    ),
    share("rouge_lsum", &["rougeLsum", "rougelsum"], "rouge"),
    share("bleu_1", &["bleu-1"], "bleu"),
    share("bleu_4", &["bleu-4"], "bleu"),
    share("ifeval_strict_accuracy", &[], "accuracy"),
    share("mrr", &["mean_reciprocal_rank"], "reciprocal_rank"),
    other(
        "mcc",
        &["matthews_corrcoef", "matthews_correlation"],
        "correlation",
        "coefficient",
        (Bound::At(-1.0), Bound::At(1.0)),
        HigherIsBetter,
    ),
    other("bleu", &[], "bleu", "points", TO_HUNDRED, HigherIsBetter),
    other(
        "chrf",
        &["chrF"],
        "chrf",
        "points",
        TO_HUNDRED,
        HigherIsBetter,
    ),
    other(
        "brier_score",
        &["brier"],
        "brier",
        "score",
        (Bound::At(0.0), Bound::At(2.0)),
        LowerIsBetter,
    ),
    other("ter", &[], "error_rate", "points", FROM_ZERO, LowerIsBetter),
    other(
        "bits_per_byte",
        &["bpb"],
        "perplexity",
        "bits",
        FROM_ZERO,
        LowerIsBetter,
    ),
    other(
        "byte_perplexity",
        &[],
        "perplexity",
        "perplexity",
        FROM_ONE,
        LowerIsBetter,
    ),
    other(
        "word_perplexity",
        &[],
        "perplexity",
        "perplexity",
        FROM_ONE,
        LowerIsBetter,
    ),
    other(
        "perplexity",
        &["ppl"],
        "perplexity",
        "perplexity",
        FROM_ONE,
        LowerIsBetter,
    ),
];
