use assay_board::{Fingerprint, Origin, Policy, RankableResult};
use assay_model::Timestamp;

use crate::rankable_results::{result, values};

/// A result of the one model of these tests.
fn of(value: f64, change: impl FnOnce(&mut RankableResult)) -> RankableResult {
    let mut result = result(1, value);
    result.fingerprint = Fingerprint([1; 32]);
    result.fingerprint.0[..8].copy_from_slice(&value.to_be_bytes());
    change(&mut result);
    result
}

fn community(result: &mut RankableResult) {
    result.origin = Origin::Community { pull: 7 };
}

fn late(result: &mut RankableResult) {
    result.date = Timestamp::from_seconds(9000);
}

#[test]
fn authority_is_evidence_then_the_owner_then_the_date_then_the_commit() {
    let newest_commit = of(5.0, |result| {
        result.committed = Timestamp::from_seconds(2000);
    });
    let newer_date = of(4.0, |result| result.date = Timestamp::from_seconds(2000));
    let community_and_late = of(3.0, |result| {
        community(result);
        late(result);
    });
    let verified_community = of(2.0, |result| {
        community(result);
        result.verified = true;
    });
    let verified_merged = of(1.0, |result| result.verified = true);
    let ascending = [
        community_and_late,
        of(6.0, |_| ()),
        newest_commit,
        newer_date,
        verified_community,
        verified_merged,
    ];

    for end in 1..=ascending.len() {
        let winner = ascending[end - 1].scores[0].value.get();

        let counted = values(&ascending[..end], Policy::Authoritative);

        assert_eq!(counted, [winner]);
    }
}

#[test]
fn runs_that_nothing_tells_apart_are_averaged() {
    let second = of(9.0, |result| {
        result.ordinal = 1;
        result.file = ".eval_results/a.yaml".parse().unwrap();
    });
    let first = of(1.0, |_| ());
    let results = [second, first];
    let question = crate::rankable_results::question();

    let board = assay_board::rank(&results, &question);

    let row = &board.rows()[0];
    assert_eq!((board.rows().len(), row.value()), (1, 5.0));
    assert_eq!(row.runs().len(), 2);
    assert_eq!(row.setups().count, 1);
}

#[test]
fn a_model_with_several_setups_is_shown_with_its_best_one_and_tells_the_others() {
    let with = |value: f64, agent: &str| {
        let mut own = of(value, |_| ());
        own.setup.insert("agent", agent);
        own
    };
    let mut old_and_good = with(0.68, "claude code");
    old_and_good.date = Timestamp::from_seconds(10);
    let results = [with(0.25, "generalist"), old_and_good, with(0.3, "core")];
    let question = crate::rankable_results::question();

    let board = assay_board::rank(&results, &question);

    let row = &board.rows()[0];
    assert_eq!((board.rows().len(), row.value()), (1, 0.68));
    assert_eq!(row.result().setup.get("agent"), Some("claude code"));
    let setups = row.setups();
    assert_eq!((setups.count, setups.low, setups.high), (3, 0.25, 0.68));
}

#[test]
fn a_verified_setup_stands_for_its_model_before_a_better_one() {
    let mut signed = of(0.5, |result| result.verified = true);
    signed.setup.insert("shots", "0");
    let mut better = of(0.9, |_| ());
    better.setup.insert("shots", "5");

    assert_eq!(values(&[signed, better], Policy::Authoritative), [0.5]);
}

#[test]
fn a_date_in_the_future_of_its_commit_wins_nothing() {
    const YEAR: i64 = 365 * 24 * 60 * 60;
    let promised = of(50.0, |result| {
        result.date = Timestamp::from_seconds(5 * YEAR);
    });
    let later = of(77.0, |result| {
        result.date = Timestamp::from_seconds(YEAR);
        result.committed = Timestamp::from_seconds(YEAR);
    });

    for policy in [Policy::Authoritative, Policy::Latest] {
        assert_eq!(values(&[promised.clone(), later.clone()], policy), [77.0]);
    }
}

#[test]
fn a_part_and_what_the_benchmark_keeps_apart_are_ranked_by_themselves() {
    let with = |model: u8, value: f64, key: &str, setting: &str| {
        let mut own = result(model, value);
        own.setup.insert(key, setting);
        own
    };
    let results = [
        result(1, 0.5),
        with(2, 0.9, "subset", "first 20"),
        with(3, 0.7, "shots", "5"),
        result(4, 0.6),
    ];
    let mut question = crate::rankable_results::question();

    let told = |question: &assay_board::Question| {
        let board = assay_board::rank(&results, question);
        let rows = board.rows().iter();
        rows.map(|row| (row.group(), row.rank(), row.result().key.0))
            .collect::<Vec<_>>()
    };

    assert_eq!(
        told(&question),
        [(0, 1, 3), (0, 2, 4), (0, 3, 1), (1, 1, 2)]
    );
    question.comparable_by = vec!["shots".to_owned()];
    assert_eq!(
        told(&question),
        [(0, 1, 4), (0, 2, 1), (1, 1, 3), (2, 1, 2)]
    );
}

#[test]
fn best_takes_the_best_value_and_latest_the_newest() {
    let results = [
        of(1.0, late),
        of(9.0, community),
        of(5.0, |result| result.verified = true),
    ];

    assert_eq!(values(&results, Policy::Best), [9.0]);
    assert_eq!(values(&results, Policy::Latest), [1.0]);
    assert_eq!(values(&results, Policy::Authoritative), [5.0]);
    assert_eq!(values(&results, Policy::All), [9.0, 5.0, 1.0]);
}

#[test]
fn an_entry_on_main_hides_the_same_entry_in_a_pull_request() {
    let main = of(5.0, |_| ());
    let same = of(5.0, community);
    let changed = of(6.0, community);
    let mut stranger = of(5.0, community);
    stranger.model = "other/model".parse().unwrap();
    stranger.key.0 = 77;

    let counted = values(&[same, changed, stranger, main], Policy::All);

    assert_eq!(counted, [6.0, 5.0, 5.0], "the stranger's stays");
}

#[test]
fn an_entry_that_left_main_hides_nothing() {
    let gone = of(5.0, |result| {
        result.until = Some(Timestamp::from_seconds(3000));
    });
    let same = of(5.0, community);

    let counted = values(&[gone, same], Policy::All);

    assert_eq!(counted, [5.0]);
}

#[test]
fn policies_print_as_they_parse() {
    for policy in Policy::ALL {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    assert!("newest".parse::<Policy>().is_err());
}
