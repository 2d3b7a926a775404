//! Acts of people on pages, by plain forms and without a script.

use assay_server::{Person, TestHub};

use crate::web_support::{Browser, world};

#[tokio::test]
async fn a_stranger_submits_sees_the_preview_and_the_community_badge() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let begun = bob
        .get("/new/result?model=alice/small&benchmark=alice/sums")
        .await
        .expect(303);
    let form = bob.follow(&begun).await.expect(200).text();
    assert!(
        form.contains("Sum Check") && form.contains("Accuracy"),
        "{form}"
    );

    let check = bob
        .submit(
            &form,
            "/alice/small/submit",
            &[
                ("benchmark", "alice/sums"),
                ("task", "words"),
                ("metric", "accuracy"),
                ("value", "0.65"),
                ("notes", "ran <b>twice</b>"),
                ("do", "check"),
            ],
        )
        .await
        .expect(200)
        .text();

    assert!(check.contains("This file is valid"), "{check}");
    assert!(check.contains("2 ranks would change"), "{check}");
    assert!(
        check.contains("▲ up 1") && check.contains("▼ down 1"),
        "{check}"
    );
    assert!(!check.contains("<b>twice"), "{check}");
    let opened = bob
        .submit(
            &check,
            "/alice/small/submit",
            &[
                ("path", ".eval_results/sums.yaml"),
                ("text", &textarea(&check)),
                ("title", "Add a better run"),
                ("comment", "Ran it **twice**."),
                ("do", "open"),
            ],
        )
        .await
        .expect(303);
    assert_eq!(
        opened.header("location"),
        Some("/alice/small/discussions/1?done=opened")
    );
    let pull = bob.follow(&opened).await.expect(200).text();
    assert!(pull.contains("Add a better run"), "{pull}");
    assert!(pull.contains("<strong>twice</strong>"), "{pull}");
    assert!(
        !pull.contains(">Merge</button>"),
        "a stranger may not merge"
    );
    let board = bob
        .get("/datasets/alice/sums/leaderboard/words?policy=all")
        .await
        .expect(200)
        .text();
    assert!(board.contains("Community"), "{board}");
}

#[tokio::test]
async fn a_result_that_is_wrong_is_shown_with_its_line_and_nothing_is_opened() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let text = "- dataset:\n    id: alice/sums\n    task_id: words\n  metrics:\n    - metric_id: accuracy\n      value: much\n";
    let form = bob
        .get("/alice/small/submit?by=file")
        .await
        .expect(200)
        .text();

    let refused = bob
        .submit(
            &form,
            "/alice/small/submit",
            &[("text", text), ("do", "open")],
        )
        .await
        .expect(200)
        .text();

    assert!(refused.contains("This file is invalid"), "{refused}");
    assert!(refused.contains(", line 6, column"), "{refused}");
    let list = bob
        .get("/alice/small/discussions?kind=all&status=all")
        .await
        .expect(200)
        .text();
    assert!(list.contains("There are none"), "{list}");
}

#[tokio::test]
async fn the_form_names_the_file_after_the_rule_of_its_benchmark() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let begun = bob
        .get("/new/result?model=alice/small&benchmark=alice/sums")
        .await
        .expect(303);
    let form = bob.follow(&begun).await.expect(200).text();
    assert!(
        form.contains("Sum Check") && form.contains("Accuracy"),
        "{form}"
    );

    let check = bob
        .submit(
            &form,
            "/alice/small/submit",
            &[
                ("benchmark", "alice/Sum-Check"),
                ("task", "words"),
                ("metric", "accuracy"),
                ("value", "0.65"),
                ("do", "check"),
            ],
        )
        .await
        .expect(200)
        .text();

    assert!(check.contains(".eval_results/sum_check.yaml"), "{check}");
    assert!(!check.contains("AY321"), "{check}");
}

