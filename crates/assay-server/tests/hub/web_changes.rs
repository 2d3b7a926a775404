//! What changed since a day, over the hub and on a board, and the feed of all of it.

use assay_server::{Person, TestHub};

use crate::web_support::{Browser, RESULTS, score, world};

/// Days that a hub is older after it.
const DAY: i64 = 24 * 60 * 60;

async fn page(hub: &TestHub, path: &str) -> String {
    let mut browser = Browser::new(hub);
    browser.get(path).await.expect(200).text()
}

/// The day of now on a hub.
fn today(hub: &TestHub) -> String {
    hub.now().to_string()[..10].to_owned()
}

/// A hub whose board of digits got its only result first, and whose board of words changed two days later.
async fn changed() -> (TestHub, String) {
    let hub = world().await;
    let digits = score("0.4").replace("words", "digits");
    hub.commit(
        Person::Bob,
        "models/bob/large",
        &[(".eval_results/digits.yaml", &digits)],
    )
    .await
    .expect(200);
    hub.pass(2 * DAY);
    let day = today(&hub);
    hub.commit(
        Person::Alice,
        "models/alice/small",
        &[(RESULTS, &score("0.65"))],
    )
    .await
    .expect(200);
    (hub, day)
}

#[tokio::test]
async fn changes_of_every_board_are_listed_since_a_day() {
    let (hub, day) = changed().await;

    let all = page(&hub, "/changes").await;
    let lately = page(&hub, &format!("/changes?since={day}")).await;

    for said in [
        "Sum Check (digits)",
        "rises from rank 3 to 2",
        "new at rank 1",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    assert!(lately.contains("rises from rank 3 to 2"), "{lately}");
    assert!(
        lately.contains("moved by it: bob/middle from 2 to 3"),
        "{lately}"
    );
    assert!(!lately.contains("digits"), "{lately}");
    assert!(!lately.contains("new at rank"), "{lately}");
    hub.pass(2 * DAY);
    let nothing = page(&hub, &format!("/changes?since={}", today(&hub))).await;
    assert!(nothing.contains("Nothing has changed since"), "{nothing}");
}

#[tokio::test]
async fn a_result_that_left_a_board_is_a_change_of_it() {
    let (hub, _) = changed().await;
    hub.pass(2 * DAY);
    let day = today(&hub);
    let elsewhere = score("0.7").replace("words", "digits");
    hub.commit(Person::Bob, "models/bob/large", &[(RESULTS, &elsewhere)])
        .await
        .expect(200);

    let lately = page(&hub, &format!("/changes?since={day}")).await;

    assert!(lately.contains("leaves rank 1"), "{lately}");
}

#[tokio::test]
async fn changes_of_one_board_are_reached_from_it() {
    let (hub, _) = changed().await;
    let board = page(&hub, "/datasets/alice/sums/leaderboard/digits").await;
    let place = "/changes?benchmark=alice%2Fsums&amp;task=digits";
    assert!(board.contains(&format!("href=\"{place}\"")), "{board}");

    let changes = page(&hub, &place.replace("&amp;", "&")).await;

    assert!(changes.contains("Sum Check (digits)"), "{changes}");
    assert!(!changes.contains("Sum Check (words)"), "{changes}");
    assert!(
        changes.contains("name=\"task\" value=\"digits\""),
        "{changes}"
    );
}

#[tokio::test]
async fn what_is_no_day_and_what_is_no_benchmark_are_refused() {
    let hub = world().await;
    let mut browser = Browser::new(&hub);

    let day = browser.get("/changes?since=lately").await;
    let board = browser.get("/changes?benchmark=alice/small").await;

    assert_eq!((day.status, board.status), (400, 404));
    assert!(day.text().contains("write one as 2026-03-01"));
}

#[tokio::test]
async fn the_feed_of_the_hub_has_every_board() {
    let (hub, _) = changed().await;
    let home = page(&hub, "/").await;
    assert!(home.contains("href=\"/feeds/changes\""), "{home}");
    assert!(home.contains("href=\"/changes\""), "{home}");

    let feed = hub.get(Person::Nobody, "/feeds/changes").await.expect(200);

    assert_eq!(
        feed.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let text = feed.text();
    for said in [
        "alice/small has 0.65 on Sum Check",
        "alice/small rises from rank 3 to 2",
        "bob/large has 0.4 on Sum Check",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
