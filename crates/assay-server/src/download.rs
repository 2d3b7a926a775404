use std::io;
use std::sync::Arc;

use assay_app::{Blob, BlobContent, Caller, UnpackedBlob};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{RouteDoc, Subject, says};
use crate::error::{Failure, REPO_COMMIT, one_line};
use crate::extract::{CallerExt, LenientBool, PathParams, Query, RepoName};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::wire;

mod range;

use range::Part;

const LINKED_ETAG: HeaderName = HeaderName::from_static("x-linked-etag");
const LINKED_SIZE: HeaderName = HeaderName::from_static("x-linked-size");
/// The number of bytes of a file that are read at once. A client that does not read holds no more
/// of it.
const PIECE: usize = 64 << 10;
/// The policy for files of strangers: they are shown without running anything in them.
const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");
/// Names that are text for people, whatever is in them.
const TEXT: [&str; 14] = [
    "cfg",
    "csv",
    "gitattributes",
    "gitignore",
    "json",
    "jsonl",
    "md",
    "py",
    "toml",
    "tsv",
    "txt",
    "xml",
    "yaml",
    "yml",
];

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Files)
        .route(
            "/{namespace}/{name}/resolve/{revision}/{*path}",
            get(
                resolve,
                file("Gives a file; of a large one, the file itself."),
            )
            .head(
                resolve_head,
                file("Gives the facts of a file; of a large one, those of the file itself."),
            ),
        )
        .route(
            "/{namespace}/{name}/raw/{revision}/{*path}",
            get(
                raw,
                file("Gives a file as git has it; of a large one, its pointer."),
            )
            .head(raw_head, file("Gives the facts of a file as git has it.")),
        )
}

fn file(summary: &'static str) -> RouteDoc {
    says(summary)
        .query::<DownloadQuery>()
        .answers_bytes(
            "application/octet-stream",
            "The bytes; text is sent as `text/plain`.",
        )
        .or_answers(
            206,
            "application/octet-stream",
            "The part that `Range` asks for.",
        )
        .or_bytes("text/plain")
        .header(
            "ETag",
            "The git object; of a large file, its SHA-256 digest.",
        )
        .header(REPO_COMMIT.as_str(), "The commit that the revision names.")
        .header(LINKED_ETAG.as_str(), "The SHA-256 digest of a large file.")
        .header(LINKED_SIZE.as_str(), "The size of a large file.")
        .answers_nothing(304, "The client has it already, by `If-None-Match`.")
        .answers_nothing(416, "The file has no such part.")
}

