//! The inbox of an account, over all repositories: its pull requests, those it can merge, and its
//! mentions.

use assay_model::{RepoId, RepoKind, Timestamp};

use crate::accounts::{account_columns, read_account};
use crate::backend::Connection;
use crate::discussions::{discussion_columns, read_discussion};
use crate::row::Cells;
use crate::sql::Builder;
use crate::{Account, AccountId, Discussion, Error, EventId, Tx, sql};

/// A discussion with the repository that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedDiscussion {
    /// The kind of the repository.
    pub kind: RepoKind,
    /// The name of the repository.
    pub repo: RepoId,
    /// The discussion.
    pub discussion: Discussion,
}

/// A comment that mentions an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The comment.
    pub event: EventId,
    /// Its author, unless that account is gone.
    pub author: Option<String>,
    /// The time at which it was written.
    pub created: Timestamp,
    /// The discussion in which it was written.
    pub place: LocatedDiscussion,
}

questions! {
    /// The pull requests that an account opened, open ones first, then the last changed, at most so
    /// many.
    fn pulls_by(author: AccountId, limit: u32) -> Vec<LocatedDiscussion>;
    /// The open pull requests of others that an account may merge by what it is to their
    /// repositories, the last changed first, at most so many.
    fn pulls_to_review(reviewer: AccountId, limit: u32) -> Vec<LocatedDiscussion>;
    /// The comments that mention an account, newest first, at most so many.
    fn mentions_of(account: AccountId, limit: u32) -> Vec<Mention>;
    /// The accounts that have one of these names, whatever its case.
    fn accounts_of_names(names: &[String]) -> Vec<Account>;
}

impl Tx {
    /// Replaces whom a comment mentions.
    pub async fn set_mentions(
        &mut self,
        event: &EventId,
        accounts: &[AccountId],
        at: Timestamp,
    ) -> Result<(), Error> {
        let query = sql::query("DELETE FROM mentions WHERE event = $1").bind(event.as_str());
        self.change("set_mentions", query).await?;
        for account in accounts {
            let query =
                sql::query("INSERT INTO mentions (event, account, created_ms) VALUES ($1, $2, $3)")
                    .bind(event.as_str())
                    .bind(account.0)
                    .bind(at.millis());
            self.change("set_mentions", query).await?;
        }
        Ok(())
    }
}

macro_rules! select_located {
    ($condition:literal) => {
        concat!(
            "SELECT r.kind, r.name, ",
            discussion_columns!(),
            " FROM discussions d JOIN repositories r ON r.repo = d.repo LEFT JOIN accounts a ON a.id = d.author WHERE ",
            $condition,
            " LIMIT $2"
        )
    };
}

fn read_located(cells: &mut Cells<'_>) -> sqlx::Result<LocatedDiscussion> {
    Ok(LocatedDiscussion {
        kind: cells.parse()?,
        repo: cells.parse()?,
        discussion: read_discussion(cells)?,
    })
}

async fn pulls_by(
    connection: &mut Connection,
    author: AccountId,
    limit: u32,
) -> sqlx::Result<Vec<LocatedDiscussion>> {
    let query = select_located!(
        "d.author = $1 AND d.pull ORDER BY CASE WHEN d.status IN ('draft', 'open') THEN 0 ELSE 1 END, \
         d.updated_ms DESC, d.repo, d.num"
    );
    let query = sql::query(query).bind(author.0).bind(limit);
    query.read_all(connection, read_located).await
}

async fn pulls_to_review(
    connection: &mut Connection,
    reviewer: AccountId,
    limit: u32,
) -> sqlx::Result<Vec<LocatedDiscussion>> {
    let query = select_located!(
        "d.pull AND d.status = 'open' AND (d.author IS NULL OR d.author <> $1) AND (r.owner = $1 OR r.owner IN \
         (SELECT m.organisation FROM members m WHERE m.account = $1 AND (m.role IN ('write', 'admin') \
         OR (m.role = 'contribute' AND r.creator = $1)))) ORDER BY d.updated_ms DESC, d.repo, d.num"
    );
    let query = sql::query(query).bind(reviewer.0).bind(limit);
    query.read_all(connection, read_located).await
}

async fn mentions_of(
    connection: &mut Connection,
    account: AccountId,
    limit: u32,
) -> sqlx::Result<Vec<Mention>> {
    let query = concat!(
        "SELECT m.event, b.name, m.created_ms, r.kind, r.name, ",
        discussion_columns!(),
        " FROM mentions m JOIN events e ON e.id = m.event \
         JOIN discussions d ON d.repo = e.repo AND d.num = e.num JOIN repositories r ON r.repo = d.repo \
         LEFT JOIN accounts a ON a.id = d.author LEFT JOIN accounts b ON b.id = e.author \
         WHERE m.account = $1 ORDER BY m.created_ms DESC, m.event LIMIT $2"
    );
    let query = sql::query(query).bind(account.0).bind(limit);
    let read = |cells: &mut Cells<'_>| {
        Ok(Mention {
            event: cells.parse()?,
            author: cells.get()?,
            created: cells.time()?,
            place: read_located(cells)?,
        })
    };
    query.read_all(connection, read).await
}

async fn accounts_of_names(
    connection: &mut Connection,
    names: &[String],
) -> sqlx::Result<Vec<Account>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Builder::new(concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.name_lower IN ("
    ));
    for (place, name) in names.iter().enumerate() {
        query.push(if place == 0 { "" } else { ", " });
        query.push_bind(name.to_ascii_lowercase());
    }
    query.push(") ORDER BY a.name_lower");
    query.build().read_all(connection, read_account).await
}
