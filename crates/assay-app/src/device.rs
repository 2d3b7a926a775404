//! Sign-in by device code (RFC 8628): a program shows a short code, and a person who is signed in
//! to the pages approves it.

use assay_model::{Role, Timestamp};
use assay_store::{self as store, AuditAction, AuditSubject, DeviceApproval};

use crate::access::{Caller, CallerKind, Scope};
use crate::account::{TokenSecret, writer};
use crate::error::{Denied, Error, Missing};
use crate::secret;
use crate::services::AccountService;
use crate::token::{ending_with, is_live};

/// The time in which a code can be approved, in seconds.
pub const DEVICE_CODE_SECONDS: i64 = 15 * 60;
/// The time between two polls of a program, in seconds.
pub const DEVICE_POLL_SECONDS: i64 = 5;
/// The lifetime of the token of a device, in seconds: thirty days.
const TOKEN_SECONDS: i64 = 30 * 24 * 60 * 60;
/// The most sign-ins that are under way at once, so that nobody fills the database.
const MAX_UNDER_WAY: i64 = 10_000;
/// The letters of a code that people type: no vowels, so no words, and none that look alike (RFC
/// 8628, 6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Number of letters that a code has, about 34 bits.
const CODE_LETTERS: usize = 8;

/// A sign-in that a program began.
pub struct DeviceSignIn {
    /// The secret that the program asks with.
    pub device_code: TokenSecret,
    /// The code that the person types.
    pub user_code: String,
}

/// The answer to a program that polls whether its code was approved.
#[derive(Debug)]
pub enum DevicePoll {
    /// Nobody has yet.
    Pending,
    /// The same, and it asks too often.
    SlowDown,
    /// Somebody refused.
    Denied,
    /// The code is unknown, expired, or was used.
    Expired,
    /// Somebody approved: the token, and how long it lasts in seconds.
    Token(TokenSecret, i64),
}

