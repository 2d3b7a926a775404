//! Rights that are looked up again. A request may take hours to arrive, so who it was let in for is
//! asked again at the moment at which something is written: in the transaction that writes it.

use assay_model::{RepoKey, Timestamp};
use assay_store::{self as store, AccountId, Rights, SignIn, TokenId, Tx, WebSessionId};

use crate::access::{self, Caller, CallerKind, Need, Relation, Scope, SignedIn, Subject};
use crate::error::{Error, Missing};
use crate::hub::Hub;
use crate::large::Uploader;
use crate::token::{is_live, of_store};

impl Hub {
    /// Begins a change in the name of a caller, whose token, session and account still hold in it.
    pub(crate) async fn begin_as(&self, caller: &Caller) -> Result<Tx, Error> {
        let mut tx = self.store.begin().await?;
        match &caller.inner {
            CallerKind::Anonymous | CallerKind::Shell => {}
            CallerKind::User(user) => {
                let rights = tx.rights(sign_in_of(user), None).await?;
                renewed(user, &rights, self.now())?;
            }
        }
        Ok(tx)
    }

    /// Begins a change of a repository in the name of a caller, who still may do in it what they
    /// need.
    pub(crate) async fn begin_change(
        &self,
        caller: &Caller,
        repo: RepoKey,
        need: Need,
    ) -> Result<Tx, Error> {
        let mut tx = self.store.begin().await?;
        match &caller.inner {
            CallerKind::Shell => {}
            CallerKind::Anonymous => {
                return Err(Error::NotSignedIn);
            }
            CallerKind::User(user) => {
                check_in(&mut tx, user, repo, need, self.now()).await?;
            }
        }
        Ok(tx)
    }

    /// Refuses an upload whose token, account or right has ended since its link was made.
    pub(crate) async fn check_uploader(
        &self,
        repo: RepoKey,
        uploader: Uploader,
    ) -> Result<(), Error> {
        let rights = self.store.rights(uploader.into(), Some(repo)).await?;
        decide_upload(uploader, rights, self.now())
    }

    /// Begins a change that records an upload, by what the transaction sees of the uploader.
    pub(crate) async fn begin_upload(
        &self,
        repo: RepoKey,
        uploader: Uploader,
    ) -> Result<Tx, Error> {
        let mut tx = self.store.begin().await?;
        let rights = tx.rights(uploader.into(), Some(repo)).await?;
        decide_upload(uploader, rights, self.now())?;
        Ok(tx)
    }

    /// Refuses a caller whose rights to a repository have ended since they were let in, by what is
    /// committed.
    pub(crate) async fn check_again(
        &self,
        user: &SignedIn,
        repo: RepoKey,
        need: Need,
    ) -> Result<(), Error> {
        let rights = self.store.rights(sign_in_of(user), Some(repo)).await?;
        decide_again(user, rights, need, self.now())
    }
}

impl From<Uploader> for SignIn {
    fn from(uploader: Uploader) -> Self {
        Self {
            account: uploader.account,
            token: uploader.token.map(TokenId),
            session: None,
        }
    }
}

/// Refuses a caller whose rights to a repository have ended, by what a transaction sees.
pub(crate) async fn check_in(
    tx: &mut Tx,
    user: &SignedIn,
    repo: RepoKey,
    need: Need,
    now: Timestamp,
) -> Result<(), Error> {
    let rights = tx.rights(sign_in_of(user), Some(repo)).await?;
    decide_again(user, rights, need, now)
}

fn sign_in_of(user: &SignedIn) -> SignIn {
    SignIn {
        account: user.account,
        token: user.token.map(TokenId),
        session: user.session.map(WebSessionId),
    }
}

/// Returns the caller as they would be let in now. A token that was revoked or has expired, a
/// session that ended and an account that was disabled or removed let nobody in.
fn renewed(user: &SignedIn, rights: &Rights, now: Timestamp) -> Result<SignedIn, Error> {
    let account = rights.account.as_ref().filter(|account| !account.disabled);
    let account = account.ok_or(Error::BadCredentials)?;
    let token = match (user.token, &rights.token) {
        (None, _) => None,
        (Some(_), Some(token)) if is_live(token, now) => Some(token),
        (Some(_), Some(_) | None) => return Err(Error::BadCredentials),
    };
    let is_over = match (user.session, &rights.session) {
        (None, _) => false,
        (Some(_), session) => session
            .as_ref()
            .is_none_or(|session| now >= session.expires),
    };
    if is_over {
        return Err(Error::BadCredentials);
    }
    Ok(SignedIn {
        operator: account.operator,
        scope: match token {
            Some(token) => of_store(token.scope, token.only.clone())?,
            None => user.scope.clone(),
        },
        ..user.clone()
    })
}

fn decide_again(user: &SignedIn, rights: Rights, need: Need, now: Timestamp) -> Result<(), Error> {
    let user = renewed(user, &rights, now)?;
    let Rights {
        repository, role, ..
    } = rights;
    // It was deleted while the request was on its way.
    let repository = repository.ok_or(Error::NotFound(Missing::Repo))?;
    let subject = Subject {
        id: &repository.id,
        private: repository.settings.private,
        disabled: repository.settings.disabled,
        relation: relation(user.account, &repository, role),
        created: repository.creator == Some(user.account),
    };
    let caller = Caller::new(CallerKind::User(user));
    access::decide(&caller, &subject, need).into_result()
}

/// Decides on an upload by the right that its link was made with.
fn decide_upload(uploader: Uploader, rights: Rights, now: Timestamp) -> Result<(), Error> {
    let account = rights.account.as_ref().ok_or(Error::BadCredentials)?;
    let user = SignedIn {
        account: account.id,
        name: account.name.clone(),
        email: account.email.clone(),
        operator: account.operator,
        token: uploader.token,
        session: None,
        // That of the token takes its place.
        scope: Scope::Write,
    };
    let need = if uploader.may_write {
        Need::Write
    } else {
        Need::Discuss
    };
    decide_again(&user, rights, need, now)
}

fn relation(
    account: AccountId,
    repository: &store::Repository,
    role: Option<assay_model::Role>,
) -> Relation {
    if repository.owner == account {
        return Relation::Owner;
    }
    role.map_or(Relation::Stranger, Relation::Member)
}
