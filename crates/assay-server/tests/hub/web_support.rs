//! A browser without a script: it keeps cookies, follows forms, and sends what they say.

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::{Method, Request};
use std::collections::BTreeMap;

/// The origin of the hub, as browsers name it.
pub(crate) const ORIGIN: &str = "http://127.0.0.1:8460";

/// Someone at a browser.
pub(crate) struct Browser<'h> {
    hub: &'h TestHub,
    cookies: BTreeMap<String, String>,
}

impl<'h> Browser<'h> {
    /// A browser in which nobody is signed in.
    pub(crate) fn new(hub: &'h TestHub) -> Self {
        Self {
            hub,
            cookies: BTreeMap::new(),
        }
    }

    /// A browser in which somebody has signed in with their token.
    pub(crate) async fn of(hub: &'h TestHub, person: Person) -> Self {
        let mut browser = Self::new(hub);
        let page = browser.get("/login").await.expect(200);
        let secret = hub.secret(person).unwrap_or_default().to_owned();
        let fields = [
            ("_form", form_token(&page.text())),
            ("token", secret),
            ("next", "/settings".to_owned()),
        ];
        browser.send_form("/login", &fields).await.expect(303);
        browser
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    pub(crate) fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// Looks at a page.
    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("cookie", self.cookie_header())
            .body(Body::empty())
            .unwrap();
        let answer = self.hub.send(Person::Nobody, request).await;
        self.keep(&answer);
        answer
    }

    /// Sends a form as a page of the hub does.
    pub(crate) async fn send_form(&mut self, path: &str, fields: &[(&str, String)]) -> Answer {
        self.post(path, fields, Some(ORIGIN)).await
    }

    /// Sends a form from somewhere.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        fields: &[(&str, String)],
        origin: Option<&str>,
    ) -> Answer {
        let body: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header("accept", "text/html")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("cookie", self.cookie_header());
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let request = request.body(Body::from(body.join("&"))).unwrap();
        let answer = self.hub.send(Person::Nobody, request).await;
        self.keep(&answer);
        answer
    }

    /// Sends a body as it is, as a page of the hub does.
    pub(crate) async fn send_raw(&mut self, path: &str, kind: &str, body: String) -> Answer {
        let request = Request::post(path)
            .header("accept", "text/html")
            .header("content-type", kind)
            .header("cookie", self.cookie_header())
            .header("origin", ORIGIN)
            .body(Body::from(body))
            .unwrap();
        self.hub.send(Person::Nobody, request).await
    }

    /// Looks at the page of a form and sends it with these fields, as a person would.
    pub(crate) async fn fill_in(
        &mut self,
        page: &str,
        action: &str,
        fields: &[(&str, &str)],
    ) -> Answer {
        let shown = self.get(page).await.expect(200).text();
        self.submit(&shown, action, fields).await
    }

    /// Sends a form of a page that is shown: it must have one that leads there.
    pub(crate) async fn submit(
        &mut self,
        page: &str,
        action: &str,
        fields: &[(&str, &str)],
    ) -> Answer {
        assert!(
            page.contains(&format!("action=\"{action}\"")),
            "no form leads to {action}: {page}"
        );
        let mut sent = vec![("_form", form_token(page))];
        sent.extend(
            fields
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        self.send_form(action, &sent).await
    }

    /// Follows the way that an answer shows.
    pub(crate) async fn follow(&mut self, answer: &Answer) -> Answer {
        let place = answer.header("location").expect("it leads somewhere");
        let place = place.split('#').next().unwrap_or_default().to_owned();
        self.get(&place).await
    }

    fn cookie_header(&self) -> String {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }

    fn keep(&mut self, answer: &Answer) {
        for cookie in answer.headers.get_all("set-cookie") {
            let text = cookie.to_str().unwrap();
            let (name, rest) = text.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap_or_default();
            if text.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// Returns the token that the forms of a page carry.
pub(crate) fn form_token(page: &str) -> String {
    let (_, rest) = page
        .split_once("name=\"_form\" value=\"")
        .unwrap_or_else(|| panic!("the page has no form: {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// A benchmark of Alice with two tasks, a model of Alice's and two of Bob's with results.
pub(crate) async fn world() -> TestHub {
    let hub = TestHub::new().await;
    for (person, repo) in [
        (Person::Alice, "datasets/alice/sums"),
        (Person::Alice, "models/alice/small"),
        (Person::Bob, "models/bob/large"),
        (Person::Bob, "models/bob/middle"),
    ] {
        hub.create(person, repo).await.expect(200);
    }
    hub.commit(Person::Alice, "datasets/alice/sums", &[("eval.yaml", SUMS)])
        .await
        .expect(200);
    for (person, model, value) in [
        (Person::Alice, "alice/small", "0.5"),
        (Person::Bob, "bob/middle", "0.6"),
        (Person::Bob, "bob/large", "0.7"),
    ] {
        hub.pass(60);
        let repo = format!("models/{model}");
        hub.commit(person, &repo, &[(RESULTS, &score(value))])
            .await
            .expect(200);
    }
    hub
}

/// Bob proposes a value for a model of Alice's.
pub(crate) async fn propose(hub: &TestHub, value: &str) {
    let files = [(RESULTS, score(value))];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    hub.pull(Person::Bob, "models/alice/small", &files)
        .await
        .expect(200);
}

/// A world in which Bob has opened a pull request on a model of Alice's.
pub(crate) async fn pulled() -> TestHub {
    let hub = world().await;
    propose(&hub, "0.65").await;
    hub
}

pub(crate) const SUMS: &str = "name: Sum Check\ndescription: Adding numbers.\nmetrics:\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}\n  - {id: wer, display_name: Word errors, higher_is_better: false}\ntasks:\n  - {id: words}\n  - {id: digits}\n";
pub(crate) const RESULTS: &str = ".eval_results/sums.yaml";

pub(crate) fn score(value: &str) -> String {
    format!(
        "- dataset:\n    id: alice/sums\n    task_id: words\n  metrics:\n    - metric_id: accuracy\n      value: {value}\n"
    )
}