#[tokio::test]
async fn a_file_is_uploaded_with_the_form() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let form = bob
        .get("/alice/small/submit?by=file")
        .await
        .expect(200)
        .text();
    let token = crate::web_support::form_token(&form);
    let file = crate::web_support::score("0.65");
    let body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"_form\"\r\n\r\n{token}\r\n--x\r\nContent-Disposition: form-data; \
         name=\"do\"\r\n\r\ncheck\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; \
         filename=\"r.yaml\"\r\nContent-Type: text/yaml\r\n\r\n{file}\r\n--x--\r\n"
    );

    let check = bob
        .send_raw(
            "/alice/small/submit",
            "multipart/form-data; boundary=x",
            body,
        )
        .await
        .expect(200)
        .text();

    assert!(check.contains("This file is valid"), "{check}");
    assert!(check.contains("0.65"), "{check}");
}

#[tokio::test]
async fn a_maintainer_sees_who_moves_and_merges() {
    let hub = world().await;
    hub.pull(
        Person::Bob,
        "models/alice/small",
        &[(
            crate::web_support::RESULTS,
            &crate::web_support::score("0.65"),
        )],
    )
    .await
    .expect(200);
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let pull = alice
        .get("/alice/small/discussions/1")
        .await
        .expect(200)
        .text();
    assert!(pull.contains("2 ranks change"), "{pull}");
    let files = alice
        .get("/alice/small/discussions/1/files")
        .await
        .expect(200)
        .text();
    assert!(files.contains("      value: 0.65"), "{files}");

    let merged = alice
        .submit(
            &pull,
            "/alice/small/discussions/1/merge",
            &[("text", "thanks")],
        )
        .await
        .expect(303);

    let after = alice.follow(&merged).await.expect(200).text();
    assert!(after.contains("Merged: the results belong"), "{after}");
    assert!(after.contains("It was merged"), "{after}");
    let board = hub
        .get(
            Person::Nobody,
            "/api/datasets/alice/sums/leaderboard?task=words",
        )
        .await
        .expect(200)
        .json();
    let rows = board.as_array().cloned().unwrap_or_default();
    assert!(
        rows.iter()
            .any(|row| row.to_string().contains("alice/small"))
    );
    assert_eq!(rank_of(&rows, "alice/small"), Some(2));
}

#[tokio::test]
async fn a_pull_request_is_discussed_closed_and_opened_again() {
    let hub = world().await;
    hub.pull(
        Person::Bob,
        "models/alice/small",
        &[(
            crate::web_support::RESULTS,
            &crate::web_support::score("0.65"),
        )],
    )
    .await
    .expect(200);
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let place = "/alice/small/discussions/1";

    let said = bob
        .fill_in(
            place,
            &format!("{place}/comment"),
            &[("text", "please look")],
        )
        .await
        .expect(303);
    let shown = bob.follow(&said).await.expect(200).text();
    let closed = bob
        .send_form(
            &format!("{place}/status"),
            &[
                ("_form", crate::web_support::form_token(&shown)),
                ("status", "closed".to_owned()),
                ("text", String::new()),
            ],
        )
        .await
        .expect(303);
    let over = bob.follow(&closed).await.expect(200).text();

    assert!(shown.contains("please look"), "{shown}");
    assert!(over.contains("It is closed"), "{over}");
    assert!(over.contains("Open again"), "{over}");
    let reopened = bob
        .send_form(
            &format!("{place}/status"),
            &[
                ("_form", crate::web_support::form_token(&over)),
                ("status", "open".to_owned()),
            ],
        )
        .await
        .expect(303);
    let open = bob.follow(&reopened).await.expect(200).text();
    assert!(open.contains("Its results are back"), "{open}");
}

