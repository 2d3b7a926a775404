use assay_app::{NewRevocation, RevokedFrom};
use assay_model::{RepoId, RepoKind};
use assay_server::Person;
use assay_trust::proof::Proof;
use assay_trust::{Scope, Verdict};

use super::scene::{BOARD, EVAL, FILE, Scene, jti};

/// Trap T14: without the repository in the claims, a fork that shares commits could show the token
/// of the original.
#[tokio::test]
async fn t14_a_token_counts_in_the_repository_that_it_names_and_in_no_fork_of_it() {
    let scene = Scene::new("alice/small").await;
    let signed = scene.signed("alice/small", "72.5", 1);
    let fork = "models/bob/small";
    scene.hub.create(Person::Bob, fork).await.expect(200);
    scene.push("alice/small", &signed).await;

    let files = [(FILE, signed.as_str())];
    let copied = scene.hub.commit(Person::Bob, fork, &files);
    copied.await.expect(200);
    // The command is part of the claim when there is one, and none is part of it when there is
    // none.
    let command = signed.replace("version: \"0.4.2\"", "version: \"0.4.2\"\n    command: x");
    scene.push("alice/small", &command).await;

    let reason = async |model: &str| {
        let path = format!("/api/models/{model}/eval-results");
        let results = scene
            .hub
            .get(Person::Nobody, &path)
            .await
            .expect(200)
            .json();
        results[0]["standing"]["reason"].clone()
    };
    assert_eq!(reason("bob/small").await, "bound_to_other_repo");
    assert_eq!(
        reason("alice/small").await,
        "claim_mismatch:framework.command"
    );
}

/// Trap T16: a token lasts minutes and a badge for years, because freshness is validated once, when
/// it is first seen.
#[tokio::test]
async fn t16_a_result_stays_verified_long_after_its_token_has_expired() {
    let scene = Scene::new("alice/small").await;
    let (in_time, late) = (
        scene.signed("alice/small", "72.5", 1),
        scene.signed("alice/small", "73.5", 2),
    );
    scene.push("alice/small", &in_time).await;
    scene.hub.pass(3 * 365 * 86_400);

    scene.push("alice/small", &format!("{in_time}{late}")).await;

    let path = "/api/models/alice/small/eval-results";
    let results = scene.hub.get(Person::Nobody, path).await.expect(200).json();
    assert_eq!(results[0]["verified"], true, "{results}");
    assert_eq!(results[1]["standing"]["reason"], "expired_at_first_seen");
    let path = format!("/api/models/alice/small/eval-results/{}/proof", jti(1));
    let proof = scene
        .hub
        .get(Person::Nobody, &path)
        .await
        .expect(200)
        .text();
    let proven = proof.parse::<Proof>().unwrap().verify(None).unwrap();
    assert!(
        matches!(proven.verdict, Verdict::Verified(_)),
        "{:?}",
        proven.verdict
    );
}

/// Trap T17: a key that is rotated out keeps its badges, one that is revoked loses them, and the
/// list of those comes first.
#[tokio::test]
async fn t17_after_a_merge_rotation_keeps_a_badge_and_revocation_takes_it_with_a_list_first() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let hub = scene.hub.hub();
    let shell = hub.shell();
    let kid = scene.key.kid();
    let new = NewRevocation {
        scope: Scope::Kid(kid),
        from: RevokedFrom::Start,
        reason: "stolen".to_owned(),
    };

    hub.evidence().retire_key(&shell, kid).await.unwrap();
    let retired = scene.rows().await;
    let planned = hub
        .evidence()
        .revoke(&shell, new.clone(), true)
        .await
        .unwrap();
    let untouched = scene.rows().await;
    let done = hub.evidence().revoke(&shell, new, false).await.unwrap();

    assert_eq!(retired[0]["verified"], true);
    assert_eq!(untouched, retired, "a dry run changes nothing");
    assert_eq!(planned.index, None);
    assert_eq!(planned.rows, done.rows);
    assert_eq!(done.rows.len(), 1);
    assert_eq!(done.rows[0].model.as_str(), "alice/small");
    let rows = scene.rows().await;
    assert_eq!(rows[0]["standing"]["reason"], "key_revoked");
    // What was decided when it was first seen stays in the log for all to see.
    let status = format!("/api/models/alice/small/eval-results/{}", jti(1));
    let status = scene
        .hub
        .get(Person::Nobody, &status)
        .await
        .expect(200)
        .json();
    assert_eq!(status["asOf"]["results"], 1);
    assert_eq!(status["receipts"].as_array().unwrap().len(), 1);
}

/// Returns the standings of the one result of `alice/small`: on the board, on the board of verified
/// results, and among those of the model.
async fn stands(scene: &Scene, board: &str) -> (String, usize, String) {
    let get = async |path: &str| scene.hub.get(Person::Nobody, path).await.expect(200).json();
    let word = |standing: &serde_json::Value| {
        let word = standing["reason"].as_str().or(standing["state"].as_str());
        word.unwrap_or_default().to_owned()
    };
    let rows = get(board).await;
    let verified = get(&format!("{board}?verified=true")).await;
    let results = get("/api/models/alice/small/eval-results").await;
    (
        word(&rows[0]["standing"]),
        verified.as_array().unwrap().len(),
        word(&results[0]["standing"]),
    )
}

/// Evidence is for the benchmark whose commit was signed, and for none that takes its name.
#[tokio::test]
async fn a_benchmark_that_is_made_again_inherits_no_evidence() {
    let scene = Scene::new("alice/small").await;
    let text = scene.signed("alice/small", "61.5", 1);
    scene.push("alice/small", &text).await;
    let before = stands(&scene, BOARD).await;
    let id: RepoId = "alice/bench".parse().unwrap();
    let hub = scene.hub.hub();
    hub.repositories()
        .delete_repository(&hub.shell(), RepoKind::Dataset, &id)
        .await
        .unwrap();

    let created = scene.hub.create(Person::Alice, "datasets/alice/bench");
    created.await.expect(200);
    let reversed = EVAL.replace("higher_is_better: true", "higher_is_better: false");
    let files = [("eval.yaml", reversed.as_str())];
    let committed = scene
        .hub
        .commit(Person::Alice, "datasets/alice/bench", &files);
    committed.await.expect(200);

    let verified = "verified".to_owned();
    assert_eq!(before, (verified.clone(), 1, verified));
    let unknown = "benchmark_revision_unknown".to_owned();
    let after = stands(&scene, BOARD).await;
    assert_eq!(after, (unknown.clone(), 0, unknown));
    let differences = hub
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap()
        .differences;
    assert!(differences.is_empty(), "{differences:?}");
}

#[tokio::test]
async fn a_benchmark_that_is_renamed_keeps_its_evidence() {
    let scene = Scene::new("alice/small").await;
    let text = scene.signed("alice/small", "61.5", 1);
    scene.push("alice/small", &text).await;
    let hub = scene.hub.hub();
    let (from, to) = (
        "alice/bench".parse().unwrap(),
        "alice/exam".parse().unwrap(),
    );

    hub.repositories()
        .move_repository(&hub.shell(), RepoKind::Dataset, &from, &to)
        .await
        .unwrap();

    let verified = "verified".to_owned();
    let board = "/api/datasets/alice/exam/leaderboard";
    let after = stands(&scene, board).await;
    assert_eq!(after, (verified.clone(), 1, verified));
}
