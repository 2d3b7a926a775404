//! Intervals of means whose samples come in clusters.

use assay_board::{Cluster, Method, SplitMix64, clustered_mean, clustered_share, mean_of, wilson};
use proptest::prelude::*;

use crate::simulated::{normal, share_of, tosses};

/// Some questions, each asked several times.
const EPOCHS: [Cluster; 5] = [
    Cluster {
        total: 3.0,
        size: 4,
    },
    Cluster {
        total: 0.0,
        size: 4,
    },
    Cluster {
        total: 2.0,
        size: 2,
    },
    Cluster {
        total: 4.0,
        size: 5,
    },
    Cluster {
        total: 1.0,
        size: 1,
    },
];

#[test]
fn clustered_errors_agree_with_statsmodels() {
    // `OLS(y, 1).fit(cov_type="cluster", use_t=True).conf_int()`.
    let found = clustered_mean(&EPOCHS).unwrap();

    assert!((found.value - 0.625).abs() < 1e-12);
    assert!(
        (found.interval.low - 0.077_329_67).abs() < 1e-7,
        "{found:?}"
    );
    assert!(
        (found.interval.high - 1.172_670_33).abs() < 1e-7,
        "{found:?}"
    );
    assert_eq!(found.method, Method::ClusteredStudent);
}

#[test]
fn independent_values_have_students_interval() {
    // `scipy.stats.t.interval(0.95, 5, mean, sem)`.
    let found = mean_of(&[1.5, 2.25, -0.5, 3.0, 0.75, 2.0]).unwrap();

    assert!((found.value - 1.5).abs() < 1e-12);
    assert!(
        (found.interval.low - 0.204_042_584_618).abs() < 1e-9,
        "{found:?}"
    );
    assert!(
        (found.interval.high - 2.795_957_415_382).abs() < 1e-9,
        "{found:?}"
    );
    assert_eq!(found.method, Method::Student);
}

#[test]
fn a_share_of_samples_asked_once_has_wilsons_interval() {
    let clusters: Vec<Cluster> = (0..40)
        .map(|n| Cluster {
            total: if n < 30 { 1.0 } else { 0.0 },
            size: 1,
        })
        .collect();

    let found = clustered_share(&clusters).unwrap();

    assert_eq!(Some(found.interval), wilson(0.75, 40));
    assert_eq!(found.method, Method::Wilson);
}

#[test]
fn asking_again_teaches_little_when_the_answer_is_always_the_same() {
    let once = |total| Cluster { total, size: 1 };
    let often = |total| Cluster {
        total: 10.0 * total,
        size: 10,
    };
    let answers = [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];

    let single = clustered_share(&answers.map(once)).unwrap();
    let repeated = clustered_share(&answers.map(often)).unwrap();

    assert!(repeated.interval.low <= single.interval.low);
    assert!(repeated.interval.high >= single.interval.high);
    assert_eq!(repeated.method, Method::ClusteredWilson);
}

#[test]
fn what_cannot_be_averaged_has_no_interval() {
    let cluster = |total, size| Cluster { total, size };

    assert_eq!(clustered_mean(&[]), None);
    assert_eq!(clustered_mean(&[cluster(1.0, 1)]), None);
    assert_eq!(clustered_mean(&[cluster(1.0, 1), cluster(0.0, 0)]), None);
    assert_eq!(
        clustered_mean(&[cluster(1.0, 1), cluster(f64::NAN, 2)]),
        None
    );
    assert_eq!(
        clustered_mean(&[cluster(f64::MAX, 1), cluster(-f64::MAX, 1)]),
        None
    );
    assert_eq!(clustered_share(&[cluster(1.0, 1), cluster(3.0, 2)]), None);
    assert_eq!(clustered_share(&[cluster(1.0, 1), cluster(-1.0, 2)]), None);
}

/// A question of a difficulty of its own, asked several times.
fn question(random: &mut SplitMix64, share: f64, epochs: u32) -> Cluster {
    // Two in three questions are certain, the others are open: alike within, as real epochs are.
    let easy = match random.unit() {
        place if place < 2.0 / 3.0 => f64::from(u8::from(random.unit() < share)),
        _ => share,
    };
    Cluster {
        total: f64::from(tosses(random, epochs, easy)),
        size: u64::from(epochs),
    }
}

