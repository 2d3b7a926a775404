use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::IssuerError;

/// How much of a file is hashed at once, in bytes.
const BLOCK: usize = 1 << 16;

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
    let mut file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let (mut hasher, mut size) = (Sha256::new(), 0);
    let mut block = vec![0; BLOCK];
    loop {
        let read = file
            .read(&mut block)
            .map_err(|error| failed(error.to_string()))?;
        if read == 0 {
            break;
        }
        hasher.update(&block[..read]);
        size += read as u64;
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let sha256 = assay_trust::Digest::from_bytes(digest).to_string();
    Ok(Artefact {
        name: name.to_owned(),
        sha256: sha256.trim_start_matches("sha256:").to_owned(),
        size,
    })
}
