//! Every task of a benchmark side by side.

use assay_server::{Person, TestHub};

use crate::browser::{add_model, browse, models, page, result, with_benchmark};

const MATRIX: &str = "/datasets/alice/sums/matrix";

/// Three models, of which one has no result on the second task and one has two setups on the first.
async fn hub_with_tasks() -> TestHub {
    let hub = with_benchmark().await;
    let both = |easy: &str, hard: &str| {
        let easy = result("easy", easy, "1", "2026-01-01");
        let hard = result("hard", hard, "1", "2026-01-01");
        format!("{easy}{hard}")
    };
    add_model(
        &hub,
        Person::Alice,
        "alice/first",
        "# A\n",
        &both("90", "50"),
    )
    .await;
    let setups = result("easy", "60", "1", "2026-01-02")
        + "  setup: {agent: A}\n"
        + &result("easy", "80", "1", "2026-01-02")
        + "  setup: {agent: B}\n"
        + &result("hard", "70.5", "1", "2026-01-02");
    add_model(&hub, Person::Alice, "alice/second", "# B\n", &setups).await;
    let one = result("easy", "99", "1", "2026-01-03");
    add_model(&hub, Person::Bob, "bob/third", "# C\n", &one).await;
    hub
}

#[tokio::test]
async fn models_are_ranked_by_their_win_rate_and_missing_cells_are_seen() {
    let hub = hub_with_tasks().await;

    let all = page(&hub, &format!("{MATRIX}?min=1")).await;
    let usual = page(&hub, &format!("{MATRIX}?min=2")).await;

    assert_eq!(models(&all), ["bob/third", "alice/second", "alice/first"]);
    assert!(
        all.contains("bob/third leads with a win rate of 100.0, over 1 of 2 tasks."),
        "{all}"
    );
    assert_eq!(all.matches("<td>\n").count(), 1, "one cell has no result");
    assert!(all.contains("title=\"2 setups, 60 to 80\">80"), "{all}");
    assert!(all.contains("q5 ace\">99"), "{all}");
    assert!(
        all.contains(">70.5") && all.contains(">50.0"),
        "one format a column"
    );
    // Who has too few results is shown, without a rank.
    assert_eq!(models(&usual).last().map(String::as_str), Some("bob/third"));
    assert!(usual.contains("2 ranked of 3 models"), "{usual}");
    assert!(
        usual.contains("<td class=\"rk\"><th scope=\"row\""),
        "{usual}"
    );
}

