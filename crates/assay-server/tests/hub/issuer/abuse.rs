use assay_app::issuer::{AbuseRules, EventFilter};
use serde_json::json;

use super::scene::{Scene, credential};

/// Row 71: guessing is cut off by where it comes from.
#[tokio::test]
async fn pat_bruteforce_limited() {
    let scene = Scene::with(|config| {
        config.rates.per_address = 30_000;
        config.rates.window_seconds = 60;
    })
    .await;
    let mut statuses = Vec::new();

    for _ in 0..20 {
        let answer = scene.post("/v1/eval-tokens", Some("evp_guess"), "{}").await;
        statuses.push(answer.status);
    }
    let right = scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(429);
    scene.hub.pass(60);

    assert!(
        statuses[..10].iter().all(|status| *status == 401),
        "{statuses:?}"
    );
    assert_eq!(statuses.last(), Some(&429));
    assert_eq!(right.json()["code"], "rate_limited");
    assert!(right.header("retry-after").is_some());
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201);
}

/// Row 75: two tokens of one identity share its limit, and another identity has its own.
#[tokio::test]
async fn rate_limit_keys() {
    let scene = Scene::with(|config| config.issuer.rules.bursts = (1_000, 2_000)).await;
    let second = credential(&scene.hub, "inspect-ai/lab", None)
        .await
        .unwrap();
    let mut allowed = 0;

    for turn in 0..40 {
        let mut request = scene.request();
        request["model_repo"] = json!(format!("bob/model-{turn}"));
        let token = if turn % 2 == 0 { &scene.token } else { &second };
        let answer = scene.issue(token, &request).await;
        if answer.status == 201 {
            allowed += 1;
            continue;
        }
        let told = answer.expect(429);
        assert_eq!(told.json()["code"], "rate_limited");
        assert!(told.header("retry-after").is_some());
    }

    assert_eq!(allowed, 20, "the burst of the policy");
    let pairs = [
        ("grant_type", "client_credentials"),
        ("client_id", "ins-old"),
        ("client_secret", scene.client_secret.as_str()),
    ];
    let other = scene.exchange(&pairs).await.expect(200).json();
    let other = other["access_token"].as_str().unwrap();
    scene.issue(other, &scene.request()).await.expect(201);
}

/// Row 76: how often one board was asked for is limited, and everybody can count it in the log.
#[tokio::test]
async fn selective_reporting_counter() {
    let scene = Scene::new().await;
    let mut statuses = Vec::new();

    for score in 0..7 {
        let mut request = scene.request();
        request["entry"]["metrics"][0]["value"] = json!(score);
        statuses.push(scene.issue(&scene.token, &request).await.status);
    }
    let mut other = scene.request();
    other["model_repo"] = json!("bob/another");
    scene.issue(&scene.token, &other).await.expect(201);

    assert_eq!(statuses, [201, 201, 201, 201, 201, 429, 429]);
    let events = scene
        .hub
        .issuer()
        .events(&EventFilter::default(), 100)
        .await
        .unwrap();
    let targets = events.iter().filter_map(|one| one.event.target.as_deref());
    let mut targets: Vec<&str> = targets.collect();
    targets.sort_unstable();
    targets.dedup();
    assert_eq!(targets.len(), 2);
    scene.hub.pass(86_400);
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201);
}

#[tokio::test]
async fn repeated_refusals_slow_then_suspend_and_an_operator_sees_why_and_takes_it_back() {
    let rules = AbuseRules {
        refusals: (2, 4),
        ..AbuseRules::default()
    };
    let scene = Scene::with(|config| config.issuer.rules = rules).await;
    let mut bad = scene.request();
    bad["entry"]["framework"]["name"] = json!("lighteval");
    let mut codes = Vec::new();

    for _ in 0..6 {
        let answer = scene.issue(&scene.token, &bad).await;
        codes.push(answer.json()["code"].as_str().unwrap().to_owned());
        scene.hub.pass(40);
    }

    let denied = "framework_not_allowed";
    assert_eq!(
        codes,
        [
            denied,
            denied,
            denied,
            denied,
            "identity_suspended",
            "identity_suspended"
        ]
    );
    let identities = scene.hub.issuer().identities().await.unwrap();
    let lab = identities
        .iter()
        .find(|one| one.key == "inspect-ai/lab")
        .unwrap();
    let (_, reason) = lab.suspended.clone().unwrap();
    assert_eq!(reason, "4 requests were refused within an hour");
    let filter = EventFilter {
        identity: Some("inspect-ai/lab".to_owned()),
        ..EventFilter::default()
    };
    let events = scene.hub.issuer().events(&filter, 100).await.unwrap();
    let outcomes: Vec<&str> = events
        .iter()
        .map(|one| one.event.outcome.as_str())
        .collect();
    assert!(
        outcomes.contains(&"slowed") && outcomes.contains(&"suspended"),
        "{outcomes:?}"
    );

    let shell = scene.hub.hub().shell();
    scene
        .hub
        .issuer()
        .suspend_identity(&shell, "inspect-ai/lab", None)
        .await
        .unwrap();
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201);
    assert_eq!(scene.logged(), 1);
}

#[tokio::test]
async fn many_scores_for_one_model_and_task_suspend_whoever_signs_them() {
    let rules = AbuseRules {
        scores: (2, 3),
        slow_per_minute: 60,
        ..AbuseRules::default()
    };
    let scene = Scene::with(|config| config.issuer.rules = rules).await;
    let mut statuses = Vec::new();

    for score in 0..4 {
        let mut request = scene.request();
        request["entry"]["metrics"][0]["value"] = json!(score);
        statuses.push(scene.issue(&scene.token, &request).await.status);
        scene.hub.pass(2);
    }

    assert_eq!(statuses, [201, 201, 201, 403]);
    let identities = scene.hub.issuer().identities().await.unwrap();
    let lab = identities
        .iter()
        .find(|one| one.key == "inspect-ai/lab")
        .unwrap();
    let (_, reason) = lab.suspended.clone().unwrap();
    assert!(reason.starts_with("3 different scores"), "{reason}");
}
