//! A token belongs to one entry in one repository: attacks on that.

use assay_trust::{Field, Reason, Verdict};

use crate::support::{
    ENTRY, Hub, MODEL, NOW, PATH, Repo, canonical, is_verified, profile_reason, reason, reason_of,
    with_token,
};

/// A hub with the entry of the vector admitted in one repository.
fn admitted() -> (Hub, Repo, String) {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    let token = hub.issue(ENTRY, MODEL);
    let verdicts = hub.push(&repo, PATH, &with_token(ENTRY, &token), NOW + 120);
    assert!(is_verified(&verdicts[0]), "{verdicts:?}");
    (hub, repo, token)
}

/// The reason after an entry with a good token was changed.
pub(crate) fn edited(from: &str, to: &str) -> Reason {
    let (mut hub, repo, token) = admitted();
    let entry = ENTRY.replacen(from, to, 1);
    assert_ne!(entry, ENTRY);
    let verdicts = hub.push(&repo, PATH, &with_token(&entry, &token), NOW + 130);
    assert_eq!(verdicts, hub.look(&repo, PATH, &with_token(&entry, &token)));
    reason(&verdicts)
}

#[test]
fn cross_model_replay() {
    let mut hub = Hub::new();
    let token = hub.issue(ENTRY, MODEL);
    let file = with_token(ENTRY, &token);
    let (other, own) = (Repo::new(2, "evil/copy"), Repo::new(1, MODEL));

    let stolen = hub.push(&other, PATH, &file, NOW + 10);
    let original = hub.push(&own, PATH, &file, NOW + 20);
    let later = hub.push(&Repo::new(3, "evil/late"), PATH, &file, NOW + 30);

    assert_eq!(reason(&stolen), Reason::ModelRepoMismatch);
    assert!(
        is_verified(&original[0]),
        "nobody can use up the token of another"
    );
    assert_eq!(reason(&later), Reason::BoundToOtherRepo);
}

#[test]
fn fork_is_unverified() {
    let (hub, _, token) = admitted();
    // A fork of the same name on another account, or moved to the very name: it still has another
    // identity.
    for fork in [Repo::new(2, "bob/awesome-model"), Repo::new(2, MODEL)] {
        let verdicts = hub.look(&fork, PATH, &with_token(ENTRY, &token));
        assert_eq!(reason(&verdicts), Reason::BoundToOtherRepo);
    }
}

#[test]
fn recreated_name_is_unverified() {
    let (mut hub, _, token) = admitted();
    let recreated = Repo::new(2, MODEL);

    let verdicts = hub.push(&recreated, PATH, &with_token(ENTRY, &token), NOW + 130);

    assert_eq!(reason(&verdicts), Reason::BoundToOtherRepo);
}

#[test]
fn cross_pr_same_content_dedup() {
    let (mut hub, repo, token) = admitted();
    let leaves = hub.results.len();
    let file = with_token(ENTRY, &token);
    let first = hub.look(&repo, PATH, &file);

    let second = hub.push(&repo, PATH, &file, NOW + 90 * 86_400);

    assert_eq!(second, first);
    assert_eq!(hub.results.len(), leaves, "seeing it again is no decision");
}

#[test]
fn cross_pr_different_content() {
    assert_eq!(
        edited("no-tools", "with tools"),
        Reason::EntryDigestMismatch
    );
}

#[test]
fn token_twice_in_tree() {
    let (mut hub, repo, token) = admitted();
    let file = with_token(ENTRY, &token);

    let twice = hub.push(&repo, PATH, &format!("{file}{file}"), NOW + 130);
    assert!(is_verified(&twice[0]));
    assert_eq!(reason_of(&twice[1]), Reason::DuplicateTokenInTree);

    let other_file = hub.push(&repo, ".eval_results/a.yaml", &file, NOW + 130);
    assert_eq!(reason(&other_file), Reason::PathMismatch);

    // A changed copy in front does not take the token from the entry that it belongs to.
    let changed = with_token(&ENTRY.replace("20.90", "99.9"), &token);
    let mixed = hub.push(&repo, PATH, &format!("{changed}{file}"), NOW + 130);
    assert_eq!(reason(&mixed), Reason::ClaimMismatch(Field::Metrics));
    assert!(is_verified(&mixed[1]));
}