/// A file of a repository, as an address names it.
#[derive(Deserialize)]
pub(crate) struct File {
    revision: String,
    path: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct DownloadQuery {
    /// True if a browser is to save it.
    #[serde(default)]
    #[param(value_type = bool)]
    download: LenientBool,
}

/// The parts of a request for a file.
type FileRequest = (
    State<AppState>,
    CallerExt,
    RepoName,
    PathParams<File>,
    Query<DownloadQuery>,
    HeaderMap,
);

/// The way in which a file is asked for.
#[derive(Debug, Clone, Copy)]
struct Manner {
    /// Its bytes, and not only its facts.
    content: bool,
    /// As git has it: of a large file, its pointer.
    raw: bool,
}

impl Manner {
    async fn answer(self, request: FileRequest) -> Result<Response, Failure> {
        let (State(state), CallerExt(caller), name, PathParams(file), Query(query), headers) =
            request;
        answer(&state, &caller, &name, &file, &query, &headers, self).await
    }
}

/// The content of a file; for a large one, the file itself and not its pointer.
async fn resolve(request: FileRequest) -> Result<Response, Failure> {
    let (content, raw) = (true, false);
    Manner { content, raw }.answer(request).await
}

/// The facts of a file: nothing of it is read.
async fn resolve_head(request: FileRequest) -> Result<Response, Failure> {
    let (content, raw) = (false, false);
    Manner { content, raw }.answer(request).await
}

/// A file as git has it; for a large one, its pointer.
async fn raw(request: FileRequest) -> Result<Response, Failure> {
    let (content, raw) = (true, true);
    Manner { content, raw }.answer(request).await
}

async fn raw_head(request: FileRequest) -> Result<Response, Failure> {
    let (content, raw) = (false, true);
    Manner { content, raw }.answer(request).await
}

/// The content of a file, for a browser to save.
pub(crate) async fn save(
    state: &AppState,
    caller: &Caller,
    name: &RepoName,
    file: &File,
    method: &Method,
    asked: &HeaderMap,
) -> Result<Response, Failure> {
    let query = DownloadQuery {
        download: LenientBool(true),
    };
    let manner = Manner {
        content: method != Method::HEAD,
        raw: false,
    };
    answer(state, caller, name, file, &query, asked, manner).await
}

async fn answer(
    state: &AppState,
    caller: &Caller,
    name: &RepoName,
    file: &File,
    query: &DownloadQuery,
    asked: &HeaderMap,
    manner: Manner,
) -> Result<Response, Failure> {
    let repo = name.open(state, caller).await?;
    let Manner { content, raw } = manner;
    let hub = &state.hub;
    let mut blob = hub
        .repositories()
        .blob(&repo, &file.revision, &file.path, false, raw)
        .await?;
    let Facts { etag, size } = Facts::of(&blob, raw);
    let headers = headers(&blob, &etag, size, raw, query.download.0);
    if is_known(asked, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let wanted = asked.get(RANGE).filter(|_| may_be_part(asked, &etag));
    let wanted = range::of(wanted, size);
    if content && !matches!(wanted, Part::Beyond) {
        // The branch may have moved on; what was promised is at this commit.
        let commit = blob.commit.to_string();
        blob = hub
            .repositories()
            .blob(&repo, &commit, &file.path, true, raw)
            .await?;
    }
    match wanted {
        Part::Whole => whole(blob.content, headers, size).await,
        Part::Some { start, length } => part(blob.content, headers, start, length, size).await,
        Part::Beyond => {
            let mut headers = headers;
            headers.insert(CONTENT_RANGE, one_line(&format!("bytes */{size}")));
            Ok((StatusCode::RANGE_NOT_SATISFIABLE, headers).into_response())
        }
    }
}

/// The `ETag` and the size of a file.
struct Facts {
    etag: HeaderValue,
    size: u64,
}

impl Facts {
    fn of(blob: &Blob, raw: bool) -> Self {
        let entry = &blob.entry;
        match entry.large.as_ref() {
            Some(large) if raw => Self {
                etag: quoted(&entry.oid.to_string()),
                size: large.pointer_size,
            },
            Some(large) => Self {
                etag: quoted(&large.sha256),
                size: entry.size,
            },
            None => Self {
                etag: quoted(&entry.oid.to_string()),
                size: entry.size,
            },
        }
    }
}

fn headers(blob: &Blob, etag: &HeaderValue, size: u64, raw: bool, download: bool) -> HeaderMap {
    let name = blob.entry.path.name();
    let mut headers = HeaderMap::new();
    headers.insert(ETAG, etag.clone());
    headers.insert(REPO_COMMIT, one_line(&blob.commit.to_string()));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(CONTENT_TYPE, content_type(name));
    headers.insert(CONTENT_DISPOSITION, disposition(name, download));
    headers.insert(CONTENT_SECURITY_POLICY, SANDBOX);
    if blob.entry.large.is_some() && !raw {
        headers.insert(LINKED_ETAG, etag.clone());
        headers.insert(LINKED_SIZE, HeaderValue::from(size));
    }
    headers
}

async fn whole(
    content: BlobContent,
    mut headers: HeaderMap,
    size: u64,
) -> Result<Response, Failure> {
    headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
    let body = match content {
        BlobContent::NotRead => Body::empty(),
        BlobContent::Memory(bytes) => Body::from(bytes),
        BlobContent::Large(large) => Body::from_stream(large.read(0, size).await?),
        BlobContent::Unpacked(blob) => pieces(blob, 0, size),
    };
    Ok((headers, body).into_response())
}

async fn part(
    content: BlobContent,
    mut headers: HeaderMap,
    start: u64,
    length: u64,
    size: u64,
) -> Result<Response, Failure> {
    let last = start + length - 1;
    headers.insert(
        CONTENT_RANGE,
        one_line(&format!("bytes {start}-{last}/{size}")),
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let body = match content {
        BlobContent::NotRead => Body::empty(),
        BlobContent::Memory(bytes) => {
            let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
            Body::from(bytes.slice(index(start)..index(start + length)))
        }
        BlobContent::Large(large) => Body::from_stream(large.read(start, length).await?),
        BlobContent::Unpacked(blob) => pieces(blob, start, length),
    };
    Ok((StatusCode::PARTIAL_CONTENT, headers, body).into_response())
}

/// A part of a file out of git, piece by piece.
fn pieces(blob: Arc<UnpackedBlob>, start: u64, length: u64) -> Body {
    let pieces = stream::try_unfold((blob, start, length), async |(blob, at, left)| {
        if left == 0 {
            return Ok(None);
        }
        let most = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; most];
            let read = blob.read_at(at, &mut piece)?;
            piece.truncate(read);
            io::Result::Ok((Bytes::from(piece), blob))
        });
        let (piece, blob) = read.await.map_err(io::Error::other).flatten()?;
        let read = piece.len() as u64;
        if read == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        Ok(Some((piece, (blob, at + read, left - read))))
    });
    Body::from_stream(pieces)
}

/// Returns whether the client has the file already.
fn is_known(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    let Some(known) = asked
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    known == "*"
        || known
            .split(',')
            .any(|one| one.trim().trim_start_matches("W/").as_bytes() == etag.as_bytes())
}

/// Returns whether a part may be sent: not when the client has parts of another version.
fn may_be_part(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    asked.get(IF_RANGE).is_none_or(|version| version == etag)
}

fn quoted(text: &str) -> HeaderValue {
    one_line(&format!("\"{text}\""))
}

fn content_type(name: &str) -> HeaderValue {
    let ending = name
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if TEXT.contains(&ending.as_str()) {
        HeaderValue::from_static("text/plain; charset=utf-8")
    } else {
        HeaderValue::from_static("application/octet-stream")
    }
}

fn disposition(name: &str, download: bool) -> HeaderValue {
    let how = if download { "attachment" } else { "inline" };
    let plain: String = name
        .chars()
        .map(|c| {
            if matches!(c, ' '..='~') && c != '"' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let exact = utf8_percent_encode(name, wire::SEGMENT);
    one_line(&format!(
        "{how}; filename*=UTF-8''{exact}; filename=\"{plain}\""
    ))
}