#[tokio::test]
async fn a_benchmark_is_registered_and_its_board_is_open() {
    let hub = TestHub::new().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let check = alice
        .fill_in(
            "/new/benchmark",
            "/new/benchmark",
            &[
                ("owner", "alice"),
                ("name", "puzzles"),
                ("title", "Puzzles"),
                ("about", "Riddles in rhyme."),
                ("primary", "1"),
                ("metric-1", "accuracy"),
                ("metric-name-1", "Accuracy"),
                ("metric-way-1", "higher"),
                ("tasks", "easy\r\nhard\r\n"),
                ("do", "check"),
            ],
        )
        .await
        .expect(200)
        .text();
    assert!(check.contains("This definition is valid"), "{check}");
    hub.get(Person::Nobody, "/api/datasets/alice/puzzles")
        .await
        .expect(401);

    let registered = alice
        .submit(
            &check,
            "/new/benchmark",
            &[
                ("owner", "alice"),
                ("name", "puzzles"),
                ("text", &textarea(&check)),
                ("do", "create"),
            ],
        )
        .await
        .expect(303);

    assert_eq!(
        registered.header("location"),
        Some("/datasets/alice/puzzles?done=registered")
    );
    let page = alice.follow(&registered).await.expect(200).text();
    assert!(page.contains("Puzzles"), "{page}");
    hub.get(
        Person::Nobody,
        "/api/datasets/alice/puzzles/leaderboard?task=hard",
    )
    .await
    .expect(200);
}

#[tokio::test]
async fn a_definition_that_is_wrong_makes_no_repository() {
    let hub = TestHub::new().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;

    let refused = alice
        .fill_in(
            "/new/benchmark",
            "/new/benchmark",
            &[
                ("owner", "alice"),
                ("name", "broken"),
                ("text", "name: 7\ntasks: no\n"),
                ("do", "create"),
            ],
        )
        .await
        .expect(200)
        .text();

    assert!(refused.contains("is invalid"), "{refused}");
    hub.get(Person::Alice, "/api/datasets/alice/broken")
        .await
        .expect(404);
}

#[tokio::test]
async fn findings_come_while_one_types_without_the_frame_of_a_page() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let form = bob
        .get("/alice/small/submit?by=file")
        .await
        .expect(200)
        .text();

    let fragment = bob
        .submit(
            &form,
            "/alice/small/submit",
            &[("text", &crate::web_support::score("0.65")), ("do", "look")],
        )
        .await
        .expect(200)
        .text();

    assert!(!fragment.contains("<html"), "{fragment}");
    assert!(fragment.contains("bob/middle"), "{fragment}");
}

#[tokio::test]
async fn webhooks_are_made_told_and_told_again() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let made = alice
        .fill_in(
            "/alice/small/settings",
            "/webhooks/new",
            &[
                ("place", "model alice/small"),
                ("url", "http://127.0.0.1:9/hook"),
                ("events", "pull_request"),
                ("events", "results"),
            ],
        )
        .await
        .expect(200)
        .text();
    assert!(made.contains("It is shown this once"), "{made}");
    hub.pull(
        Person::Bob,
        "models/alice/small",
        &[(
            crate::web_support::RESULTS,
            &crate::web_support::score("0.65"),
        )],
    )
    .await
    .expect(200);

    let sent = hub.send_webhooks(false).await;

    assert_eq!(sent, 2);
    let page = alice
        .get("/webhooks/deliveries?place=model%20alice%2Fsmall&id=1")
        .await
        .expect(200)
        .text();
    assert!(page.contains("inside a private network"), "{page}");
    assert!(page.contains("Given up"), "{page}");
    let again = alice
        .submit(
            &page,
            "/webhooks/redeliver",
            &[
                ("place", "model alice/small"),
                ("id", "1"),
                ("delivery", "1"),
            ],
        )
        .await
        .expect(303);
    let page = alice.follow(&again).await.expect(200).text();
    assert!(page.contains("Waiting"), "{page}");
}

