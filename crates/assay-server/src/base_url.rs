use std::fmt;
use std::str::FromStr;

use axum::http::uri::Authority;

/// The address of a hub for its clients: scheme, host and, behind some proxies, a path; without a
/// slash at the end.
///
/// ```
/// # use assay_server::{BaseUrl, BaseUrlError};
/// let url: BaseUrl = "https://hub.example.org/".parse()?;
/// assert_eq!(url.to_string(), "https://hub.example.org");
/// assert_eq!("hub.example.org".parse::<BaseUrl>(), Err(BaseUrlError));
/// # Ok::<(), BaseUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BaseUrl {
    text: String,
    host: String,
}

/// The text is not the address of a hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the address of a hub is `http://` or `https://`, a host, and no query")]
pub struct BaseUrlError;

impl BaseUrl {
    /// The longest host that is believed, in bytes.
    const MAX_HOST: usize = 260;

    /// The address that a client used, as its `Host` header tells it.
    pub(crate) fn of_host(scheme: &str, host: &str) -> Result<Self, BaseUrlError> {
        if host.is_empty() || host.len() > Self::MAX_HOST || host.contains('@') {
            return Err(BaseUrlError);
        }
        let authority: Authority = host.parse().map_err(|_| BaseUrlError)?;
        Ok(Self {
            text: format!("{scheme}://{authority}"),
            host: authority.host().to_ascii_lowercase(),
        })
    }

    /// The host alone, in lower case and without its port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(BaseUrlError)?;
        let path_is_plain = rest.bytes().all(|byte| byte.is_ascii_graphic());
        if !matches!(scheme, "http" | "https") || !path_is_plain || rest.contains(['?', '#']) {
            return Err(BaseUrlError);
        }
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let mut url = Self::of_host(scheme, host)?;
        url.text.push_str(path.trim_end_matches('/'));
        Ok(url)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_header_that_is_no_host_is_refused() {
        for host in [
            "",
            "a b",
            "user@host",
            "host/path",
            "host?x",
            "\u{430}",
            &"a".repeat(300),
        ] {
            assert!(BaseUrl::of_host("http", host).is_err(), "{host:?}");
        }
    }

    #[test]
    fn hosts_keep_their_port_and_compare_without_it() {
        let url = BaseUrl::of_host("http", "LocalHost:8460").unwrap();

        assert_eq!(url.as_str(), "http://LocalHost:8460");
        assert_eq!(url.host(), "localhost");
    }

    #[test]
    fn a_path_behind_a_proxy_is_kept() {
        let url: BaseUrl = "https://example.org/hub/".parse().unwrap();

        assert_eq!(url.as_str(), "https://example.org/hub");
    }
}
