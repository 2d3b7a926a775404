//! The tokens that `assay hub login` keeps, one for each hub, readable by their owner alone.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The reason why tokens cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CredentialsError {
    /// Neither `XDG_CONFIG_HOME` nor `HOME` says where.
    #[error("there is no place to keep a token: set `HOME`, or give the token in `ASSAY_TOKEN`")]
    NoPlace,
    /// The file cannot be read or written.
    #[error("`{path}` cannot be used: {source}")]
    File { path: PathBuf, source: io::Error },
    /// The file is not what we wrote.
    #[error("`{path}` is not a file of tokens: {source}")]
    Content {
        path: PathBuf,
        source: serde_json::Error,
    },
}

/// The tokens of a person.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Credentials {
    /// The hub that was logged in to last.
    pub(crate) hub: Option<String>,
    /// A token for each hub.
    #[serde(default)]
    pub(crate) tokens: BTreeMap<String, String>,
    /// A credential for each issuer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) issuers: BTreeMap<String, String>,
}

impl Credentials {
    /// Reads the file; none is as good as an empty one.
    pub(crate) fn load(path: Option<&Path>) -> Result<Self, CredentialsError> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(file_error(path, source)),
        };
        serde_json::from_slice(&text).map_err(|source| CredentialsError::Content {
            path: path.to_owned(),
            source,
        })
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn save(&self, path: Option<&Path>) -> Result<PathBuf, CredentialsError> {
        let path = path.ok_or(CredentialsError::NoPlace)?;
        let directory = path.parent().ok_or(CredentialsError::NoPlace)?;
        let text = serde_json::to_vec_pretty(self).expect("a map of texts is always JSON");
        let written = std::fs::create_dir_all(directory).and_then(|()| {
            // A temporary file is made for its owner alone, and keeps that when it is renamed.
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(&text)?;
            file.persist(path).map_err(|error| error.error)
        });
        written.map_err(|source| file_error(path, source))?;
        Ok(path.to_owned())
    }
}

fn file_error(path: &Path, source: io::Error) -> CredentialsError {
    CredentialsError::File {
        path: path.to_owned(),
        source,
    }
}
