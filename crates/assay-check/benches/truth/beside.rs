//! Faults in values beside a score: counts, raw values, and the parts of a mean.

use serde_json::{Value, json};

use crate::arithmetic::{float, samples};
use crate::case::{Draft, max_score, round, score};

/// Writes the count of right answers beside the score, some too many.
pub(crate) fn details(draft: &mut Draft<'_>, more: u64) -> bool {
    let n = samples(draft);
    let right = (draft.share() * float(n)).round();
    let right = right - float(more) * (float(n) / 100.0).max(1.0).floor();
    if right < 0.0 {
        return false;
    }
    draft.result()["score_details"]["details"] =
        json!({ "num_correct": format!("{right}"), "num_total": n.to_string() });
    true
}

pub(crate) fn details_n(draft: &mut Draft<'_>, more: u64) -> bool {
    let n = samples(draft) + more;
    draft.result()["score_details"]["details"] = json!({ "num_samples": n.to_string() });
    true
}

/// Writes the score as the source has it beside the score.
pub(crate) fn details_value(draft: &mut Draft<'_>, off: f64) -> bool {
    let share = draft.share();
    if !(0.1..0.9).contains(&share) {
        return false;
    }
    let raw = match draft.at % 2 {
        0 => format!("{:.2}%", (share + off) * 100.0),
        _ => format!("{:.4}", share + off),
    };
    draft.result()["score_details"]["details"] = json!({ "accuracy_raw": raw });
    true
}

/// Returns whether the first score of the record is the mean of the others.
pub(crate) fn has_composite(record: &Value) -> bool {
    let count = record["evaluation_results"].as_array().map_or(0, Vec::len);
    if count < 4 {
        return false;
    }
    let parts: Vec<f64> = (1..count).map(|at| score(record, at)).collect();
    let mean = parts.iter().sum::<f64>() / float(parts.len() as u64);
    (score(record, 0) - mean).abs() < 0.002 * max_score(record, 0).unwrap_or(1.0)
}

pub(crate) fn composite(draft: &mut Draft<'_>, off: f64) -> bool {
    if !has_composite(&draft.value) {
        return false;
    }
    draft.at = 0;
    let score = draft.score() - off * draft.top();
    draft.set_score(round(score, 4));
    true
}
