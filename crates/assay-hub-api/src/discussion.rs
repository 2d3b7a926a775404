mod event;

use std::fmt;

use assay_model::{ObjectId, RepoId, RepoKind, RepoPath, Timestamp};
use serde::{Deserialize, Serialize};

pub use event::{CommentData, CommentVersion, Event, EventData};

use super::Account;
use super::known_items::some_known_items;

/// One discussion or pull request, in a list or alone. The last four keys are only told of one
/// alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Discussion {
    /// Its number in the repository.
    pub num: u32,
    /// Its title.
    pub title: String,
    /// The status of the discussion.
    pub status: DiscussionStatus,
    /// The author. Absent when the account is gone: clients stumble over null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Account>,
    /// Time at which it was opened.
    pub created_at: Timestamp,
    /// True if it brings commits.
    pub is_pull_request: bool,
    /// The repository.
    pub repo: RepoName,
    /// The events, the oldest first.
    #[serde(
        default,
        deserialize_with = "some_known_items",
        skip_serializing_if = "Option::is_none"
    )]
    pub events: Option<Vec<Event>>,
    /// The changes of a pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<DiscussionChanges>,
    /// The files that stand against merging; for pull requests there even when empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_with_conflicts: Option<Vec<RepoPath>>,
    /// The diff of a pull request, when `diff=1` is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The status of a discussion or pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DiscussionStatus {
    /// Not yet for others to merge.
    Draft,
    /// Open.
    Open,
    /// Closed without merging.
    Closed,
    /// Merged.
    Merged,
}

impl fmt::Display for DiscussionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Merged => "merged",
        })
    }
}

/// The repository of a discussion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RepoName {
    /// The name with the namespace.
    pub name: RepoId,
    /// The kind of the repository.
    #[serde(rename = "type")]
    pub kind: RepoKind,
}

/// The branches of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DiscussionChanges {
    /// The branch, by its whole name.
    pub base: String,
    /// The commit that merged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_commit_id: Option<ObjectId>,
}

/// The answer to `GET …/discussions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiscussionPage {
    /// This page.
    pub discussions: Vec<Discussion>,
    /// The total number on all pages.
    pub count: u64,
    /// The number before this page.
    pub start: u64,
}

/// The body of `POST …/discussions`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateDiscussion {
    /// The title.
    pub title: String,
    /// The first comment.
    #[serde(default)]
    pub description: String,
    /// True if it is to bring commits.
    #[serde(default)]
    pub pull_request: bool,
}

/// The answer to a new discussion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreatedDiscussion {
    /// Its number.
    pub num: u32,
    /// Its page.
    pub url: String,
    /// True if it brings commits.
    pub pull_request: bool,
}

/// The body of `POST …/discussions/{num}/comment`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comment {
    /// The text of the comment.
    pub comment: String,
}

/// The body of `POST …/comment/{id}/edit`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EditComment {
    /// The new text.
    pub content: String,
}

/// The body of `POST …/discussions/{num}/title`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetTitle {
    /// The new title.
    pub title: String,
}

/// The body of `POST …/discussions/{num}/status`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetStatus {
    /// The new status.
    pub status: DiscussionStatus,
    /// A comment beside the merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The body of `POST …/discussions/{num}/merge`, when there is one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Merge {
    /// A comment beside the merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The answer to a comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewMessage {
    /// The comment.
    pub new_message: Event,
}

/// The answer to an edited or hidden comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpdatedComment {
    /// The comment as it is.
    pub updated_comment: Event,
}

/// The answer to a new title.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewTitle {
    /// The change.
    pub new_title: Event,
}

/// The answer to a new status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewStatus {
    /// The change.
    pub new_status: Event,
}

/// The answer to a merge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Merged {
    /// The change of status.
    pub new_status: Event,
    /// The new head of the branch.
    pub commit_oid: ObjectId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discussion_in_a_list_has_no_keys_of_the_details() {
        let discussion = Discussion {
            num: 1,
            title: "Add results".to_owned(),
            status: DiscussionStatus::Draft,
            author: None,
            created_at: Timestamp::from_seconds(0),
            is_pull_request: true,
            repo: RepoName {
                name: "alice/demo".parse().unwrap(),
                kind: RepoKind::Model,
            },
            events: None,
            changes: None,
            files_with_conflicts: None,
            diff: None,
        };

        let json = serde_json::to_string(&discussion).unwrap();

        assert_eq!(
            json,
            r#"{"num":1,"title":"Add results","status":"draft","createdAt":"1970-01-01T00:00:00.000Z","isPullRequest":true,"repo":{"name":"alice/demo","type":"model"}}"#
        );
    }

    #[test]
    fn bodies_of_requests_are_read() {
        let create: CreateDiscussion =
            serde_json::from_str(r#"{"title":"Folder PR","description":"d","pullRequest":true}"#)
                .unwrap();
        let status: SetStatus = serde_json::from_str(r#"{"status":"closed"}"#).unwrap();

        assert!(create.pull_request);
        assert_eq!(status.status, DiscussionStatus::Closed);
        assert!(serde_json::from_str::<SetStatus>(r#"{"status":"gone"}"#).is_err());
    }
}
