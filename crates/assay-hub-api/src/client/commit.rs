//! Commits and the large files that go beside them.

use std::fs::File;
use std::io;
use std::path::Path;

use assay_formats::rows::sha256_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use ureq::http::Request;

use super::{Client, ClientError, RequestBody, segment};
use crate::{BatchAnswer, BatchObject, BatchRequest, CommitAnswer};

/// The content of a file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitFile {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A large file that was sent before.
    Large {
        /// The SHA-256 of its bytes, in hexadecimal digits.
        oid: String,
        /// The size in bytes.
        size: u64,
    },
}

impl CommitFile {
    /// A line of a commit.
    fn operation(&self, path: &str) -> Json {
        match self {
            Self::Bytes(bytes) => {
                let content = STANDARD.encode(bytes);
                let value = json!({ "path": path, "content": content, "encoding": "base64" });
                json!({ "key": "file", "value": value })
            }
            Self::Large { oid, size } => {
                let value = json!({ "path": path, "algo": "sha256", "oid": oid, "size": size });
                json!({ "key": "lfsFile", "value": value })
            }
        }
    }
}

impl Client {
    /// Commits files to a branch; `repo` is such as `models/alice/demo`.
    pub fn commit(
        &self,
        repo: &str,
        revision: &str,
        message: &str,
        files: &[(String, CommitFile)],
    ) -> Result<CommitAnswer, ClientError> {
        let path = format!("/api/{repo}/commit/{}", segment(revision));
        self.send_commit(&path, &commit_body(message, "", files))
    }

    /// Opens a pull request of one commit on the main branch.
    pub fn propose(
        &self,
        repo: &str,
        title: &str,
        description: &str,
        files: &[(String, CommitFile)],
    ) -> Result<CommitAnswer, ClientError> {
        let path = format!("/api/{repo}/commit/main?create_pr=1");
        self.send_commit(&path, &commit_body(title, description, files))
    }

    fn send_commit(&self, path: &str, body: &str) -> Result<CommitAnswer, ClientError> {
        let body = RequestBody::new("application/x-ndjson", body);
        let (_, answer) = self.call("POST", path, Some(&body))?;
        self.read(path, &answer)
    }

    /// Sends a file as a large one, beside git, for a commit to come. `page` is the address of the
    /// repository without the hub's own.
    pub fn upload_large(&self, page: &str, path: &Path) -> Result<CommitFile, ClientError> {
        let unreadable = |source: io::Error| ClientError::File {
            path: path.to_owned(),
            source,
        };
        let (oid, size) = File::open(path).and_then(sha256_of).map_err(unreadable)?;
        let request = BatchRequest {
            operation: "upload".to_owned(),
            transfers: Some(vec!["basic".to_owned()]),
            objects: vec![BatchObject {
                oid: oid.clone(),
                size,
            }],
            hash_algo: Some("sha256".to_owned()),
            reference: None,
        };
        let batch = format!("/{page}.git/info/lfs/objects/batch");
        let answer: BatchAnswer = self.send("POST", &batch, &request)?;
        let object = answer.objects.into_iter().next();
        let (actions, error) = object.map_or((None, None), |object| (object.actions, object.error));
        if let Some(error) = error {
            return Err(ClientError::Refused {
                status: error.code,
                code: None,
                message: error.message,
                diagnostics: Vec::new(),
            });
        }
        // No address means that the hub has the file already.
        if let Some(upload) = actions.and_then(|actions| actions.upload) {
            let content = File::open(path).map_err(unreadable)?;
            // The address carries its own permission, and may be of another machine: the token
            // stays here.
            let request = Request::builder()
                .method("PUT")
                .uri(&upload.href)
                .header("content-length", size);
            let response = self.run(&upload.href, request.body(content))?;
            self.receive(&upload.href, response)?;
        }
        Ok(CommitFile::Large { oid, size })
    }
}

/// A commit as the hub reads it: one JSON object a line.
fn commit_body(message: &str, description: &str, files: &[(String, CommitFile)]) -> String {
    let value = json!({ "summary": message, "description": description });
    let mut body = format!("{}\n", json!({ "key": "header", "value": value }));
    for (path, content) in files {
        body.push_str(&content.operation(path).to_string());
        body.push('\n');
    }
    body
}