#[tokio::test]
async fn the_matrix_is_sorted_searched_and_had_as_a_file_by_its_address() {
    let hub = hub_with_tasks().await;

    let hard = page(&hub, &format!("{MATRIX}?sort=hard")).await;
    let worst = page(&hub, &format!("{MATRIX}?sort=hard&reversed=1")).await;
    let found = page(&hub, &format!("{MATRIX}?q=BOB")).await;
    let none = page(&hub, &format!("{MATRIX}?q=zzz")).await;
    let unknown = page(&hub, &format!("{MATRIX}?sort=%3Cb%3E")).await;
    let file = browse(
        &hub,
        Person::Nobody,
        &format!("{MATRIX}?sort=hard&format=csv&min=1"),
    )
    .await;

    assert_eq!(models(&hard), ["alice/second", "alice/first", "bob/third"]);
    assert!(hard.contains("aria-sort=\"descending\""));
    assert_eq!(models(&worst), ["alice/first", "alice/second", "bob/third"]);
    assert_eq!(models(&found), ["bob/third"]);
    assert!(none.contains("No model with a result here fits <em>zzz</em>"));
    assert!(none.contains(r#"href="/models?q=zzz""#), "{none}");
    assert!(unknown.contains("There is no task &lt;b&gt;."), "{unknown}");
    let file = file.expect(200);
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = file.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "rank,model_id,aggregate,low,high,tasks,easy,hard");
    assert!(
        lines[1].starts_with("2,alice/second,50,0,100,2,80,70.5"),
        "{text}"
    );
    assert!(lines[3].starts_with("1,bob/third,100,,,1,99,"), "{text}");
}

#[tokio::test]
async fn the_boards_of_several_tasks_lead_to_the_matrix() {
    let hub = hub_with_tasks().await;

    let board = page(&hub, "/datasets/alice/sums/leaderboard/easy").await;

    assert!(board.contains("<a href=\"/datasets/alice/sums/matrix\">All tasks</a>"));
}

#[tokio::test]
async fn the_results_of_the_hub_are_one_matrix_with_facets_a_selection_and_exports() {
    let hub = hub_with_tasks().await;

    let all = page(&hub, "/results?min=1").await;
    let of_bob = page(&hub, "/results?org=bob").await;
    let sized = page(&hub, "/results?size=3").await;
    let selected = page(&hub, "/results?org=bob&models=alice/first&models=bob/third").await;
    let markdown = browse(&hub, Person::Nobody, "/results?min=1&format=md").await;
    let latex = browse(&hub, Person::Nobody, "/results?org=alice&format=tex").await;

    assert_eq!(models(&all).len(), 3);
    assert!(all.contains("leads with an expected win rate of"), "{all}");
    assert!(all.contains("class=\"level\""), "the first is marked");
    assert_eq!(models(&of_bob), ["bob/third"]);
    assert!(
        sized.contains("No model with a result here fits these filters."),
        "{sized}"
    );
    assert!(
        selected.contains("<input type=\"hidden\" name=\"models\" value=\"alice/first\">"),
        "what is selected and not shown stays selected"
    );
    assert!(selected.contains("aria-label=\"Select bob/third\" checked"));
    assert!(selected.contains("Compare (2)"));
    let markdown = markdown.expect(200).text();
    assert!(
        markdown.starts_with("| Rank | Model | Aggregate |"),
        "{markdown}"
    );
    assert!(markdown.contains("**99**"), "the best is bold: {markdown}");
    let latex = latex.expect(200).text();
    assert!(
        latex.contains("\\toprule") && !latex.contains("bob"),
        "{latex}"
    );
}

#[tokio::test]
async fn a_matrix_and_a_board_are_cited_and_described_for_machines() {
    let hub = hub_with_tasks().await;

    let results = page(&hub, "/results").await;
    let board = page(&hub, "/datasets/alice/sums/leaderboard/easy").await;

    assert!(results.contains("@misc{results,"), "{results}");
    assert!(results.contains("<link rel=\"canonical\" href=\"http://"));
    assert!(results.contains("property=\"og:title\" content=\"Results\""));
    assert!(board.contains("@misc{alice-sums-easy,"), "{board}");
    assert!(
        board.contains("?as_of="),
        "the link that keeps these results"
    );
    let described = board.split("application/ld+json\">").nth(1);
    let described = described.and_then(|text| text.split("</script>").next());
    let described: serde_json::Value =
        serde_json::from_str(described.expect("a description")).expect("it is JSON");
    assert_eq!(described["@type"], "Dataset");
    assert_eq!(described["identifier"], "alice/sums");
    let file = described["distribution"][0]["contentUrl"].as_str();
    assert!(file.is_some_and(|file| file.ends_with("leaderboard.csv?task_id=easy")));
}

#[tokio::test]
async fn crawlers_and_language_models_find_what_is_public() {
    let hub = hub_with_tasks().await;

    let robots = page(&hub, "/robots.txt").await;
    let sitemap = page(&hub, "/sitemap.xml").await;
    let llms = page(&hub, "/docs/llms.txt").await;

    assert!(robots.contains("Disallow: /login\n"), "{robots}");
    assert!(robots.contains("/sitemap.xml\n"), "{robots}");
    assert!(sitemap.contains("/datasets/alice/sums</loc>"), "{sitemap}");
    assert!(sitemap.contains("/bob/third</loc><lastmod>"), "{sitemap}");
    assert!(
        llms.contains("/datasets/alice/sums): Adding small numbers"),
        "{llms}"
    );
}

/// The tasks of a benchmark that has more than the matrix of the hub shows.
const MANY: [&str; 9] = ["t9", "t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1"];

/// A hub with a model that has a result on each of many tasks, and on one of another benchmark.
async fn hub_with_many_tasks() -> TestHub {
    let hub = with_benchmark().await;
    let listed = MANY.map(|task| format!("  - {{id: {task}}}\n")).concat();
    let definition = format!(
        "name: Many Tasks\ndescription: More than have columns.\nmetrics:\n  - {{id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true, max: 1.0}}\ntasks:\n{listed}"
    );
    hub.create(Person::Alice, "datasets/alice/many")
        .await
        .expect(200);
    let files = [("eval.yaml", definition.as_str())];
    hub.commit(Person::Alice, "datasets/alice/many", &files)
        .await
        .expect(200);
    let entry = |task: &&str| {
        format!(
            "- dataset:\n    id: alice/many\n    task_id: {task}\n  metrics:\n    - metric_id: accuracy\n      value: 0.75\n"
        )
    };
    let many: String = MANY.iter().map(entry).collect();
    let results = many + &result("easy", "60", "1", "2026-01-02");
    add_model(&hub, Person::Alice, "alice/wide", "# Wide\n", &results).await;
    hub
}

#[tokio::test]
async fn the_page_of_a_model_has_every_task_also_those_without_a_column_in_the_matrix() {
    let hub = hub_with_many_tasks().await;

    let matrix = page(&hub, "/results").await;
    let own = page(&hub, "/alice/wide").await;

    let turned = own.split("id=\"against\"").nth(1).unwrap();
    let turned = turned.split("id=\"results\"").next().unwrap();
    let places = MANY.map(|task| turned.find(&format!("/leaderboard/{task}\"")));
    assert!(places.iter().all(Option::is_some), "{turned}");
    assert!(
        places.is_sorted(),
        "in the order of the definition: {places:?}"
    );
    assert!(!matrix.contains("alice/many/leaderboard/t1\""), "{matrix}");
}

#[tokio::test]
async fn the_columns_of_a_benchmark_are_folded_by_the_address_and_count_as_before() {
    let hub = hub_with_many_tasks().await;
    let many = "/datasets/alice/many/leaderboard/";

    let open = page(&hub, "/results?min=1").await;
    let folded = page(&hub, "/results?min=1&fold=alice/many").await;
    let file = browse(
        &hub,
        Person::Nobody,
        "/results?min=1&fold=alice/many&format=csv",
    )
    .await;
    let unknown = page(&hub, "/results?min=1&fold=alice/nothing").await;
    let all = page(&hub, "/results?min=1&fold=alice/many&fold=alice/sums").await;

    assert!(open.contains("aria-label=\"Fold Many Tasks\""), "{open}");
    assert!(open.contains("fold=alice%2Fmany"), "{open}");
    assert!(folded.contains("Many Tasks, 6 tasks"), "{folded}");
    assert!(!folded.contains(many) && open.contains(many), "{folded}");
    assert!(
        folded.contains("name=\"fold\" value=\"alice/many\""),
        "the form keeps it"
    );
    // Folded tasks are still counted.
    assert!(
        folded.contains("How many tasks have a result.\">of 7</a>"),
        "{folded}"
    );
    let file = file.expect(200).text();
    assert!(!file.contains("alice/many:"), "{file}");
    assert!(unknown.contains(many), "what is not there folds nothing");
    assert!(all.contains(many), "something stays");
}

#[tokio::test]
async fn the_card_of_a_benchmark_says_how_far_the_leader_is_from_the_end_of_the_scale() {
    let hub = hub_with_many_tasks().await;

    let cards = page(&hub, "/benchmarks").await;

    assert!(
        cards.contains("<dt>Headroom</dt><dd>0.25 to 1</dd>"),
        "{cards}"
    );
}
