//! Access to pages and forms, forms of other sites, and texts that would like to be more than
//! texts.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;

use crate::web_support::{Browser, ORIGIN, RESULTS, form_token, pulled, score, world};

/// Texts that strangers may write anywhere, with the output that a page must then not have.
const INJECTIONS: [(&str, &str); 13] = [
    ("<script>alert(1)</script>", "<script>alert"),
    ("<img src=x onerror=alert(1)>", "<img src=x"),
    ("<svg onload=alert(1)>", "<svg onload"),
    ("<svg><script>alert(1)</script></svg>", "<svg><script"),
    ("<iframe src=//evil.example></iframe>", "<iframe"),
    ("<style>*{display:none}</style>", "<style>*"),
    ("\"><b id=inject>", "\"><b id=inject"),
    ("[x](javascript:alert(1))", "href=\"javascript:"),
    ("[x](JaVaScRiPt&#58;alert(1))", "href=\"JaVaScRiPt"),
    ("[x](data:text/html;base64,PHNjcmlwdD4=)", "href=\"data:"),
    ("[x](vbscript:msgbox)", "href=\"vbscript:"),
    (
        "![x](https://evil.example/pixel.png)",
        "<img src=\"https://evil",
    ),
    ("gpt\u{202e}4o\u{200b}", "\u{202e}"),
];

fn is_inert(page: &str, place: &str) {
    for (_, hole) in INJECTIONS {
        assert!(!page.contains(hole), "{place} has `{hole}`: {page}");
    }
    assert!(!page.contains("\u{200b}"), "{place} hides something");
}

#[tokio::test]
async fn a_form_is_taken_from_a_page_of_this_hub_and_of_this_session_alone() {
    let hub = pulled().await;
    let place = "/alice/small/discussions/1/comment";
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let own = form_token(&alice.get("/alice/small/discussions/1").await.text());
    let others = form_token(&bob.get("/alice/small/discussions/1").await.text());
    let said = |token: &str| vec![("_form", token.to_owned()), ("text", "hello".to_owned())];

    for (token, origin, status) in [
        (own.as_str(), Some(ORIGIN), 303),
        (own.as_str(), None, 403),
        (own.as_str(), Some("null"), 403),
        (own.as_str(), Some("https://evil.example"), 403),
        (
            own.as_str(),
            Some("http://127.0.0.1:8460.evil.example"),
            403,
        ),
        (own.as_str(), Some("http://127.0.0.1"), 403),
        (others.as_str(), Some(ORIGIN), 403),
        ("", Some(ORIGIN), 403),
        (&own[..own.len() - 1], Some(ORIGIN), 403),
    ] {
        let answer = alice.post(place, &said(token), origin).await;

        assert_eq!(answer.status, status, "{token} from {origin:?}");
    }
    let bare = alice
        .post(place, &[("text", "hello".to_owned())], Some(ORIGIN))
        .await;
    assert_eq!(bare.status, 403);
    let page = alice.get("/alice/small/discussions/1").await.text();
    assert_eq!(page.matches("<p>hello</p>").count(), 1, "{page}");
}

#[tokio::test]
async fn every_form_that_changes_something_needs_its_token() {
    let hub = pulled().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    for place in [
        "/logout",
        "/settings/password",
        "/settings/tokens",
        "/settings/tokens/1/revoke",
        "/settings/sessions/1/end",
        "/settings/sessions/end-others",
        "/new/organization",
        "/new/model",
        "/new/benchmark",
        "/organizations/acme/members",
        "/webhooks/new",
        "/webhooks/remove",
        "/webhooks/ping",
        "/webhooks/redeliver",
        "/alice/small/submit",
        "/alice/small/upload/main",
        "/alice/small/settings",
        "/alice/small/settings/rename",
        "/alice/small/settings/delete",
        "/alice/small/discussions",
        "/alice/small/discussions/1/comment",
        "/alice/small/discussions/1/hide",
        "/alice/small/discussions/1/title",
        "/alice/small/discussions/1/status",
        "/alice/small/discussions/1/merge",
        "/datasets/alice/sums/settings",
        "/admin/accounts",
        "/admin/benchmarks/official",
        "/admin/moderation",
        "/admin/keys",
        "/admin/issuers",
        "/admin/integrations",
        "/admin/revocations",
        "/admin/revocations/back",
    ] {
        let without = alice.post(place, &[], Some(ORIGIN)).await;

        assert_eq!(without.status, 403, "{place}");
        assert!(
            without.text().contains("not sent by a page of this hub"),
            "{place}: {}",
            without.text()
        );
    }
    let signed_in = alice.get("/settings").await;
    assert_eq!(signed_in.status, 200, "nothing has happened");
}

