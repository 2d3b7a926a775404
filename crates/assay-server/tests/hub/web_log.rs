//! Logs that are dropped on a page, by plain forms.

use assay_server::{Answer, Person};
use serde_json::json;

use crate::web_support::{Browser, ORIGIN, form_token, world};

const PLACE: &str = "/new/log";

/// An Inspect log of the task `words` of `alice/sums`.
fn log(model: &str, metric: &str, status: &str) -> String {
    format!(
        r#"{{"version": 2, "status": "{status}", "eval": {{"task": "words", "model": "{model}", "created": "2026-01-01T00:00:00Z",
"dataset": {{"name": "alice/sums", "samples": 1}}}},
"results": {{"total_samples": 1, "completed_samples": 1, "scores": [{{"name": "m", "scorer": "m", "metrics": {{"{metric}": {{"name": "{metric}", "value": 0.75}}}}}}]}},
"samples": [{{"id": 1, "epoch": 1, "input": "a private question", "target": "t", "scores": {{"m": {{"value": 1}}}}}}]}}"#
    )
}

/// Sends files with the form at the place.
async fn drop_files(browser: &mut Browser<'_>, model: &str, files: &[(&str, &str)]) -> Answer {
    let page = browser.get(PLACE).await.expect(200).text();
    let token = form_token(&page);
    let field = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let mut body = field("_form", &token) + &field("model", model);
    for (name, content) in files {
        let file = format!(
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\r\n{content}\r\n"
        );
        body += &file;
    }
    body += "--x--\r\n";
    browser
        .send_raw(PLACE, "multipart/form-data; boundary=x", body)
        .await
}

/// The fields that a page carries to its next form.
fn carried(page: &str) -> Vec<(&'static str, String)> {
    ["log", "harness", "record"]
        .into_iter()
        .flat_map(|name| {
            let start = format!("name=\"{name}\" value=\"");
            page.split(&start)
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
                .map(|value| {
                    let value = value.replace("&quot;", "\"").replace("&#39;", "'");
                    value
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&")
                })
                .map(|value| (name, value))
                .collect::<Vec<_>>()
        })
        .collect()
}

async fn preview(browser: &mut Browser<'_>, page: &str, more: &[(&'static str, &str)]) -> Answer {
    let mut fields = vec![("_form", form_token(page)), ("do", "preview".to_owned())];
    fields.extend(carried(page));
    fields.extend(
        more.iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    browser.post(PLACE, &fields, Some(ORIGIN)).await
}

#[tokio::test]
async fn a_dropped_log_becomes_a_previewed_result_and_nothing_else_of_it_is_shown() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let text = log("alice/small", "accuracy", "success");

    let found = drop_files(&mut bob, "", &[("run.json", &text)])
        .await
        .expect(200)
        .text();

    assert!(found.contains("Inspect AI"), "{found}");
    assert!(found.contains("value=\"alice/sums\""), "{found}");
    assert!(found.contains("value=\"alice/small\""), "{found}");
    assert!(!found.contains("a private question"), "{found}");
    let answers = [
        ("model", "alice/small"),
        ("use", "0"),
        ("benchmark-0", "alice/sums"),
        ("task-0", "words"),
    ];
    let checked = preview(&mut bob, &found, &answers).await.expect(200).text();
    assert!(checked.contains("valid.</strong>"), "{checked}");
    assert!(checked.contains("value: 0.75"), "{checked}");
    assert!(
        checked.contains("name: &quot;inspect-ai&quot;"),
        "{checked}"
    );
    assert!(
        checked.contains("value: 0.5"),
        "what is there stays: {checked}"
    );
    assert!(checked.contains("class=\"own\""), "{checked}");
}

#[tokio::test]
async fn what_a_log_does_not_tell_is_asked_and_never_guessed() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let text = log("somebody/else", "f1", "cancelled");
    let found = drop_files(&mut bob, "alice/small", &[("run.json", &text)])
        .await
        .expect(200)
        .text();

    let answers = [
        ("model", "alice/small"),
        ("use", "0"),
        ("benchmark-0", "alice/sums"),
        ("task-0", "words"),
    ];
    let asked = preview(&mut bob, &found, &answers).await.expect(400).text();

    assert!(asked.contains("choose the scores below"), "{asked}");
    assert!(asked.contains("name=\"score-0\""), "{asked}");
    let more = [("metric-0", "accuracy"), ("score-0", "f1 on words")];
    let chosen: Vec<(&str, &str)> = answers.into_iter().chain(more).collect();
    let wrong = preview(&mut bob, &asked, &chosen).await;
    assert_eq!(wrong.status, 400, "a score that the log does not have");
}

#[tokio::test]
async fn files_without_results_are_named_with_the_reason() {
    let hub = world().await;
    let mut nobody = Browser::new(&hub);

    let refused = drop_files(
        &mut nobody,
        "",
        &[("notes.txt", "hello"), ("broken.eval", "no archive")],
    )
    .await
    .expect(400)
    .text();

    assert!(refused.contains("No results found."), "{refused}");
    assert!(refused.contains("broken.eval"), "{refused}");
    let empty = drop_files(&mut nobody, "", &[]).await.expect(400).text();
    assert!(empty.contains("Choose a log"), "{empty}");
}

#[tokio::test]
async fn a_log_of_a_private_benchmark_tells_strangers_nothing() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let text = log("alice/small", "accuracy", "success");
    let found = drop_files(&mut bob, "alice/small", &[("run.json", &text)])
        .await
        .expect(200)
        .text();
    let with = |benchmark: &'static str| {
        [
            ("model", "alice/small"),
            ("use", "0"),
            ("benchmark-0", benchmark),
            ("task-0", "words"),
        ]
    };

    let missing = preview(&mut bob, &found, &with("alice/secret"))
        .await
        .expect(400)
        .text();

    assert!(missing.contains("alice/secret"), "{missing}");
    let secret =
        json!({ "name": "secret", "organization": "alice", "type": "dataset", "private": true });
    hub.post(Person::Alice, "/api/repos/create", secret)
        .await
        .expect(200);
    let hidden = preview(&mut bob, &found, &with("alice/secret"))
        .await
        .expect(400)
        .text();
    assert_eq!(
        missing.replace(&form_token(&missing), ""),
        hidden.replace(&form_token(&hidden), "")
    );
}
