//! Measures how often the intervals of paired differences hold the truth.

use assay_board::SplitMix64;
use assay_board::paired::{Agreement, Power, SEED, bootstrap, detectable_paired};

use crate::simulated::{normal, share_of};

/// The shares of samples on which the models differ.
const DISCORDANT: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];
/// The part of that share that is for the first model.
const LEANS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The probability of exactly so many of each, without simulation.
fn probability(
    total: u32,
    only_a: u32,
    only_b: u32,
    shares: (f64, f64),
    factorials: &[f64],
) -> f64 {
    let rest = total - only_a - only_b;
    let ln_ways = [only_a, only_b, rest]
        .iter()
        .fold(factorials[total as usize], |ways, &count| {
            ways - factorials[count as usize]
        });
    let power = |share: f64, count: u32| {
        if count == 0 {
            0.0
        } else {
            f64::from(count) * share.ln()
        }
    };
    (ln_ways
        + power(shares.0, only_a)
        + power(shares.1, only_b)
        + power(1.0 - shares.0 - shares.1, rest))
    .exp()
}

/// The probability that the interval holds the truth, over everything that can happen.
fn coverage(total: u32, shares: (f64, f64), factorials: &[f64]) -> f64 {
    let truth = shares.0 - shares.1;
    let mut covered = 0.0;
    for only_a in 0..=total {
        for only_b in 0..=total - only_a {
            let agreement = Agreement {
                both: u64::from(total - only_a - only_b),
                only_a: u64::from(only_a),
                only_b: u64::from(only_b),
                neither: 0,
            };
            let interval = agreement.difference().unwrap().interval;
            if interval.low <= truth + 1e-12 && truth - 1e-12 <= interval.high {
                covered += probability(total, only_a, only_b, shares, factorials);
            }
        }
    }
    covered
}

#[test]
fn the_interval_of_a_paired_difference_covers_at_95_of_100() {
    let mut factorials = vec![0.0];
    for n in 1..=100_u32 {
        factorials.push(factorials[n as usize - 1] + f64::from(n).ln());
    }
    for total in [10, 25, 100] {
        let mut found: Vec<f64> = Vec::new();
        for discordant in DISCORDANT {
            for lean in LEANS {
                let shares = (discordant * lean, discordant * (1.0 - lean));
                found.push(coverage(total, shares, &factorials));
            }
        }

        // Counts are whole, so that no interval covers at exactly 95 % everywhere: on average it
        // must, and nowhere may it miss by more than two points.
        let mean = found.iter().sum::<f64>() / 42.0;
        let least = found.iter().copied().fold(1.0, f64::min);
        assert_eq!(found.len(), 42);
        assert!(mean >= 0.95, "{total} samples: {mean}");
        assert!(least >= 0.93, "{total} samples: {least}");
    }
}

/// Differences of a kind, and their true mean.
type Kind = (&'static str, f64, fn(&mut SplitMix64) -> f64);

const KINDS: [Kind; 5] = [
    ("normal", 0.0, normal),
    ("skewed", 1.0, |random| -(1.0 - random.unit()).ln()),
    ("even", 0.5, SplitMix64::unit),
    ("heavy-tailed", 0.0, |random| {
        let side = if random.next_u64() % 2 == 0 {
            1.0
        } else {
            -1.0
        };
        side * -(1.0 - random.unit()).ln()
    }),
    ("mostly zero", 0.04, |random| {
        if random.unit() < 0.2 {
            random.unit() - 0.3
        } else {
            0.0
        }
    }),
];

#[test]
fn a_bootstrap_covers_at_95_of_100() {
    const TRIALS: u32 = 200;
    const SAMPLES: usize = 32;
    let mut random = SplitMix64::new(7);
    let mut sum = 0.0;
    for (name, truth, draw) in KINDS {
        let found = share_of(TRIALS, || {
            let differences: Vec<f64> = (0..SAMPLES).map(|_| draw(&mut random)).collect();
            let interval = bootstrap(&differences, SEED).unwrap().interval;
            interval.low <= truth && truth <= interval.high
        });

        // With 200 trials a coverage of 95 % is seen as 90 % or more in 999 of 1,000 runs.
        assert!(found >= 0.9, "{name}: {found}");
        sum += found;
    }
    assert!(sum / 5.0 >= 0.95, "{}", sum / 5.0);
}

#[test]
fn the_least_difference_is_found_as_often_as_promised() {
    const TRIALS: u32 = 1_500;
    const SAMPLES: u32 = 400;
    let mut random = SplitMix64::new(11);
    let discordant = 0.2;
    let difference = detectable_paired(discordant, u64::from(SAMPLES), Power::USUAL).unwrap();

    let found = share_of(TRIALS, || {
        let pairs = (0..SAMPLES).map(|_| {
            let place = random.unit();
            let for_a = f64::midpoint(discordant, difference);
            (place < for_a, place >= for_a && place < discordant)
        });
        Agreement::of(pairs).mcnemar().p_value < 0.05
    });

    // The exact test is a little more careful than the normal one of the formula: 77 to 79 of 100
    // in place of 80.
    assert!((found - 0.78).abs() < 0.03, "{found}");
}
