//! The leaderboard as people read it.

use assay_server::Person;

use crate::browser::{BOARD, EVAL, add_model, browse, models, page, with_benchmark, with_board};

#[tokio::test]
async fn a_board_shows_ranks_values_units_and_who_stands_behind_them() {
    let hub = with_board().await;

    let page = page(&hub, BOARD).await;

    assert_eq!(
        models(&page),
        ["alice/tuned", "bob/large", "bob/twin", "alice/small"]
    );
    assert!(page.contains("<h1>Sums</h1>"));
    assert!(
        page.contains("alice/tuned leads with 80\u{a0}% (95\u{a0}% interval"),
        "{page}"
    );
    assert!(page.contains(">75.25<"), "as it was written");
    assert!(page.contains("Accuracy <span class=\"way\">%</span>"));
    assert!(page.contains("<span class=\"unseen\">, higher is better</span>"));
    assert!(page.contains("<span class=\"unseen\">, lower is better</span>"));
    assert!(
        page.contains("<span class=\"tie\" title=\"shared\">=</span>"),
        "a tie is marked"
    );
    assert!(page.contains("from bob/large"), "what it is made from");
    assert!(page.contains("adder 1.2") && page.contains("run of 2026-01-09"));
    assert!(page.contains("<time datetime=\"2026-01-09\">2026-01-09</time>"));
    assert!(page.contains("href=\"https://example.org/log\" rel=\"nofollow ugc noopener\""));
    assert!(page.contains("<caption>easy: 4 rows</caption>"));
    assert!(page.contains("How this is ranked"));
    assert!(
        page.contains("interval of the rank: 1 to 3, simultaneous pairwise comparisons (Tukey-Kramer)\">1\u{2013}3</span>"),
        "{page}"
    );
    assert!(page.contains("could be anywhere from first to fifth"));
    assert_eq!(
        page.matches("<svg class=\"bar\"").count(),
        4,
        "an interval each"
    );
}

/// A score that no number of right answers among 25 gives.
const IN_DOUBT: &str = "- dataset: {id: alice/sums, task_id: easy}\n  metrics:\n    - {metric_id: accuracy, value: 99.12345678, \
    value_type: percentage, sample_size: 25}\n";

#[tokio::test]
async fn rows_in_doubt_between_the_leader_and_the_next_are_not_passed_over_silently() {
    let hub = with_board().await;
    let doubt = IN_DOUBT.replace("99.1", "79.1");
    add_model(&hub, Person::Bob, "bob/doubt", "# About\n", &doubt).await;

    let board = page(&hub, BOARD).await;

    assert!(
        board.contains("alice/tuned leads with 80\u{a0}%"),
        "{board}"
    );
    assert!(
        board.contains("One row between them is passed over: a finding puts its value in doubt."),
        "{board}"
    );
}

#[tokio::test]
async fn a_value_in_doubt_is_marked_everywhere_and_leads_nowhere() {
    let hub = with_board().await;
    add_model(&hub, Person::Bob, "bob/doubt", "# About\n", IN_DOUBT).await;

    let board = page(&hub, BOARD).await;
    let list = page(&hub, "/benchmarks").await;
    let evidence = page(&hub, "/bob/doubt/results/at/0/.eval_results/sums.yaml").await;
    let path = "/badges/models/bob/doubt/rank.svg?benchmark=alice/sums&task=easy";
    let badge = hub.get(Person::Nobody, path).await.expect(200).text();
    let feed = hub.get(Person::Nobody, "/feeds/benchmarks/alice/sums?task=easy");
    let feed = feed.await.expect(200).text();
    let api = hub.get(
        Person::Nobody,
        "/api/datasets/alice/sums/leaderboard?task_id=easy",
    );
    let api = api.await.expect(200).json();
    let csv = hub.get(
        Person::Nobody,
        "/api/datasets/alice/sums/leaderboard.csv?task_id=easy",
    );
    let csv = csv.await.expect(200).text();

    assert_eq!(models(&board)[0], "bob/doubt", "it keeps its place");
    assert!(
        board.contains("alice/tuned leads with 80\u{a0}%"),
        "{board}"
    );
    assert!(board.contains("One row above it is passed over: a finding puts its value in doubt."));
    assert!(
        board
            .contains("#findings\"><span class=\"badge doubt\" title=\"no number of right answers"),
        "{board}"
    );
    assert!(
        list.contains("alice/tuned") && !list.contains("bob/doubt"),
        "{list}"
    );
    assert!(
        evidence.contains("<a href=\"/docs/codes/AY607\">AY607</a> unreachable-score"),
        "{evidence}"
    );
    assert!(evidence.contains("in doubt: it is never announced as the leader"));
    assert!(badge.contains("value in doubt"), "{badge}");
    assert!(
        feed.contains("bob/doubt has a value in doubt (AY607)"),
        "{feed}"
    );
    assert!(!feed.contains("bob/doubt new at rank"), "{feed}");
    assert_eq!(api[0]["findings"][0]["code"], "AY607");
    assert_eq!(api[1].get("findings"), None);
    let cells = |line: usize| csv.lines().nth(line).unwrap().split(',');
    let at = cells(0).position(|name| name == "findings").unwrap();
    assert_eq!(cells(1).nth(at), Some("AY607"), "{csv}");
}

