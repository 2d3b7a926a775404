use assay_model::{Role, Timestamp};

use crate::access::Scope;

/// A user or an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name, which is also its namespace.
    pub name: String,
    /// Which of the two.
    pub kind: AccountKind,
    /// The name for people.
    pub full_name: String,
    /// Whether it runs the hub.
    pub operator: bool,
    /// When it was made.
    pub created: Timestamp,
}

/// Which kind of account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountKind {
    /// A person or a machine.
    User,
    /// A group of users.
    Organisation,
}

/// A user's part in an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organisation.
    pub organisation: Account,
    /// What the user may do there.
    pub role: Role,
}

/// Who a caller is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The account.
    pub account: Account,
    /// Where else it may work.
    pub memberships: Vec<Membership>,
    /// The token that was used.
    pub token: TokenInfo,
}

/// What to make a token of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// What it is called.
    pub label: String,
    /// What it allows.
    pub scope: Scope,
    /// When it ends; never when absent.
    pub expires: Option<Timestamp>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub label: String,
    /// What it allows.
    pub scope: Scope,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// When it was last used.
    pub last_used: Option<Timestamp>,
}

/// The secret of a new token, shown once: only its hash is kept.
pub struct TokenSecret(pub(crate) String);

impl TokenSecret {
    /// The secret, to show it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenSecret(hidden)")
    }
}
