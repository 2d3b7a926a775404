use assay_model::{Role, Timestamp};

use crate::{Account, AccountId, Error, Sha256, Tx};

/// What a token is known by; never the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub i64);

/// A personal access token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is known by.
    pub id: TokenId,
    /// Whose it is.
    pub account: AccountId,
    /// What its owner calls it.
    pub label: String,
    /// The most that can be done with it.
    pub scope: Role,
    /// The repositories that it is good for, as `namespace/name` or `namespace/*`; none when it is good for all.
    pub only: Option<Vec<String>>,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// When it was last used, to the precision that the caller writes.
    pub last_used: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
}

/// A token that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Whose it is.
    pub account: AccountId,
    /// What its owner calls it.
    pub label: String,
    /// The hash of its secret.
    pub hash: Sha256,
    /// The most that can be done with it.
    pub scope: Role,
    /// The repositories that it is good for; none when it is good for all.
    pub only: Option<Vec<String>>,
    /// When it is made.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

/// A token with its account. Whether it is still good is for the caller to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The token.
    pub token: Token,
    /// Whose it is.
    pub account: Account,
}

questions! {
    /// The token whose secret has this hash, revoked and expired ones too.
    fn credential(hash: &Sha256) -> Option<Credential>;
    /// The tokens of an account, newest first, revoked and expired ones too.
    fn tokens_of(account: AccountId) -> Vec<Token>;
}

impl Tx {
    /// Makes a token. [`Error::Taken`] when the hash exists.
    pub async fn add_token(&mut self, new: &NewToken) -> Result<TokenId, Error> {
        let _ = new;
        todo!()
    }

    /// Writes when a token was used. Nothing that is shown to others depends on it, so the generation stays; how often
    /// it is called is for the caller to limit.
    pub async fn touch_token(&mut self, id: TokenId, used: Timestamp) -> Result<(), Error> {
        let _ = (id, used);
        todo!()
    }

    /// Revokes a token. The answer is whether it existed and was not revoked before.
    pub async fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, Error> {
        let _ = (id, at);
        todo!()
    }
}
