use assay_server::{Person, TestHub};
use serde_json::json;

#[tokio::test]
async fn what_clients_ask_by_the_way_is_answered_quickly() {
    let hub = TestHub::new().await;

    let harnesses = hub.get(Person::Nobody, "/api/agent-harnesses").await;
    let telemetry = hub.head(Person::Nobody, "/api/telemetry/probe/x").await;

    assert_eq!(
        harnesses.expect(404).json(),
        json!({ "error": "Not found" })
    );
    assert_eq!(telemetry.status, 200);
}

#[tokio::test]
async fn the_front_matter_of_a_card_is_judged_before_it_is_committed() {
    let hub = TestHub::new().await;
    let ask = async |content: &str| {
        let body = json!({ "content": content, "repoType": "model" });
        hub.post(Person::Nobody, "/api/validate-yaml", body).await
    };

    let good = ask("---\nlicense: mit\n---\n# hi\n").await;
    let none = ask("# hi\n").await;
    let bad = ask("---\nlicense: [mit\n---\n").await;

    assert_eq!(
        good.expect(200).json(),
        json!({ "errors": [], "warnings": [] })
    );
    assert_eq!(
        none.expect(200).json()["warnings"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let bad = bad.expect(400).json();
    assert!(
        bad["errors"][0]["message"]
            .as_str()
            .unwrap()
            .starts_with("line "),
        "{bad}"
    );
}

#[tokio::test]
async fn every_account_has_a_picture_that_runs_nothing() {
    let hub = TestHub::new().await;

    let picture = hub.get(Person::Nobody, "/avatars/alice.svg").await;
    let nothing = hub.get(Person::Nobody, "/avatars/alice.png").await;

    let picture = picture.expect(200);
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.header("content-security-policy").is_some());
    assert!(picture.text().starts_with("<svg "));
    nothing.expect(404);
}
