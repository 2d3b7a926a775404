use assay_model::{ObjectId, Timestamp};
use serde::{Deserialize, Serialize};

/// The answer to `GET …/refs`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refs {
    /// The branches.
    pub branches: Vec<Ref>,
    /// Always empty; clients insist on the key.
    pub converts: Vec<Ref>,
    /// The tags.
    pub tags: Vec<Ref>,
    /// The pull requests, when they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_requests: Option<Vec<Ref>>,
}

/// A name for a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ref {
    /// The short name, such as `main`.
    pub name: String,
    /// The whole name, such as `refs/heads/main`.
    #[serde(rename = "ref")]
    pub full_name: String,
    /// The commit.
    pub target_commit: ObjectId,
    /// The message of an annotated tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One commit of `GET …/commits/{rev}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CommitItem {
    /// The commit.
    pub id: ObjectId,
    /// Its first line.
    pub title: String,
    /// The text after the first line.
    pub message: String,
    /// The authors.
    pub authors: Vec<CommitAuthor>,
    /// Time at which it was made.
    pub date: Timestamp,
    /// The same as HTML, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<FormattedCommit>,
}

/// The words of a commit as HTML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FormattedCommit {
    /// Its first line.
    pub title: String,
    /// The text after the first line.
    pub message: String,
}

/// An author of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CommitAuthor {
    /// The account, or the name that the commit gives.
    pub user: String,
    /// The picture.
    pub avatar: String,
}

/// The body of `POST …/branch/{name}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateBranch {
    /// The revision it begins at; none for the head of `main`.
    #[serde(default)]
    pub starting_point: Option<String>,
}

/// The body of `POST …/super-squash/{branch}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SquashBranch {
    /// The message of the one commit.
    pub message: String,
}

/// The body of `POST …/tag/{rev}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateTag {
    /// The name.
    pub tag: String,
    /// The message of the tag.
    #[serde(default)]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_requests_are_told_only_when_asked_for() {
        let commit = ObjectId::from_bytes([1; 20]);
        let refs = Refs {
            branches: vec![Ref {
                name: "main".to_owned(),
                full_name: "refs/heads/main".to_owned(),
                target_commit: commit,
                message: None,
            }],
            ..Refs::default()
        };

        let json = serde_json::to_string(&refs).unwrap();

        assert_eq!(
            json,
            format!(
                r#"{{"branches":[{{"name":"main","ref":"refs/heads/main","targetCommit":"{commit}"}}],"converts":[],"tags":[]}}"#
            )
        );
    }

    #[test]
    fn a_branch_can_be_asked_for_with_an_empty_object() {
        let request: CreateBranch = serde_json::from_str("{}").unwrap();

        assert_eq!(request, CreateBranch::default());
    }
}
