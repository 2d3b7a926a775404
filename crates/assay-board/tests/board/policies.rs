use assay_board::{Fingerprint, Origin, Policy, Report};
use assay_model::Timestamp;

use crate::reports::{report, values};

/// A report of the one model of these tests.
fn of(value: f64, change: impl FnOnce(&mut Report)) -> Report {
    let mut report = report(1, value);
    report.fingerprint = Fingerprint([1; 32]);
    report.fingerprint.0[..8].copy_from_slice(&value.to_be_bytes());
    change(&mut report);
    report
}

fn community(report: &mut Report) {
    report.origin = Origin::Community { pull: 7 };
}

fn late(report: &mut Report) {
    report.date = Timestamp::from_seconds(9000);
}

#[test]
fn authority_is_evidence_then_the_owner_then_the_date_then_the_commit() {
    let newest_commit = of(5.0, |report| {
        report.committed = Timestamp::from_seconds(2000);
    });
    let newer_date = of(4.0, |report| report.date = Timestamp::from_seconds(2000));
    let community_and_late = of(3.0, |report| {
        community(report);
        late(report);
    });
    let verified_community = of(2.0, |report| {
        community(report);
        report.verified = true;
    });
    let verified_merged = of(1.0, |report| report.verified = true);
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
fn of_one_file_at_one_commit_the_first_entry_counts() {
    let second = of(9.0, |report| report.ordinal = 1);
    let first = of(1.0, |_| ());

    let counted = values(&[second, first], Policy::Authoritative);

    assert_eq!(counted, [1.0]);
}

#[test]
fn best_takes_the_best_value_and_latest_the_newest() {
    let reports = [
        of(1.0, late),
        of(9.0, community),
        of(5.0, |report| report.verified = true),
    ];

    assert_eq!(values(&reports, Policy::Best), [9.0]);
    assert_eq!(values(&reports, Policy::Latest), [1.0]);
    assert_eq!(values(&reports, Policy::Authoritative), [5.0]);
    assert_eq!(values(&reports, Policy::All), [9.0, 5.0, 1.0]);
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
    let gone = of(5.0, |report| {
        report.until = Some(Timestamp::from_seconds(3000));
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
