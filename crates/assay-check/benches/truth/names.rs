//! Faults of direction, and metrics by name with the direction that they have.

use serde_json::json;

use crate::case::{Draft, Kind, Step, as_it_is};

const fn kind(name: &'static str, prepare: Step, plant: Step) -> Kind {
    Kind {
        family: "direction",
        name,
        prepare,
        plant,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("one direction turned", as_it_is, turn),
    kind("all directions turned", as_it_is, |d| {
        for result in d.results() {
            let metric = &mut result["metric_config"];
            let Some(lower) = metric["lower_is_better"].as_bool() else {
                return false;
            };
            metric["lower_is_better"] = json!(!lower);
        }
        true
    }),
    kind("accuracy turned", |d| named(d, "accuracy", false), turn),
    kind(
        "exact match turned",
        |d| named(d, "exact_match", false),
        turn,
    ),
    kind("F1 turned", |d| named(d, "F1", false), turn),
    kind("pass@1 turned", |d| named(d, "pass@1", false), turn),
    kind(
        "word error rate turned",
        |d| named(d, "word error rate", true),
        turn,
    ),
    kind("perplexity turned", |d| open(d, "perplexity", true), turn),
    kind("latency turned", |d| open(d, "latency", true), turn),
    kind(
        "one of many metric names turned",
        |d| {
            let (name, lower) = d.random.of(NAMES);
            named(d, name, lower)
        },
        turn,
    ),
];

fn turn(draft: &mut Draft<'_>) -> bool {
    let Some(lower) = draft.metric()["lower_is_better"].as_bool() else {
        return false;
    };
    draft.metric()["lower_is_better"] = json!(!lower);
    true
}

/// Names the metric of the result.
pub(crate) fn named(draft: &mut Draft<'_>, name: &str, lower: bool) -> bool {
    let metric = draft.metric();
    metric["metric_name"] = json!(name);
    metric["lower_is_better"] = json!(lower);
    if let Some(metric) = metric.as_object_mut() {
        metric.remove("evaluation_description");
    }
    true
}

/// Names the metric of the result, and takes its bounds away.
pub(crate) fn open(draft: &mut Draft<'_>, name: &str, lower: bool) -> bool {
    named(draft, name, lower);
    if let Some(metric) = draft.metric().as_object_mut() {
        metric.remove("min_score");
        metric.remove("max_score");
    }
    true
}

/// Names of metrics as harnesses and leaderboards write them; true when lower is better.
pub(crate) const NAMES: &[(&str, bool)] = &[
    ("acc", false),
    ("acc_norm", false),
    ("acc,none", false),
    ("accuracy", false),
    ("Accuracy (%)", false),
    ("balanced_accuracy", false),
    ("quasi_exact_match", false),
    ("quasi_prefix_exact_match", false),
    ("prefix_exact_match", false),
    ("exact_match", false),
    ("exact_match,strict-match", false),
    ("Exact Match", false),
    ("EM", false),
    ("em", false),
    ("f1", false),
    ("F1", false),
    ("f1_score", false),
    ("macro_f1", false),
    ("micro_f1", false),
    ("weighted_f1", false),
    ("token_f1", false),
    ("precision", false),
    ("recall", false),
    ("recall@10", false),
    ("precision@1", false),
    ("hits@1", false),
    ("hit_rate", false),
    ("ndcg@10", false),
    ("NDCG@10", false),
    ("ndcg_at_10", false),
    ("map@100", false),
    ("mrr@10", false),
    ("MRR", false),
    ("mean_average_precision", false),
    ("RR@10", false),
    ("bleu", false),
    ("BLEU-4", false),
    ("sacrebleu", false),
    ("bleu_acc", false),
    ("rouge1", false),
    ("rouge2", false),
    ("rougeL", false),
    ("ROUGE-L", false),
    ("rouge_l", false),
    ("chrf", false),
    ("chrF++", false),
    ("chrf2", false),
    ("meteor", false),
    ("METEOR", false),
    ("bertscore", false),
    ("BERTScore-F1", false),
    ("comet", false),
    ("COMET-22", false),
    ("xcomet", false),
    ("bleurt", false),
    ("BLEURT-20", false),
    ("ter", true),
    ("TER", true),
    ("wer", true),
    ("WER", true),
    ("word_error_rate", true),
    ("cer", true),
    ("CER (%)", true),
    ("character_error_rate", true),
    ("mer", true),
    ("pass@1", false),
    ("pass@10", false),
    ("pass@k", false),
    ("pass_at_1", false),
    ("pass@1,create_test", false),
    ("pass^4", false),
    ("mcc", false),
    ("matthews_correlation", false),
    ("pearson", false),
    ("pearsonr", false),
    ("spearman", false),
    ("spearmanr", false),
    ("cosine_spearman", false),
    ("kendall_tau", false),
    ("auc", false),
    ("AUROC", false),
    ("roc_auc", false),
    ("auprc", false),
    ("mse", true),
    ("MSE", true),
    ("rmse", true),
    ("mae", true),
    ("mean_absolute_error", true),
    ("mape", true),
    ("r2", false),
    ("perplexity", true),
    ("word_perplexity", true),
    ("byte_perplexity", true),
    ("word_perplexity,none", true),
    ("bits_per_byte", true),
    ("bpb", true),
    ("ppl", true),
    ("loss", true),
    ("log_loss", true),
    ("cross_entropy", true),
    ("nll", true),
    ("brier_score", true),
    ("ece", true),
    ("ECE", true),
    ("ece_10_bin", true),
    ("expected_calibration_error", true),
    ("calibration_error", true),
    ("fid", true),
    ("FID", true),
    ("lpips", true),
    ("psnr", false),
    ("ssim", false),
    ("iou", false),
    ("mIoU", false),
    ("dice", false),
    ("latency", true),
    ("latency_ms", true),
    ("mean_latency", true),
    ("inference_runtime", true),
    ("time_to_first_token", true),
    ("cost", true),
    ("cost_usd", true),
    ("total_cost", true),
    ("win_rate", false),
    ("win rate", false),
    ("length_controlled_winrate", false),
    ("lc_win_rate", false),
    ("elo", false),
    ("Elo rating", false),
    ("success_rate", false),
    ("Task success rate", false),
    ("resolved_rate", false),
    ("% Resolved", false),
    ("solve_rate", false),
    ("error_rate", true),
    ("hallucination_rate", true),
    ("toxicity", true),
    ("toxic_fraction", true),
    ("attack_success_rate", true),
    ("violation_rate", true),
    ("equal_error_rate", true),
    ("diarization error rate", true),
    ("edit_distance", true),
    ("levenshtein_distance", true),
    ("edit_similarity", false),
    ("v_measure", false),
    ("silhouette_score", false),
    ("faithfulness", false),
    ("tokens_per_second", false),
    ("throughput", false),
];
