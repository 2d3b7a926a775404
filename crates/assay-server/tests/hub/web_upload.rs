//! Files uploaded from a browser, by a plain form.

use assay_server::{Answer, Person, TestHub};

use crate::web_support::{Browser, RESULTS, form_token, score, world};

const PLACE: &str = "/alice/small/upload/main";

/// A form as a browser sends it: fields, and files with their content.
fn multipart(fields: &[(&str, &str)], files: &[(&str, &str)]) -> String {
    let fields = fields.iter().map(|(name, value)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    });
    let files = files.iter().map(|(name, content)| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n{content}\r\n"
        )
    });
    let body: String = fields.chain(files).collect();
    body + "--x--\r\n"
}

/// Opens the form at a place and sends it with these fields and files.
async fn upload(
    browser: &mut Browser<'_>,
    place: &str,
    fields: &[(&str, &str)],
    files: &[(&str, &str)],
) -> Answer {
    let page = browser.get(place).await.expect(200).text();
    assert!(page.contains("enctype=\"multipart/form-data\""), "{page}");
    let token = form_token(&page);
    let fields: Vec<(&str, &str)> = [("_form", token.as_str())]
        .into_iter()
        .chain(fields.iter().copied())
        .collect();
    let body = multipart(&fields, files);
    browser
        .send_raw(place, "multipart/form-data; boundary=x", body)
        .await
}

async fn content(hub: &TestHub, path: &str) -> Answer {
    let place = format!("/alice/small/resolve/main/{path}");
    hub.get(Person::Nobody, &place).await
}

#[tokio::test]
async fn an_owner_uploads_a_folder_to_a_branch_with_a_message() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let files = alice.get("/alice/small/tree/main").await.expect(200).text();
    assert!(files.contains(&format!("href=\"{PLACE}\"")), "{files}");

    let sent = upload(
        &mut alice,
        PLACE,
        &[
            ("folder", "notes"),
            ("title", "Notes on the run"),
            ("comment", "By hand."),
            ("as", "direct"),
        ],
        &[("a.txt", "one"), ("deep/b.txt", "two\r\n")],
    )
    .await
    .expect(303);

    let commit = alice.follow(&sent).await.expect(200).text();
    assert!(commit.contains("Notes on the run"), "{commit}");
    assert!(commit.contains("By hand."), "{commit}");
    assert_eq!(content(&hub, "notes/a.txt").await.expect(200).text(), "one");
    let deep = content(&hub, "notes/deep/b.txt").await.expect(200);
    assert_eq!(deep.text(), "two\r\n");
}

#[tokio::test]
async fn whoever_may_not_write_uploads_a_pull_request_and_adds_to_it() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let refused = upload(&mut bob, PLACE, &[("as", "direct")], &[("a.txt", "one")]).await;
    assert_eq!(refused.status, 403);

    let sent = upload(&mut bob, PLACE, &[("as", "pull")], &[("a.txt", "one")])
        .await
        .expect(303);

    let pull = bob.follow(&sent).await.expect(200).text();
    assert!(pull.contains("Upload a.txt"), "{pull}");
    assert!(pull.contains("Maintainers can merge it"), "{pull}");
    content(&hub, "a.txt").await.expect(404);
    let place = "/alice/small/upload/refs%2Fpr%2F1";
    let more = upload(&mut bob, place, &[("as", "direct")], &[("b.txt", "two")])
        .await
        .expect(303);
    assert_eq!(more.header("location"), Some("/alice/small/discussions/1"));
    let changed = bob.get("/alice/small/discussions/1/files").await.text();
    assert!(
        changed.contains("a.txt") && changed.contains("b.txt"),
        "{changed}"
    );
}

#[tokio::test]
async fn a_refused_upload_keeps_what_was_typed_and_shows_the_line() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let wrong = score("much");

    let refused = upload(
        &mut alice,
        PLACE,
        &[
            ("title", "A <better> run"),
            ("comment", "why"),
            ("as", "pull"),
        ],
        &[(RESULTS, &wrong), ("picture.bin", "\u{0}\u{1}")],
    )
    .await;

    assert_eq!(refused.status, 400);
    let page = refused.text();
    assert!(page.contains("Nothing was uploaded."), "{page}");
    assert!(page.contains(", line 6, column"), "{page}");
    assert!(page.contains("A &lt;better&gt; run"), "{page}");
    assert!(page.contains("value=\"pull\" checked"), "{page}");
    assert!(page.contains("<code>picture.bin</code>"), "{page}");
    assert!(page.contains("value: much"), "{page}");
    let token = form_token(&page);
    let mended = score("0.8");
    let body = multipart(
        &[
            ("_form", &token),
            ("as", "direct"),
            ("path", RESULTS),
            ("content", &mended.replace('\n', "\r\n")),
            ("path", ""),
            ("content", ""),
        ],
        &[],
    );
    alice
        .send_raw(PLACE, "multipart/form-data; boundary=x", body)
        .await
        .expect(303);
    assert_eq!(content(&hub, RESULTS).await.expect(200).text(), mended);
}

#[tokio::test]
async fn a_form_without_files_with_two_of_one_path_or_with_too_many_is_refused() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let many: Vec<String> = (0..81).map(|number| format!("{number}.txt")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    for (files, message) in [
        (vec![], "choose a file"),
        (vec![("a", "1"), ("a", "2")], "two of the files are `a`"),
        (vec![("../a", "1")], "`../a` is no path of a file"),
        (
            many,
            "81 files are too many for one upload, which has at most 80",
        ),
    ] {
        let refused = upload(&mut alice, PLACE, &[("as", "direct")], &files).await;

        assert_eq!(refused.status, 400, "{message}");
        assert!(refused.text().contains(message), "{}", refused.text());
    }
}
