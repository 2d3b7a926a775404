use assay_board::{Error, Movement, Policy, Question, changes, rank};
use assay_model::{Direction, Timestamp};

use crate::rankable_results::{question, result};

#[test]
fn ranks_that_changed_between_two_moments_are_told() {
    let late = Timestamp::from_seconds(2000);
    let mut leaves = result(1, 90.0);
    leaves.until = Some(late);
    let mut enters = result(4, 70.0);
    enters.since = late;
    let mut lower = result(3, 60.0);
    lower.until = Some(late);
    let mut higher = result(3, 95.0);
    higher.since = late;
    let mut corrected_from = result(5, 1.0);
    corrected_from.until = Some(late);
    let mut corrected_to = result(5, 2.0);
    corrected_to.since = late;
    let results = [
        leaves,
        result(2, 80.0),
        enters,
        lower,
        higher,
        corrected_from,
        corrected_to,
    ];
    let then = Question {
        as_of: Some(Timestamp::from_seconds(1500)),
        ..question()
    };
    let before = rank(&results, &then);
    let after = rank(&results, &question());

    let told = changes(&before, &after).unwrap();

    let told: Vec<_> = told
        .iter()
        .map(|change| (change.key.0, change.movement))
        .collect();
    assert_eq!(
        told,
        [
            (3, Movement::Rose { from: 3, to: 1 }),
            (4, Movement::Entered { to: 3 }),
            (5, Movement::Held { at: 4 }),
            (1, Movement::Left { from: 1 }),
        ],
        "2 stayed where it was"
    );
}

#[test]
fn a_fall_is_told_with_both_values() {
    let mut better = result(2, 90.0);
    better.since = Timestamp::from_seconds(2000);
    let results = [result(1, 80.0), better];
    let then = Question {
        as_of: Some(Timestamp::from_seconds(1500)),
        ..question()
    };
    let before = rank(&results, &then);
    let after = rank(&results, &question());

    let told = changes(&before, &after).unwrap();

    assert_eq!(told[1].movement, Movement::Fell { from: 1, to: 2 });
    assert_eq!(
        (told[1].value_before, told[1].value_after),
        (Some(80.0), Some(80.0))
    );
}

#[test]
fn boards_by_different_policies_can_be_compared_and_a_model_is_told_once() {
    let mut second = result(1, 95.0);
    second.ordinal = 1;
    let results = [result(1, 80.0), second, result(2, 90.0)];
    let all = Question {
        policy: Policy::All,
        ..question()
    };
    let before = rank(&results, &question());
    let after = rank(&results, &all);

    let told = changes(&before, &after).unwrap();

    let told: Vec<_> = told.iter().map(|change| change.movement).collect();
    assert_eq!(
        told,
        [
            Movement::Rose { from: 2, to: 1 },
            Movement::Fell { from: 1, to: 2 },
        ]
    );
}

#[test]
fn boards_by_different_directions_have_no_ranks_in_common() {
    let results = [result(1, 80.0)];
    let lower = Question {
        direction: Direction::LowerIsBetter,
        ..question()
    };

    let refusal = changes(&rank(&results, &question()), &rank(&results, &lower)).unwrap_err();

    assert!(matches!(refusal, Error::NotComparable { .. }));
    assert_eq!(
        refusal.to_string(),
        "ranks by `accuracy` of the whole, higher is better and ranks by `accuracy` of the whole, lower is better have nothing in common"
    );
}
