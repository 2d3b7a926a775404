//! The operator's pages for keys, issuers, integrations, tokens and revocations.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use crate::browser::page;
use crate::evidence::scene::{Scene, jti};
use crate::web_support::Browser;

const POLICY: &str = r#"version = 1

[[integration]]
id = "inspect-ai"
frameworks = [{ name = "inspect-ai" }]

  [[integration.identity]]
  name = "lab"
  kind = "token"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["alice/bench"]
  models = ["*/*"]
"#;

#[tokio::test]
async fn the_operator_sees_the_effect_before_revoking_and_takes_it_back() {
    let scene = Scene::new("alice/small").await;
    scene
        .push("alice/small", &scene.signed("alice/small", "72.5", 1))
        .await;
    let result = format!("/alice/small/results/{}", jti(1));
    let kid = scene.key.kid().to_string();
    let kid = kid.as_str();
    let mut root = Browser::of(&scene.hub, Person::Operator).await;
    let asked = [("scope", "key"), ("value", kid), ("reason", "it leaked")];

    let preview = root
        .fill_in("/admin/revocations", "/admin/revocations", &asked)
        .await
        .expect(200)
        .text();
    let meanwhile = page(&scene.hub, &result).await;
    let effect = field(&preview, "effect");
    let confirmed = [
        ("scope", "key"),
        ("value", kid),
        ("reason", "it leaked"),
        ("from", "index"),
        ("position", "0"),
        ("do", "confirm"),
    ];
    let mut wrong = confirmed.to_vec();
    wrong.push(("effect", "0-0000000000000000"));
    let refused = root.submit(&preview, "/admin/revocations", &wrong).await;
    let mut right = confirmed.to_vec();
    right.push(("effect", &effect));
    let done = root.submit(&preview, "/admin/revocations", &right).await;
    let list = root.follow(&done.expect(303)).await.expect(200).text();

    assert!(preview.contains("1 result changes."), "{preview}");
    assert!(preview.contains("<code>key_revoked</code>"), "{preview}");
    assert!(meanwhile.contains("not revoked"), "nothing is written yet");
    let refused = refused.expect(200).text();
    assert!(refused.contains("is not the one that was shown"));
    assert!(list.contains("it leaked") && list.contains(kid), "{list}");
    let revoked = page(&scene.hub, &result).await;
    assert!(revoked.contains("key_revoked"), "{revoked}");
    take_back(&mut root, &list).await;
    let restored = page(&scene.hub, &result).await;
    assert!(!restored.contains("key_revoked"), "{restored}");
}

async fn take_back(root: &mut Browser<'_>, list: &str) {
    let index = field(list, "index");
    let asked = [("index", index.as_str()), ("reason", "it did not")];
    let preview = root
        .submit(list, "/admin/revocations/back", &asked)
        .await
        .expect(200)
        .text();
    let effect = field(&preview, "effect");
    let confirmed = [
        ("index", index.as_str()),
        ("reason", "it did not"),
        ("effect", effect.as_str()),
        ("do", "confirm"),
    ];
    root.submit(&preview, "/admin/revocations/back", &confirmed)
        .await
        .expect(303);
}

#[tokio::test]
async fn the_operator_makes_rotates_and_retires_keys() {
    let hub = TestHub::new().await;
    let mut root = Browser::of(&hub, Person::Operator).await;
    let before = root.get("/admin/keys").await.expect(200).text();

    root.fill_in("/admin/keys", "/admin/keys", &[("do", "generate")])
        .await
        .expect(303);
    let rotate = [("do", "rotate"), ("kid", "")];
    let asked = root
        .fill_in("/admin/keys", "/admin/keys", &rotate)
        .await
        .expect(200)
        .text();
    assert!(asked.contains("Sign with another key from now on?"));
    let unchanged = root.get("/admin/keys").await.expect(200).text();
    assert!(!unchanged.contains(">retiring"), "{unchanged}");
    root.submit(&asked, "/admin/keys", &[("do", "rotate"), ("sure", "yes")])
        .await
        .expect(303);
    let rotated = root.get("/admin/keys").await.expect(200).text();
    let old = field(&rotated, "kid");
    root.submit(
        &rotated,
        "/admin/keys",
        &[("do", "retire"), ("kid", &old), ("sure", "yes")],
    )
    .await
    .expect(303);
    let after = root.get("/admin/keys").await.expect(200).text();

    assert!(!before.contains("retiring") && before.contains(">active"));
    assert!(rotated.contains(">retiring"), "{rotated}");
    assert!(
        after.contains(">retired") && after.contains(&old),
        "{after}"
    );
    let nonsense = [("do", "retire"), ("kid", "nonsense"), ("sure", "yes")];
    root.submit(&after, "/admin/keys", &nonsense)
        .await
        .expect(400);
}

