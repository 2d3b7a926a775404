use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

#[tokio::test]
async fn a_new_repository_has_a_first_commit_and_an_address_on_the_host_that_was_asked() {
    let hub = TestHub::new().await;

    let model = hub
        .create(Person::Alice, "models/alice/small")
        .await
        .expect(200)
        .json();
    let dataset = hub
        .create(Person::Alice, "datasets/alice/bench")
        .await
        .expect(200)
        .json();
    let info = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .expect(200)
        .json();

    assert_eq!(model["url"], "http://127.0.0.1:8460/alice/small");
    assert_eq!(model["name"], "alice/small");
    assert_eq!(dataset["url"], "http://127.0.0.1:8460/datasets/alice/bench");
    assert_eq!(info["id"], "alice/small");
    assert_eq!(info["sha"].as_str().unwrap().len(), 40);
    assert_eq!(info["private"], false);
    assert_eq!(info["createdAt"], "2026-02-14T10:30:00.000Z");
}

#[tokio::test]
async fn the_public_address_outweighs_the_host_header() {
    let hub = TestHub::with(|config| {
        config.public_url = Some("https://hub.example.org".parse().unwrap());
    })
    .await;

    let created = hub
        .create(Person::Alice, "models/alice/small")
        .await
        .expect(200);

    assert_eq!(created.json()["url"], "https://hub.example.org/alice/small");
}

#[tokio::test]
async fn a_name_that_is_taken_is_a_conflict_that_says_where_it_is() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);

    let again = hub.create(Person::Alice, "models/alice/small").await;

    let again = again.expect(409);
    assert_eq!(again.json()["url"], "http://127.0.0.1:8460/alice/small");
    assert!(again.header("x-error-message").is_some());
}

#[tokio::test]
async fn a_short_name_is_in_the_namespace_of_the_caller() {
    let hub = TestHub::new().await;

    let created = hub
        .post(
            Person::Bob,
            "/api/repos/create",
            json!({ "name": "mine", "organization": null }),
        )
        .await;

    assert_eq!(created.expect(200).json()["name"], "bob/mine");
}

#[tokio::test]
async fn nobody_and_strangers_create_nothing_in_a_namespace() {
    let hub = TestHub::new().await;

    let nobody = hub.create(Person::Nobody, "models/alice/small").await;
    let stranger = hub.create(Person::Bob, "models/alice/small").await;

    assert_eq!(nobody.status, 401);
    assert_eq!(stranger.status, 403);
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_with_a_reason() {
    let hub = TestHub::new().await;

    for body in [
        json!({ "name": "a", "organization": "alice", "type": "space" }),
        json!({ "name": "..", "organization": "alice" }),
        json!({ "name": "a.git", "organization": "alice" }),
        json!({ "name": "a", "visibility": "public", "private": true }),
        json!({ "organization": "alice" }),
    ] {
        let answer = hub
            .post(Person::Alice, "/api/repos/create", body.clone())
            .await;

        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.json()["error"].is_string(), "{body}");
    }
}

