//! A client of a hub over HTTP.
//!
//! A token goes to one server: redirects and links are followed only where scheme, host and port
//! stay the same.

mod calls;
mod commit;
mod document;
mod error;
mod origin;
mod roots;

use std::io::Read as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::Body;
use ureq::http::{HeaderMap, Request, Response};

pub use self::calls::BoardAnswer;
pub use self::commit::CommitFile;
pub use self::document::Document;
pub use self::error::ClientError;
pub use self::origin::{AddressError, Origin};

/// Maximum duration of one request. A commit of large files is validated before it is answered.
const TIMEOUT: Duration = Duration::from_mins(5);
/// Number of redirects that are followed.
const MAX_REDIRECTS: usize = 3;
/// Maximum size of an answer, in bytes: a leaderboard of a hundred thousand rows fits.
const MAX_ANSWER: u64 = 256 << 20;

/// A client of one hub, with the token to use there.
pub struct Client {
    origin: Origin,
    token: Option<String>,
    /// Where the token comes from, for messages.
    token_source: Option<String>,
    agent: ureq::Agent,
    max_answer: u64,
}

/// The body of a request.
struct RequestBody<'a> {
    content_type: &'static str,
    bytes: &'a [u8],
    headers: Vec<(&'static str, String)>,
}

impl<'a> RequestBody<'a> {
    fn new(content_type: &'static str, text: &'a str) -> Self {
        Self {
            content_type,
            bytes: text.as_bytes(),
            headers: Vec::new(),
        }
    }

    fn json(text: &'a str) -> Self {
        Self::new("application/json", text)
    }
}

impl Client {
    /// Creates a client of the hub at an address. A token is sent over https or to this machine
    /// only.
    pub fn new(address: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let origin: Origin = address.parse()?;
        let token = token.filter(|_| origin.is_private()).map(str::to_owned);
        Ok(Self {
            agent: agent(TIMEOUT, origin.is_encrypted()),
            origin,
            token,
            token_source: None,
            max_answer: MAX_ANSWER,
        })
    }

    /// Says where the token comes from, such as "`ASSAY_TOKEN`": a hub that does not accept it is
    /// then answered with that.
    #[must_use]
    pub fn with_token_source(self, source: impl Into<String>) -> Self {
        Self {
            token_source: Some(source.into()),
            ..self
        }
    }

    /// Returns true when requests carry a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Limits how long one request may take, and how many bytes its answer may have.
    #[must_use]
    pub fn with_limits(self, timeout: Duration, max_answer: u64) -> Self {
        Self {
            agent: agent(timeout, self.origin.is_encrypted()),
            max_answer,
            ..self
        }
    }

