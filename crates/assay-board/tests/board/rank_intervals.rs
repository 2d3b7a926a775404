//! Between which ranks a row lies.

use assay_board::{Contender, Method, RankInterval, SplitMix64, Uncertainty, rank_intervals};
use assay_model::Direction;
use proptest::prelude::*;

use crate::simulated::{normal, share_of, tosses};

const HIGHER: Direction = Direction::HigherIsBetter;

fn with_error(value: f64, stderr: f64) -> Contender {
    Contender {
        value,
        uncertainty: Uncertainty::of_error(stderr),
    }
}

fn share(right: u32, samples: u32) -> Contender {
    Contender {
        value: f64::from(right) / f64::from(samples),
        uncertainty: Uncertainty::of_share(u64::from(samples), 1.0),
    }
}

fn unknown(value: f64) -> Contender {
    Contender {
        value,
        uncertainty: None,
    }
}

fn ends(found: &[Option<RankInterval>]) -> Vec<Option<(usize, usize)>> {
    let ends = found
        .iter()
        .map(|found| found.map(|found| (found.best, found.worst)));
    ends.collect()
}

#[test]
fn rows_that_chance_explains_share_their_ranks() {
    let board = [
        with_error(90.0, 1.0),
        with_error(70.0, 1.0),
        with_error(69.0, 1.0),
        with_error(68.0, 1.0),
        with_error(30.0, 1.0),
    ];

    let found = rank_intervals(&board, HIGHER);

    assert_eq!(
        ends(&found),
        [
            Some((1, 1)),
            Some((2, 4)),
            Some((2, 4)),
            Some((2, 4)),
            Some((5, 5))
        ]
    );
    assert_eq!(found[0].unwrap().method, Method::TukeyKramer);
}

#[test]
fn the_bound_is_that_of_tukey() {
    // Three rows are told apart from 3.3145 standard errors of a row on.
    let board = |gap: f64| {
        [
            with_error(gap, 1.0),
            with_error(0.0, 1.0),
            with_error(-50.0, 1.0),
        ]
    };

    let (near, far) = (
        rank_intervals(&board(3.31), HIGHER),
        rank_intervals(&board(3.34), HIGHER),
    );

    assert_eq!(ends(&near), [Some((1, 2)), Some((1, 2)), Some((3, 3))]);
    assert_eq!(ends(&far), [Some((1, 1)), Some((2, 2)), Some((3, 3))]);
}

#[test]
fn a_row_of_unknown_uncertainty_is_told_apart_from_none() {
    let board = [with_error(90.0, 1.0), unknown(60.0), with_error(30.0, 1.0)];

    let found = rank_intervals(&board, HIGHER);

    assert_eq!(ends(&found), [Some((1, 2)), None, Some((2, 3))]);
}

#[test]
fn where_fewer_than_two_are_known_there_is_nothing_to_compare() {
    assert_eq!(ends(&rank_intervals(&[], HIGHER)), []);
    assert_eq!(ends(&rank_intervals(&[share(9, 10)], HIGHER)), [None]);
    assert_eq!(
        ends(&rank_intervals(&[share(9, 10), unknown(0.5)], HIGHER)),
        [None, None]
    );
}

#[test]
fn all_right_is_not_certain() {
    let few = rank_intervals(&[share(10, 10), share(8, 10)], HIGHER);
    let many = rank_intervals(&[share(1_000, 1_000), share(800, 1_000)], HIGHER);

    assert_eq!(ends(&few), [Some((1, 2)), Some((1, 2))]);
    assert_eq!(ends(&many), [Some((1, 1)), Some((2, 2))]);
}

#[test]
fn what_is_not_finite_takes_no_part() {
    let board = [
        with_error(f64::NAN, 1.0),
        with_error(2.0, 1e300),
        with_error(f64::MAX, 1e-300),
        with_error(f64::NEG_INFINITY, 1.0),
    ];

    let found = rank_intervals(&board, HIGHER);

    assert_eq!(found[0], None);
    assert_eq!(found[3], None);
    assert!(found[1].is_some() && found[2].is_some());
}

/// Returns whether every row has all ranks that its true value could have, ties included.
fn all_hold(truth: &[f64], found: &[Option<RankInterval>]) -> bool {
    truth.iter().zip(found).all(|(own, found)| {
        let better = truth.iter().filter(|other| *other > own).count();
        let worse = truth.iter().filter(|other| *other < own).count();
        let found = found.unwrap();
        found.best <= 1 + better && truth.len() - worse <= found.worst
    })
}

#[test]
fn all_intervals_of_a_board_hold_together_at_95_of_100() {
    const TRIALS: u32 = 500;
    let mut random = SplitMix64::new(17);
    // All alike, which is the hardest; evenly apart; and of very different errors.
    let boards: [(&str, Vec<f64>, Vec<f64>); 3] = [
        ("tied", vec![0.0; 20], vec![1.0; 20]),
        ("apart", (0..20).map(f64::from).collect(), vec![2.0; 20]),
        (
            "uneven",
            vec![0.0; 20],
            (0..20).map(|n| 1.5_f64.powi(n)).collect(),
        ),
    ];
    let mut sum = 0.0;
    for (name, truth, errors) in boards {
        let found = share_of(TRIALS, || {
            let seen: Vec<Contender> = truth
                .iter()
                .zip(&errors)
                .map(|(value, stderr)| with_error(value + stderr * normal(&mut random), *stderr))
                .collect();
            all_hold(&truth, &rank_intervals(&seen, HIGHER))
        });

        // With 500 trials a coverage of 95 % is seen as 92 % or more in 999 of 1,000 runs.
        assert!(found >= 0.92, "{name}: {found}");
        sum += found;
    }
    assert!(sum / 3.0 >= 0.95, "{}", sum / 3.0);
}

