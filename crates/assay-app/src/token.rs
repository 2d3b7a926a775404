use assay_model::{Role, Timestamp};
use assay_store::{self as store, AuditAction, AuditSubject, TokenId};

use crate::access::{Caller, CallerKind, Scope, SignedIn};
use crate::account::{Account, Identity, Membership, NewToken, TokenInfo, TokenSecret, writer};
use crate::error::{Denied, EndedToken, Error, Missing};
use crate::hub::Hub;
use crate::secret;
use crate::services::AccountService;

/// The precision of the last use of a token, in milliseconds.
const USE_NOTED_MILLIS: i64 = 60 * 60 * 1_000;
/// The longest name of a token, in bytes.
const LABEL_BYTES: usize = 200;
/// The most repositories and namespaces that a fine-grained token names.
const MAX_PATTERNS: usize = 100;

impl AccountService<'_> {
    /// Returns the owner of a token; a bad one is refused and never taken for anonymous.
    pub async fn authenticate(self, secret: Option<&str>) -> Result<Caller, Error> {
        let Some(secret) = secret else {
            return Ok(Caller::anonymous());
        };
        let hash = secret::hash(secret);
        let now = self.hub.now();
        // Commands at the shell and other servers change accounts and tokens too.
        self.hub.store.generation().await?;
        let others = self.hub.store.generation_of_others();
        if let Some(user) = self.hub.sessions.find(&hash, now, others) {
            return Ok(Caller::new(CallerKind::User(user)));
        }
        let generation = self.hub.sessions.generation(others);
        let credential = self
            .hub
            .store
            .credential(&hash)
            .await?
            .ok_or(Error::BadCredentials)?;
        if !is_good(&credential, now) {
            return Err(ended(&credential.token, now).map_or(Error::BadCredentials, Error::from));
        }
        self.note_use(&credential.token, now).await;
        let expires = credential.token.expires;
        let user = signed_in(credential)?;
        self.hub
            .sessions
            .remember(hash, user.clone(), expires, now, generation);
        Ok(Caller::new(CallerKind::User(user)))
    }

    /// Writes down that a token was used, from time to time. Nobody is turned away because that
    /// failed.
    async fn note_use(self, token: &store::Token, now: Timestamp) {
        let is_noted = token
            .last_used
            .is_some_and(|used| now.millis() - used.millis() < USE_NOTED_MILLIS);
        if !is_noted {
            self.write_use(token.id, now).await;
        }
    }

    /// Writes down that a token was used now. Nobody is turned away because that failed.
    pub(crate) async fn write_use(self, token: TokenId, now: Timestamp) {
        let noted = async {
            let mut tx = self.hub.store.begin().await?;
            tx.touch_token(token, now).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(%error, "failed to note the use of a token");
        }
    }
}

impl Hub {
    /// The operator at the shell of the machine: whoever can read the data directory may do
    /// everything.
    pub fn shell(&self) -> Caller {
        Caller::new(CallerKind::Shell)
    }
}