#[tokio::test]
async fn the_page_of_a_benchmark_is_the_board_of_its_first_task() {
    let hub = with_board().await;

    let first = page(&hub, "/datasets/alice/sums").await;
    let hard = page(&hub, "/datasets/alice/sums?task=hard").await;
    let unknown = browse(
        &hub,
        Person::Nobody,
        "/datasets/alice/sums/leaderboard/nope",
    )
    .await;

    assert_eq!(models(&first).len(), 4);
    assert!(hard.contains("No result yet."), "{hard}");
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("its tasks are `easy`, `hard`"));
}

#[tokio::test]
async fn every_column_sorts_both_ways_and_says_so() {
    let hub = with_board().await;

    let by_cost = page(&hub, &format!("{BOARD}?sort=cost_usd")).await;
    let dearest = page(&hub, &format!("{BOARD}?sort=cost_usd&reversed=1")).await;
    let by_name = page(&hub, &format!("{BOARD}?sort=model")).await;
    let newest = page(&hub, &format!("{BOARD}?sort=date")).await;

    assert_eq!(models(&by_cost)[0], "alice/small");
    assert_eq!(models(&dearest)[0], "alice/tuned");
    assert_eq!(models(&by_name)[0], "alice/small");
    assert_eq!(models(&newest)[0], "alice/tuned");
    let head = |page: &str, sorted: &str| {
        page.contains(&format!("data-key=\"cost_usd\" aria-sort=\"{sorted}\""))
    };
    assert!(head(&by_cost, "ascending"));
    assert!(head(&dearest, "descending"));
    assert_eq!(by_cost.matches("aria-sort=").count(), 1);
}

#[tokio::test]
async fn a_board_is_sorted_by_what_only_whole_results_have() {
    let hub = with_board().await;
    let paid = crate::browser::result("easy", "40", "9", "2026-01-02")
        + "  evaluator: {name: Zed, relationship: third_party}\n  published: \"2026-01-03\"\n";
    crate::browser::add_model(&hub, Person::Bob, "bob/third", "# A\n", &paid).await;

    let page = page(
        &hub,
        &format!("{BOARD}?sort=published&cols=published&cols=sample_size"),
    )
    .await;

    assert_eq!(models(&page)[0], "bob/third", "the others do not say");
    assert!(page.contains("data-key=\"published\" aria-sort=\"ascending\""));
    assert!(
        page.contains("<td class=\"num\">200</td>"),
        "a column of the table by its id"
    );
    assert!(page.contains("title=\"When the result was published.\""));
}

#[tokio::test]
async fn numbers_of_a_column_have_the_same_digits() {
    let hub = with_board().await;
    let large = crate::browser::result("easy", "40", "1234.5", "2026-01-02");
    crate::browser::add_model(&hub, Person::Bob, "bob/dear", "# A\n", &large).await;

    let page = page(&hub, BOARD).await;

    for text in [">40.00<", ">80.00<", ">75.25<", ">1,234.5<", ">6.0<"] {
        assert!(page.contains(text), "{text}");
    }
}

