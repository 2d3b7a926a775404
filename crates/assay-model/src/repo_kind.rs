use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The kind of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RepoKind {
    /// A model, with its results.
    Model,
    /// A dataset; a benchmark when it has a valid `eval.yaml`.
    Dataset,
}

/// The text is not a kind of repository that a hub keeps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a repository is a `model` or a `dataset`")]
pub struct RepoKindError;

impl RepoKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Model, Self::Dataset];

    /// The word for one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Dataset => "dataset",
        }
    }

    /// The word for several, as in `/api/models`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Model => "models",
            Self::Dataset => "datasets",
        }
    }
}

impl FromStr for RepoKind {
    type Err = RepoKindError;

    fn from_str(text: &str) -> Result<Self, RepoKindError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or(RepoKindError)
    }
}

impl fmt::Display for RepoKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
