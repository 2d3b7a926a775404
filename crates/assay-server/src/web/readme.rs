use assay_app::{BlobContent, Error, Repo};

use crate::error::Failure;
use crate::state::AppState;

/// The largest README that is shown, in bytes.
const MAX: u64 = 1 << 20;

/// The README of a repository, when it has one that can be shown.
pub(super) async fn of(state: &AppState, repo: &Repo) -> Result<Option<String>, Failure> {
    let hub = &state.hub;
    let found = hub
        .repositories()
        .small_blob(repo, "main", "README.md", MAX, true)
        .await;
    match found {
        Ok(blob) => Ok(match blob.content {
            BlobContent::Memory(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            BlobContent::NotRead | BlobContent::Large(_) | BlobContent::Unpacked(_) => None,
        }),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
