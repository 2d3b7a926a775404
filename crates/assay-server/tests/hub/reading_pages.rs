//! Home, lists, models, comparison, embeds, badges and feeds.

use assay_server::Person;

use crate::browser::{browse, models, page, result, with_board};

#[tokio::test]
async fn home_tells_what_is_new_and_who_moved() {
    let hub = with_board().await;

    let home = page(&hub, "/").await;

    assert!(
        home.contains("<span class=\"chip\">4 models</span>"),
        "{home}"
    );
    assert!(home.contains("<span class=\"chip\">5 results</span>"));
    assert!(
        models(&home).contains(&"bob/large".to_owned()),
        "the matrix of all results is on the first page"
    );
    assert!(home.contains("Newest results"));
    assert!(home.contains("new at rank 1 on <a href=\"/datasets/alice/sums/leaderboard/easy\">"));
    assert!(home.contains("href=\"/datasets/alice/sums\""));
}

#[tokio::test]
async fn benchmarks_are_listed_searched_and_marked() {
    let hub = with_board().await;
    hub.put(
        Person::Operator,
        "/api/assay/benchmarks/alice/sums/official",
        serde_json::json!({ "official": true }),
    )
    .await
    .expect(200);

    let all = page(&hub, "/benchmarks").await;
    let official = page(&hub, "/benchmarks?official=1").await;
    let none = page(&hub, "/benchmarks?q=nothing").await;

    for list in [&all, &official] {
        assert!(
            list.contains(">Sums</a>") && list.contains("Official</span>"),
            "{list}"
        );
        assert!(
            list.contains("<strong>80\u{a0}%</strong>"),
            "the leader's value"
        );
    }
    assert!(none.contains("No benchmark matches."));
}

#[tokio::test]
async fn a_model_shows_where_it_stands_what_is_open_and_what_it_says() {
    let hub = with_board().await;

    let small = page(&hub, "/alice/small").await;
    let tuned = page(&hub, "/alice/tuned").await;

    assert!(small.contains("<strong>Rank 4</strong> of 4"), "{small}");
    assert!(
        small.contains("another result counts"),
        "that of the pull request does not"
    );
    assert!(small.contains("/alice/small/discussions/1"));
    assert!(small.contains("<h2>About</h2>") && small.contains("A <em>model</em>."));
    assert!(small.contains("/badges/models/alice/small/rank.svg?benchmark=alice%2Fsums"));
    assert!(small.contains("<dt>Parameters</dt><dd>3B</dd>"));
    assert!(small.contains("href=\"/alice/small/blob/main/README.md\""));
    assert!(tuned.contains("Made from <a href=\"/bob/large\">bob/large</a>"));
    assert!(tuned.contains("percentile 100"));
    assert!(
        tuned.contains("Against all models") && tuned.contains("1 of 4"),
        "the matrix turned by 90 degrees: {tuned}"
    );
    assert!(tuned.contains("median percentile 100"), "{tuned}");
    let large = page(&hub, "/bob/large").await;
    assert!(large.contains("Made from this model") && large.contains("href=\"/alice/tuned\""));
}

#[tokio::test]
async fn models_are_compared_in_the_order_they_are_named() {
    let hub = with_board().await;

    let two = page(&hub, "/compare?models=bob/large,alice/tuned,bob/large").await;
    let boxes = page(&hub, "/compare?models=bob%2Flarge&models=alice%2Fsmall").await;
    let missing = page(&hub, "/compare?models=bob/large,no/such,%3Cscript%3E").await;
    let many: Vec<String> = (0..30).map(|number| format!("a/m{number}")).collect();
    let many = page(&hub, &format!("/compare?models={}", many.join(","))).await;

    // Of 200 samples each, 75.25 and 80 % may be the same, 75.25 and 50.5 % may not.
    assert!(
        two.contains("<span class=\"gap\">+4.75 <span class=\"pm\">(\u{2212}3.4 to +12.9)</span> <span class=\"verdict \">no clear difference</span></span>"),
        "{two}"
    );
    assert_eq!(two.matches("remove<span").count(), 2);
    assert_eq!(
        models(&two)[..2],
        ["bob/large".to_owned(), "alice/tuned".to_owned()],
        "the chosen rows of the matrix, in their order"
    );
    assert!(
        boxes.contains("<span class=\"verdict down\">\u{25bc} worse</span>")
            && boxes.contains(">\u{2212}24.75 <"),
        "{boxes}"
    );
    assert!(boxes.contains("1\u{2013}0\u{2013}0"));
    assert!(missing.contains("There is no model <strong>no/such</strong>"));
    assert!(missing.contains("&lt;script&gt;"));
    assert!(many.contains("At most 20 models are compared"));
    assert_eq!(many.matches("There is no model").count(), 20);
}

