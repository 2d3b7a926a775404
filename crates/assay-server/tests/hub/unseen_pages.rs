//! Private content is on no page, and text of strangers has no effect.

use assay_server::{Person, TestHub};
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::json;

use crate::browser::{BOARD, add_model, browse, page, result, with_benchmark, with_board};

/// Every page that could tell of a model or a benchmark.
const PAGES: [&str; 21] = [
    "/",
    "/changes",
    "/changes?benchmark=alice/sums&task=easy",
    "/changes?from=2020-01-01",
    "/changes?from=2020-01-01&benchmark=alice/sums&task=easy",
    "/feeds/changes",
    "/results",
    "/results/findings",
    "/datasets/alice/sums/findings",
    "/benchmarks",
    "/models",
    "/datasets/alice/sums",
    "/datasets/alice/sums/matrix",
    BOARD,
    "/datasets/alice/sums/embed/leaderboard",
    "/datasets/alice/sums/embed/leaderboard?eval_result=alice/hidden-one",
    "/compare?models=bob/large",
    "/feeds/benchmarks/alice/sums?task=easy",
    "/feeds/organizations/alice",
    "/bob/large",
    "/models?author=alice",
];

async fn hide(hub: &TestHub, repo: &str) {
    let settings = json!({ "private": true });
    hub.put(Person::Alice, &format!("/api/{repo}/settings"), settings)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_private_model_is_on_no_page_of_others() {
    let hub = with_board().await;
    let text = result("easy", "99.90", "1.0", "2026-02-14");
    add_model(
        &hub,
        Person::Alice,
        "alice/hidden-one",
        "---\nlicense: mit\n---\n",
        &text,
    )
    .await;
    hide(&hub, "models/alice/hidden-one").await;

    for person in [Person::Nobody, Person::Bob] {
        for path in PAGES {
            let answer = browse(&hub, person, path).await.expect(200).text();
            let asked_for = path.matches("hidden-one").count();
            assert!(answer.matches("hidden-one").count() <= asked_for, "{path}");
            assert!(!answer.contains("99.9"), "{path}");
        }
        for path in [
            "/alice/hidden-one",
            "/feeds/models/alice/hidden-one",
            "/badges/models/alice/hidden-one/rank.svg?benchmark=alice/sums",
        ] {
            browse(&hub, person, path).await.expect(404);
        }
        let compared = browse(&hub, person, "/compare?models=alice/hidden-one")
            .await
            .text();
        assert!(compared.contains("or it is private"));
    }
    let own = browse(&hub, Person::Alice, BOARD).await.expect(200).text();
    assert!(own.contains("hidden-one") && own.contains("99.9"));
}

#[tokio::test]
async fn a_private_benchmark_is_on_no_page_of_others() {
    let hub = with_board().await;
    hide(&hub, "datasets/alice/sums").await;

    for person in [Person::Nobody, Person::Bob] {
        for path in [
            "/datasets/alice/sums",
            BOARD,
            "/datasets/alice/sums/embed/leaderboard",
            "/feeds/benchmarks/alice/sums",
            "/badges/models/bob/large/rank.svg?benchmark=alice/sums",
        ] {
            browse(&hub, person, path).await.expect(404);
        }
        for path in ["/", "/benchmarks", "/compare?models=bob/large,alice/tuned"] {
            let answer = browse(&hub, person, path).await.expect(200).text();
            assert!(!answer.contains(">Sums<"), "{path}");
        }
    }
    browse(&hub, Person::Alice, BOARD).await.expect(200);
}

#[tokio::test]
async fn what_was_seen_before_it_was_hidden_is_forgotten() {
    let hub = with_board().await;
    for path in PAGES {
        browse(&hub, Person::Nobody, path).await.expect(200);
    }

    hide(&hub, "models/alice/small").await;

    for path in PAGES {
        let answer = browse(&hub, Person::Nobody, path).await.expect(200).text();
        assert!(!answer.contains("alice/small"), "{path}");
    }
}

#[tokio::test]
async fn a_private_model_stands_in_the_matrix_of_those_alone_who_see_it() {
    let hub = with_board().await;
    hide(&hub, "models/alice/small").await;
    let seen_by = |person, path: &'static str| {
        let page = browse(&hub, person, path);
        async { page.await.expect(200).text() }
    };

    let own = seen_by(Person::Alice, "/alice/small").await;
    let results = seen_by(Person::Alice, "/results").await;
    let public = seen_by(Person::Nobody, "/results").await;

    assert!(own.contains("class=\"matrix turned\""), "{own}");
    assert!(results.contains("alice/small"), "{results}");
    assert!(!public.contains("alice/small"), "{public}");
}