#[tokio::test]
async fn a_missing_repository_and_a_private_one_are_the_same_to_those_who_may_not_see_it() {
    let hub = TestHub::new().await;
    let private = json!({ "name": "secret", "organization": "alice", "visibility": "private" });
    hub.post(Person::Alice, "/api/repos/create", private)
        .await
        .expect(200);

    for (person, status, message) in [
        (Person::Nobody, 401, "Invalid username or password."),
        (Person::Bob, 404, "Repository not found"),
    ] {
        let secret = hub.get(person, "/api/models/alice/secret").await;
        let missing = hub.get(person, "/api/models/alice/nothing").await;

        assert_eq!((secret.status, missing.status), (status, status));
        assert_eq!(secret.header("x-error-code"), Some("RepoNotFound"));
        assert_eq!(secret.header("x-error-message"), Some(message));
        assert_eq!(secret.body, missing.body);
    }
    hub.get(Person::Alice, "/api/models/alice/secret")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_name_that_cannot_exist_is_a_missing_repository() {
    let hub = TestHub::new().await;

    for path in [
        "/api/models/gpt2",
        "/api/models/gpt2/revision/main",
        "/api/models/a--b/c",
        "/api/models/%2e%2e/c",
        "/api/datasets/alice/x%0ay/tree/main",
        "/api/spaces/alice/app",
        "/alice/a..b/resolve/main/x",
    ] {
        let answer = hub.get(Person::Bob, path).await;

        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(
            answer.header("x-error-code"),
            Some("RepoNotFound"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn settings_change_who_may_see_it_in_the_words_of_old_and_new_clients() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let settings = "/api/models/alice/small/settings";

    let hidden = hub
        .put(Person::Alice, settings, json!({ "private": true }))
        .await;
    let seen = hub.get(Person::Bob, "/api/models/alice/small").await;
    let shown = hub
        .put(Person::Alice, settings, json!({ "visibility": "public" }))
        .await;
    let stranger = hub
        .put(Person::Bob, settings, json!({ "private": true }))
        .await;
    let gated = hub
        .put(Person::Alice, settings, json!({ "gated": "auto" }))
        .await;

    assert_eq!(
        hidden.expect(200).json(),
        json!({ "private": true, "gated": false })
    );
    assert_eq!(seen.status, 404);
    assert_eq!(shown.expect(200).json()["private"], false);
    assert_eq!(stranger.status, 403);
    assert_eq!(gated.status, 400);
}

#[tokio::test]
async fn an_old_name_leads_to_the_new_one_with_everything_round_it() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/old")
        .await
        .expect(200);
    let rename = json!({ "fromRepo": "alice/old", "toRepo": "alice/new", "type": "model" });

    hub.post(Person::Alice, "/api/repos/move", rename)
        .await
        .expect(200);

    for (path, place) in [
        ("/api/models/alice/old", "/api/models/alice/new"),
        (
            "/api/models/alice/old/tree/main?recursive=true",
            "/api/models/alice/new/tree/main?recursive=true",
        ),
        (
            "/alice/old/resolve/main/.gitattributes",
            "/alice/new/resolve/main/.gitattributes",
        ),
    ] {
        let answer = hub.get(Person::Nobody, path).await.expect(307);
        assert_eq!(answer.header("location"), Some(place));
    }
    hub.get(Person::Nobody, "/api/models/alice/new")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_deleted_repository_is_gone_and_only_its_owner_deletes_it() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/bench")
        .await
        .expect(200);
    let body = json!({ "name": "bench", "organization": "alice", "type": "dataset" });

    let stranger = hub
        .delete(Person::Bob, "/api/repos/delete", body.clone())
        .await;
    let owner = hub.delete(Person::Alice, "/api/repos/delete", body).await;

    assert_eq!(stranger.status, 403);
    assert_eq!(owner.expect(200).text(), "OK");
    let after = hub.get(Person::Alice, "/api/datasets/alice/bench").await;
    assert_eq!(after.status, 404);
}

#[tokio::test]
async fn the_right_to_write_can_be_asked_for() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let (read, write) = (
        "/api/models/alice/small/auth-check",
        "/api/models/alice/small/auth-check/write",
    );

    let statuses = [
        hub.get(Person::Nobody, read).await.status,
        hub.get(Person::Nobody, write).await.status,
        hub.get(Person::Bob, read).await.status,
        hub.get(Person::Bob, write).await.status,
        hub.get(Person::Alice, write).await.status,
    ];

    assert_eq!(statuses, [200, 401, 200, 403, 200]);
}

#[tokio::test]
async fn expand_tells_only_what_it_names_and_refuses_what_it_does_not_know() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);

    let some = hub
        .get(
            Person::Nobody,
            "/api/models/alice/small?expand=sha&expand=tags",
        )
        .await;
    let unknown = hub
        .get(Person::Nobody, "/api/models/alice/small?expand=nonsense")
        .await;

    let some = some.expect(200).json();
    let keys: Vec<&str> = some
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["_id", "id", "sha", "tags"]);
    let message = unknown.expect(400).json()["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.starts_with("\"expand\" must be one of ["),
        "{message}"
    );
}

#[tokio::test]
async fn a_host_header_that_is_no_host_is_refused() {
    let hub = TestHub::new().await;
    let body = json!({ "name": "x", "organization": "alice" }).to_string();
    let request = Request::post("/api/repos/create")
        .header("host", "a b@c")
        .body(Body::from(body))
        .unwrap();

    let answer = hub.send(Person::Alice, request).await;

    assert_eq!(answer.status, 400);
}
