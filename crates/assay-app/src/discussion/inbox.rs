//! The inbox of a user: their pull requests, those that they can merge, and comments that mention
//! them.

use std::collections::{HashMap, HashSet};

use assay_model::{PullNumber, RepoKey, Timestamp};
use assay_store::{AccountKind, EventId, LocatedDiscussion, Tx};

use super::events::Scene;
use super::references::mentioned;
use super::{Discussion, Status};
use crate::access::Caller;
use crate::error::Error;
use crate::repo_lookup::Repo;
use crate::services::DiscussionService;

/// The most entries in each list of an inbox.
const LISTED: u32 = 50;
/// The most accounts that one comment mentions.
const MAX_MENTIONED: usize = 50;
/// The most names of accounts that are looked up for one page.
const MAX_NAMES: usize = 500;

/// The pull requests and mentions that wait for an account, at most [`Inbox::LISTED`] of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    /// The open pull requests of others that they can merge, the last changed first.
    pub to_review: Vec<Discussion>,
    /// Their own pull requests, open ones first, then the last changed.
    pub own: Vec<Discussion>,
    /// The comments that mention them, newest first.
    pub mentions: Vec<Mention>,
}

/// A comment that mentions an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The discussion.
    pub discussion: Discussion,
    /// The comment.
    pub event: String,
    /// Its author; none when the account is gone.
    pub author: Option<String>,
    /// The time at which it was written.
    pub created: Timestamp,
}

/// The accounts and discussions that texts in a repository may refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Referable {
    /// The names of accounts that exist, in lower case.
    pub accounts: HashSet<String>,
    /// The number of the last discussion of the repository.
    pub last_number: PullNumber,
}

impl Inbox {
    /// The most entries in each list.
    pub const LISTED: usize = LISTED as usize;
}

impl DiscussionService<'_> {
    /// Returns the inbox of the caller, from the repositories that they may see.
    pub async fn inbox(self, caller: &Caller) -> Result<Inbox, Error> {
        let account = caller.signed_in()?.account;
        let store = &self.hub.store;
        let mut seen = HashMap::new();
        let mut to_review = Vec::new();
        for found in store.pulls_to_review(account, LISTED).await? {
            to_review.extend(self.visible(caller, &mut seen, found).await?);
        }
        let mut own = Vec::new();
        for found in store.pulls_by(account, LISTED).await? {
            own.extend(self.visible(caller, &mut seen, found).await?);
        }
        let mut mentions = Vec::new();
        for found in store.mentions_of(account, LISTED).await? {
            let discussion = self.visible(caller, &mut seen, found.place).await?;
            mentions.extend(discussion.map(|discussion| Mention {
                discussion,
                event: found.event.as_str().to_owned(),
                author: found.author,
                created: found.created,
            }));
        }
        Ok(Inbox {
            to_review,
            own,
            mentions,
        })
    }

    /// A discussion, when the caller may see its repository.
    async fn visible(
        self,
        caller: &Caller,
        seen: &mut HashMap<RepoKey, bool>,
        found: LocatedDiscussion,
    ) -> Result<Option<Discussion>, Error> {
        let LocatedDiscussion {
            kind,
            repo,
            discussion,
        } = found;
        let is_visible = if let Some(is_visible) = seen.get(&discussion.key) {
            *is_visible
        } else {
            let opened = self.hub.repo(caller, kind, &repo).await;
            let is_visible = match opened {
                Ok(_) => true,
                Err(Error::NotFound(_) | Error::Denied(_) | Error::Moved { .. }) => false,
                Err(error) => return Err(error),
            };
            seen.insert(discussion.key, is_visible);
            is_visible
        };
        Ok(is_visible.then(|| Discussion {
            kind,
            repo,
            num: discussion.num,
            title: discussion.title,
            status: Status::read(discussion.status),
            is_pull: discussion.is_pull,
            author: discussion.author.map(|author| author.name),
            created: discussion.created,
        }))
    }

    /// Looks up which of these accounts exist, and the last number of a discussion.
    pub async fn referable(
        self,
        repo: &Repo,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Referable, Error> {
        let names: HashSet<String> = names.into_iter().take(MAX_NAMES).collect();
        let names: Vec<String> = names.into_iter().collect();
        let accounts = self.hub.store.accounts_of_names(&names).await?.into_iter();
        Ok(Referable {
            accounts: accounts
                .map(|account| account.name.to_ascii_lowercase())
                .collect(),
            last_number: self.hub.store.last_number(repo.key).await?.unwrap_or(0),
        })
    }
}

/// Records whom a comment mentions: users, and not its author.
pub(super) async fn note_mentions(
    tx: &mut Tx,
    scene: Scene,
    event: &EventId,
    text: &str,
) -> Result<(), Error> {
    let names: Vec<String> = mentioned(text).into_iter().take(MAX_MENTIONED).collect();
    let accounts = tx.accounts_of_names(&names).await?;
    let users = accounts
        .iter()
        .filter(|account| account.kind == AccountKind::User && Some(account.id) != scene.actor);
    let users: Vec<_> = users.map(|account| account.id).collect();
    tx.set_mentions(event, &users, scene.now).await?;
    Ok(())
}
