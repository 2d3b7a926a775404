use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::Request;

const FILE: &str = "/alice/small/resolve/main/dir/a.txt";

async fn hub_with_file() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub.commit(
        Person::Alice,
        "models/alice/small",
        &[("dir/a.txt", "0123456789")],
    )
    .await
    .expect(200);
    hub
}

async fn get_with(hub: &TestHub, name: &str, value: &str) -> Answer {
    let request = Request::get(FILE)
        .header(name, value)
        .body(Body::empty())
        .unwrap();
    hub.send(Person::Nobody, request).await
}

#[tokio::test]
async fn the_head_of_a_file_has_what_clients_keep_it_by() {
    let hub = hub_with_file().await;
    let sha = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    let sha = sha["sha"].as_str().unwrap().to_owned();

    let head = hub.head(Person::Nobody, FILE).await.expect(200);

    assert_eq!(
        head.header("etag"),
        Some("\"ad471007bd7f5983d273b9584e5629230150fd54\"")
    );
    assert_eq!(head.header("x-repo-commit"), Some(sha.as_str()));
    assert_eq!(head.header("content-length"), Some("10"));
    assert_eq!(head.header("accept-ranges"), Some("bytes"));
    assert_eq!(head.header("x-xet-hash"), None);
    assert_eq!(head.header("x-linked-size"), None);
    assert!(head.body.is_empty());
}

#[tokio::test]
async fn a_file_is_sent_as_text_that_runs_nothing() {
    let hub = hub_with_file().await;

    let file = hub.get(Person::Nobody, FILE).await.expect(200);

    assert_eq!(file.text(), "0123456789");
    assert_eq!(
        file.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(
        file.header("content-security-policy"),
        Some("default-src 'none'; sandbox")
    );
    let disposition = "inline; filename*=UTF-8''a.txt; filename=\"a.txt\"";
    assert_eq!(file.header("content-disposition"), Some(disposition));
}

#[tokio::test]
async fn a_part_of_a_file_is_sent_alone_and_past_its_end_there_is_none() {
    let hub = hub_with_file().await;

    let middle = get_with(&hub, "range", "bytes=2-4").await;
    let end = get_with(&hub, "range", "bytes=-3").await;
    let beyond = get_with(&hub, "range", "bytes=10-").await;

    assert_eq!((middle.status, middle.text().as_str()), (206, "234"));
    assert_eq!(middle.header("content-range"), Some("bytes 2-4/10"));
    assert_eq!(middle.header("content-length"), Some("3"));
    assert_eq!((end.status, end.text().as_str()), (206, "789"));
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("content-range"), Some("bytes */10"));
}

#[tokio::test]
async fn a_file_that_the_client_has_is_not_sent_again() {
    let hub = hub_with_file().await;
    let etag = hub
        .head(Person::Nobody, FILE)
        .await
        .header("etag")
        .unwrap()
        .to_owned();

    let known = get_with(&hub, "if-none-match", &format!("W/{etag}")).await;
    let other = get_with(&hub, "if-none-match", "\"other\"").await;

    assert_eq!(known.status, 304);
    assert!(known.body.is_empty());
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn a_missing_file_is_told_with_the_commit_that_was_looked_in() {
    let hub = hub_with_file().await;

    let missing = hub
        .head(Person::Nobody, "/alice/small/resolve/main/nope.txt")
        .await;

    assert_eq!(missing.status, 404);
    assert_eq!(missing.header("x-error-code"), Some("EntryNotFound"));
    assert_eq!(missing.header("x-repo-commit").unwrap().len(), 40);
}

#[tokio::test]
async fn every_way_of_naming_a_revision_leads_to_the_file() {
    let hub = hub_with_file().await;
    let sha = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    let sha = sha["sha"].as_str().unwrap().to_owned();

    for revision in ["main", "refs%2Fheads%2Fmain", &sha, &sha[..8]] {
        let path = format!("/alice/small/resolve/{revision}/dir/a.txt");
        let file = hub.get(Person::Nobody, &path).await;
        assert_eq!(file.status, 200, "{revision}");
    }
}

#[tokio::test]
async fn private_files_are_missing_to_strangers_in_every_form() {
    let hub = hub_with_file().await;
    let private = serde_json::json!({ "private": true });
    hub.put(Person::Alice, "/api/models/alice/small/settings", private)
        .await
        .expect(200);

    for path in [FILE, "/alice/small/raw/main/dir/a.txt"] {
        let nobody = hub.get(Person::Nobody, path).await;
        let stranger = hub.get(Person::Bob, path).await;

        assert_eq!((nobody.status, stranger.status), (401, 404));
        assert_eq!(nobody.header("x-error-code"), Some("RepoNotFound"));
        hub.get(Person::Alice, path).await.expect(200);
    }
}

/// A hub with a file and a README that are too large for memory.
async fn hub_with_large_file() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let lines = (0..LARGE / 10).fold(String::new(), |text, line| text + &format!("{line:09}\n"));
    hub.commit(
        Person::Alice,
        "models/alice/small",
        &[("dir/a.txt", &lines), ("README.md", &lines)],
    )
    .await
    .expect(200);
    hub
}

/// The size of the large file: as much as it counts for while it is being sent.
const LARGE: usize = 10 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_for_a_byte_of_a_large_file_share_one_copy_of_it_on_the_disk() {
    let hub = hub_with_large_file().await;
    let ask = || get_with(&hub, "range", "bytes=5000008-5000008");

    let asked: Vec<_> = (0..24).map(|_| ask()).collect();
    let answers = futures_util::future::join_all(asked).await;

    for answer in answers {
        assert_eq!(answer.expect(206).text(), "0");
    }
    assert_eq!(hub.hub().unpacked_bytes(), LARGE as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_is_sent_whole_and_in_parts() {
    let hub = hub_with_large_file().await;

    let whole = hub.get(Person::Nobody, FILE).await.expect(200);
    let end = get_with(&hub, "range", "bytes=-10").await.expect(206);

    let size = LARGE / 10 * 10;
    assert_eq!(whole.header("content-length"), Some(&*size.to_string()));
    assert_eq!(whole.body.len(), size);
    let last = format!("{:09}\n", LARGE / 10 - 1);
    assert!(whole.text().ends_with(&last));
    assert_eq!(end.text(), last);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_large_file_is_read_for_its_facts_nor_for_a_page() {
    let hub = hub_with_large_file().await;
    let etag = hub.head(Person::Nobody, FILE).await.expect(200);
    let etag = etag.header("etag").unwrap().to_owned();

    get_with(&hub, "if-none-match", &etag).await.expect(304);
    get_with(&hub, "range", "bytes=99999999-").await.expect(416);
    hub.head(Person::Nobody, "/alice/small/download/main/dir/a.txt")
        .await
        .expect(200);
    for page in [
        "/alice/small",
        "/alice/small/tree/main",
        "/alice/small/blob/main/dir/a.txt",
    ] {
        hub.get(Person::Nobody, page).await.expect(200);
    }

    assert_eq!(hub.hub().unpacked_bytes(), 0);
}
