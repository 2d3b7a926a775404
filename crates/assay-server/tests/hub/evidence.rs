//! Signed evidence over HTTP: standings, proofs, logs, and who sees them.

pub(crate) mod scene;
mod traps;

use assay_server::Person;
use assay_tlog::{Bundle, Receipt, SignedCheckpoint, Tile, TreeHash};
use assay_trust::proof::{Anchor, Proof, TrustNote};
use assay_trust::{Scope, Verdict};
use axum::body::Body;
use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use self::scene::{BOARD, FILE, ISSUER, Scene, jti, revoke};

#[tokio::test]
async fn a_result_says_everywhere_whether_it_is_verified_and_by_whom() {
    let scene = Scene::new("alice/small").await;
    let good = scene.signed("alice/small", "72.5", 1);
    let bad = scene
        .signed("alice/small", "50.0", 2)
        .replace("50.0", "99.0");

    scene.push("alice/small", &format!("{good}{bad}")).await;

    let path = "/api/models/alice/small/eval-results";
    let results = scene.hub.get(Person::Nobody, path).await.expect(200).json();
    assert_eq!(results[0]["verified"], true);
    let attested = &results[0]["standing"]["attested"];
    assert_eq!(attested["integration"], "inspect-ai");
    assert_eq!(attested["issuer"], ISSUER);
    assert_eq!(attested["jti"], jti(1).to_string());
    assert_eq!(results[1]["standing"]["state"], "unverified");
    assert_eq!(results[1]["standing"]["reason"], "claim_mismatch:metrics");
    assert!(
        results[1]["standing"]["hint"]
            .as_str()
            .is_some_and(|hint| !hint.is_empty())
    );
    let all = scene
        .hub
        .get(Person::Nobody, &format!("{BOARD}?policy=all"))
        .await
        .json();
    let states: Vec<&Value> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["standing"]["state"])
        .collect();
    assert_eq!(states, ["unverified", "verified"]);
}

#[tokio::test]
async fn a_commit_whose_end_is_held_back_comes_when_it_is_complete() {
    let scene = Scene::new("alice/small").await;
    let hub = &scene.hub;
    let content = STANDARD.encode(scene.signed("alice/small", "72.5", 1));
    let header = json!({ "key": "header", "value": { "summary": "Add" } });
    let value = json!({ "content": content, "path": FILE, "encoding": "base64" });
    let file = json!({ "key": "file", "value": value });
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let pieces = futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece: Option<String> = receiver.recv().await;
        piece.map(|piece| (Ok::<_, std::io::Error>(piece), receiver))
    });
    let address = "/api/models/alice/small/commit/main";
    let sending = hub.ask(
        Person::Alice,
        Method::POST,
        address,
        Body::from_stream(pieces),
    );
    let slowly = async {
        for piece in [format!("{header}\n"), file.to_string(), "\n".to_owned()] {
            sender.send(piece).await.unwrap();
        }
        // The file is there, and its token is still good; the end of the request comes a day later.
        hub.pass(86_400);
        drop(sender);
    };

    let (answer, ()) = tokio::join!(sending, slowly);

    answer.expect(200);
    let path = "/api/models/alice/small/eval-results";
    let results = hub.get(Person::Nobody, path).await.expect(200).json();
    assert_eq!(results[0]["standing"]["reason"], "expired_at_first_seen");
}

#[tokio::test]
async fn a_verified_result_has_a_small_proof_that_a_stranger_checks_by_himself() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let path = format!("/api/models/alice/small/eval-results/{}/proof", jti(1));

    let answer = scene.hub.get(Person::Nobody, &path).await.expect(200);
    let note = scene
        .hub
        .get(Person::Nobody, "/.well-known/eval-trust")
        .await
        .expect(200);

    assert_eq!(
        answer.header("content-type"),
        Some("application/vnd.assay.proof+json")
    );
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    let proof = answer.text();
    assert!(proof.len() < 20_000, "{} bytes", proof.len());
    let note: TrustNote = note.text().parse().unwrap();
    let proven = proof.parse::<Proof>().unwrap().verify(Some(&note)).unwrap();
    assert_eq!(proven.anchor, Anchor::Given);
    let Verdict::Verified(attestation) = proven.verdict else {
        panic!("{:?}", proven.verdict);
    };
    assert_eq!(attestation.claims.jti, jti(1));
    assert_eq!(proven.path.as_str(), FILE);
    let missing = format!("/api/models/alice/small/eval-results/{}/proof", jti(9));
    scene.hub.get(Person::Nobody, &missing).await.expect(404);
}

#[tokio::test]
async fn a_proof_says_that_a_result_was_revoked_since() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    revoke(&scene, Scope::Jti(jti(1))).await;
    let path = format!("/api/models/alice/small/eval-results/{}", jti(1));

    let proof = scene
        .hub
        .get(Person::Nobody, &format!("{path}/proof"))
        .await
        .expect(200)
        .text();
    let status = scene
        .hub
        .get(Person::Nobody, &path)
        .await
        .expect(200)
        .json();

    let proven = proof.parse::<Proof>().unwrap().verify(None).unwrap();
    assert!(
        matches!(proven.verdict, Verdict::Revoked(_)),
        "{:?}",
        proven.verdict
    );
    assert_eq!(status["standing"]["state"], "revoked");
    assert_eq!(status["standing"]["reason"], "token_revoked");
    assert_eq!(status["asOf"]["results"], 1);
    assert_eq!(
        status["receipts"].as_array().unwrap().len(),
        1,
        "the issuer keeps its own log"
    );
}

