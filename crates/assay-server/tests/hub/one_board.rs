//! Page, API, files, embed, badges, feeds and previews show one and the same board.

use assay_server::{Person, TestHub};

use crate::browser::{add_model, models, page, result};
use crate::web_support::Browser;

const API: &str = "/api/datasets/alice/sums/leaderboard";
const PAGE: &str = "/datasets/alice/sums/leaderboard/easy";

/// A board with a derived model, several setups of a model, and a group of its own.
async fn hub_with_everything() -> TestHub {
    let hub = crate::browser::with_benchmark().await;
    let first = result("easy", "70", "1", "2026-01-01") + "  setup: {agent: Plain}\n";
    let second = result("easy", "75", "2", "2026-01-02") + "  setup: {agent: Tools}\n";
    let both = format!("{first}{second}");
    add_model(&hub, Person::Alice, "alice/one", "# One\n", &both).await;
    hub.pass(60);
    let card = "---\nbase_model: alice/one\n---\n# Two\n";
    let derived = result("easy", "80", "3", "2026-01-03") + "  setup: {agent: Plain}\n";
    add_model(&hub, Person::Bob, "bob/two", card, &derived).await;
    hub.pass(60);
    let part = result("easy", "99", "3", "2026-01-04") + "  benchmark_subset: first 20\n";
    add_model(&hub, Person::Bob, "bob/three", "# Three\n", &part).await;
    hub.pass(60);
    hub
}

/// Model and rank, row by row.
fn expected() -> Vec<(String, String)> {
    [("bob/two", "1"), ("alice/one", "2"), ("bob/three", "1")]
        .map(|(model, rank)| (model.to_owned(), rank.to_owned()))
        .to_vec()
}

/// The rows of a page or an embedded board.
fn rows_of(page: &str) -> Vec<(String, String)> {
    let ranks = page.split("<td class=\"num rank").skip(1).map(|cell| {
        let text = cell.split_once('>').unwrap().1;
        text.split('<').next().unwrap().to_owned()
    });
    models(page).into_iter().zip(ranks).collect()
}

#[tokio::test]
async fn every_form_of_a_board_shows_the_same_rows() {
    let hub = hub_with_everything().await;
    let file = async |ending: &str| {
        let answer = hub.get(Person::Nobody, &format!("{API}{ending}")).await;
        answer.expect(200)
    };

    let shown = page(&hub, PAGE).await;
    let embed = page(&hub, "/datasets/alice/sums/embed/leaderboard").await;
    let json = file(".json").await.json();
    let csv = file(".csv").await;
    let markdown = file(".md").await.text();
    let latex = file(".tex").await.text();
    // What `assay hub leaderboard` asks for.
    let command = file("?limit=20&base_model=false").await.json();
    let contract = file("").await.json();

    assert_eq!(rows_of(&shown), expected(), "the page");
    assert_eq!(rows_of(&embed), expected(), "the embedded board");
    let of_json = |json: &serde_json::Value| -> Vec<(String, String)> {
        let rows = json.as_array().unwrap().iter();
        let text = |row: &serde_json::Value| {
            let model = row["modelId"].as_str().unwrap().to_owned();
            (model, row["rank"].to_string())
        };
        rows.map(text).collect()
    };
    assert_eq!(of_json(&json), expected(), "the file");
    assert_eq!(of_json(&command), expected(), "the command line");
    let records = csv::Reader::from_reader(&csv.body[..]).into_records();
    let records = records.map(Result::unwrap).map(|record| {
        let cell = |at: usize| record.get(at).unwrap().to_owned();
        (cell(1), cell(0))
    });
    assert_eq!(records.collect::<Vec<_>>(), expected(), "CSV");
    let places = |text: &str| -> Vec<usize> {
        let all = expected();
        all.iter()
            .map(|(model, _)| text.find(model.as_str()).unwrap())
            .collect()
    };
    assert!(places(&markdown).is_sorted(), "{markdown}");
    assert!(places(&latex).is_sorted(), "{latex}");
    // The contract of clients has base models alone unless they say otherwise.
    assert_eq!(
        of_json(&contract),
        [
            ("alice/one".to_owned(), "1".to_owned()),
            ("bob/three".to_owned(), "1".to_owned())
        ]
    );
}

