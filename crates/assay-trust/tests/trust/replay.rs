//! The replay matrix, row by row: bind once, observe many.

use assay_trust::{Field, Reason, ResultsLeaf};

use crate::support::{
    ENTRY, Hub, MODEL, NOW, PATH, Repo, is_verified, reason, reason_of, with_token,
};

const YEAR: i64 = 365 * 86_400;

/// A hub, a repository and a file with a token that was issued and not yet pushed.
fn issued() -> (Hub, Repo, String) {
    let mut hub = Hub::new();
    let token = hub.issue(ENTRY, MODEL);
    (hub, Repo::new(1, MODEL), with_token(ENTRY, &token))
}

/// The same after the push.
fn admitted() -> (Hub, Repo, String) {
    let (mut hub, repo, file) = issued();
    assert!(is_verified(&hub.push(&repo, PATH, &file, NOW + 120)[0]));
    (hub, repo, file)
}

#[test]
fn before_it_is_pushed_nothing_is_decided() {
    let (hub, repo, file) = issued();

    assert_eq!(reason(&hub.look(&repo, PATH, &file)), Reason::NotAdmitted);
}

#[test]
fn a_pull_request_in_time_is_admitted_and_verified() {
    let (mut hub, repo, file) = issued();

    let verdicts = hub.push(&repo, PATH, &file, NOW + 900);

    assert!(is_verified(&verdicts[0]));
    assert!(matches!(
        hub.results[..],
        [ResultsLeaf::Issue(_), ResultsLeaf::Decide(_)]
    ));
}

#[test]
fn a_rebased_pull_request_and_a_merge_a_year_later_are_observed_again() {
    let (mut hub, repo, file) = admitted();
    let before = hub.look(&repo, PATH, &file);

    let rebased = hub.push(&repo, PATH, &file, NOW + 4000);
    let merged = hub.push(&repo, PATH, &file, NOW + YEAR);

    assert_eq!(rebased, before);
    assert_eq!(merged, before);
    assert_eq!(hub.results.len(), 2);
}

#[test]
fn later_commits_that_keep_the_file_or_add_to_it_keep_it_verified() {
    let (mut hub, repo, file) = admitted();
    let other = ENTRY.replace("no-tools", "another run");
    let token = hub.issue(&other, MODEL);
    let both = format!("{}{file}", with_token(&other, &token));

    let verdicts = hub.push(&repo, PATH, &both, NOW + 300);

    assert!(verdicts.iter().all(is_verified), "{verdicts:?}");
}

#[test]
fn a_second_pull_request_after_the_first_was_closed_is_the_same_row() {
    let (mut hub, repo, file) = admitted();

    // Nothing in the logs depends on the ref, so closing one leaves no trace there.
    let second = hub.push(&repo, PATH, &file, NOW + YEAR);

    assert!(is_verified(&second[0]));
    assert_eq!(hub.results.len(), 2);
}

#[test]
fn quotes_comments_key_order_and_spelling_of_numbers_keep_it_verified() {
    let (hub, repo, file) = admitted();
    for (from, to) in [
        ("20.90", "20.9"),
        ("20.90", "2.09e+1  # as the paper has it"),
        ("\"no-tools\"", "no-tools"),
        ("\"cais/hle\"", "'cais/hle'"),
        (
            "    id: \"cais/hle\"\n    task_id: \"hle\"\n",
            "    task_id: \"hle\"\n    id: \"cais/hle\"\n",
        ),
    ] {
        let changed = file.replacen(from, to, 1);
        assert_ne!(changed, file);
        assert!(is_verified(&hub.look(&repo, PATH, &changed)[0]), "{to}");
    }
}

#[test]
fn a_change_of_value_notes_metrics_or_order_has_its_own_reason() {
    let (mut hub, repo, file) = admitted();
    let (accuracy, stderr) = (
        "    - metric_id: \"accuracy\"\n      value: 20.90\n",
        "    - metric_id: \"stderr\"\n      value: 0.81\n",
    );
    let size = hub.results.len();
    for (from, to, expected) in [
        (
            "20.90",
            "21.9".to_owned(),
            Reason::ClaimMismatch(Field::Metrics),
        ),
        ("no-tools", "tools".to_owned(), Reason::EntryDigestMismatch),
        (
            stderr,
            format!("{stderr}    - metric_id: \"f1\"\n      value: 1\n"),
            Reason::ClaimMismatch(Field::Metrics),
        ),
        (
            &format!("{accuracy}{stderr}"),
            format!("{stderr}{accuracy}"),
            Reason::MetricsOrderMismatch,
        ),
    ] {
        let changed = file.replacen(from, &to, 1);
        assert_eq!(
            reason(&hub.push(&repo, PATH, &changed, NOW + 130)),
            expected,
            "{to}"
        );
    }
    assert_eq!(
        hub.results.len(),
        size,
        "what git alone tells is not logged"
    );
}

