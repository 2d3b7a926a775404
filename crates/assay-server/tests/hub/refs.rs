use assay_server::{Person, TestHub};
use serde_json::json;

const REPO: &str = "/api/models/alice/small";

async fn hub_with_model() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub
}

#[tokio::test]
async fn branches_and_tags_come_and_go() {
    let hub = hub_with_model().await;
    let (branch, tag) = (format!("{REPO}/branch/dev%2Fx"), format!("{REPO}/tag/v1"));

    hub.post(Person::Alice, &branch, json!({}))
        .await
        .expect(200);
    let again = hub.post(Person::Alice, &branch, json!({})).await;
    hub.post(
        Person::Alice,
        &format!("{REPO}/tag/dev%2Fx"),
        json!({ "tag": "v1" }),
    )
    .await
    .expect(200);
    let refs = hub
        .get(Person::Nobody, &format!("{REPO}/refs"))
        .await
        .expect(200)
        .json();
    hub.delete(Person::Alice, &tag, json!({})).await.expect(200);
    hub.delete(Person::Alice, &branch, json!({}))
        .await
        .expect(200);
    let gone = hub.delete(Person::Alice, &branch, json!({})).await;

    assert_eq!(again.status, 409);
    let names: Vec<&str> = refs["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| branch["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["dev/x", "main"]);
    assert_eq!(refs["tags"][0]["ref"], "refs/tags/v1");
    assert_eq!(refs["converts"], json!([]));
    assert_eq!(refs.get("pullRequests"), None);
    assert_eq!(gone.status, 404);
    assert_eq!(gone.header("x-error-code"), Some("RevisionNotFound"));
}

#[tokio::test]
async fn a_tag_with_a_message_is_an_annotated_one_and_names_the_same_commit() {
    let hub = hub_with_model().await;
    let (said, plain) = (
        json!({ "tag": "v1", "message": "The first one.\n\nIt adds." }),
        json!({ "tag": "v2" }),
    );

    for tag in [&said, &plain] {
        let path = format!("{REPO}/tag/main");
        hub.post(Person::Alice, &path, tag.clone())
            .await
            .expect(200);
    }
    let again = hub
        .post(Person::Alice, &format!("{REPO}/tag/main"), said)
        .await;

    let refs = hub.get(Person::Nobody, &format!("{REPO}/refs")).await;
    let refs = refs.expect(200).json();
    let main = &refs["branches"][0]["targetCommit"];
    assert_eq!(refs["tags"][0]["message"], "The first one.\n\nIt adds.");
    assert_eq!(&refs["tags"][0]["targetCommit"], main);
    assert_eq!(refs["tags"][1].get("message"), None);
    assert_eq!(&refs["tags"][1]["targetCommit"], main);
    again.expect(409);
    let info = hub
        .get(Person::Nobody, &format!("{REPO}/revision/v1"))
        .await;
    assert_eq!(&info.expect(200).json()["sha"], main);
    hub.delete(Person::Alice, &format!("{REPO}/tag/v1"), json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn main_stays_and_strangers_move_nothing() {
    let hub = hub_with_model().await;

    let main = hub
        .delete(Person::Alice, &format!("{REPO}/branch/main"), json!({}))
        .await;
    let stranger = hub
        .post(Person::Bob, &format!("{REPO}/branch/dev"), json!({}))
        .await;
    let nobody = hub
        .post(
            Person::Nobody,
            &format!("{REPO}/tag/main"),
            json!({ "tag": "v1" }),
        )
        .await;

    assert_eq!(
        (main.status, stranger.status, nobody.status),
        (403, 403, 401)
    );
}

#[tokio::test]
async fn a_branch_begins_where_it_is_told_to() {
    let hub = hub_with_model().await;
    let first = hub.get(Person::Nobody, REPO).await.json()["sha"].clone();
    hub.commit(Person::Alice, "models/alice/small", &[("a", "1")])
        .await
        .expect(200);

    let start = json!({ "startingPoint": first });
    hub.post(Person::Alice, &format!("{REPO}/branch/old"), start)
        .await
        .expect(200);
    let lost = json!({ "startingPoint": "nope" });
    let lost = hub
        .post(Person::Alice, &format!("{REPO}/branch/lost"), lost)
        .await;

    let info = hub
        .get(Person::Nobody, &format!("{REPO}/revision/old"))
        .await
        .expect(200);
    assert_eq!(info.json()["sha"], first);
    assert_eq!(lost.header("x-error-code"), Some("RevisionNotFound"));
}

#[tokio::test]
async fn the_history_of_a_branch_becomes_one_commit_and_that_of_main_stays() {
    let hub = hub_with_model().await;
    let squash = async |person, branch: &str| {
        let path = format!("{REPO}/super-squash/{branch}");
        hub.post(person, &path, json!({ "message": "All of it" }))
            .await
    };
    let commits = async |branch: &str| {
        let path = format!("{REPO}/commits/{branch}");
        let json = hub.get(Person::Nobody, &path).await.expect(200).json();
        json.as_array().unwrap().clone()
    };
    for number in ["1", "2"] {
        hub.commit(Person::Alice, "models/alice/small", &[("a", number)])
            .await
            .expect(200);
    }
    hub.post(Person::Alice, &format!("{REPO}/branch/dev%2Fx"), json!({}))
        .await
        .expect(200);
    let before = commits("main").await;
    assert!(before.len() > 2, "{before:?}");

    let stranger = squash(Person::Bob, "dev%2Fx").await;
    let main = squash(Person::Alice, "main").await;
    let missing = squash(Person::Alice, "nope").await;
    squash(Person::Alice, "dev%2Fx").await.expect(200);

    let squashed = commits("dev%2Fx").await;
    assert_eq!(squashed.len(), 1, "{squashed:?}");
    assert_eq!(squashed[0]["title"], "All of it");
    let path = "/alice/small/resolve/dev%2Fx/a";
    let file = hub.get(Person::Nobody, path).await.expect(200);
    assert_eq!(file.text(), "2");
    assert_eq!(commits("main").await, before);
    stranger.expect(403);
    assert_eq!(missing.header("x-error-code"), Some("RevisionNotFound"));
    let main = main.expect(403).text();
    assert!(main.contains("the history of `main` is kept"), "{main}");
}
