use assay_app::issuer::EventFilter;
use assay_server::Person;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::provider::{sign, sign_as_client};
use super::scene::Scene;

fn access(answer: &assay_server::Answer) -> String {
    let json = answer.json();
    assert_eq!(json["token_type"], "Bearer", "{json}");
    assert_eq!(json["expires_in"], 600);
    json["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_workload_exchanges_its_id_token_and_its_run_is_told_in_the_token() {
    let scene = Scene::new().await;
    for (jti, algorithm) in [("one", Algorithm::RS256), ("two", Algorithm::ES256)] {
        let answer = scene
            .exchange_id_token(&sign(&scene.claims(jti), algorithm))
            .await;

        let token = access(&answer.expect(200));

        assert!(token.starts_with("eva_"), "{token}");
        let issued = scene
            .issue(&token, &scene.request())
            .await
            .expect(201)
            .json();
        let claims = assay_trust::UnverifiedToken::read(issued["verify_token"].as_str().unwrap())
            .unwrap()
            .unverified_claims()
            .unwrap();
        assert_eq!(claims.assurance.to_string(), "hosted");
        let act = claims.act.unwrap();
        assert_eq!(act["identity"], "inspect-ai/ci");
        assert_eq!(act["run_id"], "77");
    }
    assert_eq!(scene.provider.count(), 1, "the keys were fetched once");
}

/// Row 66: of two who show one ID token at once, one gets an access token.
#[tokio::test(flavor = "multi_thread")]
async fn assertion_single_use_race() {
    let scene = Scene::new().await;
    let token = sign(&scene.claims("race"), Algorithm::RS256);
    let assertion = sign_as_client(&json!({
        "iss": "ins-prod", "sub": "ins-prod", "aud": scene.name(), "jti": "race",
        "iat": scene.seconds(), "exp": scene.seconds() + 60,
    }));

    for _ in 0..3 {
        let answers = tokio::join!(
            scene.exchange_id_token(&token),
            scene.exchange_id_token(&token),
            scene.exchange_id_token(&token),
            scene.exchange_assertion(&assertion),
            scene.exchange_assertion(&assertion),
        );
        let (one, two, three, four, five) = answers;
        let workload = [one, two, three]
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        let client = [four, five]
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert!(workload <= 1 && client <= 1, "{workload} {client}");
    }

    let filter = EventFilter {
        outcome: Some("done".to_owned()),
        ..EventFilter::default()
    };
    let done = scene.hub.issuer().events(&filter, 100).await.unwrap();
    let exchanges = done
        .iter()
        .filter(|one| one.event.action == "exchange")
        .count();
    assert_eq!(exchanges, 2, "one for each assertion");
    // What was used stays used as long as it could be accepted, and is not acceptable after that.
    scene.hub.pass(359);
    scene.exchange_id_token(&token).await.expect(400);
    scene.hub.pass(1_000);
    scene.exchange_id_token(&token).await.expect(400);
}

/// A token without a `jti` is told from every other by the text that was signed.
#[tokio::test]
async fn an_id_token_without_a_jti_is_used_once() {
    let scene = Scene::new().await;
    let mut claims = scene.claims("none");
    claims.as_object_mut().unwrap().remove("jti");
    let token = sign(&claims, Algorithm::RS256);
    claims["run_id"] = json!("another");
    let other = sign(&claims, Algorithm::RS256);

    let first = scene.exchange_id_token(&token).await;
    let again = scene.exchange_id_token(&token).await;
    let of_another_run = scene.exchange_id_token(&other).await;

    let statuses = [first.status, again.status, of_another_run.status];
    assert_eq!(statuses, [200, 400, 200]);
}

#[tokio::test]
async fn an_id_token_that_describes_nobody_is_not_used_up_and_the_operator_sees_why() {
    let scene = Scene::new().await;
    for (name, value, why) in [
        ("aud", json!("https://elsewhere.example"), "audience"),
        ("repository_id", json!("1"), "repository_id"),
        (
            "event_name",
            json!("pull_request_target"),
            "pull_request_target",
        ),
        (
            "job_workflow_ref",
            json!("org/evals/.github/workflows/evil.yml@refs/heads/main"),
            "job_workflow_ref",
        ),
        ("iss", json!("https://evil.example"), "not configured"),
        ("exp", json!(scene.seconds() - 100), "expired"),
    ] {
        let mut claims = scene.claims("same");
        claims[name] = value;

        let answer = scene
            .exchange_id_token(&sign(&claims, Algorithm::RS256))
            .await;

        assert_eq!(answer.expect(400).json()["error"], "invalid_grant");
        let last = &scene
            .hub
            .issuer()
            .events(&EventFilter::default(), 1)
            .await
            .unwrap()[0];
        let told = last.event.detail.clone().unwrap();
        assert!(told.contains(why), "{name}: {told}");
    }
    let answer = scene
        .exchange_id_token(&sign(&scene.claims("same"), Algorithm::RS256))
        .await;

    answer.expect(200);
    assert_eq!(scene.logged(), 0);
}

#[tokio::test]
async fn a_self_hosted_run_is_attributed_and_no_more() {
    let scene = Scene::new().await;
    let mut claims = scene.claims("self");
    claims["runner_environment"] = json!("self-hosted");
    let token = access(
        &scene
            .exchange_id_token(&sign(&claims, Algorithm::RS256))
            .await
            .expect(200),
    );
    let mut hosted = scene.request();
    hosted["assurance"] = json!("hosted");

    let refused = scene.issue(&token, &hosted).await.expect(403);
    let issued = scene
        .issue(&token, &scene.request())
        .await
        .expect(201)
        .json();

    assert_eq!(refused.json()["code"], "assurance_not_allowed");
    let token = issued["verify_token"].as_str().unwrap();
    let claims = assay_trust::UnverifiedToken::read(token)
        .unwrap()
        .unverified_claims()
        .unwrap();
    assert_eq!(claims.assurance.to_string(), "attributed");
}

#[tokio::test]
async fn a_client_proves_who_it_is_by_its_key_or_its_secret_in_one_way_only() {
    let scene = Scene::new().await;
    let claims = |audience: &str, jti: &str| {
        json!({
            "iss": "ins-prod", "sub": "ins-prod", "aud": audience, "jti": jti,
            "iat": scene.seconds(), "exp": scene.seconds() + 60,
        })
    };
    let secret = [
        ("grant_type", "client_credentials"),
        ("client_id", "ins-old"),
        ("client_secret", scene.client_secret.as_str()),
    ];

    let by_key = scene
        .exchange_assertion(&sign_as_client(&claims(&scene.name(), "a")))
        .await;
    let by_secret = scene.exchange(&secret).await;
    let endpoint = format!("{}/oauth/token", scene.name());
    let wrong = scene
        .exchange_assertion(&sign_as_client(&claims(&endpoint, "b")))
        .await;
    let both = [&secret[..], &[("client_assertion", "x")]].concat();
    let both = scene.exchange(&both).await;

    for answer in [by_key.expect(200), by_secret.expect(200)] {
        scene
            .issue(&access(&answer), &scene.request())
            .await
            .expect(201);
    }
    assert_eq!(wrong.expect(401).json()["error"], "invalid_client");
    assert_eq!(both.expect(400).json()["error"], "invalid_request");
    assert_eq!(
        scene
            .exchange(&[("grant_type", "password")])
            .await
            .expect(400)
            .json()["error"],
        "unsupported_grant_type"
    );
}

/// Row 73, the part that is built: an access token ends after ten minutes, or at once when somebody
/// ends it.
#[tokio::test]
async fn an_access_token_ends_by_itself_and_by_anyone_who_has_it() {
    let scene = Scene::new().await;
    let get = async |jti: &str| {
        let answer = scene
            .exchange_id_token(&sign(&scene.claims(jti), Algorithm::RS256))
            .await;
        access(&answer.expect(200))
    };
    let (ended, reported, kept) = (get("a").await, get("b").await, get("c").await);
    let introspect = async |token: &str| {
        let body = json!({ "token": token });
        let answer = scene
            .hub
            .post(Person::Operator, "/oauth/introspect", body)
            .await;
        answer.expect(200).json()
    };
    assert_eq!(introspect(&kept).await["sub"], "inspect-ai/ci");

    scene
        .post(
            "/oauth/revoke",
            None,
            &json!({ "token": ended }).to_string(),
        )
        .await
        .expect(200);
    let leak = json!({ "credentials": [reported, scene.token, "nonsense"] });
    scene
        .post("/v1/credentials/revoke", None, &leak.to_string())
        .await
        .expect(202);

    scene.issue(&ended, &scene.request()).await.expect(401);
    scene.issue(&reported, &scene.request()).await.expect(401);
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(401);
    assert_eq!(introspect(&ended).await, json!({ "active": false }));
    scene.issue(&kept, &scene.request()).await.expect(201);
    scene.hub.pass(600);
    scene.issue(&kept, &scene.request()).await.expect(401);
}

#[tokio::test]
async fn an_integration_that_nobody_registered_or_that_is_suspended_gets_nothing() {
    let scene = Scene::new().await;
    let shell = scene.hub.hub().shell();
    let issuer = scene.hub.issuer();
    let token = sign(&scene.claims("a"), Algorithm::RS256);
    let got = access(&scene.exchange_id_token(&token).await.expect(200));

    issuer
        .suspend_integration(&shell, "inspect-ai", Some("a leaked key"))
        .await
        .unwrap();
    let refused = scene.issue(&got, &scene.request()).await.expect(403).json();
    let exchanged = scene
        .exchange_id_token(&sign(&scene.claims("b"), Algorithm::RS256))
        .await;
    issuer
        .suspend_integration(&shell, "inspect-ai", None)
        .await
        .unwrap();
    scene.issue(&got, &scene.request()).await.expect(201);
    let twice = issuer.add_integration(&shell, "1nspect-ai").await;

    assert_eq!(refused["code"], "identity_suspended");
    assert_eq!(refused["detail"], "a leaked key");
    assert_eq!(exchanged.expect(400).json()["error"], "unauthorized_client");
    assert!(twice.is_err(), "it looks like another");
    let unregistered: Value = json!({ "kind": "token", "name": "x" });
    let added = issuer
        .add_identity(&shell, "nobody", &unregistered.to_string())
        .await;
    assert!(added.is_err());
}