impl AccountService<'_> {
    /// Returns the identity of the caller.
    pub async fn identity(self, caller: &Caller) -> Result<Identity, Error> {
        let user = caller.signed_in()?;
        let account = self
            .hub
            .store
            .account(user.account)
            .await?
            .ok_or(Error::BadCredentials)?;
        let organisations = self.hub.store.organisations_of(user.account).await?;
        let tokens = self.hub.store.tokens_of(user.account).await?;
        let token = tokens
            .into_iter()
            .find(|token| Some(token.id) == user.token.map(TokenId))
            .ok_or(Error::BadCredentials)?;
        Ok(Identity {
            account: Account::of(account),
            memberships: organisations
                .into_iter()
                .map(|member| Membership {
                    organisation: Account::of(member.account),
                    role: member.role,
                })
                .collect(),
            token: info(token)?,
        })
    }

    /// Makes a token for the caller, or for another user when the caller is an operator.
    pub async fn create_token(
        self,
        caller: &Caller,
        user: &str,
        token: NewToken,
    ) -> Result<(TokenInfo, TokenSecret), Error> {
        let account = self.account_whose_tokens(caller, user).await?;
        if account.kind != store::AccountKind::User {
            return Err(Error::Invalid(format!("`{user}` is an organisation")));
        }
        if caller.check_operator().is_err() && token.scope == Scope::Admin {
            return Err(Error::Denied(Denied::TokenAllowsMore));
        }
        let mut tx = self.hub.begin_as(caller).await?;
        let parent = match caller.token() {
            Some(id) => {
                let parent = tx.token(TokenId(id)).await?;
                Some(parent.ok_or(Error::BadCredentials)?)
            }
            None => None,
        };
        let expires = ending_with(parent.as_ref(), token.expires)?;
        if token.label.len() > LABEL_BYTES {
            return Err(Error::Invalid(format!(
                "the name of a token has at most {LABEL_BYTES} bytes"
            )));
        }
        let secret = secret::token()?;
        let (scope, only) = to_store(&token.scope)?;
        let new = store::NewToken {
            account: account.id,
            label: token.label,
            hash: secret::hash(&secret),
            scope,
            only,
            created: self.hub.now(),
            expires,
            parent: parent.map(|parent| parent.id),
        };
        let id = tx.add_token(&new).await?;
        let made = AuditSubject::account(&account.name).with(made_words(id, &new));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::TokenCreated, made)
            .await?;
        tx.commit().await?;
        let info = TokenInfo {
            id: id.0,
            label: new.label,
            scope: token.scope,
            created: new.created,
            expires: new.expires,
            last_used: None,
            parent: new.parent.map(|parent| parent.0),
        };
        Ok((info, TokenSecret(secret)))
    }

    /// The tokens of a user that were not revoked.
    pub async fn tokens(self, caller: &Caller, user: &str) -> Result<Vec<TokenInfo>, Error> {
        let account = self.account_whose_tokens(caller, user).await?;
        let tokens = self.hub.store.tokens_of(account.id).await?;
        tokens
            .into_iter()
            .filter(|token| token.revoked.is_none())
            .map(info)
            .collect()
    }

    /// Ends a token at once, with every session that it opened and every token that was made with
    /// it. The answer is how many tokens ended.
    pub async fn revoke_token(self, caller: &Caller, user: &str, id: i64) -> Result<u64, Error> {
        let account = self.account_whose_tokens(caller, user).await?;
        let tokens = self.hub.store.tokens_of(account.id).await?;
        let is_own = tokens.iter().any(|token| token.id == TokenId(id));
        let mut tx = self.hub.begin_as(caller).await?;
        let mut ended = 0;
        if is_own {
            ended = tx.revoke_token(TokenId(id), self.hub.now()).await?;
        }
        if ended == 0 {
            let text = format!("`{user}` has no token {id}");
            return Err(Error::NotFound(Missing::Other(text)));
        }
        let revoked = AuditSubject::account(&account.name).with(format!("token {id}"));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::TokenRevoked, revoked)
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(ended)
    }

    /// The account of a user whose tokens the caller may manage: their own, or anyone's for the
    /// operator.
    async fn account_whose_tokens(
        self,
        caller: &Caller,
        user: &str,
    ) -> Result<store::Account, Error> {
        if caller.check_operator().is_ok() {
            return self.account_named(user).await;
        }
        let own = writer(caller)?;
        match self.account_named(user).await {
            Ok(account) if account.id == own => Ok(account),
            Ok(_) | Err(Error::NotFound(_)) => Err(Error::Denied(Denied::TokensOfOthers)),
            Err(error) => Err(error),
        }
    }
}

/// Returns whether a token still opens anything.
pub(crate) fn is_good(credential: &store::Credential, now: Timestamp) -> bool {
    is_live(&credential.token, now) && !credential.account.disabled
}