#[test]
fn a_clustered_share_covers_at_95_of_100() {
    const TRIALS: u32 = 250;
    let mut random = SplitMix64::new(3);
    let mut all = Vec::new();
    for (questions, epochs, share) in [
        (30, 4, 0.5),
        (30, 4, 0.8),
        (30, 4, 0.95),
        (100, 8, 0.7),
        (100, 8, 0.98),
        (200, 1, 0.9),
    ] {
        let found = share_of(TRIALS, || {
            let clusters: Vec<Cluster> = (0..questions)
                .map(|_| question(&mut random, share, epochs))
                .collect();
            let interval = clustered_share(&clusters).unwrap().interval;
            interval.low <= share && share <= interval.high
        });

        // With 250 trials a coverage of 95 % is seen as 90.7 % or more in 999 of 1,000 runs.
        assert!(
            found >= 0.907,
            "{questions} of {epochs} at {share}: {found}"
        );
        all.push(found);
    }
    let mean = all.iter().sum::<f64>() / 6.0;
    assert!(mean >= 0.95, "{mean}: {all:?}");
}

#[test]
fn a_clustered_mean_covers_at_95_of_100_where_a_plain_one_does_not() {
    const TRIALS: u32 = 1_000;
    let mut random = SplitMix64::new(5);
    let (mut plain, mut clustered) = (0, 0);
    for _ in 0..TRIALS {
        let mut values = Vec::new();
        let clusters: Vec<Cluster> = (0..12)
            .map(|_| {
                let level = normal(&mut random);
                let own: Vec<f64> = (0..5).map(|_| level + 0.5 * normal(&mut random)).collect();
                values.extend_from_slice(&own);
                Cluster {
                    total: own.iter().sum(),
                    size: 5,
                }
            })
            .collect();
        let holds = |low: f64, high: f64| u32::from(low <= 0.0 && 0.0 <= high);
        let (own, naive) = (
            clustered_mean(&clusters).unwrap(),
            mean_of(&values).unwrap(),
        );
        clustered += holds(own.interval.low, own.interval.high);
        plain += holds(naive.interval.low, naive.interval.high);
    }

    // Twelve normal clusters of one size: the coverage is 95 % exactly, seen as 92.8 % or more in
    // 999 of 1,000 runs.
    assert!(
        f64::from(clustered) / f64::from(TRIALS) >= 0.928,
        "{clustered}"
    );
    assert!(f64::from(plain) / f64::from(TRIALS) < 0.8, "{plain}");
}

proptest! {
    #[test]
    fn the_order_of_clusters_changes_nothing(
        mut totals in prop::collection::vec((0_u32..5, 5_u64..9), 2..30),
        turns in 0_usize..30,
    ) {
        let of = |totals: &[(u32, u64)]| -> Vec<Cluster> {
            totals.iter().map(|&(total, size)| Cluster { total: f64::from(total), size }).collect()
        };
        let (mean, share) = (clustered_mean(&of(&totals)), clustered_share(&of(&totals)));

        let turns = turns % totals.len();
        totals.rotate_left(turns);

        prop_assert_eq!(clustered_mean(&of(&totals)), mean);
        prop_assert_eq!(clustered_share(&of(&totals)), share);
    }

    #[test]
    fn a_share_lies_in_its_interval_and_that_between_none_and_all(
        totals in prop::collection::vec((0_u32..5, 5_u64..9), 2..30),
    ) {
        let clusters: Vec<Cluster> =
            totals.iter().map(|&(total, size)| Cluster { total: f64::from(total), size }).collect();

        let found = clustered_share(&clusters).unwrap();

        prop_assert!(0.0 <= found.interval.low && found.interval.low <= found.value);
        prop_assert!(found.value <= found.interval.high && found.interval.high <= 1.0);
        prop_assert!(found.interval.low < found.interval.high);
    }
}
