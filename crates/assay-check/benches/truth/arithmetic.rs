//! Numbers that contradict each other.

use serde_json::{Value, json};

use crate::beside::{composite, details, details_n, details_value, has_composite};
use crate::case::{Draft, Kind, Step, as_it_is, round};
use crate::honest::forget_details;
use crate::names::named;

const fn kind(name: &'static str, prepare: Step, plant: Step) -> Kind {
    Kind {
        family: "arithmetic",
        name,
        prepare,
        plant,
    }
}

/// Number of samples real benchmarks that have.
pub(crate) const SAMPLES: [u64; 8] = [30, 50, 164, 198, 448, 541, 1319, 14_042];

/// Descriptions of counts of right answers.
const COUNTS: [&str; 4] = ["accuracy on", "exact match on", "pass@1 on", "em on"];

pub(crate) const KINDS: &[Kind] = &[
    kind(
        "n of another run, all digits, asked once",
        |d| counted(d, None, Some(1)),
        change_n,
    ),
    kind(
        "n of another run, all digits",
        |d| counted(d, None, None),
        change_n,
    ),
    kind(
        "n of another run, 4 decimals, asked once",
        |d| counted(d, Some(4), Some(1)),
        change_n,
    ),
    kind(
        "score that no count gives, all digits, asked once",
        |d| counted(d, None, Some(1)),
        off_grid,
    ),
    kind(
        "score that no count gives, all digits",
        |d| counted(d, None, None),
        off_grid,
    ),
    kind(
        "score that no count gives, 4 decimals, asked once",
        |d| counted(d, Some(4), Some(1)) && samples(d) < 1000,
        off_grid_rounded,
    ),
    kind(
        "standard deviation for the error",
        |d| counted(d, Some(4), None),
        |d| {
            let root = float(samples(d)).sqrt();
            scale_error(d, root)
        },
    ),
    kind(
        "error divided by the root of n twice",
        |d| counted(d, Some(4), None),
        |d| {
            let root = float(samples(d)).sqrt();
            scale_error(d, 1.0 / root)
        },
    ),
    kind(
        "error in another scale, times 100",
        |d| counted(d, Some(4), None),
        |d| scale_error(d, 100.0),
    ),
    kind(
        "error in another scale, divided by 100",
        |d| counted(d, Some(4), None),
        |d| scale_error(d, 0.01),
    ),
    kind(
        "error of 0",
        |d| counted(d, Some(4), None),
        |d| scale_error(d, 0.0),
    ),
    kind(
        "negative error",
        |d| counted(d, Some(4), None),
        |d| scale_error(d, -1.0),
    ),
    kind(
        "error larger than the scale, n unknown",
        |d| counted(d, None, None),
        |d| {
            remove(d, "num_samples");
            let top = d.top();
            d.uncertainty()["standard_error"]["value"] = json!(top * 1.78);
            true
        },
    ),
    kind(
        "error of another n, all digits",
        |d| counted(d, None, None),
        |d| {
            let n = samples(d);
            d.uncertainty()["num_samples"] = json!(n);
            scale_error(d, (float(n) / float(n * 3 / 2)).sqrt())
        },
    ),
    kind(
        "interval beside the score",
        |d| counted(d, Some(4), None),
        |d| {
            let shift = half(d) * 2.5;
            shift_interval(d, shift)
        },
    ),
    kind(
        "interval as distances",
        |d| counted(d, Some(4), None),
        |d| {
            let half = half(d);
            set_interval(d, -half, half)
        },
    ),
    kind(
        "interval reversed",
        |d| counted(d, Some(4), None),
        |d| {
            let [low, high] = interval(d);
            set_interval(d, high, low)
        },
    ),
    kind(
        "interval in another scale",
        |d| counted(d, Some(4), None),
        |d| {
            let [low, high] = interval(d);
            let factor = if d.is_share() { 100.0 } else { 0.01 };
            set_interval(d, low * factor, high * factor)
        },
    ),
    kind(
        "interval a tenth as wide",
        |d| counted(d, Some(4), None),
        |d| widen(d, 0.1),
    ),
    kind(
        "interval four times as wide",
        |d| counted(d, Some(4), None),
        |d| widen(d, 4.0),
    ),
    kind(
        "interval four times as wide as its error, n unknown",
        |d| counted(d, Some(4), None),
        |d| {
            remove(d, "num_samples");
            widen(d, 4.0)
        },
    ),
    kind(
        "interval a quarter as wide as its error, n unknown",
        |d| counted(d, Some(4), None),
        |d| {
            remove(d, "num_samples");
            widen(d, 0.25)
        },
    ),
    kind(
        "confidence level of 95",
        |d| counted(d, Some(4), None),
        |d| {
            d.uncertainty()["confidence_interval"]["confidence_level"] = json!(95);
            true
        },
    ),
    kind(
        "confidence level of 0",
        |d| counted(d, Some(4), None),
        |d| {
            d.uncertainty()["confidence_interval"]["confidence_level"] = json!(0);
            true
        },
    ),
    kind(
        "deviation larger than the scale",
        |d| counted(d, Some(4), None),
        |d| {
            let top = d.top();
            d.uncertainty()["standard_deviation"] = json!(top * 3.0);
            true
        },
    ),
    kind(
        "error written as the deviation too",
        |d| counted(d, Some(4), None),
        |d| {
            let error = d.uncertainty()["standard_error"]["value"].clone();
            d.uncertainty()["standard_deviation"] = error;
            true
        },
    ),
    kind(
        "negative n",
        |d| counted(d, Some(4), None),
        |d| {
            d.uncertainty()["num_samples"] = json!(-5);
            true
        },
    ),
    kind(
        "raw count of another run in `details`",
        |d| counted(d, Some(4), None) && details(d, 0),
        |d| details(d, 9),
    ),
    kind(
        "raw value of another run in `details`",
        |d| details_value(d, 0.0),
        |d| details_value(d, 0.07),
    ),
    kind(
        "n in `details` differs from n",
        |d| counted(d, Some(4), None) && details_n(d, 0),
        |d| details_n(d, 40),
    ),
    kind("composite off by 0.05", as_it_is, |d| composite(d, 0.05)),
    kind("a part of a composite off by 0.2", as_it_is, |d| {
        has_composite(&d.value) && {
            d.at = 1 + d.random.below(2);
            let change = if d.share() > 0.5 { -0.2 } else { 0.2 };
            let score = d.score() + change * d.top();
            d.set_score(round(score, 4));
            true
        }
    }),
];