#[test]
fn the_ranks_of_shares_hold_together_even_near_all_right() {
    const TRIALS: u32 = 300;
    const SAMPLES: u32 = 100;
    let mut random = SplitMix64::new(23);
    let mut sum = 0.0;
    for (least, most) in [(0.5, 0.5), (0.3, 0.9), (0.9, 1.0), (0.97, 0.97)] {
        let truth: Vec<f64> = (0..12)
            .map(|n| least + (most - least) * f64::from(n) / 11.0)
            .collect();
        let found = share_of(TRIALS, || {
            let seen: Vec<Contender> = truth
                .iter()
                .map(|value| share(tosses(&mut random, SAMPLES, *value), SAMPLES))
                .collect();
            all_hold(&truth, &rank_intervals(&seen, HIGHER))
        });

        // With 300 trials a coverage of 95 % is seen as 91.1 % or more in 999 of 1,000 runs.
        assert!(found >= 0.911, "{least} to {most}: {found}");
        sum += found;
    }
    assert!(sum / 4.0 >= 0.95, "{}", sum / 4.0);
}

prop_compose! {
    fn any_contender()(
        value in -100_i32..100,
        stderr in prop::option::weighted(0.8, 1_u32..4_000),
    ) -> Contender {
        Contender {
            value: f64::from(value) / 3.0,
            uncertainty: stderr.and_then(|stderr| Uncertainty::of_error(f64::from(stderr) / 127.0)),
        }
    }
}

proptest! {
    #[test]
    fn the_rank_on_the_board_lies_in_its_interval(board in prop::collection::vec(any_contender(), 0..40)) {
        let found = rank_intervals(&board, HIGHER);

        prop_assert_eq!(found.len(), board.len());
        for (own, found) in board.iter().zip(&found) {
            let better = board.iter().filter(|other| other.value > own.value).count();
            if let Some(found) = found {
                prop_assert!(1 <= found.best && found.best <= 1 + better);
                prop_assert!(better < found.worst && found.worst <= board.len());
            }
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(
        mut board in prop::collection::vec(any_contender(), 1..40),
        turns in 0_usize..40,
    ) {
        let turns = turns % board.len();
        let mut found = rank_intervals(&board, HIGHER);

        board.rotate_left(turns);
        found.rotate_left(turns);

        prop_assert_eq!(rank_intervals(&board, HIGHER), found);
    }

    #[test]
    fn a_board_upside_down_has_its_ranks_upside_down(board in prop::collection::vec(any_contender(), 0..40)) {
        let turned: Vec<Contender> =
            board.iter().map(|one| Contender { value: -one.value, ..*one }).collect();

        let found = rank_intervals(&board, HIGHER);

        prop_assert_eq!(rank_intervals(&turned, Direction::LowerIsBetter), found.clone());
        let mirrored: Vec<Option<(usize, usize)>> = rank_intervals(&turned, HIGHER)
            .iter()
            .map(|one| one.map(|one| (board.len() + 1 - one.worst, board.len() + 1 - one.best)))
            .collect();
        prop_assert_eq!(mirrored, ends(&found));
    }

    #[test]
    fn more_uncertainty_never_makes_an_interval_narrower(
        rows in prop::collection::vec((-100_i32..100, 1_u32..4_000), 2..40),
        factor in 1.0_f64..5.0,
    ) {
        let board = |factor: f64| -> Vec<Contender> {
            rows.iter()
                .map(|(value, stderr)| with_error(f64::from(*value), f64::from(*stderr) / 127.0 * factor))
                .collect()
        };

        let (sure, unsure) = (rank_intervals(&board(1.0), HIGHER), rank_intervals(&board(factor), HIGHER));

        for (sure, unsure) in sure.iter().zip(&unsure) {
            let (sure, unsure) = (sure.unwrap(), unsure.unwrap());
            prop_assert!(unsure.best <= sure.best && sure.worst <= unsure.worst);
        }
    }

    #[test]
    fn the_quick_count_is_that_of_all_pairs(
        rows in prop::collection::vec((-100_i32..100, 1_u32..4_000), 20),
    ) {
        let board: Vec<Contender> = rows
            .iter()
            .map(|(value, stderr)| with_error(f64::from(*value) / 3.0, f64::from(*stderr) / 127.0))
            .collect();

        let found = rank_intervals(&board, HIGHER);

        for (place, (value, stderr)) in rows.iter().enumerate() {
            let apart = |other: &(i32, u32)| {
                let error = (f64::from(*stderr) / 127.0).hypot(f64::from(other.1) / 127.0);
                f64::from(other.0 - value) / 3.0 / error * std::f64::consts::SQRT_2
            };
            let best = 1 + rows.iter().filter(|other| apart(other) > RANGE_OF_20).count();
            let worst = 20 - rows.iter().filter(|other| apart(other) < -RANGE_OF_20).count();
            prop_assert_eq!(ends(&found)[place], Some((best, worst)));
        }
    }
}

/// The studentized range of twenty at 95 %, 5.0117, rounded up to a sixty-fourth.
const RANGE_OF_20: f64 = 321.0 / 64.0;