#[test]
fn edited_value() {
    assert_eq!(
        edited("20.90", "21.90"),
        Reason::ClaimMismatch(Field::Metrics)
    );
    assert_eq!(
        edited("20.90", "20.900000001"),
        Reason::ClaimMismatch(Field::Metrics)
    );
}

#[test]
fn the_differing_field_is_named_with_both_values() {
    let (hub, repo, token) = admitted();
    let entry = ENTRY.replacen("20.90", "21.90", 1);

    let verdicts = hub.look(&repo, PATH, &with_token(&entry, &token));

    let Verdict::Unverified(unverified) = &verdicts[0] else {
        panic!("{verdicts:?}");
    };
    assert_eq!(
        unverified.detail,
        "`metrics` has `accuracy` = 21.9, and `accuracy` = 20.9 was signed"
    );
    assert_eq!(
        unverified.hint(),
        "put the field back as it was signed, or request a new token"
    );
}

#[test]
fn every_claimed_field_is_compared() {
    for (from, to, field) in [
        ("cais/hle", "cais/hle2", Field::DatasetId),
        ("\"hle\"", "\"hle_text\"", Field::TaskId),
        ("5503434d", "6503434d", Field::DatasetRevision),
        ("9f3c2c9a", "8f3c2c9a", Field::ModelRevision),
        ("\"inspect-ai\"", "\"lighteval\"", Field::FrameworkName),
        ("0.4.2", "0.4.3", Field::FrameworkVersion),
        ("hle.py", "hle.py --fast", Field::FrameworkCommand),
        ("\"stderr\"", "\"accuracy_stderr\"", Field::Metrics),
    ] {
        assert_eq!(edited(from, to), Reason::ClaimMismatch(field), "{to}");
    }
}

#[test]
fn edited_notes() {
    assert_eq!(edited("no-tools", "tools"), Reason::EntryDigestMismatch);
    assert_eq!(
        edited("  notes: \"no-tools\"\n", ""),
        Reason::EntryDigestMismatch
    );
}

#[test]
fn added_unknown_field() {
    for added in [
        "  date: \"2026-02-14\"\n",
        "  source: {url: \"https://example.org\"}\n",
        "  sponsor: \"me\"\n",
        "  sample_size: 100\n",
    ] {
        let to = format!("{added}  notes:");
        assert_eq!(
            edited("  notes:", &to),
            Reason::EntryDigestMismatch,
            "{added}"
        );
    }
    let per_metric = edited("value: 0.81", "value: 0.81\n      sample_size: 9");
    assert_eq!(per_metric, Reason::EntryDigestMismatch);
}

#[test]
fn revision_must_be_full() {
    for (field, place, full) in [
        (
            Field::ModelRevision,
            "  model_revision: ",
            "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
        ),
        (
            Field::DatasetRevision,
            "    revision: ",
            "5503434ddd753f426f4b38109466949a1217c2bb",
        ),
    ] {
        let upper = full.to_uppercase();
        for short in [&full[..16], &full[..39], "main", "v1.0", "", &upper] {
            let entry = ENTRY.replace(
                &format!("{place}\"{full}\""),
                &format!("{place}\"{short}\""),
            );
            assert_ne!(entry, ENTRY);
            let refused = canonical(&entry)
                .subject(&MODEL.parse().unwrap())
                .unwrap_err();
            assert_eq!(refused.reason, Reason::RevisionNotFull(field), "{short}");
        }
        let absent = ENTRY.replace(&format!("{place}\"{full}\"\n"), "");
        let refused = canonical(&absent)
            .subject(&MODEL.parse().unwrap())
            .unwrap_err();
        assert_eq!(refused.reason, Reason::Missing(field));
    }
}

