//! Trusted publishers: workloads that write to one repository by their ID token, without a stored
//! secret.
//!
//! Each publisher has the rights of the account that added it, through a token whose secret nobody
//! knows. Tokens that the workload gets are made with that token, so they end with it: when the
//! publisher is removed, when its owner revokes it, and when the account is disabled.

use std::collections::BTreeMap;

use assay_model::{RepoId, RepoKind, Role, Timestamp};
use assay_store::{self as store, AuditAction, PublisherId};
use assay_trust::issuer::{Assertion, AssertionError, Provider, ProviderClass};

use crate::access::{Caller, CallerKind, Need};
use crate::account::{TokenSecret, writer};
use crate::error::{Conflict, Error, Missing};
use crate::repo_lookup::Repo;
use crate::secret;
use crate::services::AccountService;
use crate::token::{is_good, signed_in};

/// The lifetime of a token of a publisher, in seconds.
pub const PUBLISHER_TOKEN_SECONDS: i64 = 60 * 60;
/// The most publishers of one repository.
const MAX_PUBLISHERS: usize = 20;
/// The most claims that a publisher requires.
const MAX_CLAIMS: usize = 16;
/// The longest name or value of a claim and the longest issuer, in bytes.
const MAX_TEXT: usize = 512;

/// A trusted publisher of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublisherInfo {
    /// Its number.
    pub id: i64,
    /// The issuer of its ID tokens.
    pub issuer: String,
    /// The claims that its ID tokens must have, each with exactly this value.
    pub claims: BTreeMap<String, String>,
    /// The account whose rights it has.
    pub account: String,
    /// Time at which it was added.
    pub created: Timestamp,
    /// The time at which it last got a token.
    pub last_used: Option<Timestamp>,
    /// True if it still gets tokens: its own token was not revoked and its account is not disabled.
    pub active: bool,
}

/// A trusted publisher that is to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewPublisher {
    /// The issuer of its ID tokens.
    pub issuer: String,
    /// The claims that its ID tokens must have.
    pub claims: BTreeMap<String, String>,
    /// The account whose rights it has: the caller when absent. Operators alone may name another.
    pub account: Option<String>,
}

/// A publisher whose ID token was accepted, with the token whose rights it has.
pub(crate) struct MatchedPublisher {
    repo: Repo,
    credential: store::Credential,
}

