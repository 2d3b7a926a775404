use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    pub(super) async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("an answer of the hub is whole");
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        assert!(parsed.is_ok(), "no JSON: {}", self.text());
        parsed.unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header, when there is one.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The answer, which must have this status.
    #[track_caller]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "a test that only wants the status is done with it"
    )]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
}
