//! Parts that every page has in common.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use crate::browser::{BOARD, browse, page, with_board};

#[tokio::test]
async fn a_page_runs_nothing_from_elsewhere_and_is_in_nobodys_frame() {
    let hub = TestHub::new().await;

    let answer = browse(&hub, Person::Nobody, "/").await.expect(200);

    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    for (page, path) in [
        (answer.text(), "/"),
        (page(&hub, "/results").await, "/results"),
    ] {
        let page = without_own_address(&page, path);
        for hole in [
            "<style",
            " style=",
            "<script>",
            " onclick=",
            "http://",
            "https://",
        ] {
            assert!(!page.contains(hole), "{path}: {hole}");
        }
    }
}

/// Removes the places where a page names its own address for readers: a browser fetches none of
/// them.
fn without_own_address(page: &str, path: &str) -> String {
    let address = format!("http://127.0.0.1:8460{path}");
    let canonical = format!("<link rel=\"canonical\" href=\"{address}\">");
    assert!(page.contains(&canonical), "{page}");
    page.replace(&canonical, "")
        .replace(
            &format!("<meta property=\"og:url\" content=\"{address}\">"),
            "",
        )
        .replace(&format!("howpublished = {{\\url{{{address}}}}}"), "")
}

#[tokio::test]
async fn what_a_page_needs_has_a_name_of_its_content_and_is_kept_for_ever() {
    let hub = TestHub::new().await;
    let page = browse(&hub, Person::Nobody, "/").await.expect(200).text();
    let addresses: Vec<&str> = page
        .split('"')
        .filter(|text| text.starts_with("/assets/"))
        .collect();

    assert_eq!(addresses.len(), 4, "{addresses:?}");
    for address in addresses {
        let answer = hub.get(Person::Nobody, address).await.expect(200);
        assert_eq!(
            answer.header("cache-control"),
            Some("public, max-age=31536000, immutable")
        );
        assert!(!answer.body.is_empty());
    }
    hub.get(Person::Nobody, "/assets/style-0000000000000000.css")
        .await
        .expect(404);
}

#[tokio::test]
async fn a_failure_is_a_page_for_a_browser_and_data_for_a_program() {
    let hub = TestHub::new().await;

    let page = browse(&hub, Person::Nobody, "/alice/no-such-model").await;
    let data = hub
        .get(Person::Nobody, "/alice/no-such-model/resolve/main/x")
        .await;
    let api = browse(&hub, Person::Nobody, "/api/models/alice/no-such-model").await;
    let nowhere = browse(&hub, Person::Nobody, "/no/such/place/at/all").await;

    assert_eq!(page.status, 404);
    assert!(page.text().contains("<h1>Page not found</h1>"));
    assert_eq!(data.status, 401);
    assert!(data.json()["error"].is_string());
    assert_eq!(api.status, 401);
    assert!(api.json()["error"].is_string());
    assert_eq!(nowhere.status, 404);
    assert!(nowhere.text().starts_with("<!doctype html>"));
}

#[tokio::test]
async fn a_theme_is_remembered_without_a_script_and_the_way_back_stays_here() {
    let hub = TestHub::new().await;

    let chosen = hub
        .get(Person::Nobody, "/theme?to=dark&back=%2Fbenchmarks%3Fq%3Da")
        .await
        .expect(303);
    let away = hub
        .get(Person::Nobody, "/theme?to=dark&back=%2F%2Fevil.example")
        .await
        .expect(303);
    let wrong = hub.get(Person::Nobody, "/theme?to=pink").await;

    assert_eq!(chosen.header("location"), Some("/benchmarks?q=a"));
    let cookie = chosen.header("set-cookie").unwrap();
    assert!(cookie.starts_with("assay_theme=dark; Path=/;"), "{cookie}");
    assert_eq!(away.header("location"), Some("/"));
    assert_eq!(wrong.status, 400);
    let request = Request::get("/")
        .header("cookie", "assay_theme=dark")
        .body(Body::empty())
        .unwrap();
    let dark = hub.send(Person::Nobody, request).await.text();
    assert!(dark.contains("data-theme=\"dark\""));
    let plain = hub.get(Person::Nobody, "/").await.text();
    assert!(plain.contains("data-theme=\"system\""));
}

#[tokio::test]
async fn a_page_is_packed_for_who_can_unpack_it() {
    let hub = TestHub::new().await;
    let plain = browse(&hub, Person::Nobody, "/").await.expect(200);
    let request = || {
        Request::get("/")
            .header("accept-encoding", "gzip")
            .body(Body::empty())
            .unwrap()
    };

    for _ in 0..2 {
        let packed = hub.send(Person::Nobody, request()).await.expect(200);

        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&*packed.body);
        std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
        assert_eq!(text, plain.text());
    }
}

#[tokio::test]
async fn every_page_says_what_it_shows() {
    let hub = TestHub::new().await;

    for (path, shows) in hub.pages() {
        assert!(path.starts_with('/'), "{path}");
        assert!(shows.ends_with('.') && shows.len() > 10, "{path}: {shows}");
    }
}

#[tokio::test]
async fn the_page_of_a_renamed_repository_leads_to_its_new_name() {
    let hub = with_board().await;
    for (from, to, kind) in [
        ("alice/small", "alice/tiny", "model"),
        ("alice/sums", "alice/additions", "dataset"),
    ] {
        let json = json!({ "fromRepo": from, "toRepo": to, "type": kind });
        hub.post(Person::Alice, "/api/repos/move", json)
            .await
            .expect(200);
    }

    let model = browse(&hub, Person::Nobody, "/alice/small").await;
    let board = browse(&hub, Person::Nobody, &format!("{BOARD}?sort=date")).await;

    assert_eq!(
        (model.status, model.header("location")),
        (307, Some("/alice/tiny"))
    );
    assert_eq!(
        (board.status, board.header("location")),
        (
            307,
            Some("/datasets/alice/additions/leaderboard/easy?sort=date")
        )
    );
}