    /// The address of the hub.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Asks for a JSON document.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let (_, body) = self.call("GET", path, None)?;
        self.read(path, &body)
    }

    /// Asks for bytes as they are.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        self.call("GET", path, None).map(|(_, body)| body)
    }

    /// Asks for a list, page after page, up to so many items.
    pub fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        limit: usize,
    ) -> Result<Vec<T>, ClientError> {
        let mut items: Vec<T> = Vec::new();
        let mut url = format!("{}{path}", self.origin);
        loop {
            let (headers, body) = self.call_url("GET", &url, None)?;
            items.extend(read::<Vec<T>>(&url, &body)?);
            let Some(next) = next_page(&headers).filter(|_| items.len() < limit) else {
                items.truncate(limit);
                return Ok(items);
            };
            url = self.follow(url, next)?;
        }
    }

    /// Sends a JSON document and reads the answer.
    fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let answer = self.send_only(method, path, body)?;
        self.read(path, &answer)
    }

    /// Sends a JSON document whose answer does not matter.
    fn send_only(
        &self,
        method: &str,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Vec<u8>, ClientError> {
        let body = serde_json::to_string(body).map_err(|source| ClientError::Shape {
            url: format!("{}{path}", self.origin),
            source,
        })?;
        let (_, answer) = self.call(method, path, Some(&RequestBody::json(&body)))?;
        Ok(answer)
    }

    /// Sends a form, perhaps with a name and a password.
    pub fn post_form<T: DeserializeOwned>(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        basic: Option<(&str, &str)>,
    ) -> Result<T, ClientError> {
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", segment(value)))
            .collect();
        let form = pairs.join("&");
        let mut body = RequestBody::new("application/x-www-form-urlencoded", &form);
        if let Some((name, password)) = basic {
            // RFC 6749 has both spelled as in a form before they are joined.
            let pair = format!("{}:{}", segment(name), segment(password));
            let pair = STANDARD.encode(pair);
            body.headers
                .push(("authorization", format!("Basic {pair}")));
        }
        let (_, answer) = self.call("POST", path, Some(&body))?;
        self.read(path, &answer)
    }

    fn read<T: DeserializeOwned>(&self, path: &str, body: &[u8]) -> Result<T, ClientError> {
        read(&format!("{}{path}", self.origin), body)
    }

    fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&RequestBody<'_>>,
    ) -> Result<(HeaderMap, Vec<u8>), ClientError> {
        self.call_url(method, &format!("{}{path}", self.origin), body)
    }

    fn call_url(
        &self,
        method: &str,
        url: &str,
        body: Option<&RequestBody<'_>>,
    ) -> Result<(HeaderMap, Vec<u8>), ClientError> {
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.ask(method, &url, body)?;
            match redirect(method, &response) {
                Some(target) => {
                    let target = target.to_owned();
                    url = self.follow(url, &target)?;
                }
                None => return self.receive(&url, response),
            }
        }
        Err(ClientError::Redirects { url })
    }

    /// The address that a redirect or link leads to, if it is of the same server.
    fn follow(&self, url: String, target: &str) -> Result<String, ClientError> {
        self.origin
            .resolve(target)
            .ok_or_else(|| ClientError::Elsewhere {
                url,
                target: target.to_owned(),
            })
    }

    fn ask(
        &self,
        method: &str,
        url: &str,
        body: Option<&RequestBody<'_>>,
    ) -> Result<Response<Body>, ClientError> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        match body {
            Some(body) => {
                let mut request = request.header("content-type", body.content_type);
                for (name, value) in &body.headers {
                    request = request.header(*name, value);
                }
                self.run(url, request.body(body.bytes))
            }
            None => self.run(url, request.body(())),
        }
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

    fn receive(
        &self,
        url: &str,
        mut response: Response<Body>,
    ) -> Result<(HeaderMap, Vec<u8>), ClientError> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let limit = self.max_answer;
        let mut body = Vec::new();
        let mut reader = response.body_mut().as_reader().take(limit + 1);
        reader
            .read_to_end(&mut body)
            .map_err(|source| ClientError::Body {
                url: url.to_owned(),
                source,
            })?;
        if body.len() as u64 > limit {
            let url = url.to_owned();
            return Err(ClientError::TooLarge { url, limit });
        }
        if !(200..300).contains(&status) {
            let source = self.token_source.as_deref();
            return Err(ClientError::from_refusal(
                url, status, &headers, &body, source,
            ));
        }
        Ok((headers, body))
    }
}

/// Adds a parameter to an address.
pub fn add_parameter(path: &mut String, key: &str, value: &str) {
    path.push(if path.contains('?') { '&' } else { '?' });
    path.push_str(key);
    path.push('=');
    path.push_str(&segment(value));
}

/// Encodes one segment of a path: everything that could end it is spelled as `%XX`.
pub fn segment(text: &str) -> String {
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

/// Builds what sends requests. It follows no redirect by itself: [`Client`] decides where a token
/// may go.
fn agent(timeout: Duration, is_encrypted: bool) -> ureq::Agent {
    let config = ureq::Agent::config_builder();
    let roots = is_encrypted.then(roots::of_this_system).flatten();
    let config = match roots {
        Some(roots) => config.tls_config(roots),
        None => config,
    };
    config
        .timeout_global(Some(timeout))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// The address that an answer redirects to. A request with a body is repeated only where the status
/// says that method and body stay the same.
fn redirect<'r>(method: &str, response: &'r Response<Body>) -> Option<&'r str> {
    let is_redirect = match response.status().as_u16() {
        307 | 308 => true,
        301..=303 => method == "GET",
        _ => false,
    };
    header(response.headers(), "location").filter(|_| is_redirect)
}

fn read<T: DeserializeOwned>(url: &str, body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|source| ClientError::Shape {
        url: url.to_owned(),
        source,
    })
}

/// The address of the next page, from the `Link` header.
fn next_page(headers: &HeaderMap) -> Option<&str> {
    let link = header(headers, "link")?;
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let (_, rest) = next.split_once('<')?;
    rest.split_once('>').map(|(url, _)| url)
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests;
