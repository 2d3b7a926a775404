//! The pages of a hub about samples: lists, transcripts and comparisons, and texts that would like
//! to be more than texts.

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::ACCEPT;

use crate::hub::Scene;
use crate::support::{Run, World};

/// What strangers write into samples, with what a page must then not have.
const INJECTIONS: [(&str, &str); 7] = [
    ("<script>alert(1)</script>", "<script>alert"),
    ("<img src=x onerror=alert(1)>", "<img src=x"),
    ("<svg onload=alert(1)>", "<svg onload"),
    ("</pre></article><iframe src=//evil.example>", "<iframe"),
    ("\"><b id=inject>", "\"><b id=inject"),
    ("<!--transcript-->", "<!--transcript-->"),
    ("gpt\u{202e}4o", "\u{202e}"),
];

async fn browse(hub: &TestHub, path: &str) -> Answer {
    let request = Request::get(path)
        .header(ACCEPT, "text/html")
        .body(Body::empty())
        .unwrap();
    hub.send(Person::Nobody, request).await
}

async fn page(scene: &Scene, path: &str) -> String {
    browse(&scene.hub, path).await.expect(200).text()
}

/// The words of a page in order, without its tags.
fn words(page: &str) -> String {
    let mut words = String::new();
    let mut is_inside = false;
    for character in page.chars() {
        match character {
            '<' => is_inside = true,
            '>' => {
                is_inside = false;
                words.push(' ');
            }
            _ if !is_inside => words.push(character),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn every_task_with_samples_can_be_chosen() {
    let scene = Scene::new().await;

    let all = words(&page(&scene, "/samples").await);
    let by_dataset = words(&page(&scene, "/samples?benchmark=acme/sums").await);

    assert!(all.contains("sums arith exact_match 3 8"), "{all}");
    assert!(all.contains("summaries prose rouge 2 4"), "{all}");
    assert!(by_dataset.contains("Samples of sums"), "{by_dataset}");
}

#[tokio::test]
async fn samples_are_listed_from_hard_to_easy_with_who_is_right() {
    let scene = Scene::new().await;

    let hard = words(&page(&scene, "/samples?benchmark=arith&task=sums").await);
    let easy = words(&page(&scene, "/samples?benchmark=arith&task=sums&sort=easy").await);

    assert!(hard.contains("Samples 1 to 8 of 8"), "{hard}");
    let first = |page: &str, needle: &str| page.find(needle).unwrap_or_else(|| panic!("{page}"));
    assert!(first(&hard, "0 of 3") < first(&hard, "3 of 3"), "{hard}");
    assert!(first(&easy, "3 of 3") < first(&easy, "0 of 3"), "{easy}");
    assert!(hard.contains("sums: 1 + 1 3 of 3"), "{hard}");
    assert!(hard.contains("acme/large 0.75 on 8"), "{hard}");
}

#[tokio::test]
async fn a_list_is_narrowed_by_model_outcome_slice_and_text() {
    let scene = Scene::new().await;
    let of = "/samples?benchmark=arith&task=sums";

    for (filter, expected) in [
        ("&model=acme/small&outcome=right", "Samples 1 to 4 of 4"),
        ("&model=zeta/base&outcome=wrong", "Samples 1 to 6 of 6"),
        ("&outcome=right", "Samples 1 to 2 of 2"),
        ("&outcome=wrong", "Samples 1 to 1 of 1"),
        ("&outcome=split", "Samples 1 to 5 of 5"),
        ("&slice=parity%3Deven", "Samples 1 to 4 of 4"),
        ("&q=SUMS%3A+3", "Samples 1 to 1 of 1"),
        ("&q=%27+OR+1%3D1+--", "No sample is like that"),
        ("&model=no/body", "No sample is like that"),
        ("&page=99", "Samples 1 to 8 of 8"),
    ] {
        let page = words(&page(&scene, &format!("{of}{filter}")).await);

        assert!(page.contains(expected), "{filter}: {page}");
    }
}

#[tokio::test]
async fn a_sample_leads_to_its_transcript() {
    let scene = Scene::new().await;
    let list = page(&scene, "/samples?benchmark=tools&task=errands").await;
    let (_, rest) = list.split_once("href=\"/samples/transcript").unwrap();
    let address = rest.split('"').next().unwrap().replace("&amp;", "&");

    let transcript = page(&scene, &format!("/samples/transcript{address}")).await;

    let words = words(&transcript);
    assert!(words.contains("zeta/base On the sample"), "{words}");
    let turns = [
        "Question",
        "User",
        "Tool calls",
        "tool sum",
        "Assistant so it is",
    ];
    let places: Vec<usize> = turns
        .iter()
        .map(|turn| {
            words
                .find(turn)
                .unwrap_or_else(|| panic!("{turn}: {words}"))
        })
        .collect();
    assert!(places.is_sorted(), "{words}");
    assert!(transcript.ends_with("</html>"), "{transcript}");
}

#[tokio::test]
async fn what_has_no_transcript_is_not_found() {
    let scene = Scene::new().await;

    for path in [
        "/samples/transcript",
        "/samples/transcript?benchmark=arith&sample=none",
        "/samples/transcript?benchmark=arith&sample=%27+OR+1%3D1+--",
    ] {
        browse(&scene.hub, path).await.expect(404);
    }
}

#[tokio::test]
async fn two_models_meet_head_to_head() {
    let scene = Scene::new().await;

    let page = words(
        &page(
            &scene,
            "/head-to-head?a=acme/small&b=acme/large&task=sums&benchmark=arith",
        )
        .await,
    );

    assert!(
        page.contains("acme/large scores 0.25 higher than acme/small"),
        "{page}"
    );
    assert!(page.contains("A right 3 1 A wrong 3 1"), "{page}");
    assert!(page.contains("Mean of A 0.5 by exact_match"), "{page}");
    assert!(page.contains("chance alone explains as much"), "{page}");
    assert!(!page.contains("p ="), "{page}");
    assert!(
        page.contains("sums: 4 + 1") && page.contains("it is 5"),
        "{page}"
    );
}

#[tokio::test]
async fn what_cannot_be_compared_is_said_on_the_page() {
    let scene = Scene::new().await;

    let none = words(&page(&scene, "/head-to-head").await);
    let unknown = words(&page(&scene, "/head-to-head?a=acme/small&b=no/body").await);

    assert!(none.contains("Name two models"), "{none}");
    assert!(
        unknown.contains("`no/body` has no such samples"),
        "{unknown}"
    );
    assert!(!unknown.contains("assay query"), "{unknown}");
}

#[tokio::test]
async fn what_a_sample_says_does_nothing() {
    let world = World::new();
    let run = &Run::all()[0];
    let (texts, _): (Vec<&str>, Vec<&str>) = INJECTIONS.iter().copied().unzip();
    let hostile = serde_json::to_string(&texts.join(" ")).unwrap();
    let hostile = hostile.trim_matches('"');
    let rows = String::from_utf8(run.rows()).unwrap();
    let rows = rows
        .replace("it is 2", hostile)
        .replace("sums: 5 + 1", hostile)
        .into_bytes();
    let path = run.write(world.root.path());
    let samples = path.with_file_name(format!("{}_samples.jsonl", run.uuid()));
    std::fs::write(samples, &rows).unwrap();
    std::fs::write(&path, run.record(&rows).to_string()).unwrap();
    let report = world.ingest();
    assert!(report.refused.is_empty(), "{:?}", report.refused);
    let scene = Scene::of(world).await;
    let list = "/samples?benchmark=arith&task=sums&model=acme/small";
    let list = page(&scene, list).await;
    let mut pages = vec![list.clone()];
    for rest in list.split("href=\"/samples/transcript").skip(1) {
        let address = rest.split('"').next().unwrap().replace("&amp;", "&");
        pages.push(page(&scene, &format!("/samples/transcript{address}")).await);
    }
    pages.push(page(&scene, "/head-to-head?a=acme/small&b=acme/large&task=sums").await);

    let shown = pages.iter().filter(|page| page.contains("&lt;script&gt;"));
    assert!(shown.count() >= 3, "the texts are shown");
    for page in &pages {
        for (_, hole) in INJECTIONS {
            assert!(!page.contains(hole), "`{hole}`: {page}");
        }
    }
}

#[tokio::test]
async fn without_a_lake_the_pages_say_so() {
    let hub = TestHub::new().await;

    for path in ["/samples", "/head-to-head?a=x/y&b=x/z"] {
        let page = browse(&hub, path).await.expect(501).text();

        assert!(page.contains("this hub has no lake"), "{path}: {page}");
    }
}