impl AccountService<'_> {
    /// Lists the trusted publishers of a repository, for those who manage it.
    pub async fn trusted_publishers(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
    ) -> Result<Vec<PublisherInfo>, Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Admin).await?;
        let publishers = self.hub.store.trusted_publishers_of(repo.key).await?;
        let mut list = Vec::new();
        for publisher in publishers {
            let credential = self.credential_of_publisher(&publisher).await?;
            list.push(PublisherInfo {
                id: publisher.id.0,
                issuer: publisher.issuer,
                claims: publisher.claims,
                account: credential.account.name.clone(),
                created: publisher.created,
                last_used: credential.token.last_used,
                active: is_good(&credential, self.hub.now()),
            });
        }
        Ok(list)
    }

    /// Adds a trusted publisher to a repository, for those who manage it.
    pub async fn add_trusted_publisher(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        new: NewPublisher,
    ) -> Result<PublisherInfo, Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Admin).await?;
        check_publisher(&new)?;
        let account = if let Some(name) = &new.account {
            caller.check_operator()?;
            self.account_named(name).await?
        } else {
            let own = writer(caller)?;
            let account = self.hub.store.account(own).await?;
            account.ok_or(Error::BadCredentials)?
        };
        if account.kind != store::AccountKind::User {
            return Err(Error::Invalid(format!(
                "`{}` is an organisation: name a user whose rights the publisher has",
                account.name
            )));
        }
        if self.hub.store.trusted_publishers_of(repo.key).await?.len() >= MAX_PUBLISHERS {
            return Err(Error::Conflict(Conflict::PublisherLimit {
                most: MAX_PUBLISHERS,
            }));
        }
        let now = self.hub.now();
        let mut tx = self.hub.begin_as(caller).await?;
        let token = store::NewToken {
            account: account.id,
            label: format!("trusted publisher of {}", repo.id),
            hash: secret::hash(&secret::token()?),
            scope: Role::Write,
            only: Some(vec![repo.id.to_string()]),
            created: now,
            expires: None,
            parent: None,
        };
        let token = tx.add_token(&token).await?;
        let added = store::NewTrustedPublisher {
            repo: repo.key,
            token,
            issuer: new.issuer,
            claims: new.claims,
            created: now,
        };
        let number = tx.add_trusted_publisher(&added).await?;
        let words = format!(
            "publisher {} with the rights of {}: {} {}",
            number.0,
            account.name,
            added.issuer,
            claim_words(&added.claims)
        );
        let subject = repo.audited().with(words);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::PublisherAdded, subject)
            .await?;
        tx.commit().await?;
        Ok(PublisherInfo {
            id: number.0,
            issuer: added.issuer,
            claims: added.claims,
            account: account.name,
            created: now,
            last_used: None,
            active: true,
        })
    }

    /// Removes a trusted publisher, and ends the tokens that it has.
    pub async fn remove_trusted_publisher(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        number: i64,
    ) -> Result<(), Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Admin).await?;
        let publishers = self.hub.store.trusted_publishers_of(repo.key).await?;
        let publisher = publishers
            .into_iter()
            .find(|publisher| publisher.id == PublisherId(number))
            .ok_or_else(|| {
                let text = format!("there is no trusted publisher {number} here");
                Error::NotFound(Missing::Other(text))
            })?;
        let mut tx = self.hub.begin_as(caller).await?;
        tx.revoke_token(publisher.token, self.hub.now()).await?;
        tx.remove_trusted_publisher(publisher.id).await?;
        let words = format!("publisher {number}: {}", publisher.issuer);
        let subject = repo.audited().with(words);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::PublisherRemoved, subject)
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(())
    }

    /// Finds the publisher of a repository that an ID token describes. None when the repository or
    /// the publisher does not exist, or the publisher may no longer write there: who asks is told
    /// one thing for all of them.
    pub(crate) async fn match_publisher(
        self,
        kind: RepoKind,
        id: &RepoId,
        provider: &Provider,
        assertion: &Assertion,
    ) -> Result<Option<MatchedPublisher>, Error> {
        let Some(found) = self.hub.store.find_repository(kind, id).await? else {
            return Ok(None);
        };
        let key = found.repository.key;
        for publisher in self.hub.store.trusted_publishers_of(key).await? {
            if !is_described(&publisher, provider, assertion) {
                continue;
            }
            let credential = self.credential_of_publisher(&publisher).await?;
            if !is_good(&credential, self.hub.now()) {
                continue;
            }
            let caller = Caller::new(CallerKind::User(signed_in(credential.clone())?));
            match self.hub.repo_for(&caller, kind, id, Need::Write).await {
                Ok(repo) => return Ok(Some(MatchedPublisher { repo, credential })),
                Err(Error::NotFound(_) | Error::Denied(_) | Error::Moved { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Makes a token for a publisher: one hour, one repository.
    pub(crate) async fn token_for_publisher(
        self,
        matched: MatchedPublisher,
        run: &str,
    ) -> Result<TokenSecret, Error> {
        let MatchedPublisher { repo, credential } = matched;
        let now = self.hub.now();
        let parent = credential.token.id;
        let caller = Caller::new(CallerKind::User(signed_in(credential)?));
        let secret = secret::token()?;
        let expires = Timestamp::from_millis(now.millis() + PUBLISHER_TOKEN_SECONDS * 1_000);
        let new = store::NewToken {
            account: caller.signed_in()?.account,
            label: format!("{} by {run}", repo.id),
            hash: secret::hash(&secret),
            scope: Role::Write,
            only: Some(vec![repo.id.to_string()]),
            created: now,
            expires: Some(expires),
            parent: Some(parent),
        };
        let mut tx = self.hub.begin_as(&caller).await?;
        tx.forget_expired_tokens(parent, now).await?;
        let number = tx.add_token(&new).await?;
        tx.touch_token(parent, now).await?;
        let words = format!("token {} for one hour, by {run}", number.0);
        let subject = repo.audited().with(words);
        self.hub
            .operations()
            .audit(&mut tx, &caller, AuditAction::TokenCreated, subject)
            .await?;
        tx.commit().await?;
        Ok(TokenSecret(secret))
    }

    async fn credential_of_publisher(
        self,
        publisher: &store::TrustedPublisher,
    ) -> Result<store::Credential, Error> {
        let token = self.hub.store.token(publisher.token).await?;
        let token = token.ok_or_else(|| Error::internal("a publisher has no token".to_owned()))?;
        let account = self.hub.store.account(token.account).await?;
        let account = account.ok_or(Error::BadCredentials)?;
        Ok(store::Credential { token, account })
    }
}

/// Returns whether an ID token has the issuer and every claim of a publisher, and was started by an
/// event that only writers of the source repository bring about.
fn is_described(
    publisher: &store::TrustedPublisher,
    provider: &Provider,
    assertion: &Assertion,
) -> bool {
    let has_claims = publisher
        .claims
        .iter()
        .all(|(name, value)| assertion.claim(name) == Some(value));
    publisher.issuer == assertion.issuer()
        && has_claims
        && is_allowed_event(provider.class, assertion)
}

fn is_allowed_event(class: ProviderClass, assertion: &Assertion) -> bool {
    class.event().is_none_or(|name| {
        let event = assertion.claim(name);
        event.is_some_and(|event| class.allowed_events().contains(&event))
    })
}

/// Refuses a publisher that would describe workloads of strangers.
fn check_publisher(new: &NewPublisher) -> Result<(), Error> {
    let is_address = new.issuer.starts_with("https://") || new.issuer.starts_with("http://");
    if !is_address || new.issuer.len() > MAX_TEXT {
        return Err(Error::Invalid(
            "the issuer is an address such as `https://token.actions.githubusercontent.com`"
                .to_owned(),
        ));
    }
    let is_text = |text: &str| !text.is_empty() && text.len() <= MAX_TEXT;
    let is_sound = |(name, value): (&String, &String)| is_text(name) && is_text(value);
    if new.claims.len() > MAX_CLAIMS || !new.claims.iter().all(is_sound) {
        return Err(Error::Invalid(format!(
            "a publisher has at most {MAX_CLAIMS} claims of at most {MAX_TEXT} bytes, none of them empty"
        )));
    }
    let class = Provider::well_known(&new.issuer).map_or(ProviderClass::Generic, |one| one.class);
    let enough: &[&str] = match class {
        ProviderClass::Github => &["repository", "repository_id", "sub"],
        ProviderClass::Gitlab => &["project_path", "project_id", "sub"],
        // Other issuers may have the claims of GitHub or GitLab, as those of a company do.
        ProviderClass::Generic => &[
            "sub",
            "repository",
            "repository_id",
            "project_path",
            "project_id",
        ],
    };
    if enough.iter().any(|name| new.claims.contains_key(*name)) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "say whose workload it is with one of the claims {}: without it anybody's would be trusted",
        enough.join(", ")
    )))
}

fn claim_words(claims: &BTreeMap<String, String>) -> String {
    let words: Vec<String> = claims
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.join(" ")
}

/// Reads claims as people write them: `name=value`, one a line.
///
/// ```
/// # use assay_app::read_claims;
/// let claims = read_claims("repository=org/evals\nenvironment = release\n").unwrap();
/// assert_eq!(claims["environment"], "release");
/// assert!(read_claims("repository").is_err());
/// ```
pub fn read_claims(text: &str) -> Result<BTreeMap<String, String>, Error> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (name, value) = line.split_once('=').ok_or_else(|| {
                Error::Invalid(format!("a claim is written `name=value`, not `{line}`"))
            })?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// Says which run an ID token is from, for labels and the audit log.
pub(crate) fn run_of(provider: &Provider, assertion: &Assertion) -> String {
    let names = ["repository", "project_path", "sub"];
    let who = names.iter().find_map(|name| assertion.claim(name));
    let ids = ["run_id", "pipeline_id"];
    let run = ids.iter().find_map(|name| assertion.claim(name));
    let who: String = who.unwrap_or(&provider.issuer).chars().take(100).collect();
    match run {
        Some(run) => format!("{who} run {}", run.chars().take(40).collect::<String>()),
        None => who,
    }
}

impl From<AssertionError> for crate::issuer::ExchangeError {
    fn from(error: AssertionError) -> Self {
        tracing::info!("an ID token of a publisher was refused: {error}");
        Self::Grant
    }
}
