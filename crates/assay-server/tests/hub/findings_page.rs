//! The pages and the API that list findings.

use std::fmt::Write as _;

use assay_server::{Person, TestHub};
use serde_json::json;

use crate::browser::{BOARD, add_model, browse, models, page, result, with_benchmark, with_board};

const OF_BOARD: &str = "/datasets/alice/sums/findings";
const OF_HUB: &str = "/results/findings";
const API_OF_BOARD: &str = "/api/datasets/alice/sums/findings";
const API_OF_HUB: &str = "/api/assay/findings";

/// A score that no number of right answers among 25 gives.
fn unreachable(task: &str) -> String {
    format!(
        "- dataset: {{id: alice/sums, task_id: {task}}}\n  metrics:\n    - {{metric_id: accuracy, value: 79.12345678, \
         value_type: percentage, sample_size: 25}}\n"
    )
}

/// A share on a board of per cent.
const SHARE: &str = "- dataset: {id: alice/sums, task_id: hard}\n  metrics:\n    - {metric_id: accuracy, value: 0.734}\n";

/// A board of four models without findings, and two models with one each, the second one newer.
async fn with_findings() -> TestHub {
    let hub = with_board().await;
    add_model(
        &hub,
        Person::Bob,
        "bob/doubt",
        "# A\n",
        &unreachable("easy"),
    )
    .await;
    hub.pass(60);
    add_model(&hub, Person::Alice, "alice/share", "# B\n", SHARE).await;
    hub
}

#[tokio::test]
async fn findings_of_a_board_have_code_message_row_and_evidence() {
    let hub = with_findings().await;

    let list = page(&hub, OF_BOARD).await;

    assert_eq!(models(&list).len(), 2, "{list}");
    assert!(list.contains("<caption>2 results</caption>"), "{list}");
    assert!(
        list.contains("<a href=\"/docs/codes/AY607\">AY607</a> no number of right answers"),
        "{list}"
    );
    assert!(list.contains("<a href=\"/docs/codes/AY601\">AY601</a> "));
    assert!(list.contains("<span class=\"badge doubt\">value in doubt</span>"));
    assert!(list.contains(
        "href=\"/datasets/alice/sums/leaderboard/easy?highlight=bob%2Fdoubt#highlighted\">Sums: easy</a>"
    ));
    assert!(
        list.contains("href=\"/bob/doubt/results/at/0/.eval_results/sums.yaml#findings\""),
        "{list}"
    );
    let newest = list.find("alice/share").unwrap();
    assert!(newest < list.find("bob/doubt").unwrap(), "newest first");
}

#[tokio::test]
async fn board_and_matrix_lead_to_their_findings() {
    let hub = with_findings().await;

    for (path, link) in [
        (BOARD, "/datasets/alice/sums/findings?task=easy"),
        ("/datasets/alice/sums/matrix", OF_BOARD),
        ("/results", OF_HUB),
    ] {
        let page = page(&hub, path).await;
        assert!(page.contains(&format!("href=\"{link}\"")), "{path}: {page}");
    }
}

#[tokio::test]
async fn findings_are_filtered_by_rule_and_task() {
    let hub = with_findings().await;

    let by_rule = page(&hub, &format!("{OF_BOARD}?code=ay607")).await;
    let by_task = page(&hub, &format!("{OF_BOARD}?task=hard")).await;
    let none = page(&hub, &format!("{OF_BOARD}?code=AY601&task=easy")).await;
    let wrong = browse(&hub, Person::Nobody, &format!("{OF_BOARD}?code=scale")).await;
    let unknown = browse(&hub, Person::Nobody, &format!("{OF_BOARD}?task=nope")).await;

    assert!(by_rule.contains("<caption>1 result</caption>"), "{by_rule}");
    assert!(by_rule.contains("selected>AY607 unreachable-score (1)</option>"));
    assert!(
        by_rule.contains("AY601 implausible-scale (1)</option>"),
        "{by_rule}"
    );
    assert!(by_rule.contains("bob/</span>doubt") && !by_rule.contains("</span>share"));
    assert!(by_task.contains("</span>share") && !by_task.contains("</span>doubt"));
    assert!(none.contains("AY601 finds nothing here."), "{none}");
    assert!(none.contains(&format!("<a href=\"{OF_BOARD}\">Show all findings</a>")));
    assert_eq!(wrong.status, 400);
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn a_board_without_findings_says_so() {
    let hub = with_board().await;

    let of_board = page(&hub, OF_BOARD).await;
    let of_hub = page(&hub, OF_HUB).await;
    let api = hub.get(Person::Nobody, API_OF_HUB).await.expect(200);

    for list in [of_board, of_hub] {
        assert!(
            list.contains("The rules find nothing in these results."),
            "{list}"
        );
    }
    assert_eq!(api.header("x-total-count"), Some("0"));
    assert_eq!(api.json(), json!([]));
    browse(&hub, Person::Nobody, "/datasets/alice/none/findings")
        .await
        .expect(404);
}

#[tokio::test]
async fn a_finding_goes_when_the_result_is_corrected() {
    let hub = with_findings().await;
    let before = page(&hub, OF_HUB).await;

    let right = result("easy", "79", "1.0", "2026-02-14");
    let files = [(".eval_results/sums.yaml", right.as_str())];
    hub.commit(Person::Bob, "models/bob/doubt", &files)
        .await
        .expect(200);

    let after = page(&hub, OF_HUB).await;
    assert!(before.contains("AY607") && !after.contains("AY607"));
    assert!(after.contains("AY601"), "{after}");
}

#[tokio::test]
async fn findings_of_a_private_model_or_benchmark_are_for_those_who_see_it() {
    let hub = with_findings().await;
    let seen_by = |person, path: &'static str| {
        let page = browse(&hub, person, path);
        async { page.await.expect(200).text() }
    };
    let hide = async |repo: &str| {
        let settings = json!({ "private": true });
        hub.put(Person::Alice, &format!("/api/{repo}/settings"), settings)
            .await
            .expect(200);
    };

    hide("models/alice/share").await;

    for path in [OF_BOARD, OF_HUB] {
        for person in [Person::Nobody, Person::Bob] {
            let list = seen_by(person, path).await;
            assert!(!list.contains("AY601"), "{path}");
            assert!(list.contains("AY607"), "{path}");
        }
        assert!(seen_by(Person::Alice, path).await.contains("AY601"));
    }
    for path in [API_OF_BOARD, API_OF_HUB] {
        let total = hub.get(Person::Bob, path).await.expect(200);
        assert_eq!(total.header("x-total-count"), Some("1"), "{path}");
    }

    hide("datasets/alice/sums").await;

    browse(&hub, Person::Bob, OF_BOARD).await.expect(404);
    hub.get(Person::Bob, API_OF_BOARD).await.expect(404);
    assert!(!seen_by(Person::Bob, OF_HUB).await.contains("AY607"));
    assert!(seen_by(Person::Alice, OF_HUB).await.contains("AY607"));
}

