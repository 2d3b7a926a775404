//! The requests, one function each.

use assay_model::{RepoId, RepoKind};

use super::{Client, ClientError, Document, RequestBody, add_parameter, header, segment};
use crate::{
    BoardRow, CreateRepo, CreatedRepo, DeleteRepo, Discussion, DiscussionPage, DiscussionStatus,
    EvalToken, Merge, Merged, NewOrganisation, NewStatus, Official, RepoInfo, SetStatus, TreeEntry,
    WhoAmI,
};

/// The rows of a leaderboard, and what the hub says of them in headers.
#[derive(Debug)]
pub struct BoardAnswer {
    /// The rows that were asked for.
    pub rows: Document<Vec<BoardRow>>,
    /// The task.
    pub task: Option<String>,
    /// The metric that ranks.
    pub metric: Option<String>,
    /// The policy by which runs were chosen.
    pub policy: Option<String>,
    /// The number of rows of the whole board.
    pub total: Option<u64>,
}

impl Client {
    /// Asks whom the token belongs to.
    pub fn whoami(&self) -> Result<Document<WhoAmI>, ClientError> {
        self.get("/api/whoami-v2")
    }

    /// Creates a repository.
    pub fn create_repo(&self, body: &CreateRepo) -> Result<Document<CreatedRepo>, ClientError> {
        self.send("POST", "/api/repos/create", body)
    }

    /// Deletes a repository.
    pub fn delete_repo(&self, body: &DeleteRepo) -> Result<(), ClientError> {
        self.send_only("DELETE", "/api/repos/delete", body)
            .map(|_| ())
    }

    /// Creates an organisation.
    pub fn create_organisation(&self, body: &NewOrganisation) -> Result<(), ClientError> {
        self.send_only("POST", "/api/assay/organizations", body)
            .map(|_| ())
    }

    /// Marks a benchmark as official, or takes the mark away.
    pub fn set_official(&self, id: &str, body: Official) -> Result<(), ClientError> {
        let path = format!("/api/assay/benchmarks/{id}/official");
        self.send_only("PUT", &path, &body).map(|_| ())
    }

    /// Asks for a repository as it is at a branch, tag or commit.
    pub fn repo_at(
        &self,
        kind: RepoKind,
        id: &RepoId,
        revision: &str,
    ) -> Result<RepoInfo, ClientError> {
        let revision = segment(revision);
        self.get(&format!("/api/{}/{id}/revision/{revision}", kind.plural()))
    }

    /// Asks for a model with all its results.
    pub fn model_results(&self, id: &RepoId) -> Result<Document<RepoInfo>, ClientError> {
        self.get(&format!("/api/models/{id}?expand=evalResults"))
    }

    /// Asks for a leaderboard with some parameters.
    pub fn leaderboard(
        &self,
        benchmark: &RepoId,
        parameters: &[(&str, &str)],
    ) -> Result<BoardAnswer, ClientError> {
        let mut path = format!("/api/datasets/{benchmark}/leaderboard");
        for (key, value) in parameters {
            add_parameter(&mut path, key, value);
        }
        let (headers, body) = self.call("GET", &path, None)?;
        let named = |name| header(&headers, name).map(str::to_owned);
        Ok(BoardAnswer {
            rows: self.read(&path, &body)?,
            task: named("x-assay-task"),
            metric: named("x-assay-metric"),
            policy: named("x-assay-policy"),
            total: named("x-total-count").and_then(|count| count.parse().ok()),
        })
    }

    /// Lists every file and directory of a revision, up to so many.
    pub fn tree(
        &self,
        kind: RepoKind,
        id: &RepoId,
        revision: &str,
        limit: usize,
    ) -> Result<Vec<TreeEntry>, ClientError> {
        let (kind, revision) = (kind.plural(), segment(revision));
        let path = format!("/api/{kind}/{id}/tree/{revision}?recursive=true");
        self.list(&path, limit)
    }

    /// The content of a file; none when the hub answers that it does not have it.
    pub fn file(
        &self,
        kind: RepoKind,
        id: &RepoId,
        revision: &str,
        path: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        let prefix = match kind {
            RepoKind::Model => "",
            RepoKind::Dataset => "datasets/",
        };
        let path: Vec<String> = path.split('/').map(segment).collect();
        let (revision, path) = (segment(revision), path.join("/"));
        match self.bytes(&format!("/{prefix}{id}/resolve/{revision}/{path}")) {
            Ok(content) => Ok(Some(content)),
            Err(ClientError::Refused { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists one page of the pull requests of a repository; with `all`, those that are not open
    /// too.
    pub fn pull_requests(
        &self,
        kind: RepoKind,
        id: &RepoId,
        page: u64,
        all: bool,
    ) -> Result<Document<DiscussionPage>, ClientError> {
        let status = if all { "all" } else { "open" };
        let base = discussions(kind, id);
        self.get(&format!(
            "{base}?p={page}&type=pull_request&status={status}"
        ))
    }

    /// Asks for a pull request with its events and its diff.
    pub fn pull_request(
        &self,
        kind: RepoKind,
        id: &RepoId,
        num: u32,
    ) -> Result<Document<Discussion>, ClientError> {
        self.get(&format!("{}/{num}?diff=1", discussions(kind, id)))
    }

    /// Merges a pull request.
    pub fn merge(
        &self,
        kind: RepoKind,
        id: &RepoId,
        num: u32,
        comment: Option<String>,
    ) -> Result<Document<Merged>, ClientError> {
        let path = format!("{}/{num}/merge", discussions(kind, id));
        self.send("POST", &path, &Merge { comment })
    }

    /// Closes a pull request without merging it.
    pub fn close(
        &self,
        kind: RepoKind,
        id: &RepoId,
        num: u32,
        comment: Option<String>,
    ) -> Result<Document<NewStatus>, ClientError> {
        let path = format!("{}/{num}/status", discussions(kind, id));
        let status = DiscussionStatus::Closed;
        self.send("POST", &path, &SetStatus { status, comment })
    }

    /// Has an issuer sign an entry. The body is a text, so that no number loses a digit; a request
    /// that is repeated with the same key is answered with the same token.
    pub fn issue_token(
        &self,
        body: &str,
        idempotency_key: &str,
    ) -> Result<Document<EvalToken>, ClientError> {
        let path = EvalToken::PATH;
        let mut body = RequestBody::json(body);
        body.headers
            .push(("idempotency-key", idempotency_key.to_owned()));
        let (_, answer) = self.call("POST", path, Some(&body))?;
        self.read(path, &answer)
    }
}

/// The address of the discussions of a repository.
fn discussions(kind: RepoKind, id: &RepoId) -> String {
    format!("/api/{}/{id}/discussions", kind.plural())
}
