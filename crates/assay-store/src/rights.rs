//! The current rights of a caller, read in one query: for a second look before a write.

use assay_model::{RepoKey, Role};

use crate::accounts::account;
use crate::backend::Connection;
use crate::members::role_in;
use crate::repositories::repository;
use crate::tokens::token;
use crate::web_sessions::web_session;
use crate::{Account, AccountId, Repository, Token, TokenId, WebSession, WebSessionId};

/// The sign-in that a request came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignIn {
    /// The account.
    pub account: AccountId,
    /// The token; none when a password opened the session.
    pub token: Option<TokenId>,
    /// The session of the pages; none for the API and git.
    pub session: Option<WebSessionId>,
}

/// The records of a sign-in and of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rights {
    /// The account, while it exists.
    pub account: Option<Account>,
    /// The token, revoked and expired ones too.
    pub token: Option<Token>,
    /// The session, unless it was ended; expired ones too.
    pub session: Option<WebSession>,
    /// The repository, while it exists.
    pub repository: Option<Repository>,
    /// The role of the account in the organisation that owns the repository.
    pub role: Option<Role>,
}

questions! {
    /// Reads what a sign-in is worth, and what the account is to a repository when one is given.
    fn rights(sign_in: SignIn, repo: Option<RepoKey>) -> Rights;
}

async fn rights(
    connection: &mut Connection,
    sign_in: SignIn,
    repo: Option<RepoKey>,
) -> sqlx::Result<Rights> {
    let mut rights = Rights {
        account: account(connection, sign_in.account).await?,
        ..Rights::default()
    };
    if let Some(id) = sign_in.token {
        rights.token = token(connection, id).await?;
    }
    if let Some(id) = sign_in.session {
        rights.session = web_session(connection, id).await?;
    }
    if let Some(key) = repo {
        rights.repository = repository(connection, key).await?;
    }
    if let Some(repository) = &rights.repository {
        rights.role = role_in(connection, repository.owner, sign_in.account).await?;
    }
    Ok(rights)
}