#[tokio::test]
async fn findings_have_pages_and_one_that_does_not_exist_is_the_nearest() {
    let hub = with_benchmark().await;
    hub.create(Person::Alice, "models/alice/many")
        .await
        .expect(200);
    let mut text = String::new();
    for number in 0..60 {
        write!(
            text,
            "- dataset: {{id: alice/sums, task_id: easy}}\n  metrics:\n    - {{metric_id: accuracy, value: 0.{}}}\n  \
             setup: {{seed: \"{number}\"}}\n",
            100 + number
        )
        .unwrap();
    }
    let files = [(".eval_results/sums.yaml", text.as_str())];
    hub.commit(Person::Alice, "models/alice/many", &files)
        .await
        .expect(200);

    let first = page(&hub, OF_BOARD).await;
    let last = page(&hub, &format!("{OF_BOARD}?page=2")).await;
    let beyond = page(&hub, &format!("{OF_BOARD}?page=99")).await;
    let api = hub
        .get(Person::Nobody, &format!("{API_OF_BOARD}?limit=50"))
        .await
        .expect(200);

    assert_eq!(models(&first).len(), 50);
    assert!(
        first.contains("<caption>60 results, 1 to 50</caption>"),
        "{first}"
    );
    assert!(first.contains(&format!("<a rel=\"next\" href=\"{OF_BOARD}?page=2\">")));
    assert_eq!(models(&last).len(), 10);
    assert_eq!(models(&beyond).len(), 10);
    assert_eq!(api.json().as_array().unwrap().len(), 50);
    let next = api.header("link").unwrap().to_owned();
    assert!(
        next.contains("/api/datasets/alice/sums/findings?limit=50&offset=50>; rel=\"next\""),
        "{next}"
    );
}

#[tokio::test]
async fn the_api_lists_the_same_results_with_their_places() {
    let hub = with_findings().await;

    let of_board = hub.get(Person::Nobody, API_OF_BOARD).await.expect(200);
    let of_hub = hub.get(Person::Nobody, API_OF_HUB).await.expect(200);
    let by_rule = format!("{API_OF_BOARD}?code=AY607&task_id=easy");
    let by_rule = hub.get(Person::Nobody, &by_rule).await.expect(200).json();
    let wrong = hub
        .get(Person::Nobody, &format!("{API_OF_HUB}?code=AY6"))
        .await;

    assert_eq!(of_board.header("x-total-count"), Some("2"));
    assert_eq!(of_board.json(), of_hub.json());
    assert_eq!(by_rule.as_array().unwrap().len(), 1);
    let one = &by_rule[0];
    assert_eq!(one["datasetId"], "alice/sums");
    assert_eq!(one["taskId"], "easy");
    assert_eq!(one["modelId"], "bob/doubt");
    assert_eq!(one["metricId"], "accuracy");
    assert_eq!(one["value"], 79.123_456_78);
    assert_eq!(one["filename"], ".eval_results/sums.yaml");
    assert_eq!(one["ordinal"], 0);
    assert_eq!(one["findings"][0]["code"], "AY607");
    let url = one["url"].as_str().unwrap();
    assert!(
        url.starts_with("http") && url.ends_with("/bob/doubt/results/at/0/.eval_results/sums.yaml"),
        "{url}"
    );
    assert_eq!(wrong.status, 400);
}