#[test]
fn path_must_be_canonical() {
    let (mut hub, repo, token) = admitted();
    for path in [
        ".eval_results/gpqa.yaml",
        ".eval_results/hle.yml",
        ".eval_results/HLE.yaml",
        ".eval_results/sub/hle.yaml",
        "hle.yaml",
    ] {
        let verdicts = hub.push(&repo, path, &with_token(ENTRY, &token), NOW + 130);
        assert_eq!(reason(&verdicts), Reason::PathMismatch, "{path}");
    }
}

#[test]
fn eval_yaml_pinned_to_revision() {
    let file = |hub: &mut Hub| with_token(ENTRY, &hub.issue(ENTRY, MODEL));
    let repo = Repo::new(1, MODEL);

    let mut hub = Hub::new();
    hub.benchmark.as_mut().unwrap().tasks[0].id = "hle_v2".parse().unwrap();
    let pushed = file(&mut hub);
    assert_eq!(
        reason(&hub.push(&repo, PATH, &pushed, NOW)),
        Reason::TaskUnknown
    );

    let mut hub = Hub::new();
    hub.benchmark.as_mut().unwrap().metrics.remove(1);
    let pushed = file(&mut hub);
    assert_eq!(
        reason(&hub.push(&repo, PATH, &pushed, NOW)),
        Reason::MetricUnknown
    );

    // What the benchmark says later does not matter: the definition at the signed commit was
    // validated, once.
    let (mut hub, repo, token) = admitted();
    hub.benchmark.as_mut().unwrap().tasks.clear();
    let later = hub.push(&repo, PATH, &with_token(ENTRY, &token), NOW + 130);
    assert!(is_verified(&later[0]));
}

#[test]
fn unknown_model_revision() {
    let mut hub = Hub::new();
    hub.model_revision_exists = false;
    let token = hub.issue(ENTRY, MODEL);
    let (repo, file) = (Repo::new(1, MODEL), with_token(ENTRY, &token));

    let refused = hub.push(&repo, PATH, &file, NOW + 10);
    hub.model_revision_exists = true;
    let again = hub.push(&repo, PATH, &file, NOW + 20);

    assert_eq!(reason(&refused), Reason::ModelRevisionUnknown);
    assert_eq!(again, refused, "the first decision counts");
}

#[test]
fn force_push_drops_badge() {
    let (hub, repo, token) = admitted();

    // The verdict is on the tree at hand and on nothing that was remembered of an earlier one.
    let before = hub.look(&repo, PATH, &with_token(ENTRY, &token));
    let after = hub.look(
        &repo,
        PATH,
        &with_token(&ENTRY.replace("20.90", "99"), &token),
    );

    assert!(is_verified(&before[0]));
    assert_eq!(reason(&after), Reason::ClaimMismatch(Field::Metrics));
}

#[test]
fn both_spellings_of_the_token_key_are_read_but_never_together() {
    let (hub, repo, token) = admitted();
    let alias = format!("{ENTRY}  verifyToken: \"{token}\"\n");
    let both = format!("{alias}  verify_token: \"{token}\"\n");

    assert!(is_verified(&hub.look(&repo, PATH, &alias)[0]));
    assert_eq!(
        reason(&hub.look(&repo, PATH, &both)),
        Reason::TokenAmbiguous
    );
    assert_eq!(reason(&hub.look(&repo, PATH, ENTRY)), Reason::NoToken);
    assert_eq!(
        profile_reason(&format!("{ENTRY}  verify_token: 5\n")),
        Reason::TokenMalformed
    );
}

#[test]
fn render_uses_claims() {
    let (hub, repo, token) = admitted();

    let verdicts = hub.look(&repo, PATH, &with_token(ENTRY, &token));

    let Verdict::Verified(attestation) = &verdicts[0] else {
        panic!("{verdicts:?}");
    };
    let claims = &attestation.claims;
    assert_eq!(
        claims.subject,
        canonical(ENTRY).subject(&MODEL.parse().unwrap()).unwrap()
    );
    assert_eq!(claims.subject.metrics[0].value.to_string(), "20.9");
    assert_eq!(
        (attestation.issue_index, attestation.decide_index),
        (Some(0), 1)
    );
    assert_eq!(attestation.received_at.seconds(), NOW + 120);
}
