//! The hub's own style sheet, script, fonts and icon. The name of each holds a digest of its
//! content, so that a browser can keep it for ever and a new version is asked for at once.

use std::sync::LazyLock;

use assay_formats::rows::hex;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::gzip;
use crate::error::{Failure, one_line};

/// Number of bytes of the digest a that name has.
const DIGEST: usize = 8;
/// The header of files with a digest in their name, which never change.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The fonts, by the name that the style sheet calls them.
static FONTS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    let font = |stem, body| Asset::new(stem, "woff2", "font/woff2", Bytes::from_static(body));
    [
        font(
            "sans-400",
            include_bytes!("../../static/fonts/sans-400.woff2"),
        ),
        font(
            "sans-600",
            include_bytes!("../../static/fonts/sans-600.woff2"),
        ),
        font(
            "serif-700",
            include_bytes!("../../static/fonts/serif-700.woff2"),
        ),
    ]
});
static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let mut text = concat!(
        include_str!("../../static/style.css"),
        include_str!("../../static/acts.css")
    )
    .to_owned();
    for font in FONTS.iter() {
        text = text.replace(&format!("/assets/{}.woff2", font.stem), &font.address);
    }
    Asset::new("style", "css", "text/css; charset=utf-8", text.into())
});
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(
        include_str!("../../static/script.js"),
        include_str!("../../static/acts.js"),
        include_str!("../../static/figures.js")
    );
    Asset::new(
        "script",
        "js",
        "text/javascript; charset=utf-8",
        text.into(),
    )
});
static VERIFY_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../static/verify.js");
    Asset::new(
        "verify",
        "js",
        "text/javascript; charset=utf-8",
        text.into(),
    )
});
/// The verifier of proofs as WebAssembly: `browser/verifier` has its source.
static VERIFIER: LazyLock<Asset> = LazyLock::new(|| {
    let program = include_bytes!("../../static/verifier.wasm");
    Asset::new(
        "verifier",
        "wasm",
        "application/wasm",
        Bytes::from_static(program),
    )
});
static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../static/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", text.into())
});

struct Asset {
    stem: &'static str,
    address: String,
    kind: &'static str,
    body: Bytes,
    gzipped: Bytes,
}

impl Asset {
    fn new(stem: &'static str, ending: &str, kind: &'static str, body: Bytes) -> Self {
        let digest = hex(&Sha256::digest(&body)[..DIGEST]);
        let address = format!("/assets/{stem}-{digest}.{ending}");
        Self {
            stem,
            address,
            kind,
            gzipped: gzip::packed(&body),
            body,
        }
    }
}

/// Returns the address of the style sheet.
pub(crate) fn style() -> &'static str {
    &STYLE.address
}

/// Returns the address of the script.
pub(crate) fn script() -> &'static str {
    &SCRIPT.address
}

/// Returns the address of the icon.
pub(crate) fn icon() -> &'static str {
    &ICON.address
}

/// Where the script is that verifies proofs.
pub(crate) fn verify_script() -> &'static str {
    &VERIFY_SCRIPT.address
}

/// Where the verifier of proofs is.
pub(crate) fn verifier() -> &'static str {
    &VERIFIER.address
}

/// Returns the address of the font that every page needs at once.
pub(crate) fn font() -> &'static str {
    &FONTS[0].address
}

/// Gives one of them.
pub(super) async fn asset(
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let own: [&Asset; 5] = [&STYLE, &SCRIPT, &VERIFY_SCRIPT, &VERIFIER, &ICON];
    let mut assets = own.into_iter().chain(FONTS.iter());
    let found = assets.find(|asset| asset.address.strip_prefix("/assets/") == Some(&file));
    let asset = found.ok_or_else(Failure::no_route)?;
    let mut answer = HeaderMap::new();
    answer.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    answer.insert(CACHE_CONTROL, FOR_EVER);
    answer.insert(VARY, HeaderValue::from_static("accept-encoding"));
    answer.insert(ETAG, one_line(&format!("\"{file}\"")));
    // A font is packed already.
    if asset.gzipped.len() < asset.body.len() && gzip::is_welcome(&headers) {
        answer.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return Ok((answer, asset.gzipped.clone()).into_response());
    }
    Ok((answer, asset.body.clone()).into_response())
}
