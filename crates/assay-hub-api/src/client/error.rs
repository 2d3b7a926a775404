use std::io;
use std::path::PathBuf;

use assay_model::Diagnostic;
use serde::Deserialize as _;
use serde_json::Value as Json;
use ureq::http::HeaderMap;

use super::{AddressError, MAX_REDIRECTS, header};

/// The reason why a hub did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address makes no sense.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The request failed on the way.
    #[error("the hub cannot be reached at `{url}`: {source}{}", remedy(.source))]
    Transport {
        /// The address of the request.
        url: String,
        /// The failure.
        source: Box<ureq::Error>,
    },
    /// The answer broke off.
    #[error("the answer from `{url}` broke off: {source}")]
    Body {
        /// The address of the request.
        url: String,
        /// The failure.
        source: io::Error,
    },
    /// The answer is longer than the limit of the client.
    #[error("the answer from `{url}` is larger than {limit} bytes")]
    TooLarge {
        /// The address of the request.
        url: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The answer is no JSON, or not of the shape that the request is answered with.
    #[error("the answer from `{url}` cannot be read: {source}")]
    Shape {
        /// The address of the request.
        url: String,
        /// The fault.
        source: serde_json::Error,
    },
    /// A redirect or link to another scheme, host or port, which the token must not follow.
    #[error("`{url}` leads to another server, `{target}`, which is not followed")]
    Elsewhere {
        /// The address of the request.
        url: String,
        /// The address that it leads to.
        target: String,
    },
    /// Redirects without end.
    #[error("`{url}` redirects more than {MAX_REDIRECTS} times")]
    Redirects {
        /// The last address.
        url: String,
    },
    /// A file that was to be sent cannot be read.
    #[error("`{}` cannot be read: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// The hub refused, with its reason.
    #[error("{message}")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// The `X-Error-Code` header, such as `RepoNotFound`.
        code: Option<String>,
        /// The reason, for people.
        message: String,
        /// The faults in the files that were sent.
        diagnostics: Vec<Diagnostic>,
    },
}

impl ClientError {
    /// Reads why a hub refused. A fault that this version cannot read is left out: the reason
    /// counts.
    pub(super) fn from_refusal(
        url: &str,
        status: u16,
        headers: &HeaderMap,
        body: &[u8],
        token_source: Option<&str>,
    ) -> Self {
        let body: Json = serde_json::from_slice(body).unwrap_or_default();
        let message = reason(&body)
            .or_else(|| header(headers, "x-error-message").map(str::to_owned))
            .unwrap_or_else(|| format!("the hub answered {status} at `{url}`"));
        let code = header(headers, "x-error-code").map(str::to_owned);
        let message = explain(url, status, code.as_deref(), token_source, message);
        let request = header(headers, "x-request-id");
        let message = match (status, request) {
            (500.., Some(id)) => format!("{message} (request {id})"),
            _ => message,
        };
        let diagnostics = body["diagnostics"].as_array().into_iter().flatten();
        Self::Refused {
            status,
            code,
            message,
            diagnostics: diagnostics
                .filter_map(|found| Diagnostic::deserialize(found).ok())
                .collect(),
        }
    }
}

/// Says what to do about a failure on the way, where that is known.
fn remedy(error: &ureq::Error) -> &'static str {
    if let ureq::Error::Io(error) = error
        && error.kind() == io::ErrorKind::ConnectionRefused
    {
        return "; is it running? `assay serve` starts one";
    }
    if error.to_string().contains("UnknownIssuer") {
        return "; nothing that this system trusts has signed its certificate: name the file of its authority with \
                `SSL_CERT_FILE`";
    }
    ""
}