#[tokio::test]
async fn a_board_is_embedded_as_the_live_parameters_say() {
    let hub = with_board().await;
    let address = "/datasets/alice/sums/embed/leaderboard";

    let plain = browse(&hub, Person::Nobody, address).await.expect(200);
    let small = page(&hub, &format!("{address}?leaderboard_max_params=7B")).await;
    let task = page(&hub, &format!("{address}?leaderboard_task_id=hard")).await;
    let seen = page(
        &hub,
        &format!("{address}?eval_result=bob/large&leaderboard_is_expanded=true"),
    )
    .await;

    let policy = plain.header("content-security-policy").unwrap();
    assert!(
        policy.contains("frame-ancestors *") && !policy.contains("script-src"),
        "{policy}"
    );
    assert_eq!(plain.header("x-frame-options"), None);
    assert_eq!(models(&plain.text()).len(), 4);
    assert_eq!(models(&small), ["alice/small"]);
    assert!(models(&task).is_empty());
    assert!(seen.contains("class=\"highlighted\""));
}

#[tokio::test]
async fn badges_tell_rank_score_and_standing() {
    let hub = with_board().await;
    let badge = async |kind: &str, query: &str| {
        let path = format!("/badges/models/bob/large/{kind}.svg?{query}");
        hub.get(Person::Nobody, &path).await
    };
    let query = "benchmark=alice/sums&task=easy";

    let rank = badge("rank", query).await.expect(200);
    let score = badge("score", query).await.expect(200);
    let verified = badge("verified", query).await.expect(200);

    assert_eq!(rank.header("content-type"), Some("image/svg+xml"));
    assert!(
        rank.text().contains("aria-label=\"Sums: #2 of 4\""),
        "{}",
        rank.text()
    );
    assert!(score.text().contains("75.25 %"));
    assert!(verified.text().contains("not verified"));
    badge("other", query).await.expect(404);
    badge("rank", "").await.expect(400);
    assert!(
        badge("rank", "benchmark=alice/sums&task=hard")
            .await
            .text()
            .contains("no result")
    );
}

#[tokio::test]
async fn feeds_tell_who_entered_who_rose_and_who_was_moved() {
    let hub = with_board().await;
    hub.pass(3600);
    let better = result("easy", "99.00", "1.0", "2026-02-14");
    let files = [(".eval_results/sums.yaml", better.as_str())];
    hub.commit(Person::Alice, "models/alice/small", &files)
        .await
        .expect(200);

    let board = hub
        .get(Person::Nobody, "/feeds/benchmarks/alice/sums?task=easy")
        .await
        .expect(200);
    let model = hub
        .get(Person::Nobody, "/feeds/models/alice/small")
        .await
        .expect(200)
        .text();
    let owner = hub
        .get(Person::Nobody, "/feeds/organizations/bob")
        .await
        .expect(200)
        .text();

    assert_eq!(
        board.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let text = board.text();
    let first = text.split("<entry>").nth(1).unwrap();
    assert!(
        first.contains("alice/small rises from rank 4 to 1"),
        "{first}"
    );
    assert!(first.contains("99\u{a0}%, before 50.5\u{a0}%"), "{first}");
    assert!(first.contains("alice/tuned from 1 to 2"), "{first}");
    assert!(text.contains("bob/large new at rank 1"));
    assert!(model.contains("rises from rank 4 to 1") && !model.contains("<title>bob/"));
    assert!(owner.contains("bob/large has 75.25"), "{owner}");
    assert!(!owner.contains("<title>alice/"));
}

#[tokio::test]
async fn a_page_is_fresh_after_every_change() {
    let hub = with_board().await;
    let paths = [
        "/",
        "/benchmarks",
        "/alice/small",
        "/compare?models=alice/small,bob/large",
    ];
    for path in paths {
        page(&hub, path).await;
    }
    let better = result("easy", "99.00", "1.0", "2026-02-14");
    let files = [(".eval_results/sums.yaml", better.as_str())];
    hub.commit(Person::Alice, "models/alice/small", &files)
        .await
        .expect(200);

    for path in paths {
        assert!(page(&hub, path).await.contains("99\u{a0}%"), "{path}");
    }
}
