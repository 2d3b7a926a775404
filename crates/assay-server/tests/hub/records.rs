use assay_server::{Person, TestHub};
use serde_json::Value;

const RECORD: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11.json"
);
const FOLDER: &str = "data/sum-check/acme/tiny-adder";
const STORE: &str = "datasets/alice/store";

/// The record of the example, without its samples.
fn record() -> String {
    let mut record: Value = serde_json::from_str(RECORD).unwrap();
    let map = record.as_object_mut().unwrap();
    map.remove("detailed_evaluation_results");
    record.to_string()
}

/// A hub with three records.
async fn with_records() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, STORE).await.expect(200);
    let paths = [1, 2, 3].map(|n| format!("{FOLDER}/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a1{n}.json"));
    let record = record();
    let files = paths
        .each_ref()
        .map(|path| (path.as_str(), record.as_str()));
    hub.commit(Person::Alice, STORE, &files).await.expect(200);
    hub
}

#[tokio::test]
async fn records_are_listed_page_by_page_with_what_they_say() {
    let hub = with_records().await;

    let first = hub
        .get(Person::Nobody, "/api/datasets/alice/store/records?limit=2")
        .await;
    let first = first.expect(200);
    let link = first.headers["link"].to_str().unwrap();
    let next = link.split(['<', '>']).nth(1).unwrap();
    let path = next.strip_prefix("http://127.0.0.1:8460").unwrap();
    let second = hub.get(Person::Nobody, path).await;
    let second = second.expect(200);

    assert_eq!(first.headers["x-total-count"], "3");
    let (one, two) = (first.json(), second.json());
    assert_eq!(
        (one.as_array().unwrap().len(), two.as_array().unwrap().len()),
        (2, 1)
    );
    assert_eq!(
        two[0]["path"],
        format!("{FOLDER}/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a13.json")
    );
    assert_eq!(two[0]["facts"]["model_id"], "acme/tiny-adder");
    assert!(two[0]["facts"]["results"][0]["score"].is_number(), "{two}");
    assert!(!second.headers.contains_key("link"));
}

#[tokio::test]
async fn records_of_another_benchmark_are_not_listed_and_a_path_is_none() {
    let hub = with_records().await;
    let records = async |query: &str| {
        let path = format!("/api/datasets/alice/store/records?{query}");
        hub.get(Person::Nobody, &path).await
    };

    let none = records("benchmark=other").await.expect(200).json();
    let all = records("benchmark=sum-check").await.expect(200).json();
    let path = records("benchmark=..").await;

    assert_eq!(none.as_array().unwrap().len(), 0);
    assert_eq!(all.as_array().unwrap().len(), 3);
    path.expect(400);
}