/// Rewrites reasons whose words are kept for `huggingface_hub` and mislead people: what is missing
/// or not visible, and a token that the hub does not accept.
fn explain(
    url: &str,
    status: u16,
    code: Option<&str>,
    token_source: Option<&str>,
    message: String,
) -> String {
    if let Some(more) = message
        .strip_prefix(BAD_CREDENTIALS)
        .filter(|_| status == 401)
    {
        let source = token_source.unwrap_or("of this request");
        let why = more.strip_prefix(": ");
        let why = why.unwrap_or("it is not a token of this hub, or it was removed");
        let hub = url.split("/api/").next().unwrap_or_default();
        return format!(
            "the hub does not accept the token {source}: {why}. Make another at {hub}/settings/tokens, then run \
             `assay hub login`"
        );
    }
    if status == 401 && message.starts_with("sign in first") {
        return format!("{message}; run `assay hub login`, or set `ASSAY_TOKEN`");
    }
    if status == 403
        && message.starts_with("this token")
        && let Some(source) = token_source
    {
        return format!("{message} (the token {source})");
    }
    if status == 404
        && let Some((kind, id)) = repo_in(url)
        && message.starts_with("there is no discussion or pull request")
    {
        let option = if kind == "model" {
            ""
        } else {
            " --type dataset"
        };
        return format!("{message}: `assay hub pr list {id}{option} --all` lists those of `{id}`");
    }
    if code != Some("RepoNotFound") {
        return message;
    }
    let Some((kind, id)) = repo_in(url) else {
        return message;
    };
    if !id.contains('/') {
        return format!("there is no {kind} `{id}` on this hub: names are `namespace/name`");
    }
    if status == 401 {
        return format!(
            "there is no public {kind} `{id}` on this hub; if it is private, sign in with `assay hub login`"
        );
    }
    format!("there is no {kind} `{id}` on this hub that you may see")
}

/// The beginning of what a hub answers to a token that it does not accept.
const BAD_CREDENTIALS: &str = "Invalid credentials in Authorization header";
/// The segments that follow the name of a repository in an address: a name of one part has no
/// namespace.
const PARTS_OF_A_REPOSITORY: &[&str] =
    &["leaderboard", "revision", "tree", "discussions", "commit"];

/// Returns the kind and the name of the repository that an address of the API is about.
fn repo_in(url: &str) -> Option<(&'static str, String)> {
    let (_, rest) = url.split_once("/api/")?;
    let path = rest.split(['?', '#']).next()?;
    let mut parts = path.split('/');
    let kind = match parts.next()? {
        "models" => "model",
        "datasets" => "dataset",
        _ => return None,
    };
    let namespace = parts.next()?;
    let id = match parts.next() {
        Some(name) if !PARTS_OF_A_REPOSITORY.contains(&name) => format!("{namespace}/{name}"),
        Some(_) | None => namespace.to_owned(),
    };
    Some((kind, id))
}

/// The reason in a body: as hubs give it, as OAuth does (RFC 6749), or as a problem of RFC 9457.
fn reason(body: &Json) -> Option<String> {
    let text = |key: &str| body[key].as_str().filter(|text| !text.is_empty());
    if let Some(error) = text("error") {
        return Some(match text("error_description") {
            Some(description) => format!("{description} ({error})"),
            None => error.to_owned(),
        });
    }
    let said = text("detail").or_else(|| text("title"))?;
    let place = text("pointer").map(|pointer| format!(" at `{pointer}`"));
    let code = text("code").map(|code| format!(" ({code})"));
    Some(format!(
        "{said}{}{}",
        place.unwrap_or_default(),
        code.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_never_a_question_of_passwords() {
        let told = |status, code, words: &str| {
            let url = "http://hub.example/api/datasets/acme/sums/leaderboard?limit=5";
            explain(
                url,
                status,
                code,
                Some("of `ASSAY_TOKEN`"),
                words.to_owned(),
            )
        };

        let anonymous = told(401, Some("RepoNotFound"), "Invalid username or password.");
        let signed_in = told(404, Some("RepoNotFound"), "Repository not found");
        let bad_token = told(401, None, "Invalid credentials in Authorization header");
        let ended = "Invalid credentials in Authorization header: the token `ci` expired at 2026-11-01T00:00:00Z";
        let ended = told(401, None, ended);

        assert_eq!(
            anonymous,
            "there is no public dataset `acme/sums` on this hub; if it is private, sign in with `assay hub login`"
        );
        assert_eq!(
            signed_in,
            "there is no dataset `acme/sums` on this hub that you may see"
        );
        assert_eq!(
            bad_token,
            "the hub does not accept the token of `ASSAY_TOKEN`: it is not a token of this hub, or it was removed. Make \
             another at http://hub.example/settings/tokens, then run `assay hub login`"
        );
        assert!(
            ended.contains("the token of `ASSAY_TOKEN`: the token `ci` expired at 2026-11-01T00:00:00Z. Make another"),
            "{ended}"
        );
        assert_eq!(told(404, None, "Entry not found"), "Entry not found");
    }
}
