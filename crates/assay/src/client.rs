//! A hub, spoken to over HTTP.

mod origin;

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use assay_formats::rows::sha256_of;
use serde_json::{Value as Json, json};
use ureq::Body;
use ureq::http::{HeaderMap, Request, Response};

pub(crate) use self::origin::{AddressError, Origin, agent};

/// How long one request may take. A commit of large files is judged before it is answered.
const TIMEOUT: Duration = Duration::from_mins(5);
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 3;
/// How large an answer may be, in bytes: a leaderboard of a hundred thousand rows fits.
const MAX_ANSWER: u64 = 256 << 20;

/// Why a hub did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The address makes no sense.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The request failed on the way.
    #[error("the hub cannot be reached at `{url}`: {source}")]
    Transport {
        url: String,
        source: Box<ureq::Error>,
    },
    /// The answer broke off, is too large or is no JSON.
    #[error("the answer from `{url}` cannot be read: {reason}")]
    Answer { url: String, reason: String },
    /// The hub said no, and why.
    #[error("{message}")]
    Refused {
        status: u16,
        message: String,
        /// What the judge found in the files, as JSON.
        diagnostics: Vec<Json>,
    },
}

/// What is sent with a request.
struct Sent<'a> {
    kind: &'static str,
    bytes: &'a [u8],
    headers: Vec<(&'static str, String)>,
}

impl<'a> Sent<'a> {
    fn new(kind: &'static str, text: &'a str) -> Self {
        Self {
            kind,
            bytes: text.as_bytes(),
            headers: Vec::new(),
        }
    }
}

/// A hub and the token to use with it.
pub(crate) struct Client {
    origin: Origin,
    token: Option<String>,
    agent: ureq::Agent,
}

/// What a file of a commit holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileContent {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A large file that was sent before.
    Large {
        /// The SHA-256 of its bytes, in hexadecimal digits.
        oid: String,
        /// How many bytes.
        size: u64,
    },
}

impl FileContent {
    /// A line of a commit.
    fn operation(&self, path: &str) -> Json {
        use base64::Engine as _;
        match self {
            Self::Bytes(bytes) => {
                let content = base64::engine::general_purpose::STANDARD.encode(bytes);
                let value = json!({ "path": path, "content": content, "encoding": "base64" });
                json!({ "key": "file", "value": value })
            }
            Self::Large { oid, size } => {
                let value = json!({ "path": path, "algo": "sha256", "oid": oid, "size": size });
                json!({ "key": "lfsFile", "value": value })
            }
        }
    }
}

impl Client {
    /// A hub at an address. A token is sent over https or to this machine only.
    pub(crate) fn new(address: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let origin: Origin = address.parse()?;
        let token = token.filter(|_| origin.is_private()).map(str::to_owned);
        Ok(Self {
            agent: agent(TIMEOUT),
            origin,
            token,
        })
    }

    /// The address of the hub.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Asks for a document.
    pub(crate) fn get(&self, path: &str) -> Result<Json, ClientError> {
        self.call("GET", path, None).map(|(_, body)| body)
    }

    /// Asks for a list, page after page, up to so many items.
    pub(crate) fn list(&self, path: &str, limit: usize) -> Result<Vec<Json>, ClientError> {
        let mut items = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next
            && items.len() < limit
        {
            let (headers, body) = self.call("GET", &path, None)?;
            match body {
                Json::Array(page) => items.extend(page),
                other => items.push(other),
            }
            next = next_page(&headers)
                .and_then(|url| url.strip_prefix(self.origin.as_str()).map(str::to_owned));
        }
        items.truncate(limit);
        Ok(items)
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        self.answer("GET", path, None).map(|(_, body)| body)
    }

