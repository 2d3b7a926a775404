//! Changes since a day, over the hub and on a board, and the feed of all of them.

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

/// A hub whose board of digits got its only result first, and whose board of words changed two days
/// later.
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

/// The moment of now on a hub.
fn now(hub: &TestHub) -> String {
    hub.now().to_string().replace(':', "%3A")
}

#[tokio::test]
async fn two_moments_of_a_board_are_told_apart_row_by_row() {
    let hub = world().await;
    let from = now(&hub);
    hub.pass(DAY);
    hub.commit(
        Person::Alice,
        "models/alice/small",
        &[(RESULTS, &score("0.65"))],
    )
    .await
    .expect(200);
    hub.pass(DAY);
    let to = now(&hub);
    hub.pass(DAY);
    let elsewhere = score("0.7").replace("words", "digits");
    hub.commit(Person::Bob, "models/bob/large", &[(RESULTS, &elsewhere)])
        .await
        .expect(200);
    let board = "/changes?benchmark=alice%2Fsums&task=words";

    let then = page(&hub, &format!("{board}&from={from}&to={to}")).await;
    let today = page(&hub, &format!("{board}&from={from}")).await;
    let gone = page(&hub, &format!("{board}&from={from}&kind=went")).await;
    let same = page(&hub, &format!("{board}&from={to}&to={to}")).await;

    assert!(then.contains("Score changed 1"), "{then}");
    assert!(then.contains("Moved by others 1"), "{then}");
    assert!(then.contains("3 rows, as before."), "{then}");
    assert!(then.contains("small</a>"), "{then}");
    assert!(!then.contains("large</a>"), "{then}");
    assert!(
        today.contains("2 rows, before 3. 1 gone, 1 score changed"),
        "{today}"
    );
    assert!(today.contains("before, bob/large led with"), "{today}");
    assert!(
        gone.contains("large</a>") && !gone.contains("small</a>"),
        "{gone}"
    );
    assert!(same.contains("No row differs."), "{same}");
}

#[tokio::test]
async fn two_moments_of_the_hub_are_told_apart_board_by_board() {
    let (hub, day) = changed().await;
    let before = "2020-01-01";

    let all = page(&hub, &format!("/changes?from={before}")).await;
    let until = page(&hub, &format!("/changes?from={before}&to={before}")).await;
    let answer = hub
        .get(Person::Nobody, &format!("/api/assay/changes?from={before}"))
        .await
        .expect(200)
        .json();

    for said in [
        "Sum Check (digits)",
        "Sum Check (words)",
        "3 rows, before 0. 3 new",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    assert!(until.contains("No board differs between"), "{until}");
    assert_eq!(answer["boards"].as_array().unwrap().len(), 2, "{day}");
    assert_eq!(answer["boards"][0]["taskId"], "words");
    assert_eq!(answer["boards"][0]["counts"]["came"], 3);
    assert_eq!(answer["hasMore"], false);
}

#[tokio::test]
async fn what_differs_is_had_as_json_page_by_page() {
    let (hub, _) = changed().await;
    let path = "/api/datasets/alice/sums/leaderboard/changes?from=2020-01-01&task_id=words&limit=2";

    let first = hub.get(Person::Nobody, path).await.expect(200);
    let of_kind = hub
        .get(Person::Nobody, &format!("{path}&kind=went"))
        .await
        .expect(200)
        .json();
    let answer = first.json();

    assert_eq!(first.header("x-total-count"), Some("3"));
    assert!(first.header("link").unwrap().contains("offset=2"));
    assert_eq!(answer["rows"].as_array().unwrap().len(), 2);
    assert_eq!(answer["rows"][0]["kind"], "came");
    assert_eq!(answer["rows"][0]["rankAfter"], 1);
    assert_eq!(answer["before"]["rows"], 0);
    assert_eq!(
        answer["after"]["leader"]["modelId"],
        answer["rows"][0]["modelId"]
    );
    assert_eq!(of_kind["rows"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn moments_that_make_no_sense_are_refused_in_words() {
    let hub = world().await;
    let refused = async |query: &str| {
        let path = format!("/api/datasets/alice/sums/leaderboard/changes?{query}");
        let answer = hub.get(Person::Nobody, &path).await.expect(400);
        answer.json()["error"].as_str().unwrap().to_owned()
    };

    let backwards = refused("from=2026-03-02&to=2026-03-01").await;
    let kind = refused("from=2026-03-02&kind=better").await;
    let moment = refused("from=yesterday").await;
    let of_hub = hub
        .get(Person::Nobody, "/api/assay/changes?from=main")
        .await
        .expect(400)
        .json();

    assert!(
        backwards.contains("the earlier moment comes first"),
        "{backwards}"
    );
    assert!(
        kind.contains("`came`, `went`, `changed` or `moved`"),
        "{kind}"
    );
    assert!(moment.contains("is no date and no commit"), "{moment}");
    assert!(
        of_hub["error"]
            .as_str()
            .unwrap()
            .contains("write a date as")
    );
}

#[tokio::test]
async fn a_board_of_the_past_and_a_feed_lead_to_what_differs() {
    let (hub, day) = changed().await;

    let past = page(
        &hub,
        &format!("/datasets/alice/sums/leaderboard/words?as_of={day}"),
    )
    .await;
    let feed = hub
        .get(Person::Nobody, "/feeds/benchmarks/alice/sums?task=words")
        .await
        .expect(200)
        .text();

    assert!(past.contains("What differs from now"), "{past}");
    assert!(
        past.contains("/changes?benchmark=alice%2Fsums&amp;task=words&amp;from="),
        "{past}"
    );
    assert!(
        feed.contains("/changes?benchmark=alice%2Fsums&amp;task=words&amp;from="),
        "{feed}"
    );
}
