use std::fmt;
use std::sync::Arc;

use axum::http::HeaderValue;
use subtle::ConstantTimeEq as _;

/// The fewest bytes of a token. `openssl rand -hex 32` makes 64.
const MIN_BYTES: usize = 16;

/// The secret that the machines of a cluster share. Whoever knows it can read every file that an
/// executor can read.
///
/// ```
/// # use assay_lake::cluster::ClusterToken;
/// assert!(ClusterToken::new("0123456789abcdef").is_ok());
/// assert!(ClusterToken::new("short").is_err());
/// ```
#[derive(Clone)]
pub struct ClusterToken(Arc<str>);

/// A text that is no token of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoToken {
    /// There is none.
    #[error(
        "a cluster needs a token: set ASSAY_CLUSTER_TOKEN to the same text on all its machines and for those who ask; \
         `openssl rand -hex 32` makes one"
    )]
    Missing,
    /// It can be guessed.
    #[error(
        "ASSAY_CLUSTER_TOKEN has fewer than {MIN_BYTES} bytes; `openssl rand -hex 32` makes a longer one"
    )]
    Short,
    /// It cannot be sent.
    #[error(
        "ASSAY_CLUSTER_TOKEN has characters that are neither letters, digits nor signs of ASCII"
    )]
    Characters,
}

impl ClusterToken {
    /// Accepts printable ASCII without spaces, of 16 bytes or more.
    pub fn new(text: &str) -> Result<Self, NoToken> {
        if text.is_empty() {
            return Err(NoToken::Missing);
        }
        if text.len() < MIN_BYTES {
            return Err(NoToken::Short);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NoToken::Characters);
        }
        Ok(Self(text.into()))
    }

    /// Returns the value of the header `Authorization` of every request between the machines.
    pub(super) fn header(&self) -> HeaderValue {
        let value = HeaderValue::try_from(format!("Bearer {}", self.0));
        let mut value = value.expect("`ClusterToken::new` accepts printable ASCII alone");
        value.set_sensitive(true);
        value
    }

    /// Returns `true` if a header has this token. The time that takes does not depend on where they
    /// differ.
    pub(super) fn matches(&self, header: Option<&HeaderValue>) -> bool {
        let expected = self.header();
        header.is_some_and(|header| header.as_bytes().ct_eq(expected.as_bytes()).into())
    }
}

impl fmt::Debug for ClusterToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClusterToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_matches() {
        let token = ClusterToken::new("0123456789abcdef").unwrap();
        let other = ClusterToken::new("0123456789abcdeg").unwrap();
        let bare = HeaderValue::from_static("0123456789abcdef");

        assert!(token.matches(Some(&token.header())));
        assert!(!token.matches(Some(&other.header())));
        assert!(!token.matches(Some(&bare)));
        assert!(!token.matches(None));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused_and_none_is_printed() {
        assert_eq!(ClusterToken::new("").unwrap_err(), NoToken::Missing);
        assert_eq!(ClusterToken::new("guess").unwrap_err(), NoToken::Short);
        let spaced = "0123456789 abcdef";
        assert_eq!(ClusterToken::new(spaced).unwrap_err(), NoToken::Characters);
        let token = ClusterToken::new("0123456789abcdef").unwrap();
        assert_eq!(
            format!("{token:?} {:?}", token.header()),
            "ClusterToken Sensitive"
        );
    }
}
