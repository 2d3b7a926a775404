use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use ureq::Body;
use ureq::http::{Request, Response};

/// Maximum duration of an answer before the test gives up on it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Someone who speaks to the hub over HTTP.
#[derive(Clone)]
pub(crate) struct Client {
    agent: ureq::Agent,
    token: String,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The answer, which must be a good one.
    #[track_caller]
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.status, 200, "{}", self.body);
        self
    }
}

impl Client {
    pub(crate) fn new(token: &str) -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            // A server that is killed takes its connections along; the next one is on another port.
            .max_idle_connections(0)
            .build();
        Self {
            agent: agent.into(),
            token: token.to_owned(),
        }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The name and token as git sends them.
    pub(crate) fn basic_credentials(&self) -> String {
        STANDARD.encode(format!("operator:{}", self.token))
    }

    /// Asks; none when nobody answered to the end.
    pub(crate) fn ask(&self, method: &str, url: &str, body: &str) -> Option<Answer> {
        let request = Request::builder()
            .method(method)
            .uri(url)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(body.to_owned())
            .unwrap();
        read(self.agent.run(request).ok()?)
    }

    pub(crate) fn get(&self, url: &str) -> Option<Answer> {
        let request = Request::builder()
            .uri(url)
            .header("authorization", format!("Bearer {}", self.token))
            .body(())
            .unwrap();
        read(self.agent.run(request).ok()?)
    }

    /// Downloads a file, along the redirect to where it lies.
    pub(crate) fn get_bytes(&self, url: &str) -> Option<Vec<u8>> {
        let request = Request::builder()
            .uri(url)
            .header("authorization", format!("Bearer {}", self.token))
            .body(())
            .unwrap();
        let mut response = self.agent.run(request).ok()?;
        assert_eq!(response.status().as_u16(), 200, "{url}");
        response.body_mut().read_to_vec().ok()
    }

    /// Uploads bytes to a signed link, which needs no token.
    pub(crate) fn put(&self, url: &str, bytes: &[u8]) -> Option<Answer> {
        let request = Request::builder()
            .method("PUT")
            .uri(url)
            .body(bytes)
            .unwrap();
        read(self.agent.run(request).ok()?)
    }

    pub(crate) fn post(&self, url: &str, body: &Value) -> Option<Answer> {
        self.ask("POST", url, &body.to_string())
    }

    /// Makes a repository; the answer is its key.
    pub(crate) fn create(&self, hub: &str, kind: &str, name: &str) -> i64 {
        let body = json!({ "name": name, "type": kind });
        let made = self.post(&format!("{hub}/api/repos/create"), &body);
        let made = made.unwrap().good().json();
        i64::from_str_radix(made["id"].as_str().unwrap(), 16).unwrap()
    }

    /// Commits one file; `place` is such as `models/operator/small/commit/main`.
    pub(crate) fn commit(&self, hub: &str, place: &str, path: &str, text: &str) -> Option<Answer> {
        self.ask(
            "POST",
            &format!("{hub}/api/{place}"),
            &commit_body(path, text),
        )
    }
}

/// The answer, when it came to its end.
fn read(mut response: Response<Body>) -> Option<Answer> {
    let status = response.status().as_u16();
    let body = response.body_mut().read_to_string().ok()?;
    Some(Answer { status, body })
}

/// The lines that make a commit of one file beside git.
pub(crate) fn large_commit_body(path: &str, digest: &str, size: u64) -> String {
    let header =
        json!({ "key": "header", "value": { "summary": "Add weights", "description": "" } });
    let value = json!({ "path": path, "algo": "sha256", "oid": digest, "size": size });
    let file = json!({ "key": "lfsFile", "value": value });
    format!("{header}\n{file}\n")
}

/// The lines that make a commit of one file.
pub(crate) fn commit_body(path: &str, text: &str) -> String {
    let header =
        json!({ "key": "header", "value": { "summary": "Add results", "description": "" } });
    let value = json!({ "path": path, "content": STANDARD.encode(text), "encoding": "base64" });
    let file = json!({ "key": "file", "value": value });
    format!("{header}\n{file}\n")
}

/// A file of one result.
pub(crate) fn result(value: u64) -> String {
    format!("- dataset: {{id: operator/sums, task_id: words}}\n  value: {value}\n")
}

/// The definition of the benchmark `operator/sums`.
pub(crate) const SUMS: &str = "name: Sums\ndescription: Adding numbers.\nmetrics:\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}\ntasks:\n  - {id: words}\n";
