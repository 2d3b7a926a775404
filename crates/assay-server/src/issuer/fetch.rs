//! Fetches key sets. The addresses come from the policy and from nowhere else; even so, none may
//! lead into the network that this machine stands in.

use std::io::Read as _;
use std::time::Duration;

use assay_app::issuer::{Fetch, FetchError, MAX_KEY_SET_BYTES};
use ureq::Agent;

use crate::outbound::{self, Reach, Scheme, is_unwelcome};

/// Maximum duration of a fetch, all in all.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Fetches over https, without redirects, from public addresses.
#[derive(Debug)]
pub(crate) struct KeyFetcher {
    agent: Agent,
    allow_loopback: bool,
}

impl KeyFetcher {
    /// A fetcher; tests let it reach this machine, over plain http.
    pub(crate) fn new(allow_loopback: bool) -> Self {
        let (scheme, reach) = if allow_loopback {
            (Scheme::Any, Reach::PublicAndLoopback)
        } else {
            (Scheme::Https, Reach::Public)
        };
        Self {
            agent: outbound::agent(TIMEOUT, scheme, reach),
            allow_loopback,
        }
    }

    /// The body at an address, up to a size.
    pub(crate) fn get(&self, url: &str, most: usize) -> Result<Option<Vec<u8>>, FetchError> {
        if !url.starts_with("https://") && !self.allow_loopback {
            return Err(FetchError("only `https` is fetched".to_owned()));
        }
        let failed = |error: ureq::Error| {
            FetchError(if is_unwelcome(&error) {
                "the name leads to an address that is not public".to_owned()
            } else {
                error.to_string()
            })
        };
        let mut response = self.agent.get(url).call().map_err(failed)?;
        match response.status().as_u16() {
            200 => {}
            404 => return Ok(None),
            300..=399 => return Err(FetchError("redirects are not followed".to_owned())),
            status => return Err(FetchError(format!("it was answered with {status}"))),
        }
        let mut body = Vec::new();
        let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let mut reader = response.body_mut().as_reader().take(limit);
        reader
            .read_to_end(&mut body)
            .map_err(|error| FetchError(error.to_string()))?;
        if body.len() > most {
            return Err(FetchError(format!("it has more than {most} bytes")));
        }
        Ok(Some(body))
    }
}

impl Fetch for KeyFetcher {
    fn fetch(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        self.get(url, MAX_KEY_SET_BYTES)?
            .ok_or_else(|| FetchError("it was answered with 404".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{IpAddr, TcpListener};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers every connection with the same bytes and counts them.
    fn listen(answer: &'static [u8]) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                counted.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 1024];
                let _ = std::io::Read::read(&mut stream, &mut request);
                let _ = stream.write_all(answer);
            }
        });
        (format!("http://{address}/keys"), count)
    }

    /// Row 64 of the threat table.
    #[test]
    fn ssrf_matrix() {
        for text in [
            "127.0.0.1",
            "127.8.8.8",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::1",
            "::",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "::a00:1",
            "100::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(!Reach::Public.allows(address), "{text}");
        }
        for text in [
            "140.82.112.3",
            "1.1.1.1",
            "172.32.0.1",
            "2606:50c0:8000::153",
            "100.128.0.1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(Reach::Public.allows(address), "{text}");
        }

        let (url, count) = listen(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        let port = url
            .rsplit(':')
            .next()
            .unwrap()
            .trim_end_matches("/keys")
            .to_owned();
        let strict = KeyFetcher::new(false);
        for url in [
            url.clone(),
            url.replace("http:", "https:"),
            format!("https://localhost:{port}/keys"),
            "ftp://127.0.0.1/keys".to_owned(),
            "file:///etc/passwd".to_owned(),
            "https://169.254.169.254/latest/meta-data".to_owned(),
        ] {
            assert!(strict.fetch(&url).is_err(), "{url}");
        }
        assert_eq!(count.load(Ordering::SeqCst), 0, "nothing was dialled");

        let lenient = KeyFetcher::new(true);
        assert_eq!(lenient.fetch(&url), Ok(b"{}".to_vec()));
        assert!(lenient.fetch("http://10.255.255.1/keys").is_err());
    }

    #[test]
    fn redirects_are_not_followed_and_too_much_is_not_read() {
        let (target, count) = listen(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        let text = format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n");
        let (redirect, _) = listen(text.leak().as_bytes());
        let body = "x".repeat(MAX_KEY_SET_BYTES + 1);
        let text = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let (large, _) = listen(text.leak().as_bytes());
        let fetcher = KeyFetcher::new(true);

        assert!(fetcher.fetch(&redirect).is_err());
        assert!(fetcher.fetch(&large).is_err());
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
}
