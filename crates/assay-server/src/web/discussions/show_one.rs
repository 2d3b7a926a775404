use askama::Template;
use assay_app::{
    Event, EventData, EventPage, PullDetails, Referable, Reference, Status, references,
};
use assay_model::PullNumber;
use axum::extract::State;
use serde::Deserialize;

use super::super::diff::{self, FileDiff};
use super::super::frame::Frame;
use super::super::notice::{self, Notice};
use super::super::paging::Paging;
use super::super::preview::Shown;
use super::super::repo::{self, RepoHead, Tab};
use super::super::{Visitor, links, markdown, show};
use super::status_class;
use crate::error::Failure;
use crate::extract::{PathParams, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

/// The number of bytes of a comment that are shown among others.
const SHOWN: usize = 8 << 10;

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Numbered {
    pub(super) num: PullNumber,
}

#[derive(Template)]
#[template(path = "discussions/show.html")]
struct Show {
    frame: Frame,
    notice: Notice,
    head: RepoHead,
    tab: &'static str,
    address: String,
    details: PullDetails,
    events: Vec<TimelineItem>,
    preview: Shown,
    files: Vec<FileDiff>,
    left_out: Option<String>,
    paging: Paging,
    /// True if the visitor may close, reopen and rename it.
    manages: bool,
    speaks: bool,
}

/// Something that happened, as it is shown.
struct TimelineItem {
    id: String,
    who: String,
    when: String,
    day: String,
    what: What,
}

enum What {
    /// Someone said something; as HTML that does nothing.
    Comment {
        html: String,
        /// True if only its beginning is shown.
        is_cut: bool,
        is_edited: bool,
        is_own: bool,
    },
    /// A comment was hidden.
    Hidden,
    /// Something happened, in a sentence.
    Line(String),
    /// A commit came in.
    Commit {
        subject: String,
        to: String,
        short: String,
    },
}

impl Show {
    fn is_open(&self) -> bool {
        match self.details.discussion.status {
            Status::Draft | Status::Open => true,
            Status::Closed | Status::Merged => false,
        }
    }

    fn may_merge(&self) -> bool {
        let discussion = &self.details.discussion;
        self.head.writes
            && discussion.is_pull
            && discussion.status == Status::Open
            && self.details.conflicts.is_empty()
    }

    fn status_class(&self) -> &'static str {
        status_class(self.details.discussion.status)
    }
}

/// One pull request or discussion.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
) -> Result<Answer, Failure> {
    page(&state, &visitor, &name, num, "conversation").await
}

/// Shows the changes of a pull request.
pub(super) async fn files(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
) -> Result<Answer, Failure> {
    page(&state, &visitor, &name, num, "files").await
}

async fn page(
    state: &AppState,
    visitor: &Visitor,
    name: &RepoName,
    num: PullNumber,
    tab: &'static str,
) -> Result<Answer, Failure> {
    let repo = repo::open(state, visitor, name).await?;
    let head = RepoHead::of(state, visitor, &repo, Tab::Discussions).await?;
    let is_files = tab == "files";
    let total = state.hub.discussions().count_events(&repo, num).await?;
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let paging = Paging::new(
        &visitor.path,
        &visitor.state,
        total,
        EventPage::SIZE as usize,
    );
    let page = EventPage {
        offset: paging.offset() as u64,
        limit: if is_files { 0 } else { EventPage::SIZE },
    };
    let mut details = state
        .hub
        .discussions()
        .discussion(&repo, num, is_files, page)
        .await?;
    // One comment as a whole, when it is too long for the page of all.
    let alone = visitor.state.get("event");
    if let Some(event) = alone {
        details.events = vec![
            state
                .hub
                .discussions()
                .discussion_event(&repo, num, event)
                .await?,
        ];
    }
    let most = if alone.is_some() { usize::MAX } else { SHOWN };
    let preview = state
        .hub
        .boards()
        .preview_pull(&visitor.caller, &repo, num)
        .await?;
    let (files, left_out) = diff::shown(details.diff.take().as_deref());
    let discussion = &details.discussion;
    let is_author =
        visitor.caller.name().is_some() && discussion.author.as_deref() == visitor.caller.name();
    let referable = state
        .hub
        .discussions()
        .referable(&repo, names(&details.events))
        .await?;
    let events = details
        .events
        .iter()
        .map(|event| told(&head, visitor, event, most, &referable))
        .collect();
    visitor.render(&Show {
        frame: visitor
            .frame(format!("{} · {} #{num}", discussion.title, head.id))
            .about(format!("Pull request {num} of {}", head.id)),
        notice: notice::of(visitor),
        address: links::discussion(head.kind, &head.id, num),
        tab,
        events,
        preview: Shown::of(&preview),
        files,
        left_out,
        paging,
        manages: is_author || head.writes,
        speaks: visitor.caller.name().is_some(),
        head,
        details,
    })
}

/// The names of accounts that comments mention.
fn names(events: &[Event]) -> Vec<String> {
    let texts = events.iter().filter_map(|event| match &event.data {
        EventData::Comment { text, .. } => Some(text.as_str()),
        EventData::Status(_) | EventData::Commit { .. } | EventData::Title { .. } => None,
    });
    let found = texts.flat_map(references);
    let names = found.filter_map(|(_, reference)| match reference {
        Reference::Account(name) => Some(name.to_ascii_lowercase()),
        Reference::Discussion(_) | Reference::Address(_) => None,
    });
    names.collect()
}

fn told(
    head: &RepoHead,
    visitor: &Visitor,
    event: &Event,
    most: usize,
    referable: &Referable,
) -> TimelineItem {
    let who = event.author.clone();
    let is_own = who.is_some() && who.as_deref() == visitor.caller.name();
    let what = match &event.data {
        EventData::Comment { hidden: true, .. } => What::Hidden,
        EventData::Comment { text, edits, .. } => What::Comment {
            html: markdown::render_comment(
                markdown::beginning(text, most),
                &head.front(),
                referable,
            ),
            is_cut: text.len() > most,
            is_edited: *edits > 0,
            is_own: is_own || head.writes,
        },
        EventData::Status(status) => What::Line(
            match status {
                Status::Draft => "made it a draft",
                Status::Open => "opened it",
                Status::Closed => "closed it",
                Status::Merged => "merged it",
            }
            .to_owned(),
        ),
        EventData::Commit { subject, oid } => What::Commit {
            subject: subject.clone(),
            to: format!("{}/commit/{oid}", head.front()),
            short: oid.to_string().chars().take(8).collect(),
        },
        EventData::Title { from, to } => What::Line(format!(
            "changed the title from \u{201c}{from}\u{201d} to \u{201c}{to}\u{201d}"
        )),
    };
    TimelineItem {
        id: event.id.clone(),
        who: who.unwrap_or_else(|| "deleted user".to_owned()),
        when: event.created.to_string(),
        day: show::day(event.created),
        what,
    }
}
