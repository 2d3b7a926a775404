//! Pictures of accounts, drawn from their names: nobody uploads one, and nobody is asked for one
//! elsewhere.

use std::fmt::Write as _;

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::PathParams;
use crate::routes::{Routes, get};

/// Number of squares that a picture has in a row; the right half mirrors the left.
const SIDE: usize = 5;
/// Number of columns that are drawn, with the one in the middle.
const COLUMNS: usize = 3;
/// The longest name that is drawn, in bytes: no account has a longer one.
const MAX_NAME: usize = assay_model::RepoId::MAX_PART;
/// A picture follows from its address, so it may be kept for a day and more.
const KEPT: &str = "public, max-age=86400, immutable";
/// A picture loads nothing and runs nothing, also when it is opened by itself.
const ALONE: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Accounts).route(
        "/avatars/{picture}",
        get(
            avatar,
            says("Draws the picture of an account, such as `/avatars/alice.svg`.")
                .more("It follows from the name alone, whether there is such an account or not.")
                .asks(Access::Open)
                .answers_bytes("image/svg+xml", "The picture.")
                .refuses(&[Refusal::Missing]),
        ),
    )
}

#[derive(Deserialize)]
struct At {
    picture: String,
}

async fn avatar(PathParams(At { picture }): PathParams<At>) -> Result<Response, Failure> {
    let name = picture.strip_suffix(".svg").unwrap_or_default();
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(Failure::no_route());
    }
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (CACHE_CONTROL, KEPT),
        (CONTENT_SECURITY_POLICY, ALONE),
    ];
    Ok((headers, drawn(name)).into_response())
}

/// A picture whose squares and colour follow from the name, in whatever case it is written.
fn drawn(name: &str) -> String {
    let digest = Sha256::digest(name.to_ascii_lowercase().as_bytes());
    let hue = u16::from_be_bytes([digest[0], digest[1]]) % 360;
    let mut squares = String::new();
    for (place, byte) in digest[2..].iter().take(COLUMNS * SIDE).enumerate() {
        if byte % 2 == 1 {
            continue;
        }
        let (column, row) = (place % COLUMNS, place / COLUMNS);
        let mirrored = SIDE - 1 - column;
        let _ = write!(squares, "M{column} {row}h1v1h-1z");
        if mirrored != column {
            let _ = write!(squares, "M{mirrored} {row}h1v1h-1z");
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 7 7\" width=\"112\" height=\"112\" shape-rendering=\"crispEdges\"><rect x=\"-1\" y=\"-1\" width=\"7\" height=\"7\" fill=\"hsl({hue} 30% 92%)\"/><path fill=\"hsl({hue} 55% 42%)\" d=\"{squares}\"/></svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_picture_and_another_name_another() {
        assert_eq!(drawn("alice"), drawn("Alice"));
        assert_ne!(drawn("alice"), drawn("bob"));
    }

    #[test]
    fn nothing_of_a_name_is_in_its_picture() {
        assert!(!drawn("<script>").contains("script"));
    }
}
