//! Times ranking by the size of a board: `cargo bench -p assay-board`. The best of several runs is
//! printed.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::unwrap_used, reason = "names in this file are fixed")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_board::{
    Contender, Fingerprint, Leaderboard, Level, Origin, Policy, Question, RankableResult,
    Uncertainty, paired, rank, rank_intervals,
};
use assay_model::{Direction, Number, ObjectId, RepoKey, Score, Timestamp};

const RUNS: usize = 20;

fn main() {
    for size in [5_000, 100_000] {
        let results = results(size);
        for policy in Policy::ALL {
            let question = question(policy);
            let (time, rows) = fastest(|| rank(black_box(&results), &question));
            println!(
                "{size:>7} results, {:<13} {rows:>7} rows  {time:>9.2?}",
                policy.as_str()
            );
        }
    }
    intervals();
    bootstraps();
}

/// Between which ranks the rows of a board lie, beside the ranking of as many rows.
fn intervals() {
    for size in [20, 5_000, 20_000] {
        for (name, uncertainty) in UNCERTAIN {
            let contenders: Vec<Contender> = (0..size)
                .map(|n| contender(scattered(n), uncertainty))
                .collect();
            let (time, rows) = shortest(|| {
                rank_intervals(black_box(&contenders), Direction::HigherIsBetter).len()
            });
            println!("{size:>7} rows, intervals of {name:<16} {rows:>7} rows  {time:>9.2?}");
        }
    }
}

/// A function that gives a value its uncertainty, by a scattered number.
type Uncertain = fn(u64) -> Option<Uncertainty>;

/// Boards on which all have as many samples, different errors, and errors of every size there is.
const UNCERTAIN: [(&str, Uncertain); 3] = [
    ("equal samples", |_| Uncertainty::of_share(1_000, 256.0)),
    ("uneven errors", |n| {
        Uncertainty::of_error(0.1 + f64::from(low_byte(n >> 32)) / 50.0)
    }),
    ("hostile errors", |n| {
        Uncertainty::of_error(2.0_f64.powi(i32::from(low_byte(n >> 32)) - 128))
    }),
];

fn contender(n: u64, uncertainty: Uncertain) -> Contender {
    Contender {
        value: f64::from(low_byte(n >> 16)) + f64::from(low_byte(n >> 24)) / 256.0,
        uncertainty: uncertainty(n),
    }
}

/// Two models with as many shared samples as a large benchmark has.
fn bootstraps() {
    let differences: Vec<f64> = (0..15_000)
        .map(|n| f64::from(low_byte(scattered(n))) / 256.0 - 0.49)
        .collect();
    let (time, _) = shortest(|| {
        let found = paired::bootstrap(black_box(&differences), paired::SEED);
        usize::from(found.is_some())
    });
    println!("{:>7} pairs, bootstrap {time:>9.2?}", differences.len());
}

/// The shortest of several runs, and how many rows came out.
fn fastest<'a>(mut run: impl FnMut() -> Leaderboard<'a>) -> (Duration, usize) {
    shortest(|| black_box(run()).rows().len())
}

fn shortest(mut run: impl FnMut() -> usize) -> (Duration, usize) {
    let mut best = (Duration::MAX, 0);
    for _ in 0..RUNS {
        let started = Instant::now();
        let rows = run();
        best = best.min((started.elapsed(), rows));
    }
    best
}

/// Reports of four to a model, some of them in pull requests, with many ties, in no order.
fn results(count: u64) -> Vec<RankableResult> {
    (0..count)
        .map(|n| result(scattered(n), count / 4))
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

fn result(n: u64, models: u64) -> RankableResult {
    let model = n % models.max(1);
    let moment = Timestamp::from_seconds(1_700_000_000 + i64::from(low_byte(n >> 40)) * 3600);
    let mut fingerprint = [0; 32];
    fingerprint[..8].copy_from_slice(&n.to_be_bytes());
    RankableResult {
        model: format!("organisation/model-{model}").parse().unwrap(),
        key: RepoKey(i64::try_from(model).unwrap()),
        derived: false,
        verified: n.is_multiple_of(7),
        origin: match n % 3 {
            0 => Origin::Community {
                pull: 1 + u32::from(low_byte(n % 5)),
            },
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
        setup: assay_model::Setup::default(),
        scores: vec![Score {
            metric: None,
            value: Number::new(f64::from(low_byte(n >> 16)) + f64::from(low_byte(n >> 24)) / 100.0)
                .unwrap(),
            literal: String::new(),
            slice: None,
            value_type: None,
            sample_size: None,
            uncertainty: assay_model::StatedUncertainty::default(),
            context: None,
        }],
    }
}

fn question(policy: Policy) -> Question {
    Question {
        metric: "accuracy".parse().unwrap(),
        primary: true,
        slice: None,
        direction: Direction::HigherIsBetter,
        level: Level::Whole,
        policy,
        verified_only: false,
        base_models_only: false,
        comparable_by: Vec::new(),
        as_of: None,
    }
}
