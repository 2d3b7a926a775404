use assay_board::{Fingerprint, Movement, Origin, Policy, Question, RankableResult, changes, rank};
use assay_model::{Direction, Timestamp};
use proptest::prelude::*;

use crate::rankable_results::{question, result};

/// Values that tie often, and some that are far from all others.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-3_i8..4).prop_map(f64::from),
        1 => prop::num::f64::NORMAL,
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, -0.0, 0.0]),
    ]
}

prop_compose! {
    fn any_report()(
        model in 0_u8..6,
        value in value(),
        verified: bool,
        pull in prop::option::of(1_u32..3),
        date in 0_i64..3,
        committed in 0_i64..3,
        ordinal in 0_u32..3,
        content in 0_u8..3,
        since in 0_i64..3,
        lasts in prop::option::of(1_i64..3),
        shots in prop::option::of(0_u8..2),
        is_part in prop::bool::weighted(0.2),
    ) -> RankableResult {
        let mut result = result(model, value);
        result.derived = model % 3 == 0;
        result.verified = verified;
        result.origin = pull.map_or(Origin::Merged, |pull| Origin::Community { pull });
        result.date = Timestamp::from_seconds(date);
        result.committed = Timestamp::from_seconds(committed);
        result.ordinal = ordinal;
        result.fingerprint = Fingerprint([content; 32]);
        result.since = Timestamp::from_seconds(since);
        result.until = lasts.map(|lasts| Timestamp::from_seconds(since + lasts));
        if let Some(shots) = shots {
            result.setup.insert("shots", &shots.to_string());
        }
        if is_part {
            result.setup.insert("subset", "first 20");
        }
        result
    }
}

prop_compose! {
    fn any_question()(
        policy in prop::sample::select(Policy::ALL.to_vec()),
        higher: bool,
        verified_only in prop::bool::weighted(0.2),
        base_models_only in prop::bool::weighted(0.2),
        as_of in prop::option::of(0_i64..5),
        by_shots: bool,
    ) -> Question {
        Question {
            policy,
            direction: Direction::from_higher_is_better(higher),
            verified_only,
            base_models_only,
            as_of: as_of.map(Timestamp::from_seconds),
            comparable_by: by_shots.then(|| "shots".to_owned()).into_iter().collect(),
            ..question()
        }
    }
}

/// Reports, and the same in another order.
fn reordered() -> impl Strategy<Value = (Vec<RankableResult>, Vec<RankableResult>)> {
    prop::collection::vec(any_report(), 0..40).prop_flat_map(|results| {
        let shuffled = Just(results.clone()).prop_shuffle();
        (Just(results), shuffled)
    })
}

/// The rows: the rank, and the result that was given.
fn ranked(results: &[RankableResult], question: &Question) -> Vec<(usize, RankableResult)> {
    let board = rank(results, question);
    let rows = board.rows().iter();
    rows.map(|row| (row.rank(), results[row.given()].clone()))
        .collect()
}

proptest! {
    #[test]
    fn ranking_ignores_the_order_of_the_input(
        (results, shuffled) in reordered(),
        question in any_question(),
    ) {
        prop_assert_eq!(ranked(&results, &question), ranked(&shuffled, &question));
    }

    #[test]
    fn a_rank_is_one_more_than_how_many_are_better(
        results in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
    ) {
        let board = rank(&results, &question);

        for row in board.rows() {
            let beside = board.rows().iter().filter(|other| other.group() == row.group());
            let better = beside.filter(|other| match question.direction {
                Direction::HigherIsBetter => other.value() > row.value(),
                Direction::LowerIsBetter => other.value() < row.value(),
            });
            let setup = &row.result().setup;
            prop_assert!(row.runs().iter().all(|run| results[*run].setup == *setup));
            prop_assert!(row.value().is_finite());
            prop_assert!(std::ptr::eq(row.result(), &raw const results[row.given()]));
            prop_assert_eq!(row.rank(), better.count() + 1);
        }
        prop_assert!(board.rows().is_sorted_by_key(|row| (row.group(), row.rank())));
    }

    #[test]
    fn every_policy_but_all_gives_a_model_one_row_in_a_group_and_all_leaves_no_model_out(
        results in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
    ) {
        let models = |policy| {
            let question = Question { policy, ..question.clone() };
            let board = rank(&results, &question);
            let rows = board.rows().iter();
            let group = |row: &assay_board::Row<'_>| board.groups()[row.group()].clone();
            let mut models: Vec<_> = rows.map(|row| (row.result().key, group(row))).collect();
            models.sort();
            models
        };
        let mut every = models(Policy::All);
        every.dedup();

        for policy in [Policy::Authoritative, Policy::Best, Policy::Latest] {
            prop_assert_eq!(models(policy), every.clone());
        }
    }

    #[test]
    fn changes_lead_from_the_one_board_to_the_other(
        results in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
        later in prop::option::of(0_i64..5),
    ) {
        let other = Question { as_of: later.map(Timestamp::from_seconds), ..question.clone() };
        let (before, after) = (rank(&results, &question), rank(&results, &other));

        for change in changes(&before, &after).unwrap() {
            let ranks = match change.movement {
                Movement::Entered { to } => (None, Some(to)),
                Movement::Rose { from, to } | Movement::Fell { from, to } => (Some(from), Some(to)),
                Movement::Held { at } => (Some(at), Some(at)),
                Movement::Left { from } => (Some(from), None),
            };
            prop_assert_eq!(ranks, (before.rank_of(change.key), after.rank_of(change.key)));
        }
        prop_assert_eq!(changes(&before, &before).unwrap(), vec![]);
    }
}
