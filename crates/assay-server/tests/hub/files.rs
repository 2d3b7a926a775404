use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

const TREE: &str = "/api/models/alice/small/tree";

async fn hub_with_files(files: &[(&str, &str)]) -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub.commit(Person::Alice, "models/alice/small", files)
        .await
        .expect(200);
    hub
}

fn paths(json: &Value) -> Vec<&str> {
    let entries = json.as_array().unwrap().iter();
    entries
        .map(|entry| entry["path"].as_str().unwrap())
        .collect()
}

/// The path and query of the next page, which must be absolute.
fn next(link: &str) -> String {
    let address = link.strip_prefix("<http://127.0.0.1:8460").unwrap();
    address.strip_suffix(">; rel=\"next\"").unwrap().to_owned()
}

#[tokio::test]
async fn a_tree_lists_files_and_folders_and_folders_are_named_in_either_way() {
    let hub = hub_with_files(&[("a/b/c.txt", "1"), ("d.txt", "22")]).await;

    let root = hub
        .get(Person::Nobody, &format!("{TREE}/main"))
        .await
        .expect(200)
        .json();
    let all = hub
        .get(Person::Nobody, &format!("{TREE}/main?recursive=true"))
        .await
        .json();
    let escaped = hub
        .get(Person::Nobody, &format!("{TREE}/main/a%2Fb"))
        .await
        .json();
    let plain = hub
        .get(Person::Nobody, &format!("{TREE}/main/a/b"))
        .await
        .json();

    assert_eq!(paths(&root), ["a", "d.txt"]);
    assert_eq!(root[0]["type"], "directory");
    assert_eq!(root[1]["type"], "file");
    assert_eq!(root[1]["size"], 2);
    assert_eq!(paths(&all), ["a", "a/b", "a/b/c.txt", "d.txt"]);
    assert_eq!(paths(&escaped), ["a/b/c.txt"]);
    assert_eq!(escaped, plain);
}

#[tokio::test]
async fn a_tree_tells_the_last_commit_of_each_when_asked() {
    let hub = hub_with_files(&[("a.txt", "1")]).await;

    let tree = hub
        .get(Person::Nobody, &format!("{TREE}/main?expand=true"))
        .await;

    let tree = tree.expect(200).json();
    let file = tree
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["path"] == "a.txt");
    assert_eq!(file.unwrap()["lastCommit"]["title"], "Add files");
}

#[tokio::test]
async fn a_long_tree_comes_in_pages_that_stay_with_one_commit() {
    let names: Vec<String> = (0..25).map(|number| format!("f{number:02}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let hub = hub_with_files(&files).await;

    let mut seen = Vec::new();
    let mut page = Some(format!("{TREE}/main?limit=10"));
    while let Some(path) = page {
        let answer = hub.get(Person::Nobody, &path).await.expect(200);
        seen.extend(paths(&answer.json()).into_iter().map(str::to_owned));
        page = answer.header("link").map(next);
        // What is added between two pages belongs to another commit.
        hub.commit(Person::Alice, "models/alice/small", &[("f05b", "x")])
            .await
            .expect(200);
    }

    assert_eq!(seen, names);
}

#[tokio::test]
async fn missing_revisions_and_paths_are_told_apart() {
    let hub = hub_with_files(&[("a.txt", "1")]).await;

    let revision = hub.get(Person::Nobody, &format!("{TREE}/nope")).await;
    let path = hub.get(Person::Nobody, &format!("{TREE}/main/nope")).await;

    assert_eq!(revision.status, 404);
    assert_eq!(revision.header("x-error-code"), Some("RevisionNotFound"));
    assert_eq!(
        revision.header("x-error-message"),
        Some("Invalid rev id: nope")
    );
    assert_eq!(path.status, 404);
    assert_eq!(path.header("x-error-code"), Some("EntryNotFound"));
}

#[tokio::test]
async fn paths_are_asked_about_in_a_form_or_in_json_and_unknown_ones_are_left_out() {
    let hub = hub_with_files(&[("a/b.txt", "1"), ("c.txt", "2")]).await;
    let address = "/api/models/alice/small/paths-info/main";
    let form = Request::post(address)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(
            "paths=c.txt&paths=a&paths=nope&paths=..%2Fx&expand=false",
        ))
        .unwrap();

    let form = hub.send(Person::Nobody, form).await.expect(200).json();
    let json = hub
        .post(
            Person::Nobody,
            address,
            json!({ "paths": ["c.txt", "a", "nope"] }),
        )
        .await;

    let mut listed = paths(&form);
    listed.sort_unstable();
    assert_eq!(listed, ["a", "c.txt"]);
    assert_eq!(json.expect(200).json(), form);
}

#[tokio::test]
async fn too_many_paths_at_once_are_too_large() {
    let hub = hub_with_files(&[("a", "1")]).await;
    let paths: Vec<String> = (0..1001).map(|number| number.to_string()).collect();

    let answer = hub
        .post(
            Person::Nobody,
            "/api/models/alice/small/paths-info/main",
            json!({ "paths": paths }),
        )
        .await;

    assert_eq!(answer.status, 413);
}

#[tokio::test]
async fn history_comes_newest_first_in_pages() {
    let hub = hub_with_files(&[("a", "1")]).await;
    for number in 0..3 {
        hub.pass(1);
        let text = number.to_string();
        hub.commit(
            Person::Alice,
            "models/alice/small",
            &[("a", &text), ("b", &text)],
        )
        .await
        .expect(200);
    }

    let first = hub
        .get(
            Person::Nobody,
            "/api/models/alice/small/commits/main?limit=3",
        )
        .await
        .expect(200);
    let second = hub
        .get(Person::Nobody, &next(first.header("link").unwrap()))
        .await
        .expect(200);

    assert_eq!(first.header("x-total-count"), Some("5"));
    let items = first.json();
    assert_eq!(items.as_array().unwrap().len(), 3);
    assert_eq!(items[0]["title"], "Add files");
    assert_eq!(items[0]["authors"][0]["user"], "alice");
    assert_eq!(items[0]["date"], "2026-02-14T10:30:03.000Z");
    assert_eq!(second.json().as_array().unwrap().len(), 2);
    assert_eq!(second.header("link"), None);
}

#[tokio::test]
async fn siblings_have_their_sizes_only_when_asked() {
    let hub = hub_with_files(&[("a.txt", "four")]).await;

    let plain = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    let blobs = hub
        .get(Person::Nobody, "/api/models/alice/small?blobs=true")
        .await
        .json();
    let at = hub
        .get(
            Person::Nobody,
            "/api/models/alice/small/revision/refs%2Fheads%2Fmain",
        )
        .await;

    assert_eq!(plain["siblings"][0], json!({ "rfilename": "a.txt" }));
    assert_eq!(blobs["siblings"][0]["size"], 4);
    assert_eq!(at.expect(200).json()["sha"], plain["sha"]);
}
