//! Files of any kind, uploaded from the browser: onto a branch, as a pull request, or onto a pull
//! request.

use std::collections::BTreeSet;

use askama::Template;
use assay_app::{CommitRequest, Error, FileSource, Missing, RefList, Repo};
use assay_hub_api::CommitOperation;
use assay_model::RepoPath;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;

use super::files;
use super::finding::Finding;
use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::refusal::Refusal;
use super::repo::{self, RepoHead, Tab};
use super::{Pages, Visitor, links};
use crate::error::{Cause, Failure};
use crate::extract::{PathParams, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

/// The most files of one upload. A refused form sends each again as two fields, and a form has at
/// most 200.
const MAX_FILES: usize = 80;
/// The most text, all files together, that a refused form shows again to be changed, in bytes.
const MAX_KEPT: usize = 256 << 10;
/// The beginning of the revision of a pull request.
const PULL: &str = "refs/pr/";

pub(super) fn of_repository() -> Pages {
    Pages::new().page(
        "/{namespace}/{name}/upload/{revision}",
        "A form to upload files to a branch or pull request, or as a new pull request.",
        get(form).post(send),
    )
}

#[derive(Debug, Clone, Deserialize)]
struct At {
    revision: String,
}

#[derive(Template)]
#[template(path = "files/upload.html")]
struct UploadPage {
    frame: Frame,
    head: RepoHead,
    revision: String,
    address: String,
    draft: Draft,
    /// Files of a refused form, which the browser has to be given again.
    again: Vec<String>,
    findings: Vec<Finding>,
    refused: Option<String>,
    most_files: usize,
    most_bytes: String,
}

impl UploadPage {
    /// Returns whether the files go onto a pull request that is open.
    fn is_pull(&self) -> bool {
        self.revision.starts_with(PULL)
    }
}

/// The form as it was typed.
#[derive(Debug, Clone, Default)]
struct Draft {
    folder: String,
    title: String,
    comment: String,
    /// True when the commit goes to the branch itself.
    direct: bool,
    /// Files written in the form.
    written: Vec<TextFile>,
}

/// A file whose text is in the form.
#[derive(Debug, Clone, Default)]
struct TextFile {
    path: String,
    text: String,
}

/// The form, empty.
async fn form(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(at): PathParams<At>,
) -> Result<Answer, Failure> {
    visitor.signed_in()?;
    let repo = repo::open(&state, &visitor, &name).await?;
    check_branch(&state, &repo, &at.revision).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let folder = visitor.state.get("folder").unwrap_or_default().to_owned();
    let draft = Draft {
        folder,
        direct: head.writes,
        ..Draft::default()
    };
    visitor.render(&page(&state, &visitor, head, at.revision, draft))
}

/// Commits the files, or shows the form again with what is wrong.
async fn send(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(at): PathParams<At>,
    form: Form,
) -> Result<Response, Failure> {
    visitor.signed_in()?;
    let repo = repo::open(&state, &visitor, &name).await?;
    let failure = match commit(&state, &visitor, &repo, &at.revision, &form).await {
        Ok(place) => return Ok(Go::to(&place).into_response()),
        Err(failure) => failure,
    };
    let findings = match &*failure.0 {
        Cause::Hub(Error::Refused(diagnostics)) => Finding::list(diagnostics),
        Cause::Hub(_) | Cause::Server { .. } => Vec::new(),
    };
    let refusal = Refusal::from_failure(failure)?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let (written, again) = kept(&form);
    let draft = Draft {
        folder: form.get("folder").to_owned(),
        title: form.get("title").to_owned(),
        comment: form.text("comment"),
        direct: form.get("as") == "direct",
        written,
    };
    let page = UploadPage {
        again,
        findings,
        refused: Some(refusal.message.clone()),
        ..page(&state, &visitor, head, at.revision, draft)
    };
    Ok(refusal.answer(visitor.render(&page)?))
}

fn page(
    state: &AppState,
    visitor: &Visitor,
    head: RepoHead,
    revision: String,
    draft: Draft,
) -> UploadPage {
    UploadPage {
        frame: visitor
            .frame(format!("Upload files to {}", head.id))
            .unlisted(),
        address: format!("{}/upload/{}", head.front(), links::part(&revision)),
        head,
        revision,
        draft,
        again: Vec::new(),
        findings: Vec::new(),
        refused: None,
        most_files: MAX_FILES,
        most_bytes: files::bytes(state.web.body_bytes as u64),
    }
}

/// Makes the commit as the API does. Returns the page that shows it.
async fn commit(
    state: &AppState,
    visitor: &Visitor,
    repo: &Repo,
    revision: &str,
    form: &Form,
) -> Result<String, Failure> {
    let operations = operations(form)?;
    let create_pull = !revision.starts_with(PULL) && form.get("as") != "direct";
    let request = CommitRequest {
        revision: revision.to_owned(),
        summary: match form.get("title") {
            "" => summary(&operations),
            title => title.to_owned(),
        },
        description: form.text("comment"),
        parent: None,
        received_at: Some(state.web.clock.now()),
        create_pull,
        operations,
    };
    let committed = state
        .hub
        .repositories()
        .commit(&visitor.caller, repo.kind(), repo.id(), request)
        .await?;
    state.web.metrics.commits.inc();
    let front = links::repo(repo.kind(), repo.id());
    let of_pull = revision
        .strip_prefix(PULL)
        .and_then(|number| number.parse().ok());
    Ok(match (committed.pull, of_pull) {
        (Some(number), _) => {
            let place = links::discussion(repo.kind(), repo.id(), number);
            format!("{place}?done=proposed")
        }
        (None, Some(number)) => links::discussion(repo.kind(), repo.id(), number),
        (None, None) => format!("{front}/commit/{}", committed.commit),
    })
}

/// The files of a form, each with the path at which it will be.
fn operations(form: &Form) -> Result<Vec<CommitOperation<FileSource>>, Failure> {
    let folder = form.get("folder").trim_matches('/');
    let chosen = form.files("files").map(|file| {
        let content = file.content.to_vec();
        (below(folder, &file.name), content)
    });
    let written = written(form).map(|file| (file.path, file.text.into_bytes()));
    let files: Vec<(String, Vec<u8>)> = chosen.chain(written).collect();
    if files.is_empty() {
        return Err(invalid("choose a file, or write one".to_owned()));
    }
    if files.len() > MAX_FILES {
        return Err(invalid(format!(
            "{} files are too many for one upload, which has at most {MAX_FILES}; push more with git",
            files.len()
        )));
    }
    let mut seen = BTreeSet::new();
    let put = files.into_iter().map(|(path, content)| {
        if !seen.insert(path.clone()) {
            return Err(invalid(format!("two of the files are `{path}`")));
        }
        let path: RepoPath = path
            .parse()
            .map_err(|error| invalid(format!("`{path}` is no path of a file: {error}")))?;
        Ok(CommitOperation::put(path, content))
    });
    put.collect()
}

/// The files whose text is in the form. An empty pair of fields is none.
fn written(form: &Form) -> impl Iterator<Item = TextFile> {
    let pairs = form.all("path").zip(form.texts("content"));
    pairs
        .map(|(path, text)| TextFile {
            path: path.trim_matches('/').to_owned(),
            text,
        })
        .filter(|file| !(file.path.is_empty() && file.text.is_empty()))
}

/// Returns what a refused form shows again: the text of its files, as far as a text field keeps
/// every byte of it, and the names of the other files.
fn kept(form: &Form) -> (Vec<TextFile>, Vec<String>) {
    let folder = form.get("folder").trim_matches('/');
    let mut kept: Vec<TextFile> = written(form).collect();
    let mut again = Vec::new();
    let mut room = MAX_KEPT.saturating_sub(kept.iter().map(|file| file.text.len()).sum());
    for file in form.files("files") {
        let text = std::str::from_utf8(&file.content).ok();
        let text = text.filter(|text| text.len() <= room && text.chars().all(survives));
        match text {
            Some(text) => {
                room -= text.len();
                kept.push(TextFile {
                    path: below(folder, &file.name),
                    text: text.to_owned(),
                });
            }
            None => again.push(file.name.clone()),
        }
    }
    (kept, again)
}

/// Returns whether a page shows a character as it is, and a browser sends it as it was.
fn survives(c: char) -> bool {
    matches!(c, '\n' | '\t') || !(c.is_control() || links::is_hidden(c))
}

/// The path of a file in a folder of the repository.
fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// The message of a commit for which none was written.
fn summary(operations: &[CommitOperation<FileSource>]) -> String {
    match operations {
        [CommitOperation::File { path, .. }] => format!("Upload {}", path.name()),
        all => format!("Upload {} files", all.len()),
    }
}

/// Refuses a revision that no commit can be added to.
async fn check_branch(state: &AppState, repo: &Repo, revision: &str) -> Result<(), Failure> {
    let refs = state.hub.repositories().refs(repo).await?;
    if takes_files(&refs, revision) {
        return Ok(());
    }
    Err(Error::NotFound(Missing::Revision(revision.to_owned())).into())
}

/// Returns whether a revision takes files: branches and pull requests do, commits and tags do not.
pub(super) fn takes_files(refs: &RefList, revision: &str) -> bool {
    let mut branches = refs.branches.iter();
    revision.starts_with(PULL) || branches.any(|branch| branch.name == revision)
}

fn invalid(text: String) -> Failure {
    Error::Invalid(text).into()
}
