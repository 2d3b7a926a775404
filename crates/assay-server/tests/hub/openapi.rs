use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;
use serde_json::Value;

mod answers;

async fn document() -> Value {
    let hub = TestHub::new().await;
    hub.get(Person::Nobody, "/api/openapi.json")
        .await
        .expect(200)
        .json()
}

/// Each path with its methods in capitals.
fn methods(document: &Value) -> BTreeMap<&str, BTreeSet<String>> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            (
                path.as_str(),
                methods.map(|method| method.to_uppercase()).collect(),
            )
        })
        .collect()
}

fn operations(document: &Value) -> Vec<&Value> {
    let items = document["paths"].as_object().unwrap().values();
    items
        .flat_map(|item| item.as_object().unwrap().values())
        .collect()
}

/// The paths that a router has, as its own description for debugging tells them.
fn paths_of(router: &axum::Router) -> BTreeSet<String> {
    let text = format!("{router:?}");
    let (routes, _) = text.split_once("fallback_router").unwrap();
    let quoted = routes.split('"').skip(1).step_by(2);
    quoted
        .filter(|text| text.starts_with('/'))
        .map(|path| path.replace("{*", "{"))
        .collect()
}

#[tokio::test]
async fn the_document_is_the_one_in_the_documentation() {
    let hub = TestHub::new().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");

    let served = hub
        .get(Person::Nobody, "/api/openapi.json")
        .await
        .expect(200)
        .text();

    if std::env::var_os("ASSAY_UPDATE").is_some() {
        std::fs::write(&path, &served).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == served,
        "`docs/openapi.json` is stale; run the test again with ASSAY_UPDATE=1"
    );
}

#[tokio::test]
async fn every_path_of_the_router_is_in_the_document_and_no_other() {
    let hub = TestHub::new().await;
    let document = document().await;

    let routed = paths_of(&hub.routes());

    let described: BTreeSet<String> = methods(&document).into_keys().map(str::to_owned).collect();
    assert_eq!(routed, described);
}

#[tokio::test]
async fn every_method_that_is_allowed_is_in_the_document_and_no_other() {
    let hub = TestHub::new().await;
    let document = document().await;

    for (path, mut described) in methods(&document) {
        let somewhere = path
            .replace("{kind}", "model")
            .replace('{', "x")
            .replace('}', "");

        let answer = hub
            .ask(Person::Nobody, Method::TRACE, &somewhere, Body::empty())
            .await;

        let allowed = answer.header("allow").unwrap_or_default();
        let allowed: BTreeSet<String> = allowed.split(',').map(str::to_owned).collect();
        if described.contains("GET") {
            described.insert("HEAD".to_owned());
        }
        assert_eq!(answer.status, 405, "{path}");
        assert_eq!(allowed, described, "{path}");
    }
}

#[tokio::test]
async fn every_operation_says_what_it_does_takes_answers_and_who_may_ask() {
    let document = document().await;

    let mut names = BTreeSet::new();
    for operation in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name), "`{name}` names two operations");
        assert!(
            operation["summary"].as_str().unwrap().ends_with('.'),
            "{name}"
        );
        assert!(
            !operation["security"].as_array().unwrap().is_empty(),
            "{name}"
        );
        let answers = operation["responses"].as_object().unwrap();
        let is_never_answered = name == "tolerated.harnesses";
        let is_answered = answers.keys().any(|status| status.starts_with('2'));
        assert!(is_answered || is_never_answered, "{name}");
        assert!(answers.contains_key("500"), "{name}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let said = parameter["description"].as_str();
            assert!(
                said.is_some_and(|said| !said.is_empty()),
                "{name}: {parameter}"
            );
        }
    }
}

#[tokio::test]
async fn every_shape_that_is_spoken_of_is_there() {
    let document = document().await;
    let text = document.to_string();
    let mut spoken: BTreeSet<&str> = BTreeSet::new();
    for place in text.split(r##""$ref":"#"##).skip(1) {
        spoken.insert(place.split('"').next().unwrap());
    }

    let missing: Vec<&&str> = spoken
        .iter()
        .filter(|place| document.pointer(place).is_none())
        .collect();

    assert!(spoken.len() > 50, "{spoken:?}");
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test]
async fn the_page_shows_every_path_and_asks_for_nothing_from_elsewhere() {
    let hub = TestHub::new().await;
    let document = document().await;

    let answer = hub.get(Person::Nobody, "/api/docs").await.expect(200);

    let page = answer.text();
    for path in methods(&document).keys() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
    }
    for hole in [
        "<script", "<link", "<img", "<iframe", "src=", "style=", "@import", "url(", "http:",
        "https:",
    ] {
        assert!(!page.contains(hole), "{hole}");
    }
    assert!(!page.contains("<dd></dd>"), "a key is not described");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
}

#[tokio::test]
async fn every_link_of_the_page_leads_somewhere_and_every_name_is_given_once() {
    let hub = TestHub::new().await;

    let page = hub
        .get(Person::Nobody, "/api/docs")
        .await
        .expect(200)
        .text();

    let values = |attribute: &str| -> Vec<String> {
        let begin = format!(" {attribute}=\"");
        let parts = page.split(&begin).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().to_owned())
            .collect()
    };
    let ids = values("id");
    let names: BTreeSet<&String> = ids.iter().collect();
    let links = values("href");
    assert_eq!(ids.len(), names.len());
    assert!(links.len() > 100);
    for link in links.iter().filter_map(|link| link.strip_prefix('#')) {
        assert!(
            ids.iter().any(|id| id == link),
            "nothing is called `{link}`"
        );
    }
}

#[tokio::test]
async fn nobody_can_have_a_namespace_that_is_part_of_an_address() {
    let document = document().await;
    let pages = TestHub::new().await.pages();

    let routes = methods(&document).into_keys().map(str::to_owned);
    let paths: Vec<String> = routes
        .chain(pages.into_iter().map(|(path, _)| path))
        .collect();
    let first_parts: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.split('/').nth(1))
        .filter(|part| !part.is_empty() && !part.contains('{'))
        .collect();

    for part in ["api", "avatars", "samples", "head-to-head", "settings"] {
        assert!(first_parts.contains(part), "{part}");
    }
    for part in first_parts {
        assert!(assay_model::is_reserved_namespace(part), "{part}");
    }
}