/// Makes the score of the result a count of right answers with its error and interval.
pub(crate) fn counted(draft: &mut Draft<'_>, decimals: Option<usize>, epochs: Option<u64>) -> bool {
    let (top, share) = (draft.top(), draft.share());
    if !(draft.is_share() || draft.is_percent()) || !(0.08..=0.92).contains(&share) {
        return false;
    }
    let n = draft.random.of(&SAMPLES);
    let right = (share * float(n)).round();
    let share = right / float(n);
    let error = (share * (1.0 - share) / float(n)).sqrt();
    let written = |share: f64| match decimals {
        Some(decimals) if top < 2.0 => round(share, decimals),
        Some(decimals) => round(share * 100.0, decimals - 2),
        None => share * top,
    };
    draft.set_score(written(share));
    forget_details(draft.result());
    // Half of the records name their metric, the others leave it to the description when that is of
    // a count.
    let described = draft.metric()["evaluation_description"]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    let is_count = COUNTS.iter().any(|count| described.contains(count));
    if !is_count || draft.random.below(2) == 0 {
        named(draft, "accuracy", false);
    }
    let fine = |share: f64| match decimals {
        Some(decimals) => round(share * top, decimals + 1),
        None => share * top,
    };
    let half = 1.96 * error;
    *draft.uncertainty() = json!({
        "standard_error": { "value": fine(error), "method": "analytic" },
        "confidence_interval": { "lower": fine(share - half), "upper": fine(share + half), "confidence_level": 0.95, "method": "normal" },
        "num_samples": n
    });
    if let Some(epochs) = epochs {
        draft.result()["generation_config"]["additional_details"]["epochs"] =
            json!(epochs.to_string());
    }
    true
}

fn change_n(draft: &mut Draft<'_>) -> bool {
    let n = samples(draft);
    remove(draft, "standard_error");
    remove(draft, "confidence_interval");
    let other = n - 1 - draft.random.next() % (n / 8);
    draft.uncertainty()["num_samples"] = json!(other);
    // Another n may give the score as well; then nothing is wrong with it.
    let unit = if draft.score().to_string().len() > 8 {
        1e-9
    } else {
        1.1e-4
    };
    let right = (draft.share() * float(other)).round();
    (right / float(other) - draft.share()).abs() > unit
}

fn off_grid(draft: &mut Draft<'_>) -> bool {
    let step = draft.top() / float(samples(draft));
    remove(draft, "standard_error");
    remove(draft, "confidence_interval");
    let part = 0.2 + 0.000_001 * float(draft.random.next() % 600_000);
    let score = draft.score() + step * part;
    draft.set_score(score);
    true
}

fn off_grid_rounded(draft: &mut Draft<'_>) -> bool {
    let n = float(samples(draft));
    off_grid(draft);
    let share = round(draft.share(), 4);
    let score = share * draft.top();
    draft.set_score(round(score, 4));
    ((share * n).round() / n - share).abs() > 1.1e-4
}

fn scale_error(draft: &mut Draft<'_>, factor: f64) -> bool {
    let error = draft.uncertainty()["standard_error"]["value"]
        .as_f64()
        .expect("it was prepared");
    remove(draft, "confidence_interval");
    draft.uncertainty()["standard_error"]["value"] = json!(error * factor);
    true
}

pub(crate) fn samples(draft: &mut Draft<'_>) -> u64 {
    draft.uncertainty()["num_samples"]
        .as_u64()
        .expect("it was prepared")
}

fn remove(draft: &mut Draft<'_>, key: &str) {
    if let Some(uncertainty) = draft.uncertainty().as_object_mut() {
        uncertainty.remove(key);
    }
}

fn interval(draft: &mut Draft<'_>) -> [f64; 2] {
    let interval = &draft.uncertainty()["confidence_interval"];
    ["lower", "upper"].map(|end| interval[end].as_f64().expect("it was prepared"))
}

fn half(draft: &mut Draft<'_>) -> f64 {
    let [low, high] = interval(draft);
    (high - low) / 2.0
}

fn set_interval(draft: &mut Draft<'_>, low: f64, high: f64) -> bool {
    let interval = &mut draft.uncertainty()["confidence_interval"];
    interval["lower"] = json!(round(low, 5));
    interval["upper"] = json!(round(high, 5));
    true
}

fn shift_interval(draft: &mut Draft<'_>, by: f64) -> bool {
    let [low, high] = interval(draft);
    set_interval(draft, low + by, high + by)
}

fn widen(draft: &mut Draft<'_>, factor: f64) -> bool {
    let [low, high] = interval(draft);
    let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0 * factor);
    set_interval(draft, middle - half, middle + half)
}

#[expect(clippy::cast_precision_loss, reason = "counts of samples")]
pub(crate) fn float(n: u64) -> f64 {
    n as f64
}

/// Says how often each sample was asked.
pub(crate) fn set_epochs(result: &mut Value, epochs: u64) {
    result["generation_config"]["additional_details"]["epochs"] = json!(epochs.to_string());
}
