use assay_model::ObjectId;
use serde::{Deserialize, Serialize};

/// The body of `POST …/preupload/{rev}`: what a client is about to send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Preupload {
    /// The files.
    pub files: Vec<PreuploadFile>,
    /// The `.gitignore` that the commit will bring.
    #[serde(default)]
    pub git_ignore: Option<String>,
    /// The `.gitattributes` that the commit will bring.
    #[serde(default)]
    pub git_attributes: Option<String>,
}

/// A file that a client is about to send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PreuploadFile {
    /// The path as it was written; the answer must say it letter by letter.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The first bytes, in base64.
    #[serde(default)]
    pub sample: Option<String>,
}

/// The answer: how each file is to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreuploadAnswer {
    /// The files, each once.
    pub files: Vec<PreuploadedFile>,
    /// The commit that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_oid: Option<ObjectId>,
}

/// The way to upload a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreuploadedFile {
    /// The path as it was asked.
    pub path: String,
    /// In the commit or beside it.
    pub upload_mode: UploadMode,
    /// True if `.gitignore` says to leave it out.
    pub should_ignore: bool,
    /// The current version: the git object, or the SHA-256 digest of a large file. A client that
    /// has the same sends nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oid: Option<String>,
}

/// A way to upload a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum UploadMode {
    /// In the commit itself.
    Regular,
    /// Beforehand, as a large file.
    Lfs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_either_client_is_read_and_the_answer_has_what_it_needs() {
        let request: Preupload = serde_json::from_str(
            r#"{"files":[{"path":"a.txt","sample":"YQ==","size":1}],"gitIgnore":"*.log\n"}"#,
        )
        .unwrap();
        let answer = PreuploadAnswer {
            files: vec![PreuploadedFile {
                path: request.files[0].path.clone(),
                upload_mode: UploadMode::Regular,
                should_ignore: false,
                oid: None,
            }],
            commit_oid: None,
        };

        let json = serde_json::to_string(&answer).unwrap();

        assert_eq!(request.git_ignore.as_deref(), Some("*.log\n"));
        assert_eq!(
            json,
            r#"{"files":[{"path":"a.txt","uploadMode":"regular","shouldIgnore":false}]}"#
        );
    }
}
