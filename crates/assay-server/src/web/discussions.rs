//! Pull requests and discussions: the list, one of them with what it would do, and what people do
//! there.

mod act;
mod show_one;

use askama::Template;
use assay_app::{Discussion, DiscussionFilter, Status};
use axum::extract::State;
use axum::routing::{get, post};

use super::frame::Frame;
use super::notice::{self, Notice};
use super::paging::Paging;
use super::repo::{self, RepoHead, Tab};
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::extract::RepoName;
use crate::rendered::Answer;
use crate::state::AppState;

pub(super) fn of_repository() -> Pages {
    Pages::new()
        .page(
            "/{namespace}/{name}/discussions",
            "The pull requests and discussions of a repository.",
            get(list).post(act::open),
        )
        .page(
            "/{namespace}/{name}/discussions/new",
            "A form to begin a discussion.",
            get(act::new),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}",
            "A pull request or discussion: what was said, what it changes, the findings, and who would move.",
            get(show_one::show),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/files",
            "What a pull request changes.",
            get(show_one::files),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/comment",
            "Says something.",
            post(act::comment),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/hide",
            "Hides a comment.",
            post(act::hide),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/title",
            "Gives a discussion another title.",
            post(act::retitle),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/status",
            "Closes a discussion, or opens it again.",
            post(act::change_status),
        )
        .page(
            "/{namespace}/{name}/discussions/{num}/merge",
            "Merges a pull request.",
            post(act::merge),
        )
}

#[derive(Template)]
#[template(path = "discussions/list.html")]
struct List {
    frame: Frame,
    notice: Notice,
    head: RepoHead,
    kinds: Vec<(String, &'static str, bool)>,
    states: Vec<(String, &'static str, bool)>,
    discussions: Vec<Discussion>,
    paging: Paging,
    new: String,
}

impl List {
    fn class(discussion: &Discussion) -> &'static str {
        status_class(discussion.status)
    }

    fn address(discussion: &Discussion) -> String {
        links::discussion(discussion.kind, &discussion.repo, discussion.num)
    }
}

/// The class of the badge that says where a discussion stands.
pub(super) fn status_class(status: Status) -> &'static str {
    match status {
        Status::Draft => "",
        Status::Open => "verified",
        Status::Closed => "bad",
        Status::Merged => "source",
    }
}

async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Discussions).await?;
    let (kind, status) = (visitor.state.get("kind"), visitor.state.get("status"));
    let mut filter = DiscussionFilter {
        is_pull: match kind {
            Some("discussions") => Some(false),
            Some("all") => None,
            Some(_) | None => Some(true),
        },
        open: match status {
            Some("closed") => Some(false),
            Some("all") => None,
            Some(_) | None => Some(true),
        },
        author: visitor.state.get("author").map(str::to_owned),
        offset: 0,
    };
    let size = usize::try_from(DiscussionFilter::PAGE).unwrap_or(usize::MAX);
    // How many there are is known only after the first look, and the page that is asked for may be
    // another.
    let mut page = state.hub.discussions().discussions(&repo, &filter).await?;
    let total = usize::try_from(page.count).unwrap_or(usize::MAX);
    let paging = Paging::new(&visitor.path, &visitor.state, total, size);
    if paging.offset() > 0 {
        filter.offset = paging.offset() as u64;
        page = state.hub.discussions().discussions(&repo, &filter).await?;
    }
    let choice = |key: &str, word: &'static str, label, current: Option<&str>, default| {
        let to = visitor.state.without("page").with(key, word);
        (
            to.on(&visitor.path),
            label,
            current.unwrap_or(default) == word,
        )
    };
    visitor.render(&List {
        frame: visitor.frame(format!("Pull requests of {}", head.id)),
        notice: notice::of(&visitor),
        kinds: vec![
            choice("kind", "pulls", "Pull requests", kind, "pulls"),
            choice("kind", "discussions", "Discussions", kind, "pulls"),
            choice("kind", "all", "Both", kind, "pulls"),
        ],
        states: vec![
            choice("status", "open", "Open", status, "open"),
            choice("status", "closed", "Over", status, "open"),
            choice("status", "all", "All", status, "open"),
        ],
        new: format!("{}/discussions/new", head.front()),
        head,
        discussions: page.discussions,
        paging,
    })
}
