//! Sessions of the pages: who is signed in in which browser. They open pages and nothing else:
//! neither the API nor git asks for one.

use assay_model::Timestamp;
use assay_store::{self as store, AuditAction, AuditSubject, WebSessionId, WebVisitor};

use crate::access::{Caller, CallerKind, Scope, SignedIn};
use crate::audit::SignInMethod;
use crate::error::{Error, Missing};
use crate::guesses::Guesser;
use crate::origin::Origin;
use crate::secret;
use crate::services::AccountService;
use crate::token::{self, is_good, of_store};

/// The lifetime of a session, in milliseconds: two weeks.
const LASTS_MILLIS: i64 = 14 * 24 * 60 * 60 * 1_000;
/// The precision of the last use of a session, in milliseconds.
const USE_NOTED_MILLIS: i64 = 10 * 60 * 1_000;
/// The longest name of a browser that is kept, in bytes.
const AGENT_BYTES: usize = 200;

/// Someone who is signed in to the pages.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The caller, for requests to the hub.
    pub caller: Caller,
    /// The number of the session, among those of its owner.
    pub session: i64,
    /// The token that forms of this session carry, so that no other site can send them.
    pub form_token: String,
}

/// A browser in which someone is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its number.
    pub id: i64,
    /// The user agent of the browser.
    pub agent: String,
    /// The time at which it began.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// Time at which it was last used.
    pub last_used: Timestamp,
}

/// The secret of a new session, for the browser: only its hash is kept.
pub struct SessionSecret {
    secret: String,
    /// The time at which it expires.
    pub expires: Timestamp,
}

impl SessionSecret {
    /// The lifetime of a session, in seconds.
    pub const LASTS_SECONDS: i64 = LASTS_MILLIS / 1_000;

    /// The secret, for a cookie.
    pub fn reveal(&self) -> &str {
        &self.secret
    }
}

impl std::fmt::Debug for SessionSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionSecret(hidden)")
    }
}

