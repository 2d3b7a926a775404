//! Records rewritten in honest ways, in which nothing new may be found.

use serde_json::{Value, json};

use crate::arithmetic::{SAMPLES, float, set_epochs};
use crate::beside::has_composite;
use crate::case::{round, scale_record, tidy};
use crate::names::NAMES;
use crate::pool::{Findings, Pool};
use crate::random::Random;

/// Rewrites a record; returns whether it could.
type Rewrite = Box<dyn Fn(&mut Value, &mut Random) -> bool>;

/// Numbers of times that each sample is asked.
const EPOCHS: [u64; 18] = [
    1, 2, 3, 4, 5, 8, 10, 15, 16, 24, 30, 32, 48, 50, 64, 100, 128, 256,
];

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
pub(crate) fn print(pool: &Pool, show: Option<&str>) {
    let control = pool.validate_with(std::iter::empty());
    let (mut records, mut warned) = (0, 0);
    for (name, rewrite) in variations() {
        let mut random = Random(7);
        let rewritten: Vec<(&str, Value)> = pool
            .records
            .iter()
            .filter_map(|record| {
                let mut value = record.value.clone();
                rewrite(&mut value, &mut random).then_some((record.path.as_str(), value))
            })
            .collect();
        let changes = rewritten
            .iter()
            .map(|(path, value)| vec![(*path, Some(value))]);
        let after = pool.validate_with(changes);
        let has_new = |path: &str, notes: bool| {
            new_codes(path, &control, &after)
                .iter()
                .any(|(_, is_note)| *is_note == notes)
        };
        let count = |notes: bool| {
            rewritten
                .iter()
                .filter(|(path, _)| has_new(path, notes))
                .count()
        };
        if show == Some(name.as_str()) {
            for (path, _) in &rewritten {
                for (message, _) in new_codes(path, &control, &after) {
                    println!("{path}: {message}");
                }
            }
        }
        let own = count(false);
        records += rewritten.len();
        warned += own;
        println!("| {name} | {} | {own} | {} |", rewritten.len(), count(true));
    }
    println!(
        "| **all** | {records} | {warned} ({}) | |",
        crate::percent(warned, records)
    );
}

/// Returns the findings that are new, each with whether it is a note.
fn new_codes(path: &str, before: &Findings, after: &Findings) -> Vec<(String, bool)> {
    let count = |findings: &Findings, code: &str| {
        let own = findings.get(path).into_iter().flatten();
        own.filter(|found| found.code == code).count()
    };
    after
        .get(path)
        .into_iter()
        .flatten()
        .filter(|found| count(after, &found.code) > count(before, &found.code))
        .map(|found| (format!("{} {}", found.code, found.message), found.is_note))
        .collect()
}

fn variations() -> Vec<(String, Rewrite)> {
    let mut all: Vec<(String, Rewrite)> = Vec::new();
    for decimals in [1, 2, 3] {
        all.push((
            format!("per cent with {decimals} decimals"),
            Box::new(move |record, _| {
                scale_record(record, 100.0).is_some() && rounded(record, decimals)
            }),
        ));
    }
    all.push((
        "per cent with all digits".to_owned(),
        Box::new(|record, _| scale_record(record, 100.0).is_some()),
    ));
    for decimals in [2, 3, 4] {
        all.push((
            format!("shares with {decimals} decimals"),
            Box::new(move |record, _| is_share(record) && rounded(record, decimals)),
        ));
    }
    all.push((
        "right n, error and interval, 4 decimals".to_owned(),
        Box::new(|record, random| {
            each_apart(record, |result| counted(result, random, 1, true, Some(4)))
        }),
    ));
    all.push((
        "right n, error and interval, all digits".to_owned(),
        Box::new(|record, random| {
            each_apart(record, |result| counted(result, random, 1, true, None))
        }),
    ));
    for is_said in [true, false] {
        let words = if is_said { "said" } else { "not said" };
        all.push((
            format!("1 to 256 epochs, {words}"),
            Box::new(move |record, random| {
                let epochs = random.of(&EPOCHS);
                each_apart(record, |result| {
                    counted(result, random, epochs, is_said, None);
                })
            }),
        ));
    }
    for is_said in [true, false] {
        let words = if is_said { "said" } else { "not said" };
        all.push((
            format!("clustered errors of 4 to 64 epochs, {words}"),
            Box::new(move |record, random| {
                let epochs = random.of(&[4, 8, 16, 32, 64]);
                each_apart(record, |result| clustered(result, random, epochs, is_said))
            }),
        ));
    }
    all.push((
        "means over subjects called macro accuracy".to_owned(),
        Box::new(|record, random| each_apart(record, |result| macro_mean(result, random))),
    ));
    all.push((
        format!("{} names of metrics with their direction", NAMES.len()),
        Box::new(|record, random| {
            // A whole collection has one name for a metric; a record by itself stands for one here.
            let (name, lower) = random.of(NAMES);
            each(record, |result| {
                let metric = result["metric_config"].as_object_mut();
                if let Some(metric) = metric {
                    metric.insert("metric_name".to_owned(), json!(name));
                    metric.insert("lower_is_better".to_owned(), json!(lower));
                    metric.remove("evaluation_description");
                }
            })
        }),
    ));
    all
}

