use std::borrow::Cow;
use std::fmt;

use assay_model::{RepoId, RepoKind, Role, Timestamp};
use serde::{Deserialize, Serialize};

/// Whether an account is a person or an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AccountType {
    /// A person.
    User,
    /// An organisation.
    Org,
}

/// Who owns a model, wrote a comment or opened a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// What the hub knows it by.
    #[serde(rename = "_id")]
    pub id: String,
    /// The name in addresses.
    pub name: String,
    /// The name for people.
    pub fullname: String,
    /// A person or an organisation.
    #[serde(rename = "type")]
    pub account_type: AccountType,
    /// The picture.
    pub avatar_url: String,
    /// Always false; clients read it.
    pub is_pro: bool,
    /// Always false; clients read it.
    pub is_hf: bool,
}

/// The answer to `GET /api/whoami-v2`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhoAmI {
    /// A person or an organisation.
    #[serde(rename = "type")]
    pub account_type: AccountType,
    /// What the hub knows the account by.
    pub id: String,
    /// The name in addresses.
    pub name: String,
    /// The name for people.
    pub fullname: String,
    /// The address for mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether mail arrives there.
    pub email_verified: bool,
    /// Always false; clients read it.
    pub is_pro: bool,
    /// Always false; clients read it.
    pub can_pay: bool,
    /// The picture.
    pub avatar_url: String,
    /// The organisations of the account. Clients walk it, so it is there even when empty.
    pub orgs: Vec<Membership>,
    /// What the caller has shown.
    pub auth: Auth,
}

/// An organisation, and what the account is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// Always an organisation.
    #[serde(rename = "type")]
    pub account_type: AccountType,
    /// What the hub knows it by.
    pub id: String,
    /// The name in addresses.
    pub name: String,
    /// The name for people.
    pub fullname: String,
    /// The picture.
    pub avatar_url: String,
    /// What the account may do there.
    pub role_in_org: Role,
}

/// A member of an organisation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// What the hub knows the account by.
    #[serde(rename = "_id")]
    pub id: String,
    /// The name in addresses.
    pub user: String,
    /// The name for people.
    pub fullname: String,
    /// The picture.
    pub avatar_url: String,
    /// Always `user`.
    #[serde(rename = "type")]
    pub account_type: AccountType,
    /// What the account may do in the organisation.
    pub role: Role,
}

/// A repository and what it takes, in the list of an account's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoredRepo {
    /// Its name.
    pub id: RepoId,
    /// `model` or `dataset`.
    #[serde(rename = "type")]
    pub kind: RepoKind,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// `public` or `private`.
    pub visibility: Cow<'static, str>,
    /// The bytes of its git objects and large files.
    pub storage: u64,
    /// The share of what all repositories of the account take, in percent.
    pub storage_percent: f64,
}

/// How the caller has shown who it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Always `access_token`.
    #[serde(rename = "type")]
    pub auth_type: Cow<'static, str>,
    /// The token.
    pub access_token: AccessToken,
}

impl Auth {
    /// By a token.
    pub fn by(access_token: AccessToken) -> Self {
        Self {
            auth_type: Cow::Borrowed("access_token"),
            access_token,
        }
    }
}

/// What is told of a token; never the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// What its owner calls it. Clients store the token under this name.
    pub display_name: String,
    /// What it may do.
    pub role: TokenRole,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a token may do, in the words that clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TokenRole {
    /// Read.
    Read,
    /// Read and write.
    Write,
    /// What its list of repositories says.
    FineGrained,
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::FineGrained => "fineGrained",
        })
    }
}
