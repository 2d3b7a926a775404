use std::collections::BTreeMap;

use assay_app::{AccountKind, Discussion, Error, Event, EventData, Missing, PullDetails, Status};
use assay_formats::hub_api;

use crate::error::Failure;
use crate::state::AppState;

/// Tells of discussions; each person in them is looked up once.
pub(crate) struct People<'a> {
    state: &'a AppState,
    known: BTreeMap<String, hub_api::Account>,
}

impl<'a> People<'a> {
    pub(crate) fn new(state: &'a AppState) -> Self {
        Self {
            state,
            known: BTreeMap::new(),
        }
    }

    /// A discussion as a list tells it.
    pub(crate) async fn discussion(
        &mut self,
        discussion: &Discussion,
    ) -> Result<hub_api::Discussion, Failure> {
        Ok(hub_api::Discussion {
            num: u64::try_from(discussion.num).unwrap_or_default(),
            title: discussion.title.clone(),
            status: status(discussion.status),
            author: self.author(discussion.author.as_deref()).await?,
            created_at: discussion.created,
            is_pull_request: discussion.is_pull,
            repo: hub_api::RepoName {
                name: discussion.repo.clone(),
                kind: discussion.kind,
            },
            events: None,
            changes: None,
            files_with_conflicts: None,
            diff: None,
        })
    }

    /// A discussion with all that happened.
    pub(crate) async fn details(
        &mut self,
        details: PullDetails,
    ) -> Result<hub_api::Discussion, Failure> {
        let mut events = Vec::with_capacity(details.events.len());
        for event in &details.events {
            events.push(self.event(event).await?);
        }
        let is_pull = details.discussion.is_pull;
        let conflicts = details.conflicts.iter();
        let conflicts = conflicts.filter_map(|path| path.parse().ok()).collect();
        let changes = details.base.map(|base| hub_api::DiscussionChanges {
            base,
            merge_commit_id: details.merge_commit,
        });
        Ok(hub_api::Discussion {
            events: Some(events),
            changes: changes.filter(|_| is_pull),
            files_with_conflicts: is_pull.then_some(conflicts),
            diff: details.diff.filter(|_| is_pull),
            ..self.discussion(&details.discussion).await?
        })
    }

    /// Something that happened.
    pub(crate) async fn event(&mut self, event: &Event) -> Result<hub_api::Event, Failure> {
        let author = self.author(event.author.as_deref()).await?;
        let data = match &event.data {
            EventData::Comment {
                text,
                edits,
                updated,
                hidden,
            } => hub_api::EventData::Comment(hub_api::CommentData {
                edited: *edits > 0,
                hidden: *hidden,
                latest: hub_api::CommentVersion {
                    raw: text.clone(),
                    html: html(text),
                    updated_at: *updated,
                    author: author.clone(),
                },
                history: Vec::new(),
                num_edits: u64::from(*edits),
                reactions: [],
            }),
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
        };
        Ok(hub_api::Event {
            id: event.id.clone(),
            author,
            created_at: event.created,
            data,
        })
    }

    /// The account of a name. One that is gone is told by its name alone.
    async fn author(&mut self, name: Option<&str>) -> Result<Option<hub_api::Account>, Failure> {
        let Some(name) = name else {
            return Ok(None);
        };
        if let Some(known) = self.known.get(name) {
            return Ok(Some(known.clone()));
        }
        let account = match self.state.hub.account(name).await {
            Ok(account) => super::account(&account.name, &account.full_name, account.kind),
            Err(Error::NotFound(Missing::Other(_))) => {
                super::account(name, name, AccountKind::User)
            }
            Err(error) => return Err(error.into()),
        };
        self.known.insert(name.to_owned(), account.clone());
        Ok(Some(account))
    }
}

fn status(status: Status) -> hub_api::DiscussionStatus {
    match status {
        Status::Draft => hub_api::DiscussionStatus::Draft,
        Status::Open => hub_api::DiscussionStatus::Open,
        Status::Closed => hub_api::DiscussionStatus::Closed,
        Status::Merged => hub_api::DiscussionStatus::Merged,
    }
}

/// A text as a page may show it: paragraphs, and nothing in it means anything.
fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for paragraph in text.split("\n\n").filter(|own| !own.trim().is_empty()) {
        html.push_str("<p>");
        for character in paragraph.trim().chars() {
            match character {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '"' => html.push_str("&quot;"),
                '\'' => html.push_str("&#39;"),
                '\n' => html.push_str("<br>"),
                _ => html.push(character),
            }
        }
        html.push_str("</p>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_becomes_paragraphs_in_which_nothing_runs() {
        assert_eq!(html("Thanks"), "<p>Thanks</p>");
        assert_eq!(html("a\nb\n\nc"), "<p>a<br>b</p><p>c</p>");
        assert_eq!(
            html("<script>alert('x')</script> & \"y\""),
            "<p>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;</p>"
        );
        assert_eq!(html(""), "");
    }
}
