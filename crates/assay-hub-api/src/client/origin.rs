use std::fmt;
use std::str::FromStr;

use ureq::http::Uri;

/// The address of a hub: scheme, host, port and perhaps a path below which it lies; no slash at its
/// end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    text: String,
    /// Scheme, host and port, as the address spells them.
    root: usize,
    server: Server,
}

/// Scheme, host and port: the part of an address that a token is bound to (RFC 6454).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    https: bool,
    host: String,
    port: u16,
}

/// The text is not the address of a hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the address of a hub; addresses look like `https://hub.example`")]
pub struct AddressError(pub String);

impl Origin {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether nobody on the way can read along. Plain http is private to this machine
    /// only.
    pub fn is_private(&self) -> bool {
        let host = self.server.host.as_str();
        self.server.https || matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "::1")
    }

    /// Returns whether requests go over TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        self.server.https
    }

    /// Splits an address into its scheme, host and port, and the path and query that follow.
    pub fn split(address: &str) -> Result<(Self, &str), AddressError> {
        let end = root_length(address);
        let (root, rest) = address.split_at(end);
        let origin = root.parse();
        let origin = origin.map_err(|AddressError(_)| AddressError(address.to_owned()))?;
        Ok((origin, rest))
    }

    /// Returns the whole address that a redirect or a link leads to, if scheme, host and port are
    /// those of this hub. A token that was meant for this hub goes to no other.
    pub(super) fn resolve(&self, target: &str) -> Option<String> {
        if target.starts_with('/') && !target.starts_with("//") && !target.contains('\\') {
            return Some(format!("{}{target}", &self.text[..self.root]));
        }
        let uri: Uri = target.parse().ok()?;
        (Server::of(&uri)? == self.server).then(|| target.to_owned())
    }
}

impl Server {
    /// None for what is no http address, and for one with a name or password in it.
    fn of(uri: &Uri) -> Option<Self> {
        let https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?;
        if authority.as_str().contains('@') {
            return None;
        }
        Some(Self {
            https,
            host: authority.host().to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(if https { 443 } else { 80 }),
        })
    }
}

/// Returns the number of bytes of an address that are scheme, host and port.
fn root_length(address: &str) -> usize {
    let host = address.find("://").map_or(0, |at| at + 3);
    address[host..]
        .find(['/', '?', '#'])
        .map_or(address.len(), |at| host + at)
}

impl FromStr for Origin {
    type Err = AddressError;

    fn from_str(address: &str) -> Result<Self, AddressError> {
        let text = address.trim_end_matches('/');
        let refuse = || AddressError(address.to_owned());
        let uri: Uri = text.parse().map_err(|_| refuse())?;
        if uri.query().is_some() {
            return Err(refuse());
        }
        Ok(Self {
            server: Server::of(&uri).ok_or_else(refuse)?,
            root: root_length(text),
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(hub: &str, target: &str) -> Option<String> {
        hub.parse::<Origin>().unwrap().resolve(target)
    }

    #[test]
    fn another_scheme_host_or_port_is_another_server() {
        for target in [
            "https://hub.example.evil.test/x",
            "https://evil.test/x",
            "https://hub.example@evil.test/",
            "https://user:word@hub.example/x",
            "//evil.test/x",
            "/\\evil.test/x",
            "http://hub.example/x",
            "https://hub.example:8443/x",
            "https://hub.example:80/x",
            "ftp://hub.example/x",
            "x",
            "",
        ] {
            assert_eq!(resolve("https://hub.example", target), None, "{target}");
        }
    }

    #[test]
    fn the_same_server_is_known_however_it_is_spelled() {
        for target in [
            "https://hub.example/x",
            "https://HUB.example/x",
            "https://hub.example:443/x",
        ] {
            let resolved = resolve("https://hub.example", target);

            assert_eq!(resolved.as_deref(), Some(target));
        }
        assert_eq!(
            resolve("http://hub.example:80", "http://hub.example/x").as_deref(),
            Some("http://hub.example/x")
        );
    }

    #[test]
    fn a_path_is_below_the_server_and_not_below_the_path_of_the_hub() {
        assert_eq!(
            resolve("https://hub.example/hub", "/hub/api?a=b").as_deref(),
            Some("https://hub.example/hub/api?a=b")
        );
    }

    #[test]
    fn an_address_is_split_after_its_port() {
        let (origin, rest) = Origin::split("https://ci.example:8443/run/1?v=2").unwrap();

        assert_eq!(
            (origin.as_str(), rest),
            ("https://ci.example:8443", "/run/1?v=2")
        );
        assert!(Origin::split("ci.example/run").is_err());
    }

    #[test]
    fn only_https_and_this_machine_are_private() {
        let is_private = |address: &str| address.parse::<Origin>().unwrap().is_private();

        assert!(is_private("https://hub.example"));
        assert!(is_private("http://localhost:7000") && is_private("http://[::1]:7000"));
        assert!(!is_private("http://hub.example") && !is_private("http://localhost.example"));
    }
}
