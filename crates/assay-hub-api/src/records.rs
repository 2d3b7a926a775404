use assay_formats::eee;
use assay_model::{ObjectId, RepoPath};
use serde::Serialize;

/// An Every Eval Ever record of a repository.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordItem {
    /// The path of the record.
    pub path: RepoPath,
    /// Its git object.
    pub oid: ObjectId,
    /// Its facts in short.
    pub facts: eee::Facts,
}