#[tokio::test]
async fn the_operator_trusts_an_issuer_and_trusts_it_no_more() {
    let hub = TestHub::new().await;
    let key = assay_trust::SigningKey::from_seed([9; 32]);
    let keys = format!("{{\"keys\":[{}]}}", key.public().to_jwk().to_jcs());
    let mut root = Browser::of(&hub, Person::Operator).await;
    let issuer = "https://evals.example";
    let trust = [
        ("do", "trust"),
        ("issuer", issuer),
        ("frameworks", "inspect-ai, lighteval"),
        ("keys", keys.as_str()),
    ];

    root.fill_in("/admin/issuers", "/admin/issuers", &trust)
        .await
        .expect(303);
    let trusted = root.get("/admin/issuers").await.expect(200).text();
    let unsure = [("do", "distrust"), ("issuer", issuer)];
    let asked = root
        .submit(&trusted, "/admin/issuers", &unsure)
        .await
        .expect(200)
        .text();
    assert!(asked.contains("becomes unverified"), "{asked}");
    let sure = [("do", "distrust"), ("issuer", issuer), ("sure", "yes")];
    root.submit(&trusted, "/admin/issuers", &sure)
        .await
        .expect(303);
    let after = root.get("/admin/issuers").await.expect(200).text();

    assert!(trusted.contains("inspect-ai, lighteval"), "{trusted}");
    assert!(!trusted.contains(">not trusted"), "{trusted}");
    assert!(after.contains(">not trusted"), "{after}");
    let listed = root.get("/admin/keys").await.expect(200).text();
    assert!(listed.contains(&key.kid().to_string()), "{listed}");
}

#[tokio::test]
async fn a_credential_from_the_page_gets_tokens_that_the_operator_sees() {
    let hub = TestHub::with(|config| {
        let file = config.data.with_file_name("policy.toml");
        std::fs::write(&file, POLICY).unwrap();
        config.issuer.policy = Some(file);
    })
    .await;
    let mut root = Browser::of(&hub, Person::Operator).await;
    let place = "/admin/integrations";
    let register = [("do", "add"), ("id", "inspect-ai")];
    root.fill_in(place, place, &register).await.expect(303);
    let make = [
        ("do", "add_credential"),
        ("id", "inspect-ai/lab"),
        ("label", "runner"),
        ("days", "30"),
    ];

    let made = root.fill_in(place, place, &make).await.expect(200).text();
    let (_, secret) = made.split_once("class=\"secret\">").unwrap();
    let secret = secret.split('<').next().unwrap();
    let status = ask(&hub, secret).await;
    let again = root.get(place).await.expect(200).text();
    let events = root.get("/admin/tokens").await.expect(200).text();
    let refused = root
        .get("/admin/tokens?integration=inspect-ai&outcome=refused")
        .await
        .expect(200)
        .text();
    let other = root
        .get("/admin/tokens?integration=nobody")
        .await
        .expect(200)
        .text();

    assert!((400..500).contains(&status), "{status}");
    assert!(again.contains("runner") && !again.contains(secret));
    assert!(events.contains("add credential"), "{events}");
    assert!(refused.contains("inspect-ai/lab"), "{refused}");
    assert!(!refused.contains("add credential"), "{refused}");
    assert!(other.contains("Nothing like that has happened"), "{other}");
}

/// Asks for a token on a benchmark that the policy does not allow; the status of the answer.
async fn ask(hub: &TestHub, secret: &str) -> u16 {
    let body = json!({ "model_repo": "bob/model", "entry": {
        "dataset": { "id": "other/bench", "task_id": "hard", "revision": "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6" },
        "framework": { "name": "inspect-ai", "version": "0.4.2" },
        "model_revision": "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
        "metrics": [{ "metric_id": "accuracy", "value": 20.9 }],
    }});
    let request = Request::post("/v1/eval-tokens")
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {secret}"))
        .body(Body::from(body.to_string()))
        .unwrap();
    hub.send(Person::Nobody, request).await.status
}

/// Returns the value of the first hidden field of a name.
fn field(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.split_once(&start).unwrap();
    rest.split('"').next().unwrap().to_owned()
}
