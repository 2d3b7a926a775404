use assay_server::{Answer, Person, TestHub};
use serde_json::{Value, json};

const LIST: &str = "/api/models/alice/small/discussions";

async fn hub_with_pull() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub.pull(Person::Bob, "models/alice/small", &[("a.txt", "one\n")])
        .await
        .expect(200);
    hub
}

async fn details(hub: &TestHub, num: u64) -> Value {
    let answer = hub
        .get(Person::Nobody, &format!("{LIST}/{num}?diff=1"))
        .await;
    answer.expect(200).json()
}

async fn act(hub: &TestHub, person: Person, what: &str, body: Value) -> Answer {
    hub.post(person, &format!("{LIST}/1/{what}"), body).await
}

#[tokio::test]
async fn a_pull_request_is_told_with_its_events_and_its_diff() {
    let hub = hub_with_pull().await;

    let pull = details(&hub, 1).await;

    assert_eq!(pull["num"], 1);
    assert_eq!(pull["status"], "open");
    assert_eq!(pull["title"], "Add files");
    assert_eq!(pull["isPullRequest"], true);
    assert_eq!(pull["author"]["name"], "bob");
    assert_eq!(
        pull["repo"],
        json!({ "name": "alice/small", "type": "model" })
    );
    assert_eq!(pull["changes"], json!({ "base": "refs/heads/main" }));
    assert_eq!(pull["filesWithConflicts"], json!([]));
    assert!(pull["diff"].as_str().unwrap().contains("+one"), "{pull}");
    let kinds: Vec<&str> = pull["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"commit"), "{kinds:?}");
}

#[tokio::test]
async fn lists_are_filtered_by_type_status_and_author() {
    let hub = hub_with_pull().await;
    let plain = json!({ "title": "A question", "description": "Why?", "pullRequest": false });
    let opened = hub
        .post(Person::Alice, LIST, plain)
        .await
        .expect(200)
        .json();
    let numbers = async |query: &str| {
        let page = hub
            .get(Person::Nobody, &format!("{LIST}?{query}"))
            .await
            .expect(200)
            .json();
        let found = page["discussions"].as_array().unwrap().iter();
        let mut numbers: Vec<u64> = found.map(|own| own["num"].as_u64().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(page["count"], numbers.len());
        numbers
    };

    assert_eq!(opened["num"], 2);
    assert_eq!(
        opened["url"],
        "http://127.0.0.1:8460/alice/small/discussions/2"
    );
    assert_eq!(numbers("p=0").await, [1, 2]);
    assert_eq!(
        numbers("type=pull_request&status=open&author=bob").await,
        [1]
    );
    assert_eq!(numbers("type=discussion").await, [2]);
    assert_eq!(numbers("status=closed").await, Vec::<u64>::new());
    assert_eq!(
        hub.get(Person::Nobody, &format!("{LIST}?type=rant"))
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn comments_are_written_changed_and_hidden_and_nothing_in_them_runs() {
    let hub = hub_with_pull().await;

    let said = act(
        &hub,
        Person::Alice,
        "comment",
        json!({ "comment": "<b>hi</b>" }),
    )
    .await
    .expect(200)
    .json();
    let id = said["newMessage"]["id"].as_str().unwrap().to_owned();
    let edited = act(
        &hub,
        Person::Alice,
        &format!("comment/{id}/edit"),
        json!({ "content": "bye" }),
    )
    .await;
    let stranger = act(
        &hub,
        Person::Bob,
        &format!("comment/{id}/edit"),
        json!({ "content": "mine" }),
    )
    .await;
    let hidden = act(
        &hub,
        Person::Alice,
        &format!("comment/{id}/hide"),
        json!({}),
    )
    .await;

    assert_eq!(said["newMessage"]["type"], "comment");
    assert_eq!(said["newMessage"]["author"]["name"], "alice");
    assert_eq!(
        said["newMessage"]["data"]["latest"]["html"],
        "<p>&lt;b&gt;hi&lt;/b&gt;</p>"
    );
    let edited = edited.expect(200).json();
    assert_eq!(edited["updatedComment"]["data"]["latest"]["raw"], "bye");
    assert_eq!(edited["updatedComment"]["data"]["edited"], true);
    let history = &edited["updatedComment"]["data"]["history"];
    assert_eq!(history.as_array().unwrap().len(), 1);
    assert_eq!(history[0]["raw"], "<b>hi</b>");
    assert_eq!(history[0]["author"]["name"], "alice");
    assert_eq!(stranger.status, 403);
    let hidden = hidden.expect(200).json();
    assert_eq!(hidden["updatedComment"]["data"]["hidden"], true);
    // Who hides a comment hides all that it said.
    assert_eq!(hidden["updatedComment"]["data"]["history"], json!([]));
    assert!(!hidden.to_string().contains("bye"), "{hidden}");
}

#[tokio::test]
async fn titles_and_statuses_are_changed_by_author_and_writer() {
    let hub = hub_with_pull().await;

    let title = act(
        &hub,
        Person::Bob,
        "title",
        json!({ "title": "A better title" }),
    )
    .await;
    let closed = act(
        &hub,
        Person::Alice,
        "status",
        json!({ "status": "closed", "comment": "no" }),
    )
    .await;
    let open = act(&hub, Person::Bob, "status", json!({ "status": "open" })).await;
    let merged = act(&hub, Person::Alice, "status", json!({ "status": "merged" })).await;
    let nobody = act(
        &hub,
        Person::Nobody,
        "status",
        json!({ "status": "closed" }),
    )
    .await;

    assert_eq!(
        title.expect(200).json()["newTitle"]["data"]["to"],
        "A better title"
    );
    assert_eq!(
        closed.expect(200).json()["newStatus"]["data"]["status"],
        "closed"
    );
    assert_eq!(
        open.expect(200).json()["newStatus"]["type"],
        "status-change"
    );
    assert_eq!((merged.status, nobody.status), (400, 401));
}

#[tokio::test]
async fn a_writer_merges_and_a_stranger_does_not() {
    let hub = hub_with_pull().await;

    let stranger = hub
        .ask(
            Person::Bob,
            axum::http::Method::POST,
            &format!("{LIST}/1/merge"),
            axum::body::Body::empty(),
        )
        .await;
    let owner = act(&hub, Person::Alice, "merge", json!({})).await;
    let again = act(&hub, Person::Alice, "merge", json!({})).await;

    assert_eq!(stranger.status, 403);
    let owner = owner.expect(200).json();
    let pull = details(&hub, 1).await;
    let head = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    assert_eq!(owner["commitOid"], head["sha"]);
    assert_eq!(pull["status"], "merged");
    assert_eq!(pull["changes"]["mergeCommitId"], head["sha"]);
    assert!(
        again.status == 400 || again.status == 409,
        "{}",
        again.status
    );
    let file = hub
        .get(Person::Nobody, "/alice/small/resolve/main/a.txt")
        .await;
    assert_eq!(file.expect(200).text(), "one\n");
}

#[tokio::test]
async fn a_merge_that_conflicts_says_so_and_changes_nothing() {
    let hub = hub_with_pull().await;
    hub.commit(Person::Alice, "models/alice/small", &[("a.txt", "two\n")])
        .await
        .expect(200);

    let merge = act(&hub, Person::Alice, "merge", json!({})).await;

    assert_eq!(merge.status, 409);
    let pull = details(&hub, 1).await;
    assert_eq!(pull["status"], "open");
    assert_eq!(pull["filesWithConflicts"], json!(["a.txt"]));
}

#[tokio::test]
async fn a_draft_opens_with_its_first_commit() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let draft = json!({ "title": "Folder PR", "description": "d", "pullRequest": true });

    hub.post(Person::Bob, LIST, draft).await.expect(200);
    let before = details(&hub, 1).await;
    hub.commit_to(
        Person::Bob,
        "models/alice/small/commit/refs%2Fpr%2F1",
        &[("a", "1")],
    )
    .await
    .expect(200);
    let after = details(&hub, 1).await;

    assert_eq!(
        (&before["status"], &after["status"]),
        (&json!("draft"), &json!("open"))
    );
}

#[tokio::test]
async fn a_discussion_that_is_not_there_is_a_bare_404() {
    let hub = hub_with_pull().await;

    for path in ["7", "0", "-1", "99999999999999999999", "x"] {
        let answer = hub.get(Person::Nobody, &format!("{LIST}/{path}")).await;

        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("x-error-code"), None, "{path}");
    }
}

#[tokio::test]
async fn a_discussion_of_strangers_without_end_is_full_one_day_and_its_page_stays_small() {
    let hub = hub_with_pull().await;
    let text = "*a* ".repeat(16 << 10);
    let mut taken = 0;
    let full = loop {
        let answer = act(&hub, Person::Bob, "comment", json!({ "comment": text })).await;
        if answer.status != 200 {
            break answer;
        }
        taken += 1;
        assert!(taken < 400, "there is no end to it");
    };

    let page = hub.get(Person::Nobody, "/alice/small/discussions/1").await;
    let second = hub
        .get(Person::Nobody, "/alice/small/discussions/1?page=2")
        .await;
    let api = hub.get(Person::Nobody, &format!("{LIST}/1")).await;

    assert_eq!(full.expect(413).status, 413);
    assert!(page.text().contains("Show the whole comment"));
    assert!(second.text().contains("aria-current=\"page\">2</a>"));
    for answer in [page, second] {
        let bytes = answer.expect(200).text().len();
        assert!(bytes < 8 << 20, "{bytes}");
    }
    let bytes = api.expect(200).text().len();
    assert!(bytes < 16 << 20, "{bytes}");
}

#[tokio::test]
async fn the_events_of_a_discussion_come_in_pages() {
    let hub = hub_with_pull().await;
    for number in 0..60 {
        let comment = json!({ "comment": format!("comment-{number}.") });
        act(&hub, Person::Bob, "comment", comment).await.expect(200);
    }

    let first = hub.get(Person::Nobody, "/alice/small/discussions/1").await;
    let second = hub
        .get(Person::Nobody, "/alice/small/discussions/1?page=2")
        .await;
    let all = details(&hub, 1).await;
    let rest = hub
        .get(Person::Nobody, &format!("{LIST}/1?events_after=50"))
        .await
        .expect(200)
        .json();

    assert!(first.text().contains("comment-0.") && !first.text().contains("comment-59."));
    assert!(second.text().contains("comment-59.") && !second.text().contains("comment-0."));
    let events = all["events"].as_array().unwrap();
    assert!(events.len() > 60);
    assert_eq!(rest["events"].as_array().unwrap().len(), events.len() - 50);
}

#[tokio::test]
async fn a_diff_that_is_too_much_work_is_left_out_with_a_next_step() {
    let hub = TestHub::new().await;
    let lines = |word: &str| format!("{word}\n").repeat(5 << 20);
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let (one, two) = (lines("one"), lines("two"));
    hub.commit(Person::Alice, "models/alice/small", &[("a.txt", &one)])
        .await
        .expect(200);
    hub.pull(Person::Bob, "models/alice/small", &[("a.txt", &two)])
        .await
        .expect(200);

    let pull = details(&hub, 1).await;
    let page = hub
        .get(Person::Nobody, "/alice/small/discussions/1/files")
        .await;

    let diff = pull["diff"].as_str().unwrap();
    assert!(diff.starts_with("# the diff is too large"), "{diff}");
    let text = page.expect(200).text();
    assert!(text.contains("The diff is too large"), "{text}");
    assert!(text.contains("git diff"), "{text}");
}