#[test]
fn a_fork_reads_another_name_before_and_another_owner_after_the_original_is_admitted() {
    let (mut hub, repo, file) = issued();
    let fork = Repo::new(2, "bob/awesome-model");

    let before = hub.look(&fork, PATH, &file);
    hub.push(&repo, PATH, &file, NOW + 120);
    let after = hub.look(&fork, PATH, &file);

    assert_eq!(reason(&before), Reason::ModelRepoMismatch);
    assert_eq!(reason(&after), Reason::BoundToOtherRepo);
}

#[test]
fn a_renamed_or_transferred_repository_stays_verified() {
    let (mut hub, mut repo, file) = admitted();
    repo.name = "newcorp/better-name".parse().unwrap();

    let looked = hub.look(&repo, PATH, &file);
    let pushed = hub.push(&repo, PATH, &file, NOW + YEAR);

    assert!(is_verified(&looked[0]));
    assert_eq!(pushed, looked);
}

#[test]
fn a_refusal_for_the_name_does_not_drift_when_the_repository_is_renamed() {
    let (mut hub, _, file) = issued();
    let mut other = Repo::new(2, "acme/old-name");
    let refused = hub.push(&other, PATH, &file, NOW + 10);
    assert_eq!(reason(&refused), Reason::ModelRepoMismatch);

    other.name = MODEL.parse().unwrap();

    assert_eq!(
        reason(&hub.look(&other, PATH, &file)),
        Reason::ModelRepoMismatch
    );
    assert_eq!(
        reason(&hub.push(&other, PATH, &file, NOW + 20)),
        Reason::ModelRepoMismatch
    );
}

#[test]
fn a_repository_that_was_deleted_and_made_again_under_its_name_is_another() {
    let (mut hub, _, file) = admitted();

    let verdicts = hub.push(&Repo::new(2, MODEL), PATH, &file, NOW + 130);

    assert_eq!(reason(&verdicts), Reason::BoundToOtherRepo);
}

#[test]
fn the_same_token_twice_in_one_tree_counts_once() {
    let (mut hub, repo, file) = admitted();

    let verdicts = hub.push(&repo, PATH, &format!("{file}{file}{file}"), NOW + 130);

    assert!(is_verified(&verdicts[0]));
    assert_eq!(reason_of(&verdicts[1]), Reason::DuplicateTokenInTree);
    assert_eq!(reason_of(&verdicts[2]), Reason::DuplicateTokenInTree);
}

#[test]
fn a_second_after_the_window_is_too_late_for_ever() {
    let (mut hub, repo, file) = issued();

    let late = hub.push(&repo, PATH, &file, NOW + 900 + 60 + 1);
    let in_time = hub.push(&repo, PATH, &file, NOW + 900);

    assert_eq!(reason(&late), Reason::ExpiredAtFirstSeen);
    assert_eq!(in_time, late);
    let (mut hub, repo, file) = issued();
    assert!(is_verified(
        &hub.push(&repo, PATH, &file, NOW + 900 + 60)[0]
    ));
}

#[test]
fn a_log_that_lagged_behind_may_be_caught_up_with() {
    let (mut hub, repo, file) = issued();
    let issue = hub.results.pop().unwrap();

    let unknown = hub.push(&repo, PATH, &file, NOW + 10);
    hub.results.push(issue);
    let known = hub.push(&repo, PATH, &file, NOW + 20);

    assert_eq!(reason(&unknown), Reason::NotInIssuanceLog);
    assert!(is_verified(&known[0]), "{known:?}");
}

#[test]
fn the_verdicts_of_a_reindex_are_those_of_the_pushes() {
    let (mut hub, repo, file) = issued();
    let late = with_token(
        &ENTRY.replace("no-tools", "late"),
        &hub.issue(&ENTRY.replace("no-tools", "late"), MODEL),
    );
    let pushed = [
        hub.push(&repo, PATH, &file, NOW + 10),
        hub.push(&repo, PATH, &late, NOW + 2000),
        hub.push(&repo, PATH, &file.replace("20.90", "1"), NOW + 20),
    ];

    let again = [
        hub.look(&repo, PATH, &file),
        hub.look(&repo, PATH, &late),
        hub.look(&repo, PATH, &file.replace("20.90", "1")),
    ];

    assert_eq!(again, pushed);
}