    /// Sends a document.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Json) -> Result<Json, ClientError> {
        let body = body.to_string();
        self.call(method, path, Some(&Sent::new("application/json", &body)))
            .map(|(_, answer)| answer)
    }

    /// Sends a JSON text as it is, with some headers.
    pub(crate) fn post(
        &self,
        path: &str,
        body: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Json, ClientError> {
        let mut sent = Sent::new("application/json", body);
        let own = |(name, value): &(&'static str, &str)| (*name, (*value).to_owned());
        sent.headers = headers.iter().map(own).collect();
        self.call("POST", path, Some(&sent))
            .map(|(_, answer)| answer)
    }

    /// Sends a form, perhaps with a name and a password.
    pub(crate) fn post_form(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        basic: Option<(&str, &str)>,
    ) -> Result<Json, ClientError> {
        use base64::Engine as _;
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", segment(value)))
            .collect();
        let body = pairs.join("&");
        let mut sent = Sent::new("application/x-www-form-urlencoded", &body);
        if let Some((name, password)) = basic {
            // RFC 6749 has both spelled as in a form before they are joined.
            let pair = format!("{}:{}", segment(name), segment(password));
            let pair = base64::engine::general_purpose::STANDARD.encode(pair);
            sent.headers
                .push(("authorization", format!("Basic {pair}")));
        }
        self.call("POST", path, Some(&sent))
            .map(|(_, answer)| answer)
    }

    /// Commits files to a branch, and returns the hub's answer.
    pub(crate) fn commit(
        &self,
        repo: &str,
        revision: &str,
        message: &str,
        files: &[(String, FileContent)],
        create_pull: bool,
    ) -> Result<Json, ClientError> {
        let body = commit_body(message, "", files);
        let suffix = if create_pull { "?create_pr=1" } else { "" };
        let path = format!("/api/{repo}/commit/{}{suffix}", segment(revision));
        self.send_commit(&path, &body)
    }

    /// Opens a pull request of one commit on the main branch, and returns the hub's answer.
    pub(crate) fn propose(
        &self,
        repo: &str,
        title: &str,
        description: &str,
        files: &[(String, FileContent)],
    ) -> Result<Json, ClientError> {
        let body = commit_body(title, description, files);
        self.send_commit(&format!("/api/{repo}/commit/main?create_pr=1"), &body)
    }

    fn send_commit(&self, path: &str, body: &str) -> Result<Json, ClientError> {
        let sent = Sent::new("application/x-ndjson", body);
        self.call("POST", path, Some(&sent))
            .map(|(_, answer)| answer)
    }

    /// Sends a file as a large one, beside git, for a commit to come. `page` is the address of the repository without the
    /// hub's own.
    pub(crate) fn upload_large(&self, page: &str, file: &Path) -> Result<FileContent, ClientError> {
        let unreadable = |error: std::io::Error| ClientError::Answer {
            url: file.display().to_string(),
            reason: error.to_string(),
        };
        let content = std::fs::File::open(file);
        let (oid, size) = content.and_then(sha256_of).map_err(unreadable)?;
        let question = json!({
            "operation": "upload",
            "transfers": ["basic"],
            "hash_algo": "sha256",
            "objects": [{ "oid": oid, "size": size }],
        });
        let path = format!("/{page}.git/info/lfs/objects/batch");
        let answer = self.send("POST", &path, &question)?;
        let object = &answer["objects"][0];
        if let Some(message) = object["error"]["message"].as_str() {
            return Err(ClientError::Refused {
                status: 422,
                message: message.to_owned(),
                diagnostics: Vec::new(),
            });
        }
        // No address means that the hub has the file already.
        if let Some(address) = object["actions"]["upload"]["href"].as_str() {
            let content = std::fs::File::open(file).map_err(unreadable)?;
            // The address carries its own permission, and may be of another machine: the token stays here.
            let request = Request::builder()
                .method("PUT")
                .uri(address)
                .header("content-length", size);
            let response = self.run(address, request.body(content))?;
            read(address, response)?;
        }
        Ok(FileContent::Large { oid, size })
    }

    fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&Sent<'_>>,
    ) -> Result<(HeaderMap, Json), ClientError> {
        let (headers, body) = self.answer(method, path, body)?;
        let is_json = header(&headers, "content-type").is_some_and(|kind| kind.contains("json"));
        if !is_json {
            let text = String::from_utf8_lossy(&body).into_owned();
            return Ok((headers, Json::String(text)));
        }
        let body = serde_json::from_slice(&body).map_err(|error| ClientError::Answer {
            url: format!("{}{path}", self.origin),
            reason: error.to_string(),
        })?;
        Ok((headers, body))
    }

    fn answer(
        &self,
        method: &str,
        path: &str,
        body: Option<&Sent<'_>>,
    ) -> Result<(HeaderMap, Vec<u8>), ClientError> {
        let mut url = format!("{}{path}", self.origin);
        for _ in 0..=MAX_REDIRECTS {
            let response = self.ask(method, &url, body)?;
            match self.redirect(&response) {
                Some(target) => url = target,
                None => return read(&url, response),
            }
        }
        Err(ClientError::Answer {
            url,
            reason: format!("it redirects more than {MAX_REDIRECTS} times"),
        })
    }

    fn ask(
        &self,
        method: &str,
        url: &str,
        body: Option<&Sent<'_>>,
    ) -> Result<Response<Body>, ClientError> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        match body {
            Some(sent) => {
                let mut request = request.header("content-type", sent.kind);
                for (name, value) in &sent.headers {
                    request = request.header(*name, value);
                }
                self.run(url, request.body(sent.bytes))
            }
            None => self.run(url, request.body(())),
        }
    }

    /// Where a renamed repository is now, when that is on this hub: a token goes to no other.
    fn redirect(&self, response: &Response<Body>) -> Option<String> {
        if !matches!(response.status().as_u16(), 301 | 302 | 307 | 308) {
            return None;
        }
        let target = header(response.headers(), "location")?;
        let rest = target.strip_prefix(self.origin.as_str()).unwrap_or(target);
        (rest.starts_with('/') && !rest.starts_with("//")).then(|| format!("{}{rest}", self.origin))
    }

    fn run<B: ureq::AsSendBody>(
        &self,
        url: &str,
        request: Result<Request<B>, ureq::http::Error>,
    ) -> Result<Response<Body>, ClientError> {
        let transport = |source: ureq::Error| ClientError::Transport {
            url: url.to_owned(),
            source: Box::new(source),
        };
        let request = request.map_err(|error| transport(error.into()))?;
        self.agent.run(request).map_err(transport)
    }
}

