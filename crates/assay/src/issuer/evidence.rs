use std::path::{Path, PathBuf};

use assay_formats::rows;
use serde_json::{Value as Json, json};

use super::IssuerError;

/// A file of the run, by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artefact {
    name: String,
    sha256: String,
    size: u64,
}

impl Artefact {
    /// As a request has it.
    pub(super) fn to_json(&self) -> Json {
        json!({ "name": self.name, "sha256": self.sha256, "size": self.size })
    }
}

/// Hashes files, whatever their size.
pub(crate) fn artefacts(paths: &[PathBuf]) -> Result<Vec<Artefact>, IssuerError> {
    paths.iter().map(|path| artefact(path)).collect()
}

fn artefact(path: &Path) -> Result<Artefact, IssuerError> {
    let failed = |why: String| IssuerError::Evidence {
        path: path.display().to_string(),
        why,
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| failed("it has no name that is text".to_owned()))?;
    let file = std::fs::File::open(path);
    let (sha256, size) = file
        .and_then(rows::sha256_of)
        .map_err(|error| failed(error.to_string()))?;
    Ok(Artefact {
        name: name.to_owned(),
        sha256,
        size,
    })
}