#[tokio::test]
async fn filters_leave_ranks_as_they_are_and_are_all_in_the_address() {
    let hub = with_board().await;

    let small = page(&hub, &format!("{BOARD}?max_params=7B")).await;
    let found = page(&hub, &format!("{BOARD}?q=bob+2026-01-07")).await;
    let base = page(&hub, &format!("{BOARD}?base=1")).await;
    let verified = page(&hub, &format!("{BOARD}?verified=1")).await;
    let all = page(&hub, &format!("{BOARD}?policy=all")).await;
    let by_cost = page(&hub, &format!("{BOARD}?metric=cost_usd")).await;

    assert_eq!(models(&small), ["alice/small"]);
    assert!(
        small.contains("<td class=\"num rank\">4<"),
        "its rank among all"
    );
    assert_eq!(models(&found), ["bob/twin"]);
    assert_eq!(models(&base).len(), 3);
    assert!(models(&verified).is_empty());
    assert_eq!(models(&all).len(), 5);
    assert!(all.contains("Community #1") && all.contains("href=\"/alice/small/discussions/1\""));
    assert_eq!(models(&by_cost)[0], "alice/small");
    assert!(small.contains("<option selected>7B</option>"));
    assert!(found.contains("name=\"q\" value=\"bob 2026-01-07\""));
}

#[tokio::test]
async fn columns_are_chosen_and_a_model_is_highlighted() {
    let hub = with_board().await;

    let few = page(&hub, &format!("{BOARD}?cols=date")).await;
    let seen = page(&hub, &format!("{BOARD}?highlight=Bob/Twin")).await;
    let absent = page(&hub, &format!("{BOARD}?highlight=nobody/here")).await;

    assert!(few.contains("data-key=\"date\"") && few.contains("data-key=\"accuracy\""));
    assert!(!few.contains("data-key=\"cost_usd\"") && !few.contains("data-key=\"notes\""));
    assert!(seen.contains("<tr id=\"highlighted\" class=\"highlighted\">"));
    assert!(absent.contains("<strong>nobody/here</strong> is not on this board"));
}

#[tokio::test]
async fn a_board_can_be_had_as_it_was_and_as_a_file() {
    let hub = with_board().await;

    let before = page(&hub, &format!("{BOARD}?as_of=2026-02-13")).await;
    let wrong = browse(&hub, Person::Nobody, &format!("{BOARD}?as_of=whenever")).await;
    let now = page(&hub, BOARD).await;

    assert!(before.contains("This is the board as it was at"));
    assert!(models(&before).is_empty());
    assert_eq!(wrong.status, 400);
    for form in ["csv", "json", "parquet", "md", "tex"] {
        let begin = format!("href=\"/api/datasets/alice/sums/leaderboard.{form}?");
        let link = now.split(&begin).nth(1).unwrap().split('"').next().unwrap();
        let address = format!("/api/datasets/alice/sums/leaderboard.{form}?{link}");
        let file = hub
            .get(Person::Nobody, &address.replace("&amp;", "&"))
            .await;
        assert_eq!(file.expect(200).header("x-total-count"), Some("4"));
    }
}

#[tokio::test]
async fn charts_are_drawings_with_words_and_numbers() {
    let hub = with_board().await;

    let page = page(&hub, BOARD).await;

    for chart in ["over-time", "against", "intervals"] {
        assert!(page.contains(&format!("id=\"{chart}\"")), "{chart}");
        assert!(
            page.contains(&format!("<title id=\"{chart}-title\">")),
            "{chart}"
        );
        assert!(
            page.contains(&format!("<desc id=\"{chart}-about\">")),
            "{chart}"
        );
    }
    assert_eq!(page.matches("Data of this chart").count(), 3);
    assert!(page.contains("The record went from 50.5 to 80 in 3 steps"));
}

#[tokio::test]
async fn a_task_is_called_by_its_display_name() {
    let hub = with_benchmark().await;
    let named = EVAL.replace(
        "{id: hard}",
        "{id: hard, display_name: Sums of long numbers}",
    );
    hub.commit(
        Person::Alice,
        "datasets/alice/sums",
        &[("eval.yaml", &named)],
    )
    .await
    .expect(200);

    let page = page(&hub, "/datasets/alice/sums/leaderboard/hard").await;

    assert!(page.contains("Sums of long numbers"), "{page}");
}

#[tokio::test]
async fn a_dataset_that_is_no_benchmark_shows_what_it_says_of_itself() {
    let hub = with_benchmark().await;
    hub.create(Person::Alice, "datasets/alice/plain")
        .await
        .expect(200);
    let files = [("README.md", "# Plain\n\nOnly data.\n")];
    hub.commit(Person::Alice, "datasets/alice/plain", &files)
        .await
        .expect(200);

    let page = page(&hub, "/datasets/alice/plain").await;

    assert!(page.contains("<h2>Plain</h2>"), "{page}");
}