/// A commit as the hub takes it: one JSON object a line.
fn commit_body(message: &str, description: &str, files: &[(String, FileContent)]) -> String {
    let value = json!({ "summary": message, "description": description });
    let mut body = format!("{}\n", json!({ "key": "header", "value": value }));
    for (path, content) in files {
        body.push_str(&content.operation(path).to_string());
        body.push('\n');
    }
    body
}

/// Adds a parameter to an address; whether it is the first is told by the address.
pub(crate) fn ask_for(path: &mut String, key: &str, value: &str) {
    path.push(if path.contains('?') { '&' } else { '?' });
    path.push_str(key);
    path.push('=');
    path.push_str(&segment(value));
}

/// One segment of a path: everything that could end it is spelled out.
pub(crate) fn segment(text: &str) -> String {
    use std::fmt::Write as _;
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            safe.push(char::from(byte));
        } else {
            write!(safe, "%{byte:02X}").expect("a text can always be written to");
        }
    }
    safe
}

fn read(url: &str, mut response: Response<Body>) -> Result<(HeaderMap, Vec<u8>), ClientError> {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let broken = |reason: String| ClientError::Answer {
        url: url.to_owned(),
        reason,
    };
    let mut body = Vec::new();
    let mut reader = response.body_mut().as_reader().take(MAX_ANSWER + 1);
    reader
        .read_to_end(&mut body)
        .map_err(|error| broken(error.to_string()))?;
    if body.len() as u64 > MAX_ANSWER {
        return Err(broken(format!(
            "it is larger than {} MiB",
            MAX_ANSWER >> 20
        )));
    }
    if !(200..300).contains(&status) {
        return Err(refusal(status, &headers, &body));
    }
    Ok((headers, body))
}

/// What the hub says about why it will not.
fn refusal(status: u16, headers: &HeaderMap, body: &[u8]) -> ClientError {
    let body: Json = serde_json::from_slice(body).unwrap_or_default();
    let message = said(&body)
        .or_else(|| header(headers, "x-error-message").map(str::to_owned))
        .unwrap_or_else(|| format!("the hub answered {status}"));
    let request = header(headers, "x-request-id");
    let message = match (status, request) {
        (500.., Some(id)) => format!("{message} (request {id})"),
        _ => message,
    };
    ClientError::Refused {
        status,
        message,
        diagnostics: body["diagnostics"].as_array().cloned().unwrap_or_default(),
    }
}

/// The reason in a body: as hubs give it, as OAuth does (RFC 6749), or as a problem of RFC 9457.
fn said(body: &Json) -> Option<String> {
    let text = |key: &str| body[key].as_str().filter(|text| !text.is_empty());
    if let Some(error) = text("error") {
        return Some(match text("error_description") {
            Some(description) => format!("{description} ({error})"),
            None => error.to_owned(),
        });
    }
    let said = text("detail").or_else(|| text("title"))?;
    let place = text("pointer").map(|pointer| format!(" at `{pointer}`"));
    let code = text("code").map(|code| format!(" ({code})"));
    Some(format!(
        "{said}{}{}",
        place.unwrap_or_default(),
        code.unwrap_or_default()
    ))
}

/// The address of the next page, from the `Link` header.
fn next_page(headers: &HeaderMap) -> Option<String> {
    let link = header(headers, "link")?;
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let (_, rest) = next.split_once('<')?;
    rest.split_once('>').map(|(url, _)| url.to_owned())
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
