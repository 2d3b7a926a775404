//! The hub's own style sheet, script and pictures. The name of each holds a digest of its content, so that a browser can
//! keep it for ever and a new version is asked for at once.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::gzip;
use crate::error::{Failure, one_line};

/// How many hexadecimal digits of the digest a name has.
const DIGITS: usize = 16;
/// What has a digest in its name never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "style",
        "css",
        "text/css; charset=utf-8",
        concat!(
            include_str!("../../static/style.css"),
            include_str!("../../static/acts.css")
        )
        .as_bytes(),
    )
});
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "script",
        "js",
        "text/javascript; charset=utf-8",
        concat!(
            include_str!("../../static/script.js"),
            include_str!("../../static/acts.js")
        )
        .as_bytes(),
    )
});
static ICON: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "icon",
        "svg",
        "image/svg+xml",
        include_bytes!("../../static/icon.svg"),
    )
});

struct Asset {
    name: String,
    kind: &'static str,
    body: Bytes,
    gzipped: Bytes,
}

impl Asset {
    fn new(stem: &str, ending: &str, kind: &'static str, body: &'static [u8]) -> Self {
        let digest = Sha256::digest(body);
        let mut name = format!("{stem}-");
        for byte in digest.iter().take(DIGITS / 2) {
            // A text can always be written to.
            let _ = write!(name, "{byte:02x}");
        }
        let _ = write!(name, ".{ending}");
        Self {
            name,
            kind,
            body: Bytes::from_static(body),
            gzipped: gzip::packed(body),
        }
    }
}

/// Where the style sheet is.
pub(crate) fn style() -> &'static str {
    static ADDRESS: LazyLock<String> = LazyLock::new(|| format!("/assets/{}", STYLE.name));
    &ADDRESS
}

/// Where the script is.
pub(crate) fn script() -> &'static str {
    static ADDRESS: LazyLock<String> = LazyLock::new(|| format!("/assets/{}", SCRIPT.name));
    &ADDRESS
}

/// Where the icon is.
pub(crate) fn icon() -> &'static str {
    static ADDRESS: LazyLock<String> = LazyLock::new(|| format!("/assets/{}", ICON.name));
    &ADDRESS
}

/// Gives one of them.
pub(super) async fn asset(
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let assets: [&Asset; 3] = [&STYLE, &SCRIPT, &ICON];
    let found = assets.into_iter().find(|asset| asset.name == file);
    let asset = found.ok_or_else(Failure::no_route)?;
    let mut answer = HeaderMap::new();
    answer.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    answer.insert(CACHE_CONTROL, FOR_EVER);
    answer.insert(VARY, HeaderValue::from_static("accept-encoding"));
    answer.insert(ETAG, one_line(&format!("\"{}\"", asset.name)));
    if gzip::is_welcome(&headers) {
        answer.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return Ok((answer, asset.gzipped.clone()).into_response());
    }
    Ok((answer, asset.body.clone()).into_response())
}
