use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use ureq::http::Uri;

/// Where a hub is: scheme, host, port and perhaps a path below which it lies; no slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    text: String,
    private: bool,
}

/// The text is not the address of a hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the address of a hub; addresses look like `https://hub.example`")]
pub(crate) struct AddressError(pub(crate) String);

impl Origin {
    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether nobody on the way can read along. Plain http is private to this machine only.
    pub(crate) fn is_private(&self) -> bool {
        self.private
    }
}

impl FromStr for Origin {
    type Err = AddressError;

    fn from_str(address: &str) -> Result<Self, AddressError> {
        let text = address.trim_end_matches('/');
        let refuse = || AddressError(address.to_owned());
        let uri: Uri = text.parse().map_err(|_| refuse())?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(refuse());
        };
        if !matches!(scheme, "http" | "https") || uri.query().is_some() {
            return Err(refuse());
        }
        let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "::1");
        Ok(Self {
            private: scheme == "https" || here,
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What sends requests: it follows no redirect by itself, so that a token goes to no other host.
pub(crate) fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .timeout_global(Some(timeout))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}
