//! Passwords, for those who sign in to the pages without a token. Only a slow hash of one is kept.

mod easy;

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use assay_store::{AuditAction, AuditSubject};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::access::{Caller, CallerKind};
use crate::account::AccountKind;
use crate::error::{Busy, Denied, Error};
use crate::guesses::Guesser;
use crate::hub::blocking;
use crate::secret;
use crate::services::AccountService;

/// The shortest password, in characters.
const MIN_CHARACTERS: usize = 12;
/// The longest password, in bytes.
const MAX_BYTES: usize = 1_024;
/// The shortest account name that a password may not be built around, in characters.
const NAME_CHARACTERS: usize = 4;
/// The length of a hash, in bytes.
const HASH_BYTES: usize = 32;
/// The memory of a hash, in KiB.
const MEMORY: u32 = 19 << 10;
/// The number of passes over that memory.
const PASSES: u32 = 2;
/// The prefix of every hash of ours, in the common notation for password hashes.
const NOTATION: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// The time that a password waits for its turn to be hashed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The turns to hash a password. Each takes a core, and strangers decide how many are sent, so at
/// least half of the cores are left to everybody else.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Semaphore::new((cores / 2).max(1))
});

impl AccountService<'_> {
    /// Gives a user a password, or takes it away, for the operator; every session of that user
    /// ends.
    pub async fn set_password(
        self,
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

    /// Gives the caller another password. They must know the present one, and have signed in with
    /// it: a token never becomes more than it is. The first password comes from an operator. Every
    /// session of the account ends.
    pub async fn change_password(
        self,
        caller: &Caller,
        current: &str,
        password: Option<&str>,
    ) -> Result<(), Error> {
        let user = caller.signed_in()?;
        if !caller.may_change_password() {
            return Err(Error::Denied(Denied::TokenSetsPassword));
        }
        let account = self.account_named(&user.name).await?;
        match self.hub.store.password_of(account.id).await? {
            Some(hash) => self.check_current(&account, current, hash).await?,
            None => caller.check_operator()?,
        }
        self.write_password(caller, &account, password).await
    }

    /// Refuses everything but the present password of an account; wrong ones count as they do at
    /// the sign-in.
    async fn check_current(
        self,
        account: &assay_store::Account,
        current: &str,
        hash: String,
    ) -> Result<(), Error> {
        let guesser = Guesser::new(&account.name, None);
        self.count_guess(&guesser).await?;
        if !verified(current, hash).await? {
            return Err(Error::Denied(Denied::WrongPassword));
        }
        self.forgive_guesses(&guesser).await
    }

    /// Returns whether the caller has a password.
    pub async fn has_password(self, caller: &Caller) -> Result<bool, Error> {
        let account = caller.signed_in()?.account;
        Ok(self.hub.store.password_of(account).await?.is_some())
    }

    /// Returns whether this is the password of an account. It takes as long for those that have
    /// none, or are not there.
    pub(crate) async fn is_password(
        self,
        account: Option<&assay_store::Account>,
        password: &str,
    ) -> Result<bool, Error> {
        let hash = match account {
            Some(account) => self.hub.store.password_of(account.id).await?,
            None => None,
        };
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(nobodys);
        Ok(verified(password, hash).await? && known)
    }

    async fn write_password(
        self,
        caller: &Caller,
        account: &assay_store::Account,
        password: Option<&str>,
    ) -> Result<(), Error> {
        let hash = match password {
            None => None,
            Some(password) => Some(hashed(checked(password, account)?).await?),
        };
        let mut tx = self.hub.begin_as(caller).await?;
        tx.set_password(account.id, hash.as_deref(), self.hub.now())
            .await?;
        tx.end_web_sessions(account.id, None).await?;
        let action = match password {
            Some(_) => AuditAction::PasswordSet,
            None => AuditAction::PasswordRemoved,
        };
        let subject = AuditSubject::account(&account.name);
        self.hub
            .operations()
            .audit(&mut tx, caller, action, subject)
            .await?;
        tx.commit().await?;
        self.forgive_guesses(&Guesser::new(&account.name, None))
            .await
    }
}

impl Caller {
    /// Returns whether the caller signed in with a password, or runs the hub with a token of scope
    /// `admin`.
    pub fn may_change_password(&self) -> bool {
        match &self.inner {
            CallerKind::User(user) => user.token.is_none() || self.is_operator(),
            CallerKind::Anonymous | CallerKind::Shell => false,
        }
    }
}

/// Returns a password that an account may have: long enough, not too long, and not easy to guess.
fn checked(password: &str, account: &assay_store::Account) -> Result<String, Error> {
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
    if password.trim().is_empty() {
        return Err(Error::Invalid(
            "a password is more than white space".to_owned(),
        ));
    }
    let letters = plain(password);
    let names = [Some(&account.name), account.fullname.as_ref()];
    for name in names.into_iter().flatten().map(|name| plain(name)) {
        let is_long_name = name.chars().count() >= NAME_CHARACTERS;
        let rest = letters.replace(&name, "");
        if is_long_name && letters.contains(&name) && rest.chars().count() < MIN_CHARACTERS {
            return Err(Error::Invalid(
                "a password does not consist of the account name and a few characters".to_owned(),
            ));
        }
    }
    if easy::is_easy(password) {
        return Err(Error::Invalid(
            "this password is easy to guess; several unrelated words are a good one".to_owned(),
        ));
    }
    Ok(password.to_owned())
}

/// Returns the letters and digits of a text, in lower case.
fn plain(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
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
    let turn = tokio::time::timeout(PATIENCE, TURNS.acquire()).await;
    let turn = turn.map_err(|_| Error::Busy(Busy::Passwords))?;
    let _turn = turn.map_err(Error::internal)?;
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

    fn ada() -> assay_store::Account {
        assay_store::Account {
            id: assay_store::AccountId(1),
            name: "ada-lovelace".to_owned(),
            kind: assay_store::AccountKind::User,
            fullname: Some("Ada Lovelace".to_owned()),
            email: None,
            operator: false,
            created: assay_model::Timestamp::from_millis(0),
            disabled: false,
        }
    }

    #[test]
    fn short_common_and_empty_passwords_and_the_name_itself_are_refused() {
        for password in [
            "elevenchars",
            "password1234",
            "aaaaaaaaaaaa",
            "            ",
            "123456789012",
            "qwertyuiopas",
            "abcabcabcabc",
            "Ada-Lovelace1",
            "AdaLovelace12",
            "ada-lovelace2026!",
            &"x".repeat(MAX_BYTES + 1),
        ] {
            assert!(checked(password, &ada()).is_err(), "{password}");
        }
        for password in [
            "correct horse battery",
            "kQ7#pv2!wLz0",
            "three dark lanterns",
        ] {
            assert!(checked(password, &ada()).is_ok(), "{password}");
        }
    }
}