#[tokio::test]
async fn the_files_of_a_log_agree_with_its_checkpoint_and_may_be_kept() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let note = scene
        .hub
        .get(Person::Nobody, "/.well-known/eval-trust")
        .await;
    let note: TrustNote = note.expect(200).text().parse().unwrap();

    for (log, key) in [("results", &note.results), ("control", &note.control)] {
        let base = format!("/v1/log/{log}");
        let checkpoint = scene
            .hub
            .get(Person::Nobody, &format!("{base}/checkpoint"))
            .await
            .expect(200);
        assert_eq!(checkpoint.header("cache-control"), Some("no-cache"));
        let checkpoint: SignedCheckpoint = checkpoint.text().parse().unwrap();
        let size = checkpoint.verify(key).unwrap().size;
        let width = u16::try_from(size).unwrap();
        let entries = scene
            .hub
            .get(
                Person::Nobody,
                &format!("{base}/tile/entries/000.p/{width}"),
            )
            .await;
        let tile = scene
            .hub
            .get(Person::Nobody, &format!("{base}/tile/0/000.p/{width}"))
            .await;
        let kept = tile.header("cache-control").map(str::to_owned);
        assert!(kept.is_some_and(|kept| kept.contains("immutable")));
        let (entries, tile) = (entries.expect(200).body, tile.expect(200).body);
        let leaves = Bundle { index: 0, width }.read(&entries).unwrap();
        let hashes = Tile {
            level: 0,
            index: 0,
            width,
        }
        .read(&tile)
        .unwrap();
        let hashed: Vec<TreeHash> = leaves.iter().map(|leaf| TreeHash::of_leaf(leaf)).collect();
        assert_eq!(hashed, hashes);
        let receipt = scene
            .hub
            .get(Person::Nobody, &format!("{base}/receipts/0"))
            .await;
        let receipt: Receipt = receipt.expect(200).text().parse().unwrap();
        assert_eq!(receipt.verify(key).unwrap().size, size);
        assert_eq!(receipt.leaf(), leaves[0]);
        for nothing in [
            "tile/0/999",
            "tile/../checkpoint",
            "receipts/99",
            "receipts/x",
            "tile/9/000",
        ] {
            scene
                .hub
                .get(Person::Nobody, &format!("{base}/{nothing}"))
                .await
                .expect(404);
        }
    }
    scene
        .hub
        .get(Person::Nobody, "/v1/log/other/checkpoint")
        .await
        .expect(404);
}

#[tokio::test]
async fn revocation_purges_cache() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let model = "/api/models/alice/small?expand[]=evalResults";
    let before = [scene.rows().await, scene.rows().await];
    let page = scene
        .hub
        .get(Person::Nobody, model)
        .await
        .expect(200)
        .json();

    revoke(&scene, Scope::Kid(scene.key.kid())).await;

    assert_eq!(before[0][0]["standing"]["state"], "verified");
    assert_eq!(before[0], before[1]);
    assert_eq!(page["evalResults"][0]["verified"], true);
    let after = scene.rows().await;
    assert_eq!(after[0]["standing"]["state"], "revoked");
    assert_eq!(after[0]["verified"], false);
    let page = scene.hub.get(Person::Nobody, model).await.json();
    assert_eq!(page["evalResults"][0]["standing"]["reason"], "key_revoked");
    let verified = scene
        .hub
        .get(Person::Nobody, &format!("{BOARD}?verified=true"))
        .await
        .json();
    assert_eq!(verified, json!([]));
}

#[tokio::test]
async fn private_repo_invisible_everywhere() {
    let scene = Scene::new("alice/secret").await;
    let private = json!({ "private": true });
    scene
        .hub
        .put(Person::Alice, "/api/models/alice/secret/settings", private)
        .await
        .expect(200);
    scene
        .push("alice/secret", &scene.signed("alice/secret", "72.5", 1))
        .await;
    let path = |model: &str, rest: &str| format!("/api/models/alice/{model}/eval-results{rest}");
    let (token, proof) = (format!("/{}", jti(1)), format!("/{}/proof", jti(1)));

    for rest in ["", &token, &proof] {
        scene
            .hub
            .get(Person::Alice, &path("secret", rest))
            .await
            .expect(200);
        for person in [Person::Nobody, Person::Bob] {
            let hidden = scene.hub.get(person, &path("secret", rest)).await;
            let absent = scene.hub.get(person, &path("nothing", rest)).await;
            assert_eq!(hidden.status, absent.status, "{rest}");
            assert_eq!(hidden.header("x-error-code"), absent.header("x-error-code"));
            let named = |text: String| text.replace("secret", "nothing");
            assert_eq!(named(hidden.text()), absent.text(), "{rest}");
        }
    }
    assert_eq!(scene.rows().await, json!([]));
    let entries = scene
        .hub
        .get(Person::Nobody, "/v1/log/results/tile/entries/000.p/1")
        .await;
    let entries = entries.expect(200).body;
    let leaf = String::from_utf8_lossy(&entries);
    for word in ["alice", "secret", "bench", "72.5"] {
        assert!(!leaf.contains(word), "{leaf}");
    }
}

#[tokio::test]
async fn a_preview_tells_the_standing_of_each_entry_and_logs_nothing() {
    let scene = Scene::new("alice/small").await;
    let good = scene.signed("alice/small", "72.5", 1);
    let file = format!("{good}{}", good.replace("72.5", "73.5"));
    let body = json!({ "path": FILE, "content": file });

    let told = scene
        .hub
        .post(
            Person::Bob,
            "/api/models/alice/small/eval-results/preview",
            body,
        )
        .await
        .expect(200)
        .json();

    assert_eq!(told[0]["state"], "verified");
    assert_eq!(told[1]["reason"], "claim_mismatch:metrics");
    let checkpoint = scene
        .hub
        .get(Person::Nobody, "/v1/log/results/checkpoint")
        .await
        .text();
    assert_eq!(checkpoint.lines().nth(1), Some("0"));
}
