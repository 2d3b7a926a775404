use assay_board::{Fingerprint, Movement, Origin, Policy, Question, Report, changes, rank};
use assay_model::{Direction, Timestamp};
use proptest::prelude::*;

use crate::reports::{question, report};

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
        pull in prop::option::of(1_u64..3),
        date in 0_i64..3,
        committed in 0_i64..3,
        ordinal in 0_u32..3,
        content in 0_u8..3,
        since in 0_i64..3,
        lasts in prop::option::of(1_i64..3),
        shots in prop::option::of(0_u8..2),
        is_part in prop::bool::weighted(0.2),
    ) -> Report {
        let mut report = report(model, value);
        report.derived = model % 3 == 0;
        report.verified = verified;
        report.origin = pull.map_or(Origin::Merged, |pull| Origin::Community { pull });
        report.date = Timestamp::from_seconds(date);
        report.committed = Timestamp::from_seconds(committed);
        report.ordinal = ordinal;
        report.fingerprint = Fingerprint([content; 32]);
        report.since = Timestamp::from_seconds(since);
        report.until = lasts.map(|lasts| Timestamp::from_seconds(since + lasts));
        if let Some(shots) = shots {
            report.setup.insert("shots", &shots.to_string());
        }
        if is_part {
            report.setup.insert("subset", "first 20");
        }
        report
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
fn reordered() -> impl Strategy<Value = (Vec<Report>, Vec<Report>)> {
    prop::collection::vec(any_report(), 0..40).prop_flat_map(|reports| {
        let shuffled = Just(reports.clone()).prop_shuffle();
        (Just(reports), shuffled)
    })
}

/// The rows: the rank, and the report that was given.
fn ranked(reports: &[Report], question: &Question) -> Vec<(usize, Report)> {
    let board = rank(reports, question);
    let rows = board.rows().iter();
    rows.map(|row| (row.rank(), reports[row.given()].clone()))
        .collect()
}

proptest! {
    #[test]
    fn ranking_ignores_the_order_of_the_input(
        (reports, shuffled) in reordered(),
        question in any_question(),
    ) {
        prop_assert_eq!(ranked(&reports, &question), ranked(&shuffled, &question));
    }

    #[test]
    fn a_rank_is_one_more_than_how_many_are_better(
        reports in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
    ) {
        let board = rank(&reports, &question);

        for row in board.rows() {
            let beside = board.rows().iter().filter(|other| other.group() == row.group());
            let better = beside.filter(|other| match question.direction {
                Direction::HigherIsBetter => other.value() > row.value(),
                Direction::LowerIsBetter => other.value() < row.value(),
            });
            let setup = &row.report().setup;
            prop_assert!(row.runs().iter().all(|run| reports[*run].setup == *setup));
            prop_assert!(row.value().is_finite());
            prop_assert!(std::ptr::eq(row.report(), &raw const reports[row.given()]));
            prop_assert_eq!(row.rank(), better.count() + 1);
        }
        prop_assert!(board.rows().is_sorted_by_key(|row| (row.group(), row.rank())));
    }

    #[test]
    fn every_policy_but_all_gives_a_model_one_row_in_a_group_and_all_leaves_no_model_out(
        reports in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
    ) {
        let models = |policy| {
            let question = Question { policy, ..question.clone() };
            let board = rank(&reports, &question);
            let rows = board.rows().iter();
            let group = |row: &assay_board::Row<'_>| board.groups()[row.group()].clone();
            let mut models: Vec<_> = rows.map(|row| (row.report().key, group(row))).collect();
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
        reports in prop::collection::vec(any_report(), 0..40),
        question in any_question(),
        later in prop::option::of(0_i64..5),
    ) {
        let other = Question { as_of: later.map(Timestamp::from_seconds), ..question.clone() };
        let (before, after) = (rank(&reports, &question), rank(&reports, &other));

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
