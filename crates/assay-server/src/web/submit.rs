//! A new result for a model: filled in or pasted, previewed, and opened as a pull request.

mod compose;
mod log;

use std::sync::Arc;

use askama::Template;
use assay_app::{BlobContent, CommitRequest, Error, ListQuery, ListSort, Preview};
use assay_hub_api::CommitOperation;
use assay_model::{Benchmark, PullNumber, RepoId, RepoKind, RepoPath};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::preview::Shown;
use super::repo::{self, RepoHead, Tab};
use super::{Pages, Visitor, files, links, show};
use crate::error::Failure;
use crate::extract::RepoName;
use crate::rendered::Answer;
use crate::state::AppState;

/// The folder of results.
const FOLDER: &str = ".eval_results";
/// The number of benchmarks that the form suggests.
const SUGGESTED: usize = 500;
/// The longest result file that the form takes, in bytes.
const MAX_TEXT: usize = 1 << 20;

pub(super) fn pages() -> Pages {
    log::pages().page(
        "/new/result",
        "Where to begin with a new result: which model, which benchmark.",
        get(begin),
    )
}

pub(super) fn of_repository() -> Pages {
    Pages::new().page(
        "/{namespace}/{name}/submit",
        "A form for a new result of a model, with a preview of what it does to the boards.",
        get(fill_in).post(send),
    )
}

#[derive(Template)]
#[template(path = "submit/begin.html")]
struct Begin {
    frame: Frame,
    model: String,
    benchmark: String,
    task: String,
    benchmarks: Vec<String>,
    missing: Option<String>,
    harnesses: String,
    most_files: usize,
    most_bytes: String,
}

#[derive(Template)]
#[template(path = "submit/fill_in.html")]
struct FillIn {
    frame: Frame,
    head: RepoHead,
    benchmark: String,
    task: String,
    definition: Option<Arc<Benchmark>>,
    benchmarks: Vec<String>,
    by_file: bool,
}

#[derive(Template)]
#[template(path = "submit/check.html")]
struct Check {
    frame: Frame,
    head: RepoHead,
    files: Vec<DraftFile>,
    title: String,
    comment: String,
    /// What a person should know of entries that were made of logs.
    remarks: Vec<Vec<(bool, String)>>,
    preview: Shown,
    speaks: bool,
}

#[derive(Template)]
#[template(path = "submit/findings.html")]
struct Fragment {
    preview: Shown,
}

async fn begin(State(state): State<AppState>, visitor: Visitor) -> Result<Response, Failure> {
    let model = visitor.state.get("model").unwrap_or_default().to_owned();
    let mut missing = None;
    if !model.is_empty() {
        let found = match model.parse::<RepoId>() {
            Ok(id) => state
                .hub
                .repo(&visitor.caller, RepoKind::Model, &id)
                .await
                .ok(),
            Err(_) => None,
        };
        match found {
            Some(repo) => {
                let rest = visitor.state.only(&["task"]);
                let rest = rest.with("benchmark", named_benchmark(&visitor));
                let place = format!("{}/submit", links::model(repo.id()));
                return Ok(Go::to(&rest.on(&place)).into_response());
            }
            None => missing = Some(model.clone()),
        }
    }
    let visitor = visitor.with_form(&state)?;
    let page = Begin {
        harnesses: log::harnesses(),
        most_files: log::MAX_FILES,
        most_bytes: files::bytes(state.web.body_bytes as u64),
        frame: visitor.frame("Submit a result"),
        benchmark: named_benchmark(&visitor).to_owned(),
        task: visitor.state.get("task").unwrap_or_default().to_owned(),
        benchmarks: benchmarks(&state, &visitor).await?,
        model,
        missing,
    };
    Ok(visitor.render(&page)?.into_response())
}

/// The benchmark that an address names. The API calls it a dataset.
fn named_benchmark(visitor: &Visitor) -> &str {
    let named = visitor.state.get("benchmark");
    named
        .or_else(|| visitor.state.get("dataset"))
        .unwrap_or_default()
}

async fn fill_in(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
) -> Result<Answer, Failure> {
    if name.kind != RepoKind::Model {
        return Err(Failure::no_route());
    }
    let visitor = visitor.with_form(&state)?;
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Discussions).await?;
    let benchmark = visitor
        .state
        .get("benchmark")
        .unwrap_or_default()
        .to_owned();
    visitor.render(&FillIn {
        frame: visitor.frame(format!("Submit a result for {}", head.id)),
        definition: definition(&state, &visitor, &benchmark).await,
        task: visitor.state.get("task").unwrap_or_default().to_owned(),
        benchmarks: benchmarks(&state, &visitor).await?,
        by_file: visitor.state.get("by") == Some("file"),
        head,
        benchmark,
    })
}

