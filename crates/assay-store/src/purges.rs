//! The public trace of what operators removed for good.

use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::{Error, Tx, sql};

/// A kind of content that can be removed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeKind {
    /// A pull request or discussion, with its commits and comments.
    Discussion,
    /// Commits of a branch.
    Commits,
    /// One comment, with its former versions.
    Comment,
    /// The personal data of an account.
    Account,
}

impl PurgeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Discussion,
        Self::Commits,
        Self::Comment,
        Self::Account,
    ];

    /// Returns the word for it, in the database and for clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Discussion => "discussion",
            Self::Commits => "commits",
            Self::Comment => "comment",
            Self::Account => "account",
        }
    }
}

words!(PurgeKind, "`discussion`, `commits`, `comment` or `account`");

/// One removal, as everyone may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purge {
    /// The time of the removal.
    pub purged: Timestamp,
    /// The kind of what was removed.
    pub kind: PurgeKind,
    /// The repository that it was part of.
    pub key: Option<RepoKey>,
    /// The content that was removed, such as `#4` or a range of commits.
    pub subject: String,
    /// The reason that the operator gave.
    pub reason: String,
}

questions! {
    /// Lists removals, newest first, after `offset` others, at most `limit`.
    fn purges(offset: u32, limit: u32) -> Vec<Purge>;
}

impl Tx {
    /// Records a removal.
    pub async fn add_purge(&mut self, purge: &Purge) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO purges (purged_ms, kind, repo, subject, reason) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(purge.purged.millis())
        .bind(purge.kind.as_str())
        .bind(purge.key.map(|key| key.0))
        .bind(purge.subject.as_str())
        .bind(purge.reason.as_str());
        self.change("add_purge", query).await?;
        Ok(())
    }
}

async fn purges(connection: &mut Connection, offset: u32, limit: u32) -> sqlx::Result<Vec<Purge>> {
    sql::query(
        "SELECT purged_ms, kind, repo, subject, reason FROM purges ORDER BY id DESC LIMIT $2 OFFSET $1",
    )
    .bind(i64::from(offset))
    .bind(i64::from(limit))
    .read_all(connection, |cells| {
        Ok(Purge {
            purged: cells.time()?,
            kind: cells.parse()?,
            key: cells.get::<Option<i64>>()?.map(RepoKey),
            subject: cells.get()?,
            reason: cells.get()?,
        })
    })
    .await
}
