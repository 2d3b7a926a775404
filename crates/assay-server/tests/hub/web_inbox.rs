//! The inbox, and what comments refer to.

use assay_server::{Person, TestHub};
use serde_json::json;

use crate::web_support::{Browser, pulled};

async fn inbox(hub: &TestHub, person: Person) -> String {
    let mut browser = Browser::of(hub, person).await;
    browser.get("/inbox").await.expect(200).text()
}

async fn say(hub: &TestHub, person: Person, text: &str) -> String {
    let path = "/api/models/alice/small/discussions/1/comment";
    let answer = hub.post(person, path, json!({ "comment": text })).await;
    let said = answer.expect(200).json();
    said["newMessage"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_inbox_lists_what_to_review_and_ones_own_pull_requests() {
    let hub = pulled().await;
    let place = "href=\"/alice/small/discussions/1\"";

    let alice = inbox(&hub, Person::Alice).await;
    let bob = inbox(&hub, Person::Bob).await;

    let (review, own) = alice.split_once("id=\"own\"").unwrap();
    assert!(review.contains(place), "{alice}");
    assert!(!own.contains(place), "{alice}");
    let (review, own) = bob.split_once("id=\"own\"").unwrap();
    assert!(!review.contains(place), "{bob}");
    assert!(own.contains(place) && own.contains(">open</span>"), "{bob}");
    let mut browser = Browser::of(&hub, Person::Alice).await;
    let page = browser.get("/").await.expect(200).text();
    assert!(page.contains("<a href=\"/inbox\">Inbox</a>"), "{page}");

    let merge = "/api/models/alice/small/discussions/1/merge";
    hub.post(Person::Alice, merge, json!({})).await.expect(200);

    let alice = inbox(&hub, Person::Alice).await;
    assert!(
        alice.contains("No open pull request waits for you"),
        "{alice}"
    );
    let bob = inbox(&hub, Person::Bob).await;
    assert!(bob.contains(">merged</span>"), "{bob}");
}

#[tokio::test]
async fn whoever_is_mentioned_finds_the_comment_until_it_no_longer_mentions_them() {
    let hub = pulled().await;
    let event = say(
        &hub,
        Person::Bob,
        "@Alice, as in #1: https://e.org/log_a_b? Not #7, `@alice` or @nobody-here.",
    )
    .await;

    let alice = inbox(&hub, Person::Alice).await;

    let found = format!("href=\"/alice/small/discussions/1?event={event}\"");
    assert!(alice.contains(&found), "{alice}");
    let bob = inbox(&hub, Person::Bob).await;
    assert!(bob.contains("Nobody has mentioned you"), "{bob}");
    let mut browser = Browser::new(&hub);
    let shown = browser.get("/alice/small/discussions/1").await.text();
    for link in [
        "<a href=\"/Alice\">@Alice</a>",
        "<a href=\"/alice/small/discussions/1\">#1</a>",
        "<a href=\"https://e.org/log_a_b\" rel=\"nofollow ugc noopener\">https://e.org/log_a_b</a>",
        "Not #7, <code>@alice</code> or @nobody-here.",
    ] {
        assert!(shown.contains(link), "{link}: {shown}");
    }

    let edit = format!("/api/models/alice/small/discussions/1/comment/{event}/edit");
    hub.post(Person::Bob, &edit, json!({ "content": "Never mind." }))
        .await
        .expect(200);
    let alice = inbox(&hub, Person::Alice).await;
    assert!(alice.contains("Nobody has mentioned you"), "{alice}");
}

#[tokio::test]
async fn a_mention_in_a_repository_that_became_private_is_not_shown() {
    let hub = pulled().await;
    say(&hub, Person::Alice, "@bob please look").await;
    let bob = inbox(&hub, Person::Bob).await;
    assert!(
        bob.contains("alice/small #1, by <a href=\"/alice\">"),
        "{bob}"
    );

    let settings = "/api/models/alice/small/settings";
    hub.put(Person::Alice, settings, json!({ "private": true }))
        .await
        .expect(200);

    let bob = inbox(&hub, Person::Bob).await;
    assert!(!bob.contains("alice/small"), "{bob}");
}

#[tokio::test]
async fn a_hidden_comment_mentions_nobody() {
    let hub = pulled().await;
    let event = say(&hub, Person::Bob, "@alice look").await;

    let hide = format!("/api/models/alice/small/discussions/1/comment/{event}/hide");
    hub.post(Person::Bob, &hide, json!({})).await.expect(200);

    let alice = inbox(&hub, Person::Alice).await;
    assert!(alice.contains("Nobody has mentioned you"), "{alice}");
}
