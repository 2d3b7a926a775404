use assay_app::{Error, Need, Repo};
use assay_model::{RepoId, RepoKind};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tokio_util::io::ReaderStream;

use crate::base_url::BaseUrl;
use crate::error::Failure;
use crate::extract::{Query, Segments};
use crate::git::reader;
use crate::state::AppState;

/// How long a link is good for, in seconds.
pub(super) const LIFETIME_SECONDS: u64 = 6 * 3600;
/// How much of a file is sent at once, in bytes.
const PIECE: usize = 256 << 10;

/// What a link allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Upload,
    Download,
}

/// Permission to put or get one file of one repository, until a moment.
#[derive(Debug)]
pub(super) struct Link {
    purpose: Purpose,
    kind: RepoKind,
    id: RepoId,
    oid: String,
    size: u64,
    expires: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Place {
    kind: String,
    namespace: String,
    name: String,
    oid: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Proof {
    size: u64,
    expires: i64,
    signature: String,
}

impl Link {
    pub(super) fn new(
        state: &AppState,
        repo: &Repo,
        purpose: Purpose,
        oid: &str,
        size: u64,
    ) -> Self {
        let lifetime = i64::try_from(LIFETIME_SECONDS).unwrap_or(i64::MAX);
        Self {
            purpose,
            kind: repo.kind(),
            id: repo.id().clone(),
            oid: oid.to_owned(),
            size,
            expires: state.web.clock.now().seconds().saturating_add(lifetime),
        }
    }

    /// The address, which nobody can change without the hub's key.
    pub(super) fn address(&self, state: &AppState, base: &BaseUrl) -> String {
        let Self {
            kind,
            id,
            oid,
            size,
            expires,
            ..
        } = self;
        let kind = kind.plural();
        let signature = state.hub.sign(&self.text());
        format!(
            "{base}/uploads/lfs/{kind}/{id}/{oid}?size={size}&expires={expires}&signature={signature}"
        )
    }

    /// A link that the hub has signed and that is still good. Every other one is just as wrong.
    fn read(
        state: &AppState,
        purpose: Purpose,
        place: Place,
        proof: &Proof,
    ) -> Result<Self, Failure> {
        let kind = RepoKind::ALL
            .into_iter()
            .find(|kind| kind.plural() == place.kind);
        let id = format!("{}/{}", place.namespace, place.name).parse();
        let (Some(kind), Ok(id)) = (kind, id) else {
            return Err(not_good());
        };
        let link = Self {
            purpose,
            kind,
            id,
            oid: place.oid,
            size: proof.size,
            expires: proof.expires,
        };
        let is_late = state.web.clock.now().seconds() > link.expires;
        if is_late || !state.hub.verifies(&link.text(), &proof.signature) {
            return Err(not_good());
        }
        Ok(link)
    }

    /// The repository. Whoever asked for the link was let in; the link stands for them.
    async fn repo(&self, state: &AppState) -> Result<Repo, Failure> {
        let hub = &state.hub;
        let need = match self.purpose {
            Purpose::Upload => Need::Write,
            Purpose::Download => Need::Read,
        };
        Ok(hub.repo(&hub.shell(), self.kind, &self.id, need).await?)
    }

    /// What is signed. No part of it can hold a line end, so no two links have the same text.
    fn text(&self) -> String {
        let purpose = match self.purpose {
            Purpose::Upload => "upload",
            Purpose::Download => "download",
        };
        let Self {
            kind,
            id,
            oid,
            size,
            expires,
            ..
        } = self;
        format!("lfs\n{purpose}\n{kind}\n{id}\n{oid}\n{size}\n{expires}")
    }
}

/// Takes a file.
pub(super) async fn upload(
    State(state): State<AppState>,
    Segments(place): Segments<Place>,
    Query(proof): Query<Proof>,
    request: Request,
) -> Result<(), Failure> {
    let link = Link::read(&state, Purpose::Upload, place, &proof)?;
    let repo = link.repo(&state).await?;
    let content = Box::new(reader(request));
    state
        .hub
        .store_large(&repo, &link.oid, link.size, content)
        .await?;
    Ok(())
}

/// Sends a file.
pub(super) async fn download(
    State(state): State<AppState>,
    Segments(place): Segments<Place>,
    Query(proof): Query<Proof>,
) -> Result<Response, Failure> {
    let link = Link::read(&state, Purpose::Download, place, &proof)?;
    let repo = link.repo(&state).await?;
    let held = state
        .hub
        .large(&repo, &link.oid)
        .await?
        .ok_or_else(super::missing)?;
    let file = tokio::fs::File::open(&held.path)
        .await
        .map_err(Failure::internal)?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_LENGTH, held.size.to_string()),
    ];
    let body = Body::from_stream(ReaderStream::with_capacity(file, PIECE));
    Ok((headers, body).into_response())
}

fn not_good() -> Failure {
    Error::Forbidden("this link is not good, or no longer".to_owned()).into()
}
