//! The files of a repository, their content and their history.

use askama::Template;
use assay_app::{BlobContent, Error, FileEntry, LastCommit, Missing, RefList};
use assay_model::RepoPath;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::diff::{self, FileDiff};
use super::frame::Frame;
use super::paging::Paging;
use super::repo::{self, RepoHead, Tab};
use super::upload::takes_files;
use super::{Pages, Visitor, links, markdown, show};
use crate::download;
use crate::error::Failure;
use crate::extract::{PathParams, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

/// The largest file whose content is shown, in bytes.
const MAX_SHOWN: u64 = 512 << 10;
/// Number of commits that a page of the history has.
const COMMITS: usize = 50;

pub(super) fn of_repository() -> Pages {
    Pages::new()
        .page(
            "/{namespace}/{name}/tree/{revision}",
            "The files of a repository at a branch, tag or commit.",
            get(tree),
        )
        .page(
            "/{namespace}/{name}/tree/{revision}/{*path}",
            "The files of a folder.",
            get(tree),
        )
        .page(
            "/{namespace}/{name}/blob/{revision}/{*path}",
            "The content of a file.",
            get(blob),
        )
        .page(
            "/{namespace}/{name}/download/{revision}/{*path}",
            "A file, to be saved; also by those whom a session lets see a private repository.",
            get(save),
        )
        .page(
            "/{namespace}/{name}/commits/{revision}",
            "The history of a repository.",
            get(commits),
        )
        .page(
            "/{namespace}/{name}/commit/{revision}",
            "A commit and what it changed.",
            get(commit),
        )
}

#[derive(Debug, Clone, Deserialize)]
struct Place {
    revision: String,
    #[serde(default)]
    path: String,
}

#[derive(Template)]
#[template(path = "files/tree.html")]
struct TreePage {
    frame: Frame,
    head: RepoHead,
    place: Where,
    refs: RefList,
    entries: Vec<FileEntry>,
    readme: Option<String>,
    clone: String,
}

impl TreePage {
    /// Returns the address of the upload form of this folder; commits and tags have none.
    fn upload(&self) -> Option<String> {
        let revision = &self.place.revision;
        takes_files(&self.refs, revision).then(|| {
            let base = format!("{}/upload/{}", self.place.front, links::part(revision));
            match self.place.path.as_str() {
                "" => base,
                folder => format!("{base}?folder={}", links::part(folder)),
            }
        })
    }
}

#[derive(Template)]
#[template(path = "files/blob.html")]
struct BlobPage {
    frame: Frame,
    head: RepoHead,
    place: Where,
    size: String,
    download: String,
    content: Content,
}

#[derive(Template)]
#[template(path = "files/commits.html")]
struct CommitsPage {
    frame: Frame,
    head: RepoHead,
    place: Where,
    commits: Vec<LastCommit>,
    paging: Paging,
}

#[derive(Template)]
#[template(path = "files/commit.html")]
struct CommitPage {
    frame: Frame,
    head: RepoHead,
    commit: LastCommit,
    parents: Vec<String>,
    is_first: bool,
    files: Vec<FileDiff>,
    left_out: Option<String>,
}

/// The part of a file that is shown.
enum Content {
    /// Its lines.
    Lines(Vec<String>),
    /// Markdown as HTML without effects, with the address of its lines.
    Prose { html: String, plain: String },
    /// Nothing, and why.
    Nothing(&'static str),
}

/// A place in a repository, with the way up.
struct Where {
    front: String,
    revision: String,
    path: String,
}

impl Where {
    fn new(head: &RepoHead, place: &Place) -> Self {
        Self {
            front: head.front(),
            revision: place.revision.clone(),
            path: place.path.trim_matches('/').to_owned(),
        }
    }

    /// The folders above, each with its address.
    fn above(&self) -> Vec<(String, String)> {
        let mut above = vec![(self.front_name(), self.at("tree", ""))];
        let mut path = String::new();
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in parts {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
            above.push((part.to_owned(), self.at("tree", &path)));
        }
        above
    }

    fn front_name(&self) -> String {
        let name = self.front.rsplit('/').next();
        name.unwrap_or_default().to_owned()
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn at(&self, what: &str, path: &str) -> String {
        let revision = links::part(&self.revision);
        let base = format!("{}/{what}/{revision}", self.front);
        if path.is_empty() {
            return base;
        }
        let parts: Vec<String> = path.split('/').map(links::part).collect();
        format!("{base}/{}", parts.join("/"))
    }

    fn entry(&self, entry: &FileEntry) -> String {
        let what = if entry.is_folder { "tree" } else { "blob" };
        self.at(what, entry.path.as_str())
    }

    fn branch(&self, name: &str) -> String {
        format!("{}/tree/{}", self.front, links::part(name))
    }

    fn history(&self) -> String {
        format!("{}/commits/{}", self.front, links::part(&self.revision))
    }

    fn commit(&self, commit: &LastCommit) -> String {
        format!("{}/commit/{}", self.front, commit.id)
    }
}

async fn tree(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(place): PathParams<Place>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let folder = Where::new(&head, &place);
    let path = (!folder.path.is_empty()).then_some(folder.path.as_str());
    let mut entries = state
        .hub
        .repositories()
        .tree(&repo, &place.revision, path, false, true)
        .await?;
    entries.sort_by_key(|entry| !entry.is_folder);
    let readme = entries
        .iter()
        .find(|entry| entry.path.name().eq_ignore_ascii_case("README.md"))
        .filter(|entry| entry.size <= MAX_SHOWN && entry.large.is_none())
        .map(|entry| entry.path.clone());
    let readme = match readme {
        None => None,
        Some(path) => text_of(&state, &repo, &place.revision, &path)
            .await?
            .map(|text| markdown::render(&text, &folder.at("blob", &folder.path))),
    };
    visitor.render(&TreePage {
        frame: visitor.frame(format!("Files of {}", head.id)),
        refs: state.hub.repositories().refs(&repo).await?,
        clone: format!("git clone {}{}", visitor.base, head.front()),
        head,
        place: folder,
        entries,
        readme,
    })
}

async fn text_of(
    state: &AppState,
    repo: &assay_app::Repo,
    revision: &str,
    path: &RepoPath,
) -> Result<Option<String>, Failure> {
    let blob = state
        .hub
        .repositories()
        .small_blob(repo, revision, path.as_str(), MAX_SHOWN, false)
        .await?;
    Ok(match blob.content {
        BlobContent::Memory(bytes) => String::from_utf8(bytes.to_vec()).ok(),
        BlobContent::Large(_) | BlobContent::Unpacked(_) | BlobContent::NotRead => None,
    })
}

async fn blob(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(place): PathParams<Place>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let file = Where::new(&head, &place);
    let facts = state
        .hub
        .repositories()
        .blob(&repo, &place.revision, &file.path, false, false)
        .await?;
    if facts.entry.is_folder {
        let commit = Some(facts.commit);
        return Err(Error::NotFound(Missing::Entry { commit }).into());
    }
    let size = facts.entry.size;
    let content = if facts.entry.large.is_some() || size > MAX_SHOWN {
        Content::Nothing("The file is too large to be shown here.")
    } else {
        let text = text_of(&state, &repo, &place.revision, &facts.entry.path).await?;
        shown(text, &file, visitor.state.get("plain").is_some())
    };
    visitor.render(&BlobPage {
        frame: visitor.frame(format!("{} in {}", file.path, head.id)),
        download: file.at("download", &file.path),
        size: bytes(size),
        head,
        place: file,
        content,
    })
}

/// Clients take files from `resolve`, with a token. A browser has a session, which opens pages
/// alone, so this is one.
async fn save(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(file): PathParams<download::File>,
    method: Method,
    asked: HeaderMap,
) -> Result<Response, Failure> {
    download::save(&state, &visitor.caller, &name, &file, &method, &asked).await
}

fn shown(text: Option<String>, file: &Where, plain: bool) -> Content {
    let Some(text) = text.filter(|text| !text.contains('\0')) else {
        return Content::Nothing("The file is not text.");
    };
    let is_markdown = file.name().to_ascii_lowercase().ends_with(".md");
    if is_markdown && !plain {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        return Content::Prose {
            html: markdown::render(&text, &file.at("blob", folder)),
            plain: format!("{}?plain=1", file.at("blob", &file.path)),
        };
    }
    Content::Lines(text.lines().map(str::to_owned).collect())
}

async fn commits(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(place): PathParams<Place>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let mut page = state
        .hub
        .repositories()
        .commits(&repo, &place.revision, 0, COMMITS)
        .await?;
    let total = usize::try_from(page.total).unwrap_or(usize::MAX);
    let paging = Paging::new(&visitor.path, &visitor.state, total, COMMITS);
    if paging.offset() > 0 {
        page = state
            .hub
            .repositories()
            .commits(&repo, &place.revision, paging.offset(), COMMITS)
            .await?;
    }
    visitor.render(&CommitsPage {
        frame: visitor.frame(format!("History of {}", head.id)),
        place: Where::new(&head, &place),
        head,
        commits: page.commits,
        paging,
    })
}

async fn commit(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(place): PathParams<Place>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Files).await?;
    let details = state
        .hub
        .accounts()
        .commit_details(&repo, &place.revision)
        .await?;
    let (files, left_out) = diff::shown(details.diff.as_deref());
    visitor.render(&CommitPage {
        frame: visitor.frame(format!("{} · {}", details.commit.title, head.id)),
        head,
        parents: details.parents.iter().map(ToString::to_string).collect(),
        is_first: details.diff.is_none(),
        commit: details.commit,
        files,
        left_out,
    })
}

/// A size for people.
#[expect(
    clippy::cast_precision_loss,
    reason = "two digits are shown, a float has fifteen"
)]
pub(super) fn bytes(size: u64) -> String {
    let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")];
    match units.into_iter().find(|(unit, _)| size >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", size as f64 / unit as f64),
        None => format!("{size} bytes"),
    }
}
