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
    assert_eq!(
        all.matches("<td class=\"n\">").count(),
        1,
        "one cell has no result"
    );
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
    assert!(none.contains("No model fits <em>zzz</em>"));
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
