//! Records made again from what lies on the disk: for a database that was lost, and for
//! repositories that it does not know.

mod large;
mod pulls;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use assay_git::{SetAside, Unfinished};
use assay_model::{Clock, RepoId, RepoKey, RepoKind};
use assay_store::{self as store, AccountId, AccountKind, AuditAction, AuditSubject, Gate};

use crate::access::Caller;
use crate::config::HubConfig;
use crate::error::Error;
use crate::facts::RepoFacts;
use crate::home::Purpose;
use crate::hub::{Hub, blocking};
use crate::name;
use crate::repository::Visibility;
use crate::services::OperationService;
use crate::unrecorded::{self, moment};
use large::LargeFilesFound;
pub use pulls::AdoptedPull;

/// The kind and the name that an operator gives to a repository that does not say its own.
pub type GivenName = (RepoKind, RepoId);

/// The outcome of an adoption, or of its rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Adoption {
    /// The repositories that have a record again.
    pub repositories: Vec<AdoptedRepository>,
    /// The pull requests that have a record again, in repositories that had one.
    pub pulls: Vec<AdoptedPull>,
    /// The repositories that have none, and why.
    pub refused: Vec<RefusedRepository>,
    /// The accounts that were made for their owners. They have no token and no password.
    pub accounts: Vec<String>,
    /// The large files that were not given to any repository: several owners name them, and one
    /// keeps them private.
    pub unclaimed_large_files: Vec<String>,
}

/// A repository that has a record again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedRepository {
    /// The number that its directory had.
    pub key: RepoKey,
    /// Model or dataset.
    pub kind: RepoKind,
    /// Its name.
    pub id: RepoId,
    /// Public or private.
    pub visibility: Visibility,
    /// The number of pull requests found; those that were not merged are closed.
    pub pulls: usize,
    /// The number of large files recorded for it.
    pub large_files: usize,
}

/// A directory that could not be adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRepository {
    /// The number that it had.
    pub key: RepoKey,
    /// Its directory.
    pub path: PathBuf,
    /// The reason, and the next step.
    pub reason: String,
}

/// Records that neither git nor the logs hold: they are lost with a database.
pub const NOT_IN_GIT: [&str; 9] = [
    "passwords, tokens and sessions: make new ones with `assay admin token create`",
    "who runs the hub: `assay admin user create NAME --operator`",
    "members of organisations and their roles: `assay admin org member`",
    "full names and addresses of accounts, and accounts without a repository",
    "discussions that are no pull requests, comments, titles and authors of pull requests",
    "whether a pull request that was not merged was open: it is closed, and can be opened again",
    "former names of repositories",
    "the mark of official benchmarks: `assay admin benchmark official`",
    "webhooks, and credentials and identities of the issuer",
];

/// A directory without a record.
struct Candidate {
    key: RepoKey,
    path: PathBuf,
    /// Its place among those set aside; none for one that is still in its own place.
    aside: Option<SetAside>,
    facts: Option<RepoFacts>,
}

impl Hub {
    /// Opens a data directory whose database may be lost; it is made again, unless this is a
    /// rehearsal. No server may work in it.
    pub async fn open_for_adoption(
        config: HubConfig,
        clock: Arc<dyn Clock>,
        dry_run: bool,
    ) -> Result<Arc<Self>, Error> {
        let purpose = if dry_run {
            Purpose::RehearseAdoption
        } else {
            Purpose::Adopt
        };
        Self::enter(config, clock, purpose).await
    }
}

