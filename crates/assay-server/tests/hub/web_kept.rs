//! Forms that were sent while nobody was signed in.

use assay_server::Person;

use crate::web_support::{Browser, ORIGIN, form_token, score, world};

const PLACE: &str = "/alice/small/submit";

/// The fields of a page with their values, as a browser would send them.
fn hidden(page: &str) -> Vec<(&str, String)> {
    let mut fields = Vec::new();
    for input in page.split("<input type=\"hidden\" name=\"").skip(1) {
        let Some((name, rest)) = input.split_once("\" value=\"") else {
            continue;
        };
        let value = rest.split('"').next().unwrap_or_default();
        let value = value
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">");
        fields.push((name, value.replace("&amp;", "&")));
    }
    fields
}

/// The part of a page from the first form that leads to an address.
fn form_to<'p>(page: &'p str, action: &str) -> &'p str {
    let start = page.find(&format!("action=\"{action}\""));
    let form = &page[start.unwrap_or_else(|| panic!("no form leads to {action}: {page}"))..];
    &form[..form.find("</form>").unwrap_or(form.len())]
}

#[tokio::test]
async fn a_result_of_somebody_who_is_not_signed_in_is_kept_and_sent_after_the_sign_in() {
    let hub = world().await;
    let mut browser = Browser::new(&hub);
    let page = browser
        .get(&format!("{PLACE}?by=file"))
        .await
        .expect(200)
        .text();
    let fields = [
        ("_form", form_token(&page)),
        ("path", ".eval_results/sums.yaml".to_owned()),
        ("text", score("0.9")),
        ("title", "A <better> run".to_owned()),
        ("do", "open".to_owned()),
    ];

    let asked = browser.send_form(PLACE, &fields).await.expect(401).text();

    assert!(asked.contains("What you typed is kept"), "{asked}");
    let mut sign_in = hidden(form_to(&asked, "/login"));
    sign_in.push(("token", "wrong".to_owned()));
    let wrong = browser
        .send_form("/login", &sign_in)
        .await
        .expect(401)
        .text();
    let secret = hub.secret(Person::Bob).unwrap_or_default().to_owned();
    let mut sign_in = hidden(form_to(&wrong, "/login"));
    sign_in.push(("token", secret));
    let kept = browser
        .send_form("/login", &sign_in)
        .await
        .expect(200)
        .text();
    assert!(kept.contains("A &lt;better&gt; run"), "{kept}");
    hub.get(Person::Alice, "/api/models/alice/small/discussions/1")
        .await
        .expect(404);
    let again = hidden(form_to(&kept, PLACE));
    let sent = browser.send_form(PLACE, &again).await.expect(303);
    let pull = browser.follow(&sent).await.expect(200).text();
    assert!(pull.contains("better"), "{pull}");
}

#[tokio::test]
async fn a_form_whose_session_has_ended_is_kept_and_one_of_another_site_is_not() {
    let hub = world().await;
    let mut bob = Browser::of(&hub, Person::Bob).await;
    let page = bob
        .get("/alice/small/discussions/new")
        .await
        .expect(200)
        .text();
    let fields = [
        ("_form", form_token(&page)),
        ("title", "A question".to_owned()),
        ("text", "Which prompt?".to_owned()),
    ];
    bob.set_cookie("assay_session", "ended");

    let asked = bob
        .send_form("/alice/small/discussions", &fields)
        .await
        .expect(401)
        .text();
    let foreign = bob
        .post(
            "/alice/small/discussions",
            &fields,
            Some("https://evil.example"),
        )
        .await;

    assert!(asked.contains("value=\"A question\""), "{asked}");
    assert!(asked.contains("Which prompt?"), "{asked}");
    assert_eq!(foreign.status, 403);
    assert!(!foreign.text().contains("A question"));
    let nobody = bob
        .post("/alice/small/discussions", &fields, Some(ORIGIN))
        .await;
    assert_eq!(nobody.status, 401, "nothing is done before the sign-in");
}
