//! The page of one result: what was signed beside what is written, and who may see it.

use assay_server::Person;
use assay_trust::proof::{Proof, TrustNote};
use assay_trust::{Scope, Verdict};
use serde_json::json;

use crate::browser::{browse, page};
use crate::evidence::scene::{FILE, ISSUER, Scene, jti, revoke};

const BOARD: &str = "/datasets/alice/bench";

fn by_place(ordinal: u32) -> String {
    format!("/alice/small/results/at/{ordinal}/{FILE}")
}

fn by_token(number: u8) -> String {
    format!("/alice/small/results/{}", jti(number))
}

#[tokio::test]
async fn a_verified_result_tells_who_signed_what_and_how_to_check_it() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;

    let shown = page(&scene.hub, &by_token(1)).await;

    let kid = scene.key.kid().to_string();
    for told in [
        "alice/small scored 72.5",
        "accuracy = 72.5",
        "inspect-ai",
        "0.4.2",
        "The key is active and not revoked.",
        "assay verify row.proof --trust hub.note",
        ISSUER,
        &kid,
        &format!("href=\"{}/row.proof\"", by_token(1)),
        "/v1/log/results/receipts/0",
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    assert_eq!(shown.matches("</svg>matches").count(), 9, "{shown}");
    assert!(!shown.contains("</svg>differs"), "{shown}");
    assert_eq!(page(&scene.hub, &by_place(0)).await, shown_at(&shown, 0));
}

/// The same page at its other address: only the way back to it differs.
fn shown_at(page: &str, ordinal: u32) -> String {
    let encoded = |path: &str| path.replace('/', "%2F");
    page.replace(&encoded(&by_token(1)), &encoded(&by_place(ordinal)))
}

#[tokio::test]
async fn the_proof_of_the_page_is_one_that_a_stranger_can_check() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let note = page(&scene.hub, "/.well-known/eval-trust").await;
    let note: TrustNote = note.parse().unwrap();

    let path = format!("{}/row.proof", by_token(1));
    let proof = browse(&scene.hub, Person::Nobody, &path).await.expect(200);

    assert_eq!(
        proof.header("content-disposition"),
        Some("attachment; filename=\"row.proof\"")
    );
    let proven = proof.text().parse::<Proof>().unwrap().verify(Some(&note));
    assert!(matches!(proven.unwrap().verdict, Verdict::Verified(_)));
}

#[tokio::test]
async fn a_result_that_was_changed_shows_the_cross_the_reason_and_the_next_step() {
    let scene = Scene::new("alice/small").await;
    let good = scene.signed("alice/small", "72.5", 1);
    let changed = scene.signed("alice/small", "50.0", 2);
    let changed = changed.replace("50.0", "99.0");
    scene.push("alice/small", &format!("{good}{changed}")).await;

    let shown = page(&scene.hub, &by_place(1)).await;

    for told in [
        "accuracy = 50",
        "accuracy = 99",
        "claim_mismatch:metrics",
        "Next step:",
        "put the field back as it was signed",
        "Other results for this model on this task",
        &format!("href=\"{}\"", by_token(1)),
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    // The metric, and with it the digest of the whole.
    assert_eq!(shown.matches("</svg>differs").count(), 2, "{shown}");
}

#[tokio::test]
async fn boards_and_model_pages_lead_to_the_evidence_of_each_row() {
    let scene = Scene::new("alice/small").await;
    let signed = scene.signed("alice/small", "72.5", 1);
    let plain = "- dataset: {id: alice/bench, task_id: default}\n  metrics:\n    - {metric_id: accuracy, value: 10.5}\n";
    scene.push("alice/small", &format!("{signed}{plain}")).await;

    let board = page(&scene.hub, BOARD).await;
    let model = page(&scene.hub, "/alice/small").await;

    assert!(board.contains(&format!("href=\"{}\"", by_token(1))));
    assert!(model.contains(&format!("href=\"{}\"", by_token(1))));
    assert!(model.contains(&format!("href=\"{}\"", by_place(1))));
    let unsigned = page(&scene.hub, &by_place(1)).await;
    assert!(unsigned.contains("Nothing was signed"), "{unsigned}");
    assert!(!unsigned.contains("row.proof"), "{unsigned}");
}

#[tokio::test]
async fn a_result_keeps_what_it_said_before_and_loses_its_mark_with_its_key() {
    let scene = Scene::new("alice/small").await;
    let first = scene.signed("alice/small", "72.5", 1);
    scene.push("alice/small", &first).await;
    scene.hub.pass(60);
    scene
        .push("alice/small", &scene.signed("alice/small", "73.5", 2))
        .await;

    let before = page(&scene.hub, &by_place(0)).await;
    revoke(&scene, Scope::Kid(scene.key.kid())).await;
    let after = page(&scene.hub, &by_place(0)).await;

    let (_, history) = before.split_once("id=\"history\"").unwrap();
    assert!(history.contains("accuracy 72.5") && history.contains("accuracy 73.5"));
    assert!(!before.contains("key_revoked"));
    for told in ["Revoked:", "key_revoked", "revoked from log position 0 on"] {
        assert!(after.contains(told), "{told}: {after}");
    }
}

#[tokio::test]
async fn the_evidence_of_a_private_model_is_for_those_who_see_the_model() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let private = json!({ "private": true });
    scene
        .hub
        .put(Person::Alice, "/api/models/alice/small/settings", private)
        .await
        .expect(200);

    let proof = format!("{}/row.proof", by_token(1));
    for path in [by_token(1), by_place(0), proof] {
        browse(&scene.hub, Person::Alice, &path).await.expect(200);
        for person in [Person::Nobody, Person::Bob] {
            browse(&scene.hub, person, &path).await.expect(404);
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;

    for path in [
        by_token(9),
        by_place(7),
        format!("{}?pr=3", by_place(0)),
        format!("{}?pr=x", by_place(0)),
        "/alice/small/results/at/x/README.md".to_owned(),
        "/alice/small/results/%00".to_owned(),
        format!("{}/row.proof", by_token(9)),
    ] {
        browse(&scene.hub, Person::Nobody, &path).await.expect(404);
    }
}
