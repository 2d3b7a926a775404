//! How long a board takes, by its size: `cargo bench -p assay-board`. The best of several runs is printed.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::unwrap_used, reason = "names in this file are fixed")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_board::{
    BoardScore, Fingerprint, Leaderboard, Level, Origin, Policy, Question, Report, rank,
};
use assay_model::{Direction, ObjectId, RepoKey, Timestamp};

const RUNS: usize = 20;

fn main() {
    for size in [5_000, 100_000] {
        let reports = reports(size);
        for policy in Policy::ALL {
            let question = question(policy);
            let (time, rows) = fastest(|| rank(black_box(&reports), &question));
            println!(
                "{size:>7} reports, {:<13} {rows:>7} rows  {time:>9.2?}",
                policy.as_str()
            );
        }
    }
}

/// The shortest of several runs, and how many rows came out.
fn fastest<'a>(mut run: impl FnMut() -> Leaderboard<'a>) -> (Duration, usize) {
    let mut best = (Duration::MAX, 0);
    for _ in 0..RUNS {
        let started = Instant::now();
        let rows = black_box(run()).rows().len();
        best = best.min((started.elapsed(), rows));
    }
    best
}

/// Reports of four to a model, some of them in pull requests, with many ties, in no order.
fn reports(count: u64) -> Vec<Report> {
    (0..count)
        .map(|n| report(scattered(n), count / 4))
        .collect()
}

/// A number that looks like no neighbour of it.
fn scattered(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

fn low_byte(n: u64) -> u8 {
    n.to_le_bytes()[0]
}

fn report(n: u64, models: u64) -> Report {
    let model = n % models.max(1);
    let moment = Timestamp::from_seconds(1_700_000_000 + i64::from(low_byte(n >> 40)) * 3600);
    let mut fingerprint = [0; 32];
    fingerprint[..8].copy_from_slice(&n.to_be_bytes());
    Report {
        model: format!("organisation/model-{model}").parse().unwrap(),
        key: RepoKey(i64::try_from(model).unwrap()),
        derived: false,
        verified: n.is_multiple_of(7),
        origin: match n % 3 {
            0 => Origin::Community { pull: 1 + n % 5 },
            _ => Origin::Merged,
        },
        date: moment,
        committed: moment,
        commit: ObjectId::from_bytes([low_byte(n >> 8); 20]),
        file: ".eval_results/gpqa.yaml".parse().unwrap(),
        ordinal: 0,
        fingerprint: Fingerprint(fingerprint),
        since: moment,
        until: None,
        scores: vec![BoardScore {
            metric: None,
            value: f64::from(low_byte(n >> 16)) + f64::from(low_byte(n >> 24)) / 100.0,
            literal: String::new(),
            level: Level::Whole,
            stderr: None,
            interval: None,
            sample_size: None,
        }],
        handle: 0,
    }
}

fn question(policy: Policy) -> Question {
    Question {
        metric: "accuracy".parse().unwrap(),
        primary: true,
        direction: Direction::HigherIsBetter,
        level: Level::Whole,
        policy,
        verified_only: false,
        base_models_only: false,
        as_of: None,
    }
}