/// Shows what a result would do, or opens the pull request.
async fn send(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    if name.kind != RepoKind::Model {
        return Err(Failure::no_route());
    }
    let repo = repo::open(&state, &visitor, &name).await?;
    let draft = draft(&state, &repo, &form).await?;
    if form.get("do") == "open" {
        let opened = open(&state, &visitor, &name, &form, &draft).await;
        match opened {
            Ok(num) => {
                let place = links::discussion(name.kind, repo.id(), num);
                return Ok(Go::to(&format!("{place}?done=opened")).into_response());
            }
            // What is refused is shown on the page, beside what was typed.
            Err(Error::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let preview = preview(&state, &visitor, &repo, &draft).await?;
    if form.get("do") == "look" {
        let fragment = Fragment {
            preview: Shown::of(&preview),
        };
        return Ok(visitor.render(&fragment)?.into_response());
    }
    check(&state, visitor, &repo, &form, draft, &preview).await
}

/// Returns what the files of a draft would do to the boards.
async fn preview(
    state: &AppState,
    visitor: &Visitor,
    repo: &assay_app::Repo,
    draft: &Draft,
) -> Result<Preview, Failure> {
    let files = draft.files.iter();
    let files = files.map(|file| (file.path.clone(), file.text.clone().into_bytes()));
    let preview = state
        .hub
        .boards()
        .preview_files(&visitor.caller, RepoKind::Model, repo.id(), files.collect())
        .await?;
    Ok(preview)
}

async fn check(
    state: &AppState,
    visitor: Visitor,
    repo: &assay_app::Repo,
    form: &Form,
    draft: Draft,
    preview: &Preview,
) -> Result<Response, Failure> {
    let visitor = visitor.with_form(state)?;
    let head = RepoHead::of(state, &visitor, repo, Tab::Discussions).await?;
    let title = match form.get("title") {
        "" => draft.title,
        title => title.to_owned(),
    };
    let page = visitor.render(&Check {
        frame: visitor
            .frame(format!("Check a result for {}", head.id))
            .unlisted(),
        head,
        files: draft.files,
        title,
        comment: form.text("comment"),
        remarks: draft.remarks,
        preview: Shown::of(preview),
        speaks: visitor.caller.name().is_some(),
    })?;
    Ok(page.into_response())
}

async fn open(
    state: &AppState,
    visitor: &Visitor,
    name: &RepoName,
    form: &Form,
    draft: &Draft,
) -> Result<PullNumber, Error> {
    let request = CommitRequest {
        revision: "main".to_owned(),
        summary: match form.get("title") {
            "" => draft.title.clone(),
            title => title.to_owned(),
        },
        description: form.text("comment"),
        parent: None,
        received_at: Some(state.web.clock.now()),
        create_pull: true,
        operations: draft
            .files
            .iter()
            .map(|file| CommitOperation::put(file.path.clone(), file.text.clone().into_bytes()))
            .collect(),
    };
    let committed = state
        .hub
        .repositories()
        .commit(&visitor.caller, name.kind, &name.id, request)
        .await?;
    committed
        .pull
        .ok_or_else(|| Error::internal("a pull request was asked for and none was opened"))
}

/// Result files that are not in git yet.
struct Draft {
    files: Vec<DraftFile>,
    title: String,
    remarks: Vec<Vec<(bool, String)>>,
}

/// A result file that is not in git yet.
struct DraftFile {
    path: RepoPath,
    text: String,
}

/// The file that a form describes: pasted or chosen, else made of its fields.
async fn draft(state: &AppState, repo: &assay_app::Repo, form: &Form) -> Result<Draft, Failure> {
    if form.all("path").nth(1).is_some() {
        return several_files(form);
    }
    let pasted = match form.file("file") {
        Some(file) => Some(
            String::from_utf8(file.content.to_vec())
                .map_err(|_| Failure::invalid("the file is not text"))?,
        ),
        None => Some(form.text("text")).filter(|text| !text.trim().is_empty()),
    };
    let is_filled_in = pasted.is_none();
    let mut text = pasted.unwrap_or_else(|| compose::entry(form));
    let benchmark = compose::benchmark_of(&text).unwrap_or_else(|| "a benchmark".to_owned());
    let path = match form.get("path") {
        "" => {
            let stem = compose::stem(form, &text);
            let own = result_path(&format!("{FOLDER}/{stem}.yaml"))?;
            match held(state, repo, &own).await? {
                ExistingFile::Nothing => own,
                // The results of a benchmark stand together in one file.
                ExistingFile::Text(held) if is_filled_in => {
                    text = format!("{}\n{text}", held.trim_end());
                    own
                }
                ExistingFile::Text(_) | ExistingFile::Unreadable => {
                    free_path(state, repo, &stem).await?
                }
            }
        }
        path => result_path(path)?,
    };
    if text.len() > MAX_TEXT {
        return Err(Failure::too_large(format!(
            "a result file has at most {MAX_TEXT} bytes here; push a larger one with git"
        )));
    }
    Ok(Draft {
        files: vec![DraftFile { path, text }],
        title: format!("Add a result on {benchmark}"),
        remarks: Vec::new(),
    })
}

/// The files of a form that shows several.
fn several_files(form: &Form) -> Result<Draft, Failure> {
    let files = form.all("path").zip(form.texts("text"));
    let files: Vec<DraftFile> = files
        .map(|(path, text)| {
            let path = result_path(path)?;
            Ok(DraftFile { path, text })
        })
        .collect::<Result<_, Failure>>()?;
    Ok(Draft {
        title: format!("Add results of {} benchmarks", files.len()),
        files,
        remarks: Vec::new(),
    })
}

/// A file on main, to add to.
enum ExistingFile {
    Nothing,
    Text(String),
    /// It is too large for a form, or no text.
    Unreadable,
}

/// Reads a file on main.
async fn held(
    state: &AppState,
    repo: &assay_app::Repo,
    path: &RepoPath,
) -> Result<ExistingFile, Failure> {
    match state
        .hub
        .repositories()
        .small_blob(repo, "main", path.as_str(), MAX_TEXT as u64, false)
        .await
    {
        Ok(blob) => Ok(match blob.content {
            BlobContent::Memory(bytes) => match String::from_utf8(bytes.to_vec()) {
                Ok(text) => ExistingFile::Text(text),
                Err(_) => ExistingFile::Unreadable,
            },
            BlobContent::Large(_) | BlobContent::Unpacked(_) | BlobContent::NotRead => {
                ExistingFile::Unreadable
            }
        }),
        Err(Error::NotFound(_)) => Ok(ExistingFile::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// A path for a result file. The form writes nothing else.
fn result_path(path: &str) -> Result<RepoPath, Failure> {
    let wrong = || {
        Failure::invalid(format!(
            "a result file is `{FOLDER}/` and a name in `.yaml`"
        ))
    };
    let name = path
        .strip_prefix(FOLDER)
        .and_then(|rest| rest.strip_prefix('/'))
        .ok_or_else(wrong)?;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_file = !name.contains('/') && matches!(ending, Some("yaml" | "yml"));
    if !is_file {
        return Err(wrong());
    }
    path.parse().map_err(|_| wrong())
}

/// A path that no file of the repository has.
async fn free_path(
    state: &AppState,
    repo: &assay_app::Repo,
    stem: &str,
) -> Result<RepoPath, Failure> {
    let taken: Vec<String> = match state
        .hub
        .repositories()
        .tree(repo, "main", Some(FOLDER), false, false)
        .await
    {
        Ok(entries) => entries
            .into_iter()
            .map(|entry| entry.path.as_str().to_owned())
            .collect(),
        Err(Error::NotFound(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let paths = (1..).map(|number| match number {
        1 => format!("{FOLDER}/{stem}.yaml"),
        _ => format!("{FOLDER}/{stem}-{number}.yaml"),
    });
    let mut free = paths.filter(|path| !taken.contains(path));
    result_path(&free.next().unwrap_or_default())
}

/// The definition of a benchmark that the visitor may see.
async fn definition(state: &AppState, visitor: &Visitor, id: &str) -> Option<Arc<Benchmark>> {
    let id: RepoId = id.parse().ok()?;
    let found = state.hub.boards().definition(&visitor.caller, &id).await;
    found.ok().flatten()
}

async fn benchmarks(state: &AppState, visitor: &Visitor) -> Result<Vec<String>, Failure> {
    let query = ListQuery {
        kind: RepoKind::Dataset,
        author: None,
        search: Vec::new(),
        tags: vec!["benchmark".to_owned()],
        sort: ListSort::Name,
        limit: Some(SUGGESTED),
        cursor: None,
    };
    let page = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    let ids = page.repositories.into_iter();
    Ok(ids.map(|info| info.id.to_string()).collect())
}
