use std::io::Write as _;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Packs a page or a file.
pub(crate) fn packed(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(6));
    // Memory can always be written to, so neither step fails.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_or_else(|_| Bytes::copy_from_slice(bytes), Bytes::from)
}

/// Returns whether who asks can read what is packed.
pub(crate) fn is_welcome(headers: &HeaderMap) -> bool {
    let Some(text) = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    text.split(',').any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_gzip = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused = parts.any(|part| {
            let weight = part.strip_prefix("q=").map(str::parse::<f32>);
            matches!(weight, Some(Ok(weight)) if weight <= 0.0)
        });
        is_gzip && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, text.parse().unwrap());
        is_welcome(&headers)
    }

    #[test]
    fn who_names_gzip_gets_it_and_who_refuses_it_does_not() {
        assert!(allows("gzip, deflate, br"));
        assert!(allows("br;q=1.0, GZIP;q=0.5"));
        assert!(!allows("br"));
        assert!(!allows("gzip;q=0"));
        assert!(!is_welcome(&HeaderMap::new()));
    }

    #[test]
    fn what_is_packed_unpacks_to_the_same() {
        use std::io::Read as _;
        let text = "a row of a table ".repeat(100);

        let bytes = packed(text.as_bytes());

        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*bytes)
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, text);
        assert!(bytes.len() < text.len() / 4);
    }
}