#[tokio::test]
async fn the_operator_marks_closes_and_locks_out() {
    let hub = world().await;
    let mut root = Browser::of(&hub, Person::Operator).await;
    let marked = root
        .fill_in(
            "/admin/benchmarks",
            "/admin/benchmarks/official",
            &[("id", "alice/sums"), ("official", "yes")],
        )
        .await
        .expect(303);
    let page = root.follow(&marked).await.expect(200).text();
    assert!(page.contains("Remove Official"), "{page}");

    let close = [("kind", "model"), ("id", "bob/large"), ("do", "close")];
    let asked = root
        .fill_in("/admin/moderation", "/admin/moderation", &close)
        .await
        .expect(200)
        .text();
    assert!(asked.contains("Close the model bob/large?"), "{asked}");
    hub.get(Person::Nobody, "/api/models/bob/large")
        .await
        .expect(200);
    confirm(&mut root, "/admin/moderation", &close).await;
    confirm(
        &mut root,
        "/admin/accounts",
        &[("name", "bob"), ("do", "disable")],
    )
    .await;

    hub.get(Person::Nobody, "/api/models/bob/large")
        .await
        .expect(403);
    hub.get(Person::Bob, "/api/whoami-v2").await.expect(401);
    let board = hub
        .get(
            Person::Nobody,
            "/api/datasets/alice/sums/leaderboard?task=words",
        )
        .await
        .expect(200)
        .text();
    assert!(!board.contains("bob/large"), "{board}");
    let closed = root.get("/admin/moderation").await.expect(200).text();
    assert!(closed.contains("bob/large"), "{closed}");
    let enable = [("name", "bob"), ("do", "enable")];
    root.fill_in("/admin/accounts", "/admin/accounts", &enable)
        .await
        .expect(303);
    hub.get(Person::Bob, "/api/whoami-v2").await.expect(200);
    let unmark = [("id", "alice/sums"), ("official", "no")];
    let asked = root
        .fill_in("/admin/benchmarks", "/admin/benchmarks/official", &unmark)
        .await
        .expect(200)
        .text();
    assert!(
        asked.contains("Remove Official from alice/sums?"),
        "{asked}"
    );
}

/// Sends a form of the operator, and answers the question that is asked once.
async fn confirm(root: &mut Browser<'_>, place: &str, fields: &[(&str, &str)]) {
    let asked = root.fill_in(place, place, fields).await.expect(200).text();
    for (name, value) in fields {
        let field = format!("type=\"hidden\" name=\"{name}\" value=\"{value}\"");
        assert!(asked.contains(&field), "{field}: {asked}");
    }
    let sure: Vec<(&str, &str)> = fields.iter().copied().chain([("sure", "yes")]).collect();
    root.submit(&asked, place, &sure).await.expect(303);
}

#[tokio::test]
async fn an_operator_does_not_lock_themselves_out() {
    let hub = TestHub::new().await;
    let mut root = Browser::of(&hub, Person::Operator).await;
    let page = root.get("/admin/accounts").await.expect(200).text();
    let name = hub.get(Person::Operator, "/api/whoami-v2").await.json()["name"].clone();
    let name = name.as_str().unwrap().to_uppercase();

    let own = [("name", name.as_str()), ("do", "disable"), ("sure", "yes")];
    let refused = root.submit(&page, "/admin/accounts", &own).await;

    assert_eq!(refused.status, 400);
    let text = refused.text();
    assert!(
        text.contains("you cannot suspend your own account"),
        "{text}"
    );
    root.get("/admin/accounts").await.expect(200);
}

fn rank_of(rows: &[serde_json::Value], model: &str) -> Option<i64> {
    rows.iter()
        .find(|row| row["modelId"] == model)
        .and_then(|row| row["rank"].as_i64())
}

/// The text of the first text area with a name, as a browser reads it.
fn textarea(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"text\"").unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    let text = rest.split("</textarea>").next().unwrap();
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed_with_the_message_at_the_field() {
    let hub = TestHub::new().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;

    let refused = alice
        .fill_in(
            "/new/model",
            "/new/model",
            &[
                ("owner", "alice"),
                ("name", "bad name!!"),
                ("about", "It adds."),
            ],
        )
        .await
        .expect(400)
        .text();
    let organisation = alice
        .fill_in(
            "/new/organization",
            "/new/organization",
            &[("name", "alice"), ("full_name", "Sums & Co")],
        )
        .await
        .expect(409)
        .text();

    assert!(
        refused.contains("value=\"bad name!!\" aria-invalid=\"true\""),
        "{refused}"
    );
    assert!(refused.contains("value=\"It adds.\""), "{refused}");
    assert!(
        refused.contains("id=\"name-error\" role=\"alert\">"),
        "{refused}"
    );
    assert!(
        organisation.contains("value=\"Sums &amp; Co\""),
        "{organisation}"
    );
    assert!(organisation.contains("id=\"name-error\""), "{organisation}");
}
