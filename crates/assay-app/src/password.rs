//! Passwords, for those who sign in to the pages without a token. Only a slow hash of one is kept.

use argon2::{Algorithm, Argon2, Params, Version};
use assay_store::{AuditAction, AuditSubject};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::access::Caller;
use crate::account::{AccountKind, writer};
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::secret;

/// The shortest password, in characters.
const MIN_CHARACTERS: usize = 12;
/// The longest password, in bytes.
const MAX_BYTES: usize = 1_024;
/// How long a hash is, in bytes.
const HASH_BYTES: usize = 32;
/// How much memory a hash takes, in KiB.
const MEMORY: u32 = 19 << 10;
/// How often that memory is gone over.
const PASSES: u32 = 2;
/// What every hash of ours begins with, in the common notation for password hashes.
const NOTATION: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// How many passwords are hashed at once: each takes memory and a core, and strangers decide how many are sent.
static TURNS: Semaphore = Semaphore::const_new(2);

impl Hub {
    /// Gives a user a password, or takes it away, for the operator; every session of that user ends.
    pub async fn set_password(
        &self,
        caller: &Caller,
        user: &str,
        password: Option<&str>,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let account = self.account_named(user).await?;
        if AccountKind::from(account.kind) != AccountKind::User {
            return Err(Error::Invalid(format!("`{user}` is an organisation")));
        }
        self.write_password(caller, &account, password).await
    }

    /// Gives the caller another password. Who has one must know it; every session of theirs ends.
    pub async fn change_password(
        &self,
        caller: &Caller,
        current: &str,
        password: Option<&str>,
    ) -> Result<(), Error> {
        let account = writer(caller)?;
        if let Some(hash) = self.store.password_of(account).await?
            && !verified(current, hash).await?
        {
            return Err(Error::Forbidden(
                "the current password is not this one".to_owned(),
            ));
        }
        let account = self.account_named(&caller.signed_in()?.name).await?;
        self.write_password(caller, &account, password).await
    }

    /// Whether the caller has a password.
    pub async fn has_password(&self, caller: &Caller) -> Result<bool, Error> {
        let account = caller.signed_in()?.account;
        Ok(self.store.password_of(account).await?.is_some())
    }

    /// Whether this is the password of an account. It takes as long for those that have none, or are not there.
    pub(crate) async fn is_password(
        &self,
        account: Option<&assay_store::Account>,
        password: &str,
    ) -> Result<bool, Error> {
        let hash = match account {
            Some(account) => self.store.password_of(account.id).await?,
            None => None,
        };
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(nobodys);
        Ok(verified(password, hash).await? && known)
    }

    async fn write_password(
        &self,
        caller: &Caller,
        account: &assay_store::Account,
        password: Option<&str>,
    ) -> Result<(), Error> {
        let hash = match password {
            None => None,
            Some(password) => Some(hashed(checked(password)?).await?),
        };
        let mut tx = self.store.begin().await?;
        tx.set_password(account.id, hash.as_deref(), self.now())
            .await?;
        tx.end_web_sessions(account.id, None).await?;
        let action = match password {
            Some(_) => AuditAction::PasswordSet,
            None => AuditAction::PasswordRemoved,
        };
        let subject = AuditSubject::account(&account.name);
        self.audit(&mut tx, caller, action, subject).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// A password that may be one.
fn checked(password: &str) -> Result<String, Error> {
    if password.chars().count() < MIN_CHARACTERS {
        return Err(Error::Invalid(format!(
            "a password has at least {MIN_CHARACTERS} characters"
        )));
    }
    if password.len() > MAX_BYTES {
        return Err(Error::Invalid(format!(
            "a password has at most {MAX_BYTES} bytes"
        )));
    }
    Ok(password.to_owned())
}

async fn hashed(password: String) -> Result<String, Error> {
    let salt: [u8; 16] = secret::bytes()?;
    let digest = in_turn(move || digest(&password, &salt)).await?;
    Ok(format!(
        "{NOTATION}{}${}",
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(digest)
    ))
}

async fn verified(password: &str, hash: String) -> Result<bool, Error> {
    if password.len() > MAX_BYTES {
        return Ok(false);
    }
    let password = password.to_owned();
    in_turn(move || {
        let parts = hash
            .strip_prefix(NOTATION)
            .and_then(|rest| rest.split_once('$'));
        let (salt, expected) =
            parts.ok_or_else(|| Error::internal("a password hash is not as it was written"))?;
        let salt = STANDARD_NO_PAD.decode(salt).map_err(Error::internal)?;
        let expected = STANDARD_NO_PAD.decode(expected).map_err(Error::internal)?;
        let found = digest(&password, &salt)?;
        Ok(found.as_slice().ct_eq(&expected).into())
    })
    .await
}

fn digest(password: &str, salt: &[u8]) -> Result<[u8; HASH_BYTES], Error> {
    let params = Params::new(MEMORY, PASSES, 1, Some(HASH_BYTES))
        .map_err(|error| Error::internal(error.to_string()))?;
    let mut digest = [0; HASH_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(password.as_bytes(), salt, &mut digest)
        .map_err(|error| Error::internal(error.to_string()))?;
    Ok(digest)
}

/// The hash of a password that nobody has.
fn nobodys() -> String {
    format!(
        "{NOTATION}{}${}",
        STANDARD_NO_PAD.encode([0; 16]),
        STANDARD_NO_PAD.encode([0; HASH_BYTES])
    )
}

async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let _turn = TURNS.acquire().await.map_err(Error::internal)?;
    blocking(work).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_and_no_other_is() {
        let hash = hashed("correct horse battery".to_owned()).await.unwrap();

        assert!(
            verified("correct horse battery", hash.clone())
                .await
                .unwrap()
        );
        assert!(
            !verified("correct horse batterz", hash.clone())
                .await
                .unwrap()
        );
        assert!(!verified("", hash).await.unwrap());
        assert!(!verified("", nobodys()).await.unwrap());
    }

    #[test]
    fn the_notation_says_what_the_hash_is_made_with() {
        assert_eq!(
            NOTATION,
            format!("$argon2id$v=19$m={MEMORY},t={PASSES},p=1$")
        );
    }

    #[test]
    fn a_short_password_is_refused() {
        assert!(checked("elevenchars").is_err());
        assert!(checked("twelve chars").is_ok());
        assert!(checked(&"x".repeat(MAX_BYTES + 1)).is_err());
    }
}
