//! The size of pages.

use std::fmt::Write as _;

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;

use crate::browser::{BOARD, models, with_benchmark};

/// The largest transfer size of a page of a hundred rows, in bytes.
const MOST: usize = 60 * 1024;

/// A board of one model with many runs, which is a row each by the policy `all`.
async fn with_rows(count: usize) -> TestHub {
    let hub = with_benchmark().await;
    hub.create(Person::Alice, "models/alice/many")
        .await
        .expect(200);
    let mut text = String::new();
    for number in 0..count {
        let value = f64::from(u32::try_from(number * 7919 % 9973).unwrap()) / 100.0;
        write!(
            text,
            "- dataset: {{id: alice/sums, task_id: easy}}\n  metrics:\n    - {{metric_id: accuracy, value: {value}}}\n    \
             - {{metric_id: cost_usd, value: {number}.5}}\n  date: \"2026-01-{:02}\"\n  sample_size: {}\n  framework: \
             {{name: adder, version: \"1.{number}\"}}\n  source: {{url: \"https://example.org/runs/{number}\", name: Run \
             {number}}}\n  notes: \"seed {}, temperature 0.{number}, prompt {}\"\n",
            number % 28 + 1,
            100 + number,
            number * 31,
            number * 17,
        )
        .unwrap();
    }
    let files = [(".eval_results/sums.yaml", text.as_str())];
    hub.commit(Person::Alice, "models/alice/many", &files)
        .await
        .expect(200);
    hub
}

#[tokio::test]
async fn the_first_page_of_a_hundred_rows_is_small() {
    let hub = with_rows(250).await;
    let request = Request::get(format!("{BOARD}?policy=all"))
        .header("accept", "text/html")
        .header("accept-encoding", "gzip")
        .body(Body::empty())
        .unwrap();

    let packed = hub.send(Person::Nobody, request).await.expect(200);
    let plain = hub
        .get(Person::Nobody, &format!("{BOARD}?policy=all"))
        .await;

    assert_eq!(models(&plain.text()).len(), 100);
    assert!(plain.text().contains("250 rows, 1 to 100"));
    assert!(packed.body.len() <= MOST, "{} bytes", packed.body.len());
}

#[tokio::test]
async fn the_last_page_has_the_rest_and_every_page_leads_to_it() {
    let hub = with_rows(250).await;

    let last = hub
        .get(Person::Nobody, &format!("{BOARD}?policy=all&page=3"))
        .await
        .expect(200)
        .text();

    assert_eq!(models(&last).len(), 50);
    assert!(last.contains("aria-label=\"Page 3\" aria-current=\"page\""));
    assert!(last.contains(&format!(
        "<a rel=\"prev\" href=\"{BOARD}?policy=all&amp;page=2\">"
    )));
}
