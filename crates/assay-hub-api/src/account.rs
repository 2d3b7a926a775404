use std::borrow::Cow;
use std::fmt;

use assay_model::{RepoId, RepoKind, Role, Timestamp};
use serde::{Deserialize, Serialize};

/// The kind of an account: a person or an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AccountType {
    /// A person.
    User,
    /// An organisation.
    Org,
}

/// An account that owns a model, wrote a comment or opened a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The id of the organisation on the hub.
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
    /// The id of the account on the hub.
    pub id: String,
    /// The name in addresses.
    pub name: String,
    /// The name for people.
    pub fullname: String,
    /// The address for mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// True if mail arrives there.
    pub email_verified: bool,
    /// Always false; clients read it.
    pub is_pro: bool,
    /// Always false; clients read it.
    pub can_pay: bool,
    /// The picture.
    pub avatar_url: String,
    /// The organisations of the account. Clients walk it, so it is there even when empty.
    pub orgs: Vec<Membership>,
    /// The credential of the caller.
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
    /// The id of the organisation on the hub.
    pub id: String,
    /// The name in addresses.
    pub name: String,
    /// The name for people.
    pub fullname: String,
    /// The picture.
    pub avatar_url: String,
    /// The role of the account there.
    pub role_in_org: Role,
}

/// A member of an organisation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The id of the account on the hub.
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
    /// The role of the account in the organisation.
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
    /// The time of the last change.
    pub updated_at: Timestamp,
    /// `public` or `private`.
    pub visibility: Cow<'static, str>,
    /// The bytes of its git objects and large files.
    pub storage: u64,
    /// The share of what all repositories of the account take, in percent.
    pub storage_percent: f64,
}

/// The way the caller has authenticated.
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

/// The facts of a token; never the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// The label that its owner gave it. Clients store the token under this name.
    pub display_name: String,
    /// The scope of the token.
    pub role: TokenRole,
    /// Time at which it was made.
    pub created_at: Timestamp,
}

/// The scope of a token, in the words that clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TokenRole {
    /// Read.
    Read,
    /// Read and write.
    Write,
    /// The scope is that of its list of repositories.
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