impl AccountService<'_> {
    /// Begins a sign-in by device code.
    pub async fn begin_device_sign_in(self) -> Result<DeviceSignIn, Error> {
        let now = self.hub.now();
        let device_code = secret::session()?;
        let user_code = draw_user_code()?;
        let expires = Timestamp::from_millis(now.millis() + DEVICE_CODE_SECONDS * 1_000);
        let mut tx = self.hub.store.begin().await?;
        let (device, user) = (secret::hash(&device_code), hash_user_code(&user_code));
        tx.add_device_code(&device, &user, now, expires).await?;
        if tx.count_device_codes().await? > MAX_UNDER_WAY {
            tx.rollback().await?;
            return Err(Error::RateLimited {
                after_seconds: DEVICE_CODE_SECONDS.unsigned_abs(),
            });
        }
        tx.commit().await?;
        Ok(DeviceSignIn {
            device_code: TokenSecret(device_code),
            user_code,
        })
    }

    /// Answers a program that asks whether somebody approved its code. A token is given once.
    pub async fn poll_device_sign_in(self, device_code: &str) -> Result<DevicePoll, Error> {
        let now = self.hub.now();
        let mut tx = self.hub.store.begin().await?;
        let found = tx.device_code(&secret::hash(device_code)).await?;
        let Some(code) = found.filter(|code| now < code.expires) else {
            tx.rollback().await?;
            return Ok(DevicePoll::Expired);
        };
        if code.denied {
            tx.remove_device_code(code.id).await?;
            tx.commit().await?;
            return Ok(DevicePoll::Denied);
        }
        let Some(approved) = code.approved else {
            // A second of grace: timers of clients are not exact.
            let wait = (DEVICE_POLL_SECONDS - 1) * 1_000;
            let is_early = code
                .polled
                .is_some_and(|polled| now.millis() - polled.millis() < wait);
            tx.note_device_poll(code.id, now).await?;
            tx.commit().await?;
            return Ok(if is_early {
                DevicePoll::SlowDown
            } else {
                DevicePoll::Pending
            });
        };
        if !tx.remove_device_code(code.id).await? {
            tx.rollback().await?;
            return Ok(DevicePoll::Expired);
        }
        let parent = match approved.parent {
            Some(id) => tx.token(id).await?,
            None => None,
        };
        if approved.parent.is_some() && !parent.as_ref().is_some_and(|token| is_live(token, now)) {
            tx.commit().await?;
            return Ok(DevicePoll::Denied);
        }
        let end = Timestamp::from_millis(now.millis() + TOKEN_SECONDS * 1_000);
        // A token that is made with another one lasts no longer than that one.
        let end = parent
            .as_ref()
            .and_then(|parent| parent.expires)
            .map_or(end, |limit| limit.min(end));
        let secret = secret::token()?;
        let new = store::NewToken {
            account: approved.account,
            label: "signed in by device code".to_owned(),
            hash: secret::hash(&secret),
            scope: approved.scope,
            only: None,
            created: now,
            expires: ending_with(parent.as_ref(), Some(end))?,
            parent: approved.parent,
        };
        let number = tx.add_token(&new).await?;
        let account = tx.account(approved.account).await?;
        let account = account.ok_or(Error::BadCredentials)?;
        let words = format!("token {} by device code, expires {end}", number.0);
        let subject = AuditSubject::account(&account.name).with(words);
        self.hub
            .operations()
            .audit_server(&mut tx, AuditAction::TokenCreated, subject)
            .await?;
        tx.commit().await?;
        let lasts = (end.millis() - now.millis()) / 1_000;
        Ok(DevicePoll::Token(TokenSecret(secret), lasts))
    }

    /// Approves or denies a code that a program shows. A session of the pages decides, nothing
    /// else: `scope` is what the program may do, `None` denies.
    pub async fn decide_device_sign_in(
        self,
        caller: &Caller,
        user_code: &str,
        scope: Option<Scope>,
    ) -> Result<(), Error> {
        let account = writer(caller)?;
        let session = match &caller.inner {
            CallerKind::User(user) => user.session,
            CallerKind::Anonymous | CallerKind::Shell => None,
        };
        if session.is_none() {
            return Err(Error::Denied(Denied::CodeWithoutSession));
        }
        let role = match scope {
            Some(Scope::Read) => Some(Role::Read),
            Some(Scope::Write) => Some(Role::Write),
            Some(Scope::Admin | Scope::Fine(_)) => {
                return Err(Error::Invalid(
                    "a program that signs in by code may read, or read and write".to_owned(),
                ));
            }
            None => None,
        };
        let now = self.hub.now();
        let mut tx = self.hub.begin_as(caller).await?;
        let found = tx.device_code_of_user(&hash_user_code(user_code)).await?;
        let code = found
            .filter(|code| now < code.expires)
            .ok_or_else(no_code)?;
        let decided = match role {
            Some(scope) => {
                let approval = DeviceApproval {
                    account,
                    scope,
                    parent: caller.token().map(store::TokenId),
                };
                tx.approve_device_code(code.id, &approval).await?
            }
            None => tx.deny_device_code(code.id).await?,
        };
        if !decided {
            return Err(no_code());
        }
        if let (Some(scope), Some(name)) = (role, caller.name()) {
            let subject = AuditSubject::account(name).with(format!("scope {scope}"));
            self.hub
                .operations()
                .audit(&mut tx, caller, AuditAction::DeviceApproved, subject)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

fn no_code() -> Error {
    Error::NotFound(Missing::Other(
        "no program waits with this code: it was mistyped, used or has expired".to_owned(),
    ))
}

/// Draws a code such as `BCDF-GHJK`.
fn draw_user_code() -> Result<String, Error> {
    let mut code = String::new();
    while code.len() < CODE_LETTERS {
        let bytes: [u8; 16] = secret::bytes()?;
        // Bytes beyond the last whole multiple are thrown away, so that no letter is likelier than
        // another.
        let fair = bytes.into_iter().filter(|byte| *byte < 240);
        let missing = CODE_LETTERS - code.len();
        code.extend(
            fair.take(missing)
                .map(|byte| char::from(LETTERS[usize::from(byte % 20)])),
        );
    }
    code.insert(CODE_LETTERS / 2, '-');
    Ok(code)
}

/// Hashes a code as it is kept: without regard to case, dashes and spaces.
fn hash_user_code(code: &str) -> store::Sha256 {
    let letters: String = code
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_uppercase())
        .collect();
    secret::hash(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_two_groups_of_four_consonants_and_read_in_any_spelling() {
        let code = draw_user_code().unwrap();

        assert_eq!(code.len(), 9);
        assert!(
            code.bytes()
                .all(|byte| byte == b'-' || LETTERS.contains(&byte))
        );
        let typed = code.to_lowercase().replace('-', " ");
        assert_eq!(hash_user_code(&typed), hash_user_code(&code));
    }
}