#[tokio::test]
async fn badges_feeds_models_and_previews_tell_the_ranks_of_the_board() {
    let hub = hub_with_everything().await;
    let badge = async |model: &str| {
        let path = format!("/badges/models/{model}/rank.svg?benchmark=alice/sums");
        hub.get(Person::Nobody, &path).await.expect(200).text()
    };

    let badges = [
        badge("bob/two").await,
        badge("alice/one").await,
        badge("bob/three").await,
    ];
    let feed = hub
        .get(Person::Nobody, "/feeds/benchmarks/alice/sums?task=easy")
        .await;
    let model = page(&hub, "/alice/one").await;

    assert!(badges[0].contains("#1 of 2"), "{}", badges[0]);
    assert!(badges[1].contains("#2 of 2"), "{}", badges[1]);
    assert!(badges[2].contains("#1 of 1"), "{}", badges[2]);
    let feed = feed.expect(200).text();
    assert!(feed.contains("bob/two new at rank 1"), "{feed}");
    assert!(feed.contains("bob/three new at rank 1"), "{feed}");
    assert!(
        model.contains("2 of 2") || model.contains("of 2"),
        "{model}"
    );

    hub.create(Person::Bob, "models/bob/four").await.expect(200);
    let proposed = result("easy", "77", "3", "2026-01-05");
    let files = [(".eval_results/sums.yaml", proposed.as_str())];
    hub.pull(Person::Bob, "models/bob/four", &files)
        .await
        .expect(200);
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let pull = bob.get("/bob/four/discussions/1").await.expect(200).text();
    let entered = rows_of(&page(&hub, PAGE).await);
    assert!(
        entered.contains(&("bob/four".to_owned(), "2".to_owned())),
        "{entered:?}"
    );
    assert!(pull.contains("bob/four"), "{pull}");
}

#[tokio::test]
async fn a_row_of_several_setups_says_so_and_opens() {
    let hub = hub_with_everything().await;

    let shown = page(&hub, PAGE).await;
    let trusted = page(&hub, &format!("{PAGE}?policy=most-trusted")).await;
    let all = page(&hub, &format!("{PAGE}?policy=all")).await;

    assert!(
        shown.contains("<details class=\"base several\"><summary>2 setups, 70 to 75</summary>"),
        "{shown}"
    );
    assert!(shown.contains("</a> agent: Plain</li>"), "{shown}");
    assert!(shown.contains("</a> agent: Tools</li>"), "{shown}");
    assert_eq!(
        rows_of(&trusted),
        expected(),
        "the name of the page works as well"
    );
    assert!(!all.contains("2 setups"), "each has a row");
    assert_eq!(models(&all).len(), 4);
}

#[tokio::test]
async fn the_record_line_remembers_results_that_a_newer_one_replaced() {
    let hub = crate::browser::with_benchmark().await;
    let old = result("easy", "90", "1", "2026-01-01");
    add_model(&hub, Person::Alice, "alice/one", "# One\n", &old).await;
    hub.pass(60);
    let new = result("easy", "60", "1", "2026-02-01");
    let files = [(".eval_results/sums.yaml", new.as_str())];
    hub.commit(Person::Alice, "models/alice/one", &files)
        .await
        .expect(200);
    hub.pass(60);
    let corrected = result("easy", "99", "1", "2026-01-15");
    add_model(&hub, Person::Bob, "bob/two", "# Two\n", &corrected).await;
    hub.pass(60);
    let right = result("easy", "59", "1", "2026-01-15");
    let files = [(".eval_results/sums.yaml", right.as_str())];
    hub.commit(Person::Bob, "models/bob/two", &files)
        .await
        .expect(200);

    let shown = page(&hub, PAGE).await;

    assert!(
        shown.contains("Best so far: 90 (alice/one, 2026-01-01)"),
        "{shown}"
    );
}
