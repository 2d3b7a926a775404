use assay_app::{
    AccountKind, DiffText, Discussion, DiscussionPage, Event, EventData, PullDetails, Status,
};
use assay_hub_api as hub_api;

/// The text in place of a hidden comment.
const HIDDEN: &str = "This comment has been hidden";

pub(crate) fn status(status: Status) -> hub_api::DiscussionStatus {
    match status {
        Status::Draft => hub_api::DiscussionStatus::Draft,
        Status::Open => hub_api::DiscussionStatus::Open,
        Status::Closed => hub_api::DiscussionStatus::Closed,
        Status::Merged => hub_api::DiscussionStatus::Merged,
    }
}

/// A discussion as a list tells of it.
pub(crate) fn discussion(own: &Discussion) -> hub_api::Discussion {
    hub_api::Discussion {
        num: own.num,
        title: own.title.clone(),
        status: status(own.status),
        author: own.author.as_deref().map(person),
        created_at: own.created,
        is_pull_request: own.is_pull,
        repo: hub_api::RepoName {
            name: own.repo.clone(),
            kind: own.kind,
        },
        events: None,
        changes: None,
        files_with_conflicts: None,
        diff: None,
    }
}

pub(crate) fn discussion_page(page: &DiscussionPage) -> hub_api::DiscussionPage {
    hub_api::DiscussionPage {
        discussions: page.discussions.iter().map(discussion).collect(),
        count: page.count,
        start: page.start,
    }
}

/// A discussion with everything that happened. Clients insist on some keys of a pull request, and
/// on their absence elsewhere.
pub(crate) fn details(own: &PullDetails) -> hub_api::Discussion {
    let conflicts = own.conflicts.iter().filter_map(|path| path.parse().ok());
    hub_api::Discussion {
        events: Some(own.events.iter().map(event).collect()),
        changes: own.base.clone().map(|base| hub_api::DiscussionChanges {
            base,
            merge_commit_id: own.merge_commit,
        }),
        files_with_conflicts: own.discussion.is_pull.then(|| conflicts.collect()),
        diff: own.diff.as_deref().map(diff_text),
        ..discussion(&own.discussion)
    }
}

/// A diff for clients. What is left out is told in a line that tools for diffs pass over.
fn diff_text(own: &DiffText) -> String {
    match &own.left_out {
        Some(why) => format!("{}# {why}\n", own.text),
        None => own.text.clone(),
    }
}

pub(crate) fn event(own: &Event) -> hub_api::Event {
    let author = own.author.as_deref().map(person);
    hub_api::Event {
        id: own.id.clone(),
        created_at: own.created,
        data: event_data(own, author.as_ref()),
        author,
    }
}

fn event_data(own: &Event, author: Option<&hub_api::Account>) -> hub_api::EventData {
    match &own.data {
        EventData::Comment {
            text,
            edits,
            updated,
            hidden,
            history,
        } => {
            let version = |raw: &str, updated_at| hub_api::CommentVersion {
                raw: raw.to_owned(),
                html: paragraph(raw),
                updated_at,
                author: author.cloned(),
            };
            let raw = if *hidden { HIDDEN } else { text.as_str() };
            hub_api::EventData::Comment(hub_api::CommentData {
                edited: *edits > 0,
                hidden: *hidden,
                latest: version(raw, *updated),
                history: history
                    .iter()
                    .map(|earlier| version(&earlier.text, earlier.written))
                    .collect(),
                num_edits: u64::from(*edits),
                reactions: [],
            })
        }
        EventData::Status(own) => hub_api::EventData::StatusChange {
            status: status(*own),
        },
        EventData::Commit { subject, oid } => hub_api::EventData::Commit {
            subject: subject.clone(),
            oid: *oid,
        },
        EventData::Title { from, to } => hub_api::EventData::TitleChange {
            from: from.clone(),
            to: to.clone(),
        },
    }
}

/// Someone of whom only the name is known.
fn person(name: &str) -> hub_api::Account {
    super::account(name, name, AccountKind::User)
}

/// Text as inert HTML: nothing a stranger wrote is obeyed by a browser.
fn paragraph(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 7);
    html.push_str("<p>");
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html.push_str("</p>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stranger_wrote_is_no_markup() {
        let html = paragraph("<script>alert('x')</script>&");

        assert_eq!(
            html,
            "<p>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>"
        );
    }
}