/// Returns when a token ended, and how; none for one that is live.
fn ended(token: &store::Token, now: Timestamp) -> Option<EndedToken> {
    let expired = token.expires.filter(|expires| now >= *expires);
    let at = token.revoked.or(expired)?;
    Some(EndedToken {
        label: token.label.clone(),
        is_revoked: token.revoked.is_some(),
        at,
    })
}

/// Returns whether a token was neither revoked nor has expired.
pub(crate) fn is_live(token: &store::Token, now: Timestamp) -> bool {
    token.revoked.is_none() && token.expires.is_none_or(|expires| now < expires)
}

/// Returns when a token ends that is made with another one: never later than that. Who names no end
/// gets the parent's.
pub(crate) fn ending_with(
    parent: Option<&store::Token>,
    expires: Option<Timestamp>,
) -> Result<Option<Timestamp>, Error> {
    match (parent.and_then(|parent| parent.expires), expires) {
        (None, expires) => Ok(expires),
        (Some(end), None) => Ok(Some(end)),
        (Some(end), Some(expires)) if expires <= end => Ok(Some(expires)),
        (Some(end), Some(_)) => Err(Error::Denied(Denied::TokenLastsLonger(end))),
    }
}

/// The account behind a token, as a caller.
pub(crate) fn signed_in(credential: store::Credential) -> Result<SignedIn, Error> {
    let store::Credential { token, account } = credential;
    Ok(SignedIn {
        account: account.id,
        name: account.name,
        email: account.email,
        operator: account.operator,
        token: Some(token.id.0),
        session: None,
        scope: of_store(token.scope, token.only)?,
    })
}

fn info(token: store::Token) -> Result<TokenInfo, Error> {
    Ok(TokenInfo {
        id: token.id.0,
        label: token.label,
        scope: of_store(token.scope, token.only)?,
        created: token.created,
        expires: token.expires,
        last_used: token.last_used,
        parent: token.parent.map(|parent| parent.0),
    })
}

/// A new token in the words of the audit log, without its secret.
fn made_words(id: TokenId, new: &store::NewToken) -> String {
    let scope = match &new.only {
        Some(only) => format!("{} to {}", new.scope, only.join(", ")),
        None => new.scope.to_string(),
    };
    let expires = match new.expires {
        Some(expires) => format!("expires {expires}"),
        None => "never expires".to_owned(),
    };
    format!("token {} `{}`, scope {scope}, {expires}", id.0, new.label)
}

/// A scope as the store keeps it: a role, and what it is limited to.
fn to_store(scope: &Scope) -> Result<(Role, Option<Vec<String>>), Error> {
    match scope {
        Scope::Read => Ok((Role::Read, None)),
        Scope::Write => Ok((Role::Write, None)),
        Scope::Admin => Ok((Role::Admin, None)),
        Scope::Fine(patterns) if patterns.len() > MAX_PATTERNS => Err(Error::Invalid(format!(
            "a token names at most {MAX_PATTERNS} repositories and namespaces"
        ))),
        Scope::Fine(patterns) => {
            let only = patterns.iter().map(ToString::to_string).collect();
            Ok((Role::Write, Some(only)))
        }
    }
}

pub(crate) fn of_store(scope: Role, only: Option<Vec<String>>) -> Result<Scope, Error> {
    match (scope, only) {
        (_, Some(only)) => {
            let patterns: Result<Vec<_>, Error> = only.iter().map(|text| text.parse()).collect();
            Ok(Scope::Fine(patterns?))
        }
        (Role::Read | Role::Contribute, None) => Ok(Scope::Read),
        (Role::Write, None) => Ok(Scope::Write),
        (Role::Admin, None) => Ok(Scope::Admin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_comes_back_from_the_store_as_it_went_in() {
        let patterns = vec!["acme/model".parse().unwrap(), "acme/*".parse().unwrap()];
        for scope in [
            Scope::Read,
            Scope::Write,
            Scope::Admin,
            Scope::Fine(patterns),
            Scope::Fine(Vec::new()),
        ] {
            let (role, only) = to_store(&scope).unwrap();

            assert_eq!(of_store(role, only).unwrap(), scope);
        }
    }
}
