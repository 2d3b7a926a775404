//! The documentation on a hub.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;

use crate::browser::page;

/// The addresses of the links of a page.
fn addresses(html: &str) -> impl Iterator<Item = &str> {
    html.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
}

#[tokio::test]
async fn every_page_of_the_documentation_is_reached_from_the_first_and_its_anchors_exist() {
    let hub = TestHub::new().await;
    let first = page(&hub, "/docs").await;
    let listed: Vec<&str> = addresses(&first)
        .filter(|address| address.starts_with("/docs/"))
        .collect();
    assert!(listed.len() > 30, "{listed:?}");

    let mut dead = Vec::new();
    let mut anchors = 0;
    for path in listed.iter().filter(|path| !path.contains("/schemas/")) {
        let html = page(&hub, path).await;
        for address in addresses(&html) {
            let (to, anchor) = address.split_once('#').unwrap_or((address, ""));
            let is_listed = to.is_empty() || listed.contains(&to.trim_end_matches(".md"));
            if anchor.is_empty() || !is_listed {
                continue;
            }
            let target = match to {
                "" => html.clone(),
                to => page(&hub, to).await,
            };
            anchors += 1;
            if !target.contains(&format!(" id=\"{anchor}\"")) {
                dead.push(format!("{path}: {address}"));
            }
        }
    }

    assert_eq!(dead, Vec::<String>::new());
    assert!(anchors > 50, "{anchors} links to headings");
}

#[tokio::test]
async fn examples_for_users_name_this_hub() {
    let hub = TestHub::new().await;
    let ask = |path: &'static str| {
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("host", "evals.acme.example");
        hub.send(Person::Nobody, request.body(Body::empty()).unwrap())
    };

    let clients = ask("/docs/hub-clients").await.expect(200).text();
    let tutorial = ask("/docs/tutorial").await.expect(200).text();

    assert!(
        clients.contains("HF_ENDPOINT=http://evals.acme.example "),
        "{clients}"
    );
    assert!(!clients.contains("127.0.0.1:8460") && !clients.contains("hub.example"));
    assert!(tutorial.contains("http://127.0.0.1:8460"), "{tutorial}");
}
