//! The inbox: what waits for whoever is signed in.

use askama::Template;
use assay_app::{Discussion, Inbox, Mention};
use axum::extract::State;
use axum::routing::get;

use super::discussions::status_class;
use super::frame::Frame;
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/inbox",
        "Pull requests to review, your own, and comments that mention you.",
        get(inbox),
    )
}

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage {
    frame: Frame,
    inbox: Inbox,
}

impl InboxPage {
    fn class(discussion: &Discussion) -> &'static str {
        status_class(discussion.status)
    }

    fn address(discussion: &Discussion) -> String {
        links::discussion(discussion.kind, &discussion.repo, discussion.num)
    }

    /// Returns the address of a comment, however long the discussion is.
    fn comment(mention: &Mention) -> String {
        let place = Self::address(&mention.discussion);
        format!("{place}?event={}", links::part(&mention.event))
    }

    /// Says that a list has no more entries than it may have.
    fn is_cut(length: usize) -> bool {
        length >= Inbox::LISTED
    }
}

async fn inbox(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    visitor.render(&InboxPage {
        frame: visitor.frame("Inbox").unlisted(),
        inbox: state.hub.discussions().inbox(caller).await?,
    })
}