impl AccountService<'_> {
    /// Begins a session with a token, which allows no more than the token does and ends with it.
    pub async fn sign_in_with_token(
        self,
        token: &str,
        agent: &str,
        origin: &Origin,
    ) -> Result<SessionSecret, Error> {
        let credential = self
            .hub
            .store
            .credential(&secret::hash(token.trim()))
            .await?
            .filter(|credential| is_good(credential, self.hub.now()));
        let Some(credential) = credential else {
            return Err(self
                .hub
                .operations()
                .refuse_sign_in(None, SignInMethod::Token, origin)
                .await);
        };
        let token = credential.token;
        let begun = self
            .begin_session(&credential.account, Some(&token), agent, origin)
            .await?;
        self.write_use(token.id, self.hub.now()).await;
        Ok(begun)
    }

    /// Begins a session with a password. Wrong ones are counted by account and by address, and
    /// refuse further attempts for a while; an account that does not exist is answered as one with
    /// another password is.
    pub async fn sign_in_with_password(
        self,
        name: &str,
        password: &str,
        agent: &str,
        address: Option<&str>,
        origin: &Origin,
    ) -> Result<SessionSecret, Error> {
        let guesser = Guesser::new(name.trim(), address);
        self.count_guess(&guesser).await?;
        let account = self.hub.store.account_named(name.trim()).await?;
        let account = account.filter(|account| !account.disabled);
        let is_right = self.is_password(account.as_ref(), password).await?;
        match account {
            Some(account) if is_right => {
                self.forgive_guesses(&guesser).await?;
                self.begin_session(&account, None, agent, origin).await
            }
            account => Err(self
                .hub
                .operations()
                .refuse_sign_in(account.as_ref(), SignInMethod::Password, origin)
                .await),
        }
    }

    async fn begin_session(
        self,
        account: &store::Account,
        token: Option<&store::Token>,
        agent: &str,
        origin: &Origin,
    ) -> Result<SessionSecret, Error> {
        let secret = secret::session()?;
        let created = self.hub.now();
        let lasts = Timestamp::from_millis(created.millis().saturating_add(LASTS_MILLIS));
        let expires = token
            .and_then(|token| token.expires)
            .map_or(lasts, |end| end.min(lasts));
        let mut tx = self.hub.store.begin().await?;
        tx.add_web_session(&store::NewWebSession {
            account: account.id,
            token: token.map(|token| token.id),
            hash: secret::hash(&secret),
            agent: shortened(agent),
            created,
            expires,
        })
        .await?;
        self.hub
            .operations()
            .audit_sign_in(&mut tx, account, token, origin)
            .await?;
        tx.commit().await?;
        Ok(SessionSecret { secret, expires })
    }

    /// Returns the user who is signed in with this secret; none when the session is over.
    pub async fn visitor(self, secret: &str) -> Result<Option<Visitor>, Error> {
        let hash = secret::hash(secret);
        let now = self.hub.now();
        let found = self.hub.store.web_visitor(&hash).await?;
        let Some(found) = found.filter(|found| is_live(found, now)) else {
            return Ok(None);
        };
        self.note_visit(&found.session, now).await;
        Ok(Some(Visitor {
            session: found.session.id.0,
            form_token: self.hub.sign(&format!("form {hash}")),
            caller: Caller::new(CallerKind::User(signed_in(found)?)),
        }))
    }

    /// The sessions of the caller, newest first.
    pub async fn web_sessions(self, caller: &Caller) -> Result<Vec<SessionInfo>, Error> {
        let account = caller.signed_in()?.account;
        let now = self.hub.now();
        let sessions = self.hub.store.web_sessions_of(account).await?;
        Ok(sessions
            .into_iter()
            .filter(|session| now < session.expires)
            .map(|session| SessionInfo {
                id: session.id.0,
                agent: session.agent,
                created: session.created,
                expires: session.expires,
                last_used: session.last_used,
            })
            .collect())
    }

    /// Ends a session of the caller at once.
    pub async fn end_web_session(self, caller: &Caller, id: i64) -> Result<(), Error> {
        let account = caller.signed_in()?.account;
        let mut tx = self.hub.store.begin().await?;
        if !tx.end_web_session(account, WebSessionId(id)).await? {
            let text = format!("you have no session {id}");
            return Err(Error::NotFound(Missing::Other(text)));
        }
        let subject =
            AuditSubject::account(&caller.signed_in()?.name).with(format!("session {id}"));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::SessionEnded, subject)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends every session of the caller but the one they use. The answer is how many there were.
    pub async fn end_other_web_sessions(self, visitor: &Visitor) -> Result<u64, Error> {
        let account = visitor.caller.signed_in()?.account;
        let mut tx = self.hub.store.begin().await?;
        let ended = tx
            .end_web_sessions(account, Some(WebSessionId(visitor.session)))
            .await?;
        let caller = &visitor.caller;
        let ended_words = format!("{ended} sessions, all but session {}", visitor.session);
        let subject = AuditSubject::account(&caller.signed_in()?.name).with(ended_words);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::SessionEnded, subject)
            .await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Writes down that a session was used, from time to time. Nobody is turned away because that
    /// failed.
    async fn note_visit(self, session: &store::WebSession, now: Timestamp) {
        if now.millis() - session.last_used.millis() < USE_NOTED_MILLIS {
            return;
        }
        let noted = async {
            let mut tx = self.hub.store.begin().await?;
            tx.touch_web_session(session.id, now).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(%error, "failed to note the use of a session");
        }
    }
}

/// Returns whether a session still opens anything: it lasts, its account may sign in, and its token
/// is still good.
fn is_live(found: &WebVisitor, now: Timestamp) -> bool {
    let token_is_good = found
        .token
        .as_ref()
        .is_none_or(|token| token::is_live(token, now));
    now < found.session.expires && !found.account.disabled && token_is_good
}

fn signed_in(found: WebVisitor) -> Result<SignedIn, Error> {
    let WebVisitor {
        session,
        account,
        token,
    } = found;
    let (token, scope) = match token {
        Some(token) => (Some(token.id.0), of_store(token.scope, token.only)?),
        // Whoever knows the password may do all that the account may.
        None if account.operator => (None, Scope::Admin),
        None => (None, Scope::Write),
    };
    Ok(SignedIn {
        account: account.id,
        name: account.name,
        email: account.email,
        operator: account.operator,
        token,
        session: Some(session.id.0),
        scope,
    })
}

/// Returns the user agent of a browser, as much as is kept of it.
fn shortened(agent: &str) -> String {
    let mut kept = String::new();
    for character in agent.chars().filter(|character| !character.is_control()) {
        if kept.len() + character.len_utf8() > AGENT_BYTES {
            break;
        }
        kept.push(character);
    }
    kept
}