/// Texts that do something on a page that trusts them.
const ATTACKS: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "<style>*{display:none}</style>",
    "javascript:alert(1)",
    "{{7*7}}${7*7}",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "x\u{202e}gnp.exe\u{200b}",
    "]]><script>alert(1)</script>",
];

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn assert_inert(page: &str, what: &str) {
    let lower = page.to_lowercase();
    for hole in [
        "<script>",
        "<img src=x",
        "onerror=alert(1)>",
        "<svg/onload",
        "<style>",
        "<iframe",
        "\u{202e}",
        "\u{200b}",
        "href=\"javascript:",
        "src=\"javascript:",
    ] {
        assert!(!lower.contains(hole), "{what}: {hole}");
    }
}

#[tokio::test]
async fn whatever_a_result_says_does_nothing_on_any_page() {
    let hub = with_benchmark().await;
    for (number, attack) in ATTACKS.into_iter().enumerate() {
        let text = quoted(attack);
        let entry = format!(
            "- dataset: {{id: alice/sums, task_id: easy}}\n  metrics:\n    - {{metric_id: accuracy, value: {number}}}\n  \
             date: \"2026-01-01\"\n  framework: {{name: {text}, version: {text}}}\n  source: {{url: \
             \"https://example.org/a\", name: {text}}}\n  notes: {text}\n"
        );
        let card = format!(
            "---\nlicense: {text}\ntags: [{text}]\nbase_model: {text}\n---\n# {attack}\n\n{attack}\n"
        );
        let id = format!("alice/model-{number}");
        let repo = format!("models/{id}");
        hub.create(Person::Alice, &repo).await.expect(200);
        let files = [(".eval_results/sums.yaml", entry.as_str())];
        // What hides characters is refused at the door; the rest has to be shown.
        if hub.commit(Person::Alice, &repo, &files).await.status != 200 {
            continue;
        }
        hub.commit(Person::Alice, &repo, &[("README.md", &card)])
            .await;

        assert_inert(&page(&hub, &format!("/{id}")).await, attack);
        assert_inert(&page(&hub, &format!("/compare?models={id}")).await, attack);
    }
    for path in [
        BOARD.to_owned(),
        "/datasets/alice/sums/embed/leaderboard".to_owned(),
        "/".to_owned(),
        "/models".to_owned(),
        "/feeds/benchmarks/alice/sums".to_owned(),
    ] {
        let shown = page(&hub, &path).await;
        assert_inert(&shown, &path);
    }
    assert!(page(&hub, BOARD).await.contains("&lt;script&gt;alert(1)"));
}

#[tokio::test]
async fn whatever_a_benchmark_says_does_nothing_on_any_page() {
    let hub = TestHub::new().await;
    for (number, attack) in ATTACKS.into_iter().enumerate() {
        let text = quoted(attack);
        let definition = format!(
            "name: {text}\ndescription: {text}\nmetrics:\n  - {{id: a, display_name: {text}, higher_is_better: true, \
             primary: true, unit: {text}}}\ntasks:\n  - {{id: easy, display_name: {text}}}\n  - {{id: hard}}\n"
        );
        let repo = format!("datasets/alice/bench-{number}");
        hub.create(Person::Alice, &repo).await.expect(200);
        let files = [("eval.yaml", definition.as_str())];
        if hub.commit(Person::Alice, &repo, &files).await.status != 200 {
            continue;
        }

        assert_inert(&page(&hub, &format!("/{repo}")).await, attack);
        assert_inert(
            &page(&hub, &format!("/{repo}/embed/leaderboard")).await,
            attack,
        );
        let feed = format!("/feeds/benchmarks/alice/bench-{number}");
        assert_inert(&page(&hub, &feed).await, attack);
    }
    assert_inert(&page(&hub, "/benchmarks").await, "the list");
    assert!(page(&hub, "/benchmarks").await.contains("&lt;script&gt;"));
}

#[tokio::test]
async fn whatever_an_address_says_does_nothing_on_any_page() {
    let hub = with_board().await;
    for attack in ATTACKS {
        let text = percent_encode(attack.as_bytes(), NON_ALPHANUMERIC);
        for path in [
            format!("{BOARD}?q={text}&sort={text}&highlight={text}&cols={text}&max_params={text}"),
            format!("/benchmarks?q={text}&sort={text}"),
            format!("/models?q={text}&author={text}"),
            format!("/compare?models={text}"),
            format!("/datasets/alice/sums/embed/leaderboard?eval_result={text}"),
            format!("/results/findings?code={text}&page={text}"),
            format!("/datasets/alice/sums/findings?task={text}&code={text}"),
            format!("{BOARD}?policy={text}"),
            format!("{BOARD}?as_of={text}"),
            format!("{BOARD}?metric={text}"),
            format!("/datasets/alice/sums/leaderboard/{text}"),
            format!("/{text}/{text}"),
        ] {
            let answer = browse(&hub, Person::Nobody, &path).await;

            assert!(answer.status < 500, "{path}");
            assert_inert(&answer.text(), &path);
        }
    }
}
