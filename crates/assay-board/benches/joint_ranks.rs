//! Times the joint ranks of models on the same questions: `just bench joint_ranks`, or `just bench
//! joint_ranks MODELS QUESTIONS`. The peak of memory is printed where the system reports it.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::unwrap_used, reason = "a bench fails where it stands")]

use std::time::Instant;

use assay_board::SplitMix64;
use assay_board::paired::{SEED, SharedScores, joint_ranks};
use assay_model::Direction;

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let (models, questions) = match sizes[..] {
        [models, questions, ..] => (models, questions),
        [_] | [] => (5_000, 1_000),
    };
    let scores = scores(models, questions);

    let started = Instant::now();
    let found = joint_ranks(&scores, Direction::HigherIsBetter, SEED);
    let time = started.elapsed();

    let pairs = models * (models - 1) / 2;
    let tiers = found
        .models
        .iter()
        .map(|model| model.interval.tier)
        .max()
        .unwrap_or_default();
    println!(
        "{models} models, {questions} questions: {time:.2?}, {} of {pairs} pairs separated beyond {:.3} errors, {tiers} tiers",
        found.separated, found.critical
    );
    if let Some(peak) = peak_memory() {
        println!("peak of memory: {peak}");
    }
}

/// Right and wrong answers: a model is better than another, and a question is harder than another.
fn scores(models: usize, questions: usize) -> SharedScores {
    let mut random = SplitMix64::new(1);
    let mut spread =
        |count: usize| -> Vec<f64> { (0..count).map(|_| 4.0 * random.unit() - 2.0).collect() };
    let (skills, hardness) = (spread(models), spread(questions));
    let mut values = Vec::with_capacity(models * questions);
    for skill in &skills {
        for hard in &hardness {
            let share = 1.0 / (1.0 + (hard - skill).exp());
            values.push(if random.unit() < share { 1.0 } else { 0.0 });
        }
    }
    SharedScores::new(models, questions, values).unwrap()
}

fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}
