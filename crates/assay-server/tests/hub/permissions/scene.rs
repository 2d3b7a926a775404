use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::people::{Asker, LAB, People};

/// The file that every repository has.
pub(super) const FILE: &str = "notes/first.md";

/// The address of a repository, and the things in it that can be requested.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// `models` or `datasets`.
    pub(super) kind: &'static str,
    pub(super) namespace: String,
    pub(super) name: String,
    /// The id of a comment on discussion 1.
    pub(super) comment: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    Public,
    Private,
}

/// A hub with people and repositories.
pub(super) struct Scene {
    pub(super) hub: TestHub,
    pub(super) people: People,
    made: u64,
    /// The number of requests so far.
    requests: AtomicU32,
}

impl Place {
    pub(super) fn id(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Returns its path in the API.
    pub(super) fn api(&self) -> String {
        format!("/api/{}/{}", self.kind, self.id())
    }

    /// Returns the path of its page.
    pub(super) fn page(&self) -> String {
        match self.kind {
            "models" => format!("/{}", self.id()),
            kind => format!("/{kind}/{}", self.id()),
        }
    }

    /// The same under another name, where nothing is.
    pub(super) fn missing(&self) -> Self {
        Self {
            name: self.name.replace("private", "missing"),
            ..self.clone()
        }
    }
}

impl Scene {
    pub(super) async fn new() -> Self {
        let hub = TestHub::with(|config| config.trust_proxy = true).await;
        let people = People::new(&hub).await;
        Self {
            hub,
            people,
            made: 0,
            requests: AtomicU32::new(0),
        }
    }

    /// Sends a request, each from an address of its own: an address that fails to prove who it is
    /// too often gets 429.
    pub(super) async fn ask(&self, asker: Asker, mut request: Request<Body>) -> Answer {
        if let Some(secret) = self.people.secret(asker) {
            let bearer = format!("Bearer {secret}").parse().unwrap();
            request.headers_mut().insert(AUTHORIZATION, bearer);
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let address = Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 0).to_bits() + number);
        let forwarded = address.to_string().parse().unwrap();
        request.headers_mut().insert("x-forwarded-for", forwarded);
        self.hub.send(Person::Nobody, request).await
    }

    async fn json(&self, asker: Asker, method: Method, path: &str, body: &Value) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        self.ask(asker, request).await
    }

    /// A repository with files, a branch, a tag, and a pull request with a comment. One of the
    /// organisation is made by a contributor, so that there is someone who made it.
    pub(super) async fn place(
        &mut self,
        kind: &'static str,
        namespace: &str,
        visibility: Visibility,
    ) -> Place {
        let (maker, commenter) = match namespace {
            LAB => (Asker::Creator, Asker::Reader),
            _ => (Asker::Owner, Asker::Owner),
        };
        self.made += 1;
        let word = match visibility {
            Visibility::Public => "public",
            Visibility::Private => "private",
        };
        let mut place = Place {
            kind,
            namespace: namespace.to_owned(),
            name: format!("{word}-{}", self.made),
            comment: String::new(),
        };
        let body = json!({
            "name": place.name,
            "organization": namespace,
            "type": kind.trim_end_matches('s'),
            "private": visibility == Visibility::Private,
        });
        let api = place.api();
        let post = Method::POST;
        self.json(maker, post.clone(), "/api/repos/create", &body)
            .await
            .expect(200);
        self.commit(maker, &format!("{api}/commit/main"), FILE)
            .await;
        let nothing = json!({});
        self.json(maker, post.clone(), &format!("{api}/branch/dev"), &nothing)
            .await
            .expect(200);
        self.json(
            maker,
            post.clone(),
            &format!("{api}/tag/main"),
            &json!({ "tag": "v1" }),
        )
        .await
        .expect(200);
        let proposal = format!("{api}/commit/main?create_pr=1");
        self.commit(commenter, &proposal, "notes/proposed.md").await;
        let said = self
            .json(
                commenter,
                post,
                &format!("{api}/discussions/1/comment"),
                &json!({ "comment": "hello" }),
            )
            .await
            .expect(200);
        place.comment = said.json()["newMessage"]["id"].as_str().unwrap().to_owned();
        place
    }

    async fn commit(&self, asker: Asker, address: &str, file: &str) {
        let lines = Body::from(commit_lines(file));
        let request = Request::post(address).body(lines).unwrap();
        self.ask(asker, request).await.expect(200);
    }

    /// All that can be seen of a repository, to tell whether something has changed.
    pub(super) async fn looks(&self, place: &Place) -> Vec<String> {
        let api = place.api();
        let mut looks = Vec::new();
        for path in [
            api.clone(),
            format!("{api}/refs?include_prs=1"),
            format!("{api}/discussions/1"),
            format!("{api}/discussions"),
        ] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            looks.push(self.ask(Asker::Operator, request).await.expect(200).text());
        }
        looks
    }
}

/// The lines that make a commit of one file.
pub(super) fn commit_lines(path: &str) -> String {
    let header =
        json!({ "key": "header", "value": { "summary": "Add a file", "description": "" } });
    let value = json!({ "path": path, "content": "aGVsbG8K", "encoding": "base64" });
    let file = json!({ "key": "file", "value": value });
    format!("{header}\n{file}")
}
