use std::borrow::Cow;
use std::collections::BTreeMap;

use assay_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The body of `POST …/info/lfs/objects/batch`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchRequest {
    /// `upload` or `download`, as it was written.
    pub operation: String,
    /// The ways of transfer that the client knows; none for `basic` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfers: Option<Vec<String>>,
    /// The files.
    pub objects: Vec<BatchObject>,
    /// The digest algorithm: `sha256`, also spelled `sha_256`; none for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_algo: Option<String>,
    /// The branch they are for.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<BatchRef>,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchRef {
    /// Its name, short or whole.
    pub name: String,
}

/// A large file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchObject {
    /// The SHA-256 digest as it was written.
    pub oid: String,
    /// The size in bytes.
    pub size: u64,
}

/// The answer to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchAnswer {
    /// The transfer: always `basic`.
    pub transfer: Cow<'static, str>,
    /// Each file, in the order asked.
    pub objects: Vec<ObjectAnswer>,
    /// The digest algorithm.
    pub hash_algo: Cow<'static, str>,
}

/// The answer about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ObjectAnswer {
    /// The digest.
    pub oid: String,
    /// The size in bytes.
    pub size: u64,
    /// The actions; none when it is there already, or cannot be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Actions>,
    /// The reason why it cannot be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ObjectError>,
}

/// The actions of a client for one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actions {
    /// The address to upload to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<Action>,
    /// The address that confirms the upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<Action>,
    /// The address to download from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<Action>,
}

/// A request that a client is to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// The address. Python sends no credentials there, so it carries its own.
    pub href: String,
    /// Headers to send along, for `git-lfs`.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub header: BTreeMap<String, String>,
    /// In how many seconds the address is no longer good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
}

/// The reason why a file cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ObjectError {
    /// The status that an answer of its own would have.
    pub code: u16,
    /// For people.
    pub message: String,
}

/// The body with which a client tells that a file was put.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verify {
    /// The digest as it was written.
    pub oid: String,
    /// The size in bytes.
    pub size: u64,
}

/// A large file of a repository, in `GET …/lfs-files`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargeFileItem {
    /// The digest, by which it is deleted.
    pub file_oid: String,
    /// The digest.
    pub oid: String,
    /// A path that it has, or had in the past; empty when no commit names it.
    pub filename: String,
    /// The size in bytes.
    pub size: u64,
    /// Time at which the commit was made that names it.
    pub pushed_at: Timestamp,
}

/// The body of `POST …/lfs-files/batch`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteLargeFiles {
    /// The files to delete.
    pub deletions: LargeFileDeletions,
}

/// Large files that are to go.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargeFileDeletions {
    /// Their digests.
    pub sha: Vec<String>,
    /// True if commits that name them are to be written anew. That is not done here, so only files
    /// go that no commit names.
    #[serde(default)]
    pub rewrite_history: bool,
}

impl BatchRequest {
    /// Returns whether the files are named by their SHA-256 digest, the only way there is here.
    pub fn is_sha256(&self) -> bool {
        matches!(self.hash_algo.as_deref(), None | Some("sha256" | "sha_256"))
    }

    /// Returns whether the client can transfer files plainly.
    pub fn takes_basic(&self) -> bool {
        self.transfers
            .as_ref()
            .is_none_or(|ways| ways.iter().any(|way| way == "basic"))
    }
}

impl BatchAnswer {
    /// The plain way for these files.
    pub fn basic(objects: Vec<ObjectAnswer>) -> Self {
        Self {
            transfer: Cow::Borrowed("basic"),
            objects,
            hash_algo: Cow::Borrowed("sha256"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_python_javascript_and_git_are_read() {
        for json in [
            r#"{"operation":"upload","transfers":["basic","multipart"],"objects":[{"oid":"aa","size":1}],"hash_algo":"sha256","ref":{"name":"main"}}"#,
            r#"{"operation":"upload","transfers":["basic","multipart","xet"],"objects":[],"hash_algo":"sha_256"}"#,
            r#"{"operation":"download","objects":[{"oid":"aa","size":1}]}"#,
        ] {
            let request: BatchRequest = serde_json::from_str(json).unwrap();

            assert!(request.is_sha256() && request.takes_basic(), "{json}");
        }
    }

    #[test]
    fn other_hashes_and_transfers_are_told_apart() {
        let request: BatchRequest = serde_json::from_str(
            r#"{"operation":"upload","transfers":["xet"],"objects":[],"hash_algo":"sha512"}"#,
        )
        .unwrap();

        assert!(!request.is_sha256() && !request.takes_basic());
    }

    #[test]
    fn a_file_that_is_there_has_no_actions() {
        let answer = BatchAnswer::basic(vec![ObjectAnswer {
            oid: "aa".to_owned(),
            size: 1,
            actions: None,
            error: None,
        }]);

        let json = serde_json::to_string(&answer).unwrap();

        assert_eq!(
            json,
            r#"{"transfer":"basic","objects":[{"oid":"aa","size":1}],"hash_algo":"sha256"}"#
        );
    }
}
