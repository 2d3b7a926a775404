use std::collections::BTreeSet;

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;
use serde_json::Value;

async fn document(hub: &TestHub) -> Value {
    hub.get(Person::Nobody, "/api/openapi.json")
        .await
        .expect(200)
        .json()
}

/// An address of this pattern.
fn example(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.find('{') {
        Some(start) if part.contains("{num}") => format!("{}1", &part[..start]),
        Some(start) => {
            let end = part.find('}').unwrap();
            format!("{}x{}", &part[..start], &part[end + 1..])
        }
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn the_description_of_the_api_is_reviewed_when_it_changes() {
    let hub = TestHub::new().await;

    let mut document = document(&hub).await;

    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    document["info"]["version"] = "[version]".into();
    insta::assert_json_snapshot!(document);
}

#[tokio::test]
async fn every_address_takes_the_methods_that_are_described_and_no_other() {
    let hub = TestHub::new().await;
    let document = document(&hub).await;
    let paths = document["paths"].as_object().unwrap();

    assert!(paths.len() > 60, "{}", paths.len());
    for (path, operations) in paths {
        let described: BTreeSet<&str> = operations
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        for method in ["get", "post", "put", "delete", "patch"] {
            let word = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let answer = hub
                .ask(Person::Alice, word, &example(path), Body::empty())
                .await;

            assert_eq!(
                answer.status != 405,
                described.contains(method),
                "{method} {path}"
            );
            assert!(answer.status < 500, "{method} {path}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn ids_of_operations_are_unique_and_parts_of_addresses_are_explained() {
    let hub = TestHub::new().await;
    let document = document(&hub).await;
    let mut ids = BTreeSet::new();

    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id}");
            assert_ne!(operation["tags"][0], "", "{path}");
            for parameter in operation["parameters"].as_array().unwrap() {
                assert_ne!(parameter["description"], "", "{path} {parameter}");
            }
        }
    }
}

#[tokio::test]
async fn people_read_the_same_on_a_page_without_script() {
    let hub = TestHub::new().await;
    let document = document(&hub).await;

    let page = hub.get(Person::Nobody, "/docs/api").await.expect(200);

    let html = page.text();
    for operations in document["paths"].as_object().unwrap().values() {
        for operation in operations.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(html.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
    assert!(!html.contains("<script"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
}
