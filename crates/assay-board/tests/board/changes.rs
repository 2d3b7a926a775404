use assay_board::{Error, Movement, Policy, Question, changes, rank};
use assay_model::{Direction, Timestamp};

use crate::reports::{question, report};

#[test]
fn ranks_that_changed_between_two_moments_are_told() {
    let late = Timestamp::from_seconds(2000);
    let mut leaves = report(1, 90.0);
    leaves.until = Some(late);
    let mut enters = report(4, 70.0);
    enters.since = late;
    let mut lower = report(3, 60.0);
    lower.until = Some(late);
    let mut higher = report(3, 95.0);
    higher.since = late;
    let mut corrected_from = report(5, 1.0);
    corrected_from.until = Some(late);
    let mut corrected_to = report(5, 2.0);
    corrected_to.since = late;
    let reports = [
        leaves,
        report(2, 80.0),
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
    let before = rank(&reports, &then);
    let after = rank(&reports, &question());

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
    let mut better = report(2, 90.0);
    better.since = Timestamp::from_seconds(2000);
    let reports = [report(1, 80.0), better];
    let then = Question {
        as_of: Some(Timestamp::from_seconds(1500)),
        ..question()
    };
    let before = rank(&reports, &then);
    let after = rank(&reports, &question());

    let told = changes(&before, &after).unwrap();

    assert_eq!(told[1].movement, Movement::Fell { from: 1, to: 2 });
    assert_eq!(
        (told[1].value_before, told[1].value_after),
        (Some(80.0), Some(80.0))
    );
}

#[test]
fn boards_by_different_policies_can_be_compared_and_a_model_is_told_once() {
    let mut second = report(1, 95.0);
    second.ordinal = 1;
    let reports = [report(1, 80.0), second, report(2, 90.0)];
    let all = Question {
        policy: Policy::All,
        ..question()
    };
    let before = rank(&reports, &question());
    let after = rank(&reports, &all);

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
    let reports = [report(1, 80.0)];
    let lower = Question {
        direction: Direction::LowerIsBetter,
        ..question()
    };

    let refusal = changes(&rank(&reports, &question()), &rank(&reports, &lower)).unwrap_err();

    assert!(matches!(refusal, Error::NotComparable { .. }));
    assert_eq!(
        refusal.to_string(),
        "ranks by `accuracy` of the whole, higher is better and ranks by `accuracy` of the whole, lower is better have nothing in common"
    );
}