#[tokio::test]
async fn a_token_without_a_session_opens_no_form() {
    let hub = pulled().await;
    let request = Request::post("/alice/small/discussions/1/merge")
        .header("origin", ORIGIN)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", "text/html")
        .body(Body::from("_form=&text="))
        .unwrap();

    let answer = hub.send(Person::Alice, request).await;

    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn a_session_opens_pages_and_neither_api_nor_git_nor_embeds() {
    let hub = world().await;
    hub.create(Person::Alice, "models/alice/secret")
        .await
        .expect(200);
    hub.put(
        Person::Alice,
        "/api/models/alice/secret/settings",
        serde_json::json!({ "private": true }),
    )
    .await
    .expect(200);
    let mut alice = Browser::of(&hub, Person::Alice).await;

    alice.get("/alice/secret").await.expect(200);
    alice.get("/alice/secret/tree/main").await.expect(200);
    for place in [
        "/api/models/alice/secret",
        "/api/whoami-v2",
        "/alice/secret/resolve/main/x",
        "/alice/secret.git/info/refs?service=git-upload-pack",
    ] {
        let answer = alice.get(place).await;
        assert!(
            [401, 404].contains(&answer.status),
            "{place}: {}",
            answer.status
        );
    }
    let embed = alice
        .get("/datasets/alice/sums/embed/leaderboard")
        .await
        .expect(200);
    assert!(!embed.text().contains("alice</a></div>"));
    assert!(embed.header("set-cookie").is_none());
}

#[tokio::test]
async fn a_failure_has_the_form_of_its_routes_and_names_who_is_signed_in_on_pages_alone() {
    let hub = TestHub::with(|config| config.metrics = false).await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let (page, json) = ("text/html; charset=utf-8", "application/json");
    let problem = "application/problem+json";

    for (place, status, kind, error) in [
        ("/alice/nothing", 404, page, ""),
        ("/no/such/page/at/all", 404, page, ""),
        ("/spaces/alice/nothing", 404, page, ""),
        ("/assets/nothing.css", 404, page, ""),
        ("/alice/nothing/resolve/main/x", 404, page, ""),
        ("/api/nothing", 404, json, "Not found"),
        (
            "/api/models/gpt2",
            401,
            json,
            "Invalid username or password.",
        ),
        (
            "/api/spaces/alice/x",
            401,
            json,
            "Invalid username or password.",
        ),
        ("/metrics", 404, json, "Not found"),
        ("/v1/log/nothing/checkpoint", 404, json, ""),
        ("/oauth/nothing", 404, json, "invalid_request"),
        ("/v1/eval-tokens/a/b/c", 404, problem, ""),
        ("/v1/credentials/nothing", 404, problem, ""),
        (
            "/alice/nothing.git/info/refs?service=git-upload-pack",
            401,
            json,
            "",
        ),
    ] {
        let answer = alice.get(place).await;

        assert_eq!(answer.status, status, "{place}");
        assert_eq!(answer.header("content-type"), Some(kind), "{place}");
        let text = answer.text();
        let is_page = kind == page && !place.contains("/assets/") && !place.contains("/resolve/");
        assert_eq!(
            text.contains("href=\"/settings\""),
            is_page,
            "{place}: {text}"
        );
        if !error.is_empty() {
            assert_eq!(answer.json()["error"], error, "{place}");
        }
    }
    let challenge = alice
        .get("/alice/nothing.git/info/refs?service=git-upload-pack")
        .await;
    assert!(
        challenge
            .header("www-authenticate")
            .unwrap()
            .starts_with("Basic ")
    );
}

#[tokio::test]
async fn those_who_see_a_private_model_save_its_files_from_the_page() {
    let hub = world().await;
    hub.put(
        Person::Alice,
        "/api/models/alice/small/settings",
        serde_json::json!({ "private": true }),
    )
    .await
    .expect(200);
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let mut nobody = Browser::new(&hub);
    let place = format!("/alice/small/download/main/{RESULTS}");

    let page = alice
        .get(&format!("/alice/small/blob/main/{RESULTS}"))
        .await;
    let saved = alice.get(&place).await.expect(200);

    assert!(
        page.text().contains(&format!("href=\"{place}\"")),
        "{}",
        page.text()
    );
    assert!(
        saved
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    assert_eq!(
        saved.header("content-security-policy"),
        Some("default-src 'none'; sandbox")
    );
    assert!(saved.text().contains("dataset"), "{}", saved.text());
    nobody.get(&place).await.expect(404);
}

#[tokio::test]
async fn a_page_for_one_is_not_kept_for_another() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    for place in ["/", "/datasets/alice/sums", "/alice/small", "/benchmarks"] {
        let own = alice.get(place).await.expect(200).text();
        let mut nobody = Browser::new(&hub);

        let others = nobody.get(place).await.expect(200).text();
        let again = alice.get(place).await.expect(200).text();

        assert!(own.contains("href=\"/settings\""), "{place}");
        assert!(!others.contains("href=\"/settings\""), "{place}");
        assert!(others.contains("href=\"/login"), "{place}");
        assert!(again.contains("href=\"/settings\""), "{place}");
    }
}

#[tokio::test]
async fn pages_are_for_who_may_see_them() {
    let hub = pulled().await;
    hub.create(Person::Alice, "models/alice/secret")
        .await
        .expect(200);
    hub.put(
        Person::Alice,
        "/api/models/alice/secret/settings",
        serde_json::json!({ "private": true }),
    )
    .await
    .expect(200);
    let mut nobody = Browser::new(&hub);
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let mut root = Browser::of(&hub, Person::Operator).await;

    // The page, then what nobody, a stranger, the owner and the operator are answered.
    for (place, statuses) in [
        ("/login", [200, 200, 200, 200]),
        ("/search?q=sum", [200, 200, 200, 200]),
        ("/docs", [200, 200, 200, 200]),
        ("/docs/codes", [200, 200, 200, 200]),
        ("/docs/codes/AY203", [200, 200, 200, 200]),
        ("/docs/codes/AY999", [404, 404, 404, 404]),
        ("/docs/cli", [200, 200, 200, 200]),
        ("/docs/model-developers.md", [200, 200, 200, 200]),
        ("/alice", [200, 200, 200, 200]),
        ("/nobody-at-all", [404, 404, 404, 404]),
        ("/alice/small/tree/main", [200, 200, 200, 200]),
        ("/alice/small/tree/main/.eval_results", [200, 200, 200, 200]),
        (
            "/alice/small/blob/main/.eval_results/sums.yaml",
            [200, 200, 200, 200],
        ),
        ("/alice/small/blob/main/none", [404, 404, 404, 404]),
        ("/alice/small/blob/none/README.md", [404, 404, 404, 404]),
        ("/alice/small/commits/main", [200, 200, 200, 200]),
        ("/alice/small/commit/main", [200, 200, 200, 200]),
        ("/alice/small/discussions", [200, 200, 200, 200]),
        ("/alice/small/discussions/1", [200, 200, 200, 200]),
        ("/alice/small/discussions/1/files", [200, 200, 200, 200]),
        ("/alice/small/discussions/9", [404, 404, 404, 404]),
        ("/alice/small/discussions/new", [401, 200, 200, 200]),
        ("/alice/small/submit", [200, 200, 200, 200]),
        ("/datasets/alice/sums/submit", [404, 404, 404, 404]),
        ("/alice/small/upload/main", [401, 200, 200, 200]),
        ("/alice/small/upload/no-such-branch", [401, 404, 404, 404]),
        ("/alice/secret/upload/main", [401, 404, 200, 200]),
        ("/alice/small/settings", [401, 403, 200, 200]),
        ("/datasets/alice/sums/settings", [401, 403, 200, 200]),
        ("/datasets/alice/sums/tree/main", [200, 200, 200, 200]),
        ("/alice/secret/tree/main", [404, 404, 200, 200]),
        ("/alice/secret/commits/main", [404, 404, 200, 200]),
        ("/alice/secret/discussions", [404, 404, 200, 200]),
        ("/alice/secret/submit", [404, 404, 200, 200]),
        ("/settings", [401, 200, 200, 200]),
        ("/settings/tokens", [401, 200, 200, 200]),
        ("/settings/sessions", [401, 200, 200, 200]),
        ("/settings/webhooks", [401, 200, 200, 200]),
        ("/inbox", [401, 200, 200, 200]),
        ("/new/organization", [401, 200, 200, 200]),
        ("/new/model", [401, 200, 200, 200]),
        ("/new/benchmark", [401, 200, 200, 200]),
        ("/new/result", [200, 200, 200, 200]),
        ("/new/log", [200, 200, 200, 200]),
        ("/admin", [401, 403, 403, 200]),
        ("/admin/accounts", [401, 403, 403, 200]),
        ("/admin/benchmarks", [401, 403, 403, 200]),
        ("/admin/moderation", [401, 403, 403, 200]),
        ("/admin/keys", [401, 403, 403, 200]),
        ("/admin/issuers", [401, 403, 403, 200]),
        ("/admin/integrations", [401, 403, 403, 200]),
        ("/admin/tokens", [401, 403, 403, 200]),
        ("/admin/revocations", [401, 403, 403, 200]),
        (
            "/webhooks/deliveries?place=model%20alice%2Fsmall&id=1",
            [401, 403, 404, 404],
        ),
    ] {
        let found = [
            nobody.get(place).await.status,
            bob.get(place).await.status,
            alice.get(place).await.status,
            root.get(place).await.status,
        ];

        assert_eq!(found, statuses, "{place}");
    }
}

#[tokio::test]
async fn who_may_not_act_changes_nothing() {
    let hub = pulled().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let token = form_token(&bob.get("/settings/tokens").await.text());
    let form = |fields: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        let mut all = vec![("_form", token.clone())];
        all.extend(
            fields
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        all
    };
    for (place, fields) in [
        ("/alice/small/discussions/1/merge", form(&[])),
        ("/alice/small/settings", form(&[("visibility", "private")])),
        (
            "/alice/small/settings/rename",
            form(&[("to", "alice/other")]),
        ),
        (
            "/alice/small/settings/delete",
            form(&[("confirm", "alice/small")]),
        ),
        (
            "/webhooks/new",
            form(&[
                ("place", "model alice/small"),
                ("url", "https://example.org"),
                ("events", "results"),
            ]),
        ),
        (
            "/admin/accounts",
            form(&[("name", "alice"), ("do", "disable")]),
        ),
        (
            "/admin/benchmarks/official",
            form(&[("id", "alice/sums"), ("official", "yes")]),
        ),
        (
            "/admin/moderation",
            form(&[("kind", "model"), ("id", "alice/small"), ("do", "close")]),
        ),
        ("/admin/keys", form(&[("do", "rotate")])),
        (
            "/admin/issuers",
            form(&[("do", "distrust"), ("issuer", "x"), ("sure", "yes")]),
        ),
        (
            "/admin/integrations",
            form(&[("do", "add"), ("id", "inspect-ai")]),
        ),
        (
            "/admin/revocations",
            form(&[("scope", "issuer"), ("value", "x"), ("reason", "y")]),
        ),
        (
            "/admin/revocations/back",
            form(&[("index", "0"), ("reason", "y")]),
        ),
        (
            "/new/model",
            form(&[("owner", "alice"), ("name", "stolen")]),
        ),
        (
            "/settings/tokens",
            form(&[("scope", "admin"), ("label", "x")]),
        ),
    ] {
        let answer = bob.send_form(place, &fields).await;

        assert_eq!(answer.status, 403, "{place}: {}", answer.text());
    }
    hub.get(Person::Nobody, "/api/models/alice/small")
        .await
        .expect(200);
}

#[tokio::test]
async fn sessions_are_ended_from_another_and_by_signing_out() {
    let hub = world().await;
    let mut one = Browser::of(&hub, Person::Alice).await;
    let mut other = Browser::of(&hub, Person::Alice).await;

    let ended = one
        .fill_in("/settings/sessions", "/settings/sessions/end-others", &[])
        .await
        .expect(303);
    one.follow(&ended).await.expect(200);

    assert_eq!(other.get("/settings").await.status, 401);
    let out = one.fill_in("/settings", "/logout", &[]).await.expect(303);
    assert_eq!(out.header("location"), Some("/"));
    assert_eq!(one.cookie("assay_session"), None);
    assert_eq!(one.get("/settings").await.status, 401);
}

#[tokio::test]
async fn a_session_that_nobody_began_is_nobodys() {
    let hub = world().await;
    let mut browser = Browser::new(&hub);
    browser.set_cookie("assay_session", "made-up");

    let page = browser.get("/").await.expect(200).text();

    assert!(page.contains("href=\"/login"), "{page}");
    assert_eq!(browser.get("/settings").await.status, 401);
}

#[tokio::test]
async fn signing_in_tells_nothing_and_leads_nowhere_else() {
    let hub = world().await;
    let mut browser = Browser::new(&hub);
    let page = browser
        .get("/login?next=//evil.example")
        .await
        .expect(200)
        .text();

    let wrong = browser
        .submit(&page, "/login", &[("token", "hf_wrong")])
        .await;
    let unknown = browser
        .submit(&page, "/login", &[("name", "nobody"), ("password", "x")])
        .await;
    let secret = hub.secret(Person::Alice).unwrap_or_default().to_owned();
    let right = browser
        .submit(
            &page,
            "/login",
            &[("token", &secret), ("next", "//evil.example")],
        )
        .await
        .expect(303);

    assert_eq!((wrong.status, unknown.status), (401, 401));
    assert!(wrong.text().contains("That did not work"));
    assert_eq!(right.header("location"), Some("/"));
    let cookie = right.header("set-cookie").unwrap_or_default();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
}

#[tokio::test]
async fn over_https_cookies_stay_with_their_host_and_forms_come_from_there() {
    let hub = TestHub::with(|config| {
        config.public_url = Some("https://hub.example.org".parse().unwrap());
    })
    .await;
    let mut browser = Browser::new(&hub);
    let page = browser.get("/login").await.expect(200).text();
    let secret = hub.secret(Person::Alice).unwrap_or_default().to_owned();
    let fields = [("_form", form_token(&page)), ("token", secret)];

    let from_elsewhere = browser.post("/login", &fields, Some(ORIGIN)).await;
    let from_here = browser
        .post("/login", &fields, Some("https://hub.example.org"))
        .await
        .expect(303);

    assert_eq!(from_elsewhere.status, 403);
    let cookie = from_here.header("set-cookie").unwrap_or_default();
    assert!(cookie.starts_with("__Host-assay_session="), "{cookie}");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    browser.get("/settings").await.expect(200);
    let plain = browser
        .cookie("__Host-assay_session")
        .unwrap_or_default()
        .to_owned();
    let mut other = Browser::new(&hub);
    other.set_cookie("assay_session", &plain);
    assert_eq!(other.get("/settings").await.status, 401);
}

#[tokio::test]
async fn tokens_are_shown_once_and_revoked() {
    let hub = world().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let made = alice
        .fill_in(
            "/settings/tokens",
            "/settings/tokens",
            &[("label", "ci"), ("scope", "read"), ("days", "7")],
        )
        .await
        .expect(200)
        .text();
    let (_, rest) = made.split_once("class=\"secret\">").unwrap();
    let secret = rest.split('<').next().unwrap().to_owned();
    assert!(secret.starts_with("hf_"), "{secret}");

    let again = alice.get("/settings/tokens").await.expect(200).text();

    assert!(
        !again.contains(&secret) && again.contains(">ci<"),
        "{again}"
    );
    let action = again
        .split("action=\"")
        .filter_map(|part| part.split('"').next())
        .find(|action| action.ends_with("/revoke"))
        .unwrap()
        .to_owned();
    let revoked = alice.submit(&again, &action, &[]).await.expect(303);
    let page = alice.follow(&revoked).await.expect(200).text();
    assert!(!page.contains(">ci<"), "{page}");
}

#[tokio::test]
async fn what_strangers_write_is_text_on_every_page() {
    let hub = world().await;
    let evil: String = INJECTIONS.map(|(text, _)| text).join("\n\n");
    let line = INJECTIONS
        .map(|(text, _)| text)
        .join(" ")
        .replace('\'', "''");
    let results = format!(
        "{}  notes: '{line}'\n  source:\n    url: 'javascript:alert(1)'\n    name: '{line}'\n",
        score("0.65")
    );
    hub.commit(
        Person::Bob,
        "models/bob/large",
        &[("README.md", &evil), ("notes.txt", &evil)],
    )
    .await
    .expect(200);
    hub.pull(Person::Alice, "models/bob/large", &[("evil.md", &evil)])
        .await
        .expect(200);
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let place = "/bob/large/discussions/1";
    let said = alice
        .fill_in(place, &format!("{place}/comment"), &[("text", &evil)])
        .await
        .expect(303);
    alice.follow(&said).await.expect(200);
    let named = alice
        .fill_in(
            place,
            &format!("{place}/title"),
            &[("title", "<script>alert(1)</script>\u{202e}")],
        )
        .await;
    assert!([303, 400].contains(&named.status), "{}", named.text());
    let form = alice
        .get("/bob/large/submit?by=file")
        .await
        .expect(200)
        .text();
    let preview = alice
        .submit(
            &form,
            "/bob/large/submit",
            &[("text", &results), ("do", "check")],
        )
        .await
        .expect(200)
        .text();
    is_inert(&preview, "the preview");

    for place in [
        "/bob/large",
        "/bob/large/tree/main",
        "/bob/large/blob/main/README.md",
        "/bob/large/blob/main/README.md?plain=1",
        "/bob/large/blob/main/notes.txt",
        "/bob/large/commit/main",
        "/bob/large/discussions",
        "/bob/large/discussions/1",
        "/bob/large/discussions/1/files",
        "/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/search?q=%22%3E%3Cb%20id%3Dinject%3E",
        "/login?next=%22%3E%3Cb%20id%3Dinject%3E",
        "/new/result?model=%22%3E%3Cb%20id%3Dinject%3E",
        "/new/log?model=%22%3E%3Cb%20id%3Dinject%3E&task=%22%3E%3Cb%20id%3Dinject%3E",
        "/alice/small/submit?benchmark=%22%3E%3Cb%20id%3Dinject%3E",
    ] {
        let page = alice.get(place).await.expect(200).text();
        is_inert(&page, place);
    }
}

#[tokio::test]
async fn a_benchmark_with_an_evil_definition_is_shown_as_text() {
    let hub = TestHub::new().await;
    let mut alice = Browser::of(&hub, Person::Alice).await;
    let evil = INJECTIONS.map(|(text, _)| text).join(" ");

    let check = alice
        .fill_in(
            "/new/benchmark",
            "/new/benchmark",
            &[
                ("owner", "alice"),
                ("name", "evil"),
                ("title", &evil),
                ("about", &evil),
                ("primary", "1"),
                ("metric-1", "accuracy"),
                ("metric-name-1", &evil),
                ("tasks", &evil),
                ("do", "check"),
            ],
        )
        .await
        .expect(200)
        .text();

    is_inert(&check, "the check");
}