fn is_share(record: &Value) -> bool {
    crate::case::max_score(record, 0).is_some_and(|max| (max - 1.0).abs() < 1e-9)
}

/// Rewrites all results of a record whose scores do not hang together.
fn each_apart(record: &mut Value, rewrite: impl FnMut(&mut Value)) -> bool {
    !has_composite(record) && each(record, rewrite)
}

/// Rewrites all results of a record.
fn each(record: &mut Value, mut rewrite: impl FnMut(&mut Value)) -> bool {
    let Some(results) = record["evaluation_results"].as_array_mut() else {
        return false;
    };
    results.iter_mut().for_each(&mut rewrite);
    true
}

fn rounded(record: &mut Value, decimals: usize) -> bool {
    each(record, |result| {
        let score = &mut result["score_details"]["score"];
        if let Some(own) = score.as_f64() {
            *score = json!(round(own, decimals));
        }
    })
}

/// Drops what the source said of the score that is replaced.
pub(crate) fn forget_details(result: &mut Value) {
    if let Some(details) = result["score_details"].as_object_mut() {
        details.remove("details");
    }
}

/// The score as a share and the end of its scale, when it is one between the ends.
fn share_of(result: &Value) -> Option<(f64, f64)> {
    let top = result["metric_config"]["max_score"].as_f64()?;
    let share = result["score_details"]["score"].as_f64()? / top;
    let is_share = [1.0, 100.0].iter().any(|usual| (top - usual).abs() < 1e-9);
    (is_share && (0.02..0.98).contains(&share)).then_some((share, top))
}

/// Makes the score a count of right answers over some epochs; n counts questions.
fn counted(
    result: &mut Value,
    random: &mut Random,
    epochs: u64,
    is_said: bool,
    decimals: Option<usize>,
) {
    let Some((share, top)) = share_of(result) else {
        return;
    };
    forget_details(result);
    let n = random.of(&SAMPLES);
    let total = float(n * epochs);
    let share = (share * total).round() / total;
    let error = (share * (1.0 - share) / float(n)).sqrt();
    let written = |share: f64| match decimals {
        Some(decimals) => round(share * top, decimals),
        None => share * top,
    };
    result["score_details"]["score"] = json!(written(share));
    result["metric_config"]["metric_name"] = json!("accuracy");
    let half = 1.96 * error;
    result["score_details"]["uncertainty"] = if epochs == 1 {
        json!({
            "standard_error": { "value": written(error) },
            "confidence_interval": {
                "lower": written(share - half), "upper": written(share + half), "confidence_level": 0.95
            },
            "num_samples": n
        })
    } else {
        json!({ "num_samples": n })
    };
    if is_said {
        set_epochs(result, epochs);
    }
}

/// Makes the error one of clustered answers; n counts all answers.
fn clustered(result: &mut Value, random: &mut Random, epochs: u64, is_said: bool) {
    let Some((share, top)) = share_of(result) else {
        return;
    };
    forget_details(result);
    let questions = random.of(&SAMPLES);
    let total = float(questions * epochs);
    let share = (share * total).round() / total;
    // Of many decimals: with few of them the error is that of a whole number of samples by chance.
    let within = 0.3 + 0.6 * float(random.next() % 1_000_003) / 1_000_003.0;
    let inflation = 1.0 + (float(epochs) - 1.0) * within;
    let error = (share * (1.0 - share) / total * inflation).sqrt();
    result["score_details"]["score"] = json!(share * top);
    result["metric_config"]["metric_name"] = json!("accuracy");
    result["score_details"]["uncertainty"] = json!({
        "standard_error": { "value": tidy(error * top) }, "num_samples": questions * epochs
    });
    if is_said {
        set_epochs(result, epochs);
    }
}

/// Makes the score a mean over subjects of unequal size.
fn macro_mean(result: &mut Value, random: &mut Random) {
    let Some((share, top)) = share_of(result) else {
        return;
    };
    forget_details(result);
    let (mut sum, mut total) = (0.0, 0);
    for _ in 0..7 {
        let n = 20 + random.next() % 180;
        let own = (share * float(n) + float(random.next() % 7) - 3.0).round();
        sum += own.clamp(0.0, float(n)) / float(n);
        total += n;
    }
    result["score_details"]["score"] = json!(sum / 7.0 * top);
    result["metric_config"]["metric_name"] = json!("macro_accuracy");
    result["score_details"]["uncertainty"] = json!({ "num_samples": total });
}