impl OperationService<'_> {
    /// Gives a record to every repository that has none, as far as its directory and the logs tell.
    /// For operators.
    ///
    /// A directory that does not say what it was needs a name by its number. What cannot be adopted
    /// stays where it is.
    pub async fn adopt(
        self,
        caller: &Caller,
        names: &BTreeMap<RepoKey, GivenName>,
        dry_run: bool,
    ) -> Result<Adoption, Error> {
        caller.check_operator()?;
        if !dry_run {
            self.follow_logs().await?;
            self.sort_out_directories().await?;
        }
        let pulls = self.adopt_pulls(dry_run).await?;
        let mut candidates = self.candidates(names).await?;
        candidates
            .sort_by_key(|found| (found.facts.as_ref().map(|facts| facts.created), found.key));
        let large_files = self.large_files_of(&candidates).await?;
        let mut adoption = Adoption {
            pulls,
            unclaimed_large_files: large_files.unclaimed(),
            ..Adoption::default()
        };
        let mut planned = BTreeSet::new();
        for candidate in candidates {
            let (key, path) = (candidate.key, candidate.path.clone());
            let adopted = match self.check_candidate(&candidate, &mut planned).await? {
                Err(reason) => Err(reason),
                Ok(facts) => {
                    let adopted = self
                        .adopt_one(
                            caller,
                            &candidate,
                            &facts,
                            &large_files,
                            &mut adoption.accounts,
                            dry_run,
                        )
                        .await;
                    match adopted {
                        // A repository that is damaged must not keep the others from being adopted.
                        Err(
                            error @ (Error::Internal(_) | Error::Damaged(_) | Error::NotFound(_)),
                        ) => Err(damage_of(&error)),
                        adopted => Ok(adopted?),
                    }
                }
            };
            match adopted {
                Ok(adopted) => adoption.repositories.push(adopted),
                Err(reason) => adoption
                    .refused
                    .push(RefusedRepository { key, path, reason }),
            }
        }
        Ok(adoption)
    }

    /// The directories that have no record, with what they say of themselves or what the operator
    /// says of them.
    async fn candidates(
        self,
        names: &BTreeMap<RepoKey, GivenName>,
    ) -> Result<Vec<Candidate>, Error> {
        let git = Arc::clone(&self.hub.git);
        let (aside, keys) = blocking(move || Ok((git.list_set_aside()?, git.keys()?))).await?;
        let mut found: Vec<Candidate> = Vec::new();
        for aside in aside {
            found.push(Candidate {
                key: aside.key,
                path: aside.path.clone(),
                facts: None,
                aside: Some(aside),
            });
        }
        // Only who tries finds some here: an adoption sets them aside first.
        for key in keys {
            let is_going = self.hub.git.unfinished(key) == Some(Unfinished::Deletion);
            if !is_going && self.hub.store.repository(key).await?.is_none() {
                found.push(Candidate {
                    key,
                    path: self.hub.git.path(key),
                    aside: None,
                    facts: None,
                });
            }
        }
        for candidate in &mut found {
            let path = candidate.path.clone();
            let text = blocking(move || Ok(assay_git::read_facts(&path)?)).await?;
            let own = text.as_deref().and_then(RepoFacts::parse);
            let given = names.get(&candidate.key).cloned();
            candidate.facts = self.named(own, given)?;
        }
        Ok(found)
    }

    /// Applies the name that the operator gives to the facts of a directory.
    fn named(
        self,
        own: Option<RepoFacts>,
        given: Option<GivenName>,
    ) -> Result<Option<RepoFacts>, Error> {
        let Some((kind, id)) = given else {
            return Ok(own);
        };
        let owner = id.namespace().unwrap_or_default().to_owned();
        Ok(Some(match own {
            Some(facts) => RepoFacts {
                kind,
                id,
                owner,
                ..facts
            },
            None => RepoFacts {
                uid: crate::secret::bytes()?,
                kind,
                id,
                owner,
                owner_is_organisation: false,
                creator: None,
                created: self.hub.now(),
                // Nobody says who may see it.
                visibility: Visibility::Private,
                disabled: false,
                gate: Gate::Open,
                description: None,
            },
        }))
    }

    /// Returns the facts to record for a candidate, or the reason against it.
    async fn check_candidate(
        self,
        candidate: &Candidate,
        planned: &mut BTreeSet<(RepoKind, String)>,
    ) -> Result<Result<RepoFacts, String>, Error> {
        let key = candidate.key;
        let Some(facts) = &candidate.facts else {
            return Ok(Err(format!(
                "it does not say what it was; name it with `--as {key}=model:NAMESPACE/NAME` or `--as {key}=dataset:NAMESPACE/NAME`"
            )));
        };
        let Some(namespace) = facts.id.namespace() else {
            return Ok(Err(format!("`{}` has no namespace", facts.id)));
        };
        if let Err(error) = name::check_account(namespace) {
            return Ok(Err(error.to_string()));
        }
        if let Some(known) = self.hub.store.repository_of_uid(&facts.uid).await? {
            return Ok(Err(format!(
                "the {} `{}` is recorded already and has a directory of its own; remove this one when it is not needed",
                known.kind, known.id
            )));
        }
        let held = self
            .hub
            .store
            .find_repository(facts.kind, &facts.id)
            .await?;
        let is_held = held.is_some_and(|held| !held.moved);
        let is_new = planned.insert((facts.kind, facts.id.as_str().to_ascii_lowercase()));
        if is_held || !is_new {
            return Ok(Err(format!(
                "there is a {} `{}` already; give this one another name with `--as {key}={}:NAMESPACE/NAME`",
                facts.kind, facts.id, facts.kind
            )));
        }
        Ok(Ok(facts.clone()))
    }

    async fn adopt_one(
        self,
        caller: &Caller,
        candidate: &Candidate,
        facts: &RepoFacts,
        large_files: &LargeFilesFound,
        accounts: &mut Vec<String>,
        dry_run: bool,
    ) -> Result<AdoptedRepository, Error> {
        let given = large_files.of(&candidate.path);
        let mut adopted = AdoptedRepository {
            key: candidate.key,
            kind: facts.kind,
            id: facts.id.clone(),
            visibility: facts.visibility,
            pulls: 0,
            large_files: given.len(),
        };
        let has_owner = self.hub.store.account_named(&facts.owner).await?.is_some();
        if !has_owner && !accounts.contains(&facts.owner) {
            accounts.push(facts.owner.clone());
        }
        let Some(aside) = candidate.aside.clone().filter(|_| !dry_run) else {
            let path = candidate.path.clone();
            adopted.pulls = blocking(move || Ok(pulls::count(&path))).await?;
            return Ok(adopted);
        };
        let mut tx = self.hub.store.begin().await?;
        let owner = self.owner_of(&mut tx, facts).await?;
        let creator = match &facts.creator {
            Some(name) => tx.account_named(name).await?.map(|account| account.id),
            None => None,
        };
        let key = tx
            .add_repository(&store::NewRepository {
                kind: facts.kind,
                id: facts.id.clone(),
                owner,
                creator,
                created: facts.created,
                settings: store::Settings {
                    private: facts.visibility == Visibility::Private,
                    description: facts.description.clone(),
                    gate: facts.gate,
                    disabled: facts.disabled,
                },
            })
            .await?;
        tx.set_uid(key, &facts.uid).await?;
        let subject = AuditSubject::repo(facts.kind, &facts.id, key);
        self.audit(&mut tx, caller, AuditAction::ReposAdopted, subject)
            .await?;
        for file in &given {
            let oid = store::Sha256::from_bytes(*file.oid.as_bytes());
            tx.add_large_object(key, &oid, file.size).await?;
        }
        let (git, now) = (Arc::clone(&self.hub.git), self.hub.now());
        blocking(move || {
            unrecorded::make_room(&git, key, now)?;
            Ok(git.bring_back(&aside, key)?)
        })
        .await?;
        match pulls::record(self.hub, &mut tx, key).await {
            Ok(pulls) => adopted.pulls = pulls,
            Err(error) => {
                drop(tx);
                let git = Arc::clone(&self.hub.git);
                blocking(move || Ok(git.set_aside(key, &moment(now))?)).await?;
                return Err(error);
            }
        }
        tx.commit().await?;
        self.hub.index_repository(key, None).await?;
        self.hub.note_facts(key).await;
        Ok(adopted)
    }

    /// The account of the owner, made when there is none.
    async fn owner_of(self, tx: &mut store::Tx, facts: &RepoFacts) -> Result<AccountId, Error> {
        if let Some(account) = tx.account_named(&facts.owner).await? {
            return Ok(account.id);
        }
        let kind = if facts.owner_is_organisation {
            AccountKind::Organisation
        } else {
            AccountKind::User
        };
        Ok(tx
            .add_account(&store::NewAccount {
                name: facts.owner.clone(),
                kind,
                fullname: None,
                email: None,
                operator: false,
                created: self.hub.now(),
                founder: None,
            })
            .await?)
    }
}

fn damage_of(error: &Error) -> String {
    let cause = error.hidden_cause().map(ToString::to_string);
    let cause = cause.unwrap_or_else(|| error.to_string());
    format!("it is damaged: {cause}; restore it from a backup")
}
