use assay_board::{Level, Question, percentile, rank};
use assay_model::{Direction, RepoKey, Score, Timestamp};

use crate::rankable_results::{metric_id, question, result, score, shown};

#[test]
fn equal_values_share_a_rank_and_the_next_ones_are_left_out() {
    let results = [
        result(1, 10.0),
        result(2, 30.0),
        result(3, 20.0),
        result(4, 20.0),
    ];

    let board = rank(&results, &question());

    assert_eq!(
        shown(&board),
        [(1, 2, 30.0), (2, 3, 20.0), (2, 4, 20.0), (4, 1, 10.0)]
    );
}

#[test]
fn lower_is_better_puts_the_smallest_first() {
    let results = [result(1, 10.0), result(2, -30.0), result(3, 0.0)];
    let question = Question {
        direction: Direction::LowerIsBetter,
        ..question()
    };

    let board = rank(&results, &question);

    assert_eq!(shown(&board), [(1, 2, -30.0), (2, 3, 0.0), (3, 1, 10.0)]);
}

#[test]
fn both_zeros_are_one_value() {
    let results = [result(1, -0.0), result(2, 0.0)];

    for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
        let question = Question {
            direction,
            ..question()
        };
        let board = rank(&results, &question);

        assert_eq!(shown(&board), [(1, 1, 0.0), (1, 2, 0.0)]);
    }
}

#[test]
fn within_a_tie_the_earlier_date_comes_first_then_the_name() {
    let mut early = result(3, 5.0);
    early.date = Timestamp::from_seconds(10);
    let results = [result(2, 5.0), early, result(1, 5.0)];

    let board = rank(&results, &question());

    assert_eq!(shown(&board), [(1, 3, 5.0), (1, 1, 5.0), (1, 2, 5.0)]);
}

#[test]
fn an_anonymous_value_stands_for_the_primary_metric_only() {
    let mut named = result(2, 0.0);
    named.scores = vec![score(Some("wer"), 3.5), score(Some("accuracy"), 72.0)];
    let results = [result(1, 80.0), named];
    let by_wer = Question {
        metric: metric_id("wer"),
        primary: false,
        ..question()
    };

    let primary = rank(&results, &question());
    let other = rank(&results, &by_wer);

    assert_eq!(shown(&primary), [(1, 1, 80.0), (2, 2, 72.0)]);
    assert_eq!(shown(&other), [(1, 2, 3.5)]);
}

#[test]
fn a_slice_does_not_pose_as_the_whole() {
    let mut sliced = result(1, 0.0);
    let part = Score {
        slice: Some("easy".to_owned()),
        ..score(Some("accuracy"), 99.0)
    };
    sliced.scores = vec![part, score(Some("accuracy"), 50.0)];
    let results = [sliced, result(2, 60.0)];
    let by_part = Question {
        level: Level::Part("easy".to_owned()),
        ..question()
    };

    let whole = rank(&results, &question());
    let part = rank(&results, &by_part);

    assert_eq!(shown(&whole), [(1, 2, 60.0), (2, 1, 50.0)]);
    assert_eq!(shown(&part), [(1, 1, 99.0)]);
}

#[test]
fn models_made_from_others_and_unverified_reports_can_be_left_out() {
    let mut derived = result(1, 3.0);
    derived.derived = true;
    let mut verified = result(2, 1.0);
    verified.verified = true;
    let results = [derived, verified, result(3, 2.0)];
    let of = |base_models_only, verified_only| {
        let question = Question {
            base_models_only,
            verified_only,
            ..question()
        };
        shown(&rank(&results, &question))
    };

    assert_eq!(
        of(false, false),
        [(1, 1, 3.0), (2, 3, 2.0), (3, 2, 1.0)],
        "everything"
    );
    assert_eq!(of(true, false), [(1, 3, 2.0), (2, 2, 1.0)]);
    assert_eq!(of(false, true), [(1, 2, 1.0)]);
}

#[test]
fn a_board_of_the_past_shows_what_was_shown_then() {
    let mut replaced = result(1, 50.0);
    replaced.until = Some(Timestamp::from_seconds(2000));
    let mut current = result(1, 60.0);
    current.since = Timestamp::from_seconds(2000);
    let results = [current, replaced];
    let at = |seconds| {
        let question = Question {
            as_of: Some(Timestamp::from_seconds(seconds)),
            ..question()
        };
        shown(&rank(&results, &question))
    };

    assert_eq!(at(999), []);
    assert_eq!(at(1000), [(1, 1, 50.0)]);
    assert_eq!(at(1999), [(1, 1, 50.0)]);
    assert_eq!(at(2000), [(1, 1, 60.0)]);
    assert_eq!(shown(&rank(&results, &question())), [(1, 1, 60.0)]);
}

#[test]
fn the_percentile_is_the_share_of_others_that_are_no_better() {
    let results = [
        result(1, 40.0),
        result(2, 30.0),
        result(3, 30.0),
        result(4, 20.0),
        result(5, 10.0),
    ];
    let board = rank(&results, &question());

    let percentiles = [(1, 5), (2, 5), (5, 5), (1, 1)].map(|(rank, rows)| percentile(rank, rows));
    assert_eq!(percentiles.map(Some), [100.0, 75.0, 0.0, 100.0].map(Some));
    assert_eq!(board.rank_of(RepoKey(3)), Some(2));
}
