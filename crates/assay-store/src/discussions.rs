use assay_model::{ObjectId, PullNumber, RepoKey, Timestamp};

use crate::backend::Connection;
use crate::row::{Cells, to_number};
use crate::sql::Builder;
use crate::{AccountId, AccountKind, Error, Taken, Tx, sql};

/// The status of a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// A pull request that is not ready.
    Draft,
    /// Open.
    Open,
    /// Closed without a merge.
    Closed,
    /// A pull request that was merged.
    Merged,
}

/// The author of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// The name for people.
    pub fullname: Option<String>,
    /// The kind of the account.
    pub kind: AccountKind,
}

/// A discussion or a pull request of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// The repository.
    pub key: RepoKey,
    /// Its number there, from 1.
    pub num: PullNumber,
    /// Its title.
    pub title: String,
    /// The status of the discussion.
    pub status: Status,
    /// True if it is a pull request.
    pub is_pull: bool,
    /// The author, unless that account is gone.
    pub author: Option<Author>,
    /// Time at which it was opened.
    pub created: Timestamp,
    /// The time of the last change in it.
    pub updated: Timestamp,
    /// The branch that a pull request is for, such as `refs/heads/main`.
    pub base: Option<String>,
    /// The commit that the base had when a pull request was opened.
    pub opened_at: Option<ObjectId>,
    /// The commit that merged it.
    pub merge_commit: Option<ObjectId>,
    /// Time at which it was closed or merged; none while it is open.
    pub ended: Option<Timestamp>,
}

/// A discussion that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDiscussion {
    /// The repository.
    pub key: RepoKey,
    /// Its number, from [`Tx::next_number`].
    pub num: PullNumber,
    /// Its title.
    pub title: String,
    /// The status of the discussion.
    pub status: Status,
    /// True if it is a pull request.
    pub is_pull: bool,
    /// The author.
    pub author: Option<AccountId>,
    /// Time at which it is opened.
    pub created: Timestamp,
    /// The branch that a pull request is for.
    pub base: Option<String>,
    /// The commit that the base has.
    pub opened_at: Option<ObjectId>,
}

/// A filter by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscussionKind {
    /// Discussions that are not pull requests.
    Discussion,
    /// Pull requests.
    Pull,
}

/// A filter by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscussionState {
    /// Open ones and drafts.
    Open,
    /// Closed and merged ones.
    Closed,
}

/// A filter of the discussions of a repository. Every condition must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionFilter {
    /// The repository.
    pub key: RepoKey,
    /// The kind to list.
    pub kind: Option<DiscussionKind>,
    /// The statuses to list.
    pub state: Option<DiscussionState>,
    /// The name of who opened them, whatever its case.
    pub author: Option<String>,
    /// The number of discussions to skip.
    pub offset: u64,
    /// The most to return.
    pub limit: u32,
}

/// A part of the discussions of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionPage {
    /// The discussions, newest first.
    pub items: Vec<Discussion>,
    /// The total number on all pages.
    pub count: u64,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Draft, Self::Open, Self::Closed, Self::Merged];

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Merged => "merged",
        }
    }
}

words!(Status, "`draft`, `open`, `closed` or `merged`");

questions! {
    /// One discussion or pull request.
    fn discussion(key: RepoKey, num: PullNumber) -> Option<Discussion>;
    /// A page of the discussions of a repository, newest first.
    fn discussions(filter: &DiscussionFilter) -> DiscussionPage;
    /// The pull requests of a repository, in the order of their numbers, with those that are closed
    /// or merged.
    fn pulls_of(key: RepoKey) -> Vec<Discussion>;
    /// Returns the number that the last discussion of a repository has; they count from 1 without
    /// gaps. None when the repository does not exist.
    fn last_number(key: RepoKey) -> Option<u32>;
    /// Returns the number of pull requests of a repository that an account opened and that are open
    /// or drafts.
    fn open_pulls_by(key: RepoKey, author: AccountId) -> u64;
}

impl Tx {
    /// Takes the next number of a repository, from 1 and without gaps: a transaction that is rolled
    /// back gives it back. None when the repository does not exist.
    pub async fn next_number(&mut self, key: RepoKey) -> Result<Option<u32>, Error> {
        let query = sql::query(
            "UPDATE repositories SET discussions = discussions + 1 WHERE repo = $1 RETURNING discussions",
        )
        .bind(key.0);
        let num = self.add("next_number", Taken::Discussion, query).await?;
        num.map(u32::try_from)
            .transpose()
            .map_err(|error| Error::of("next_number", sqlx::Error::Decode(error.into())))
    }

    /// Opens a discussion. A number above those given so far, as a reference in git may have after
    /// a crash, counts as given from now on. [`Error::Taken`] when the number is in use.
    pub async fn add_discussion(&mut self, new: &NewDiscussion) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO discussions (repo, num, title, status, pull, author, created_ms, updated_ms, base, opened_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9) RETURNING num",
        )
        .bind(new.key.0)
        .bind(new.num)
        .bind(&new.title)
        .bind(new.status.as_str())
        .bind(new.is_pull)
        .bind(new.author.map(|author| author.0))
        .bind(new.created.millis())
        .bind(&new.base)
        .bind(new.opened_at.map(|commit| commit.to_string()));
        self.add("add_discussion", Taken::Discussion, query).await?;
        let query = sql::query(
            "UPDATE repositories SET discussions = $2 WHERE repo = $1 AND discussions < $2",
        )
        .bind(new.key.0)
        .bind(new.num);
        self.change("add_discussion", query).await?;
        Ok(())
    }

    /// Writes a new title. The answer is whether the discussion exists.
    pub async fn rename_discussion(
        &mut self,
        key: RepoKey,
        num: PullNumber,
        title: &str,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE discussions SET title = $3, updated_ms = $4 WHERE repo = $1 AND num = $2",
        )
        .bind(key.0)
        .bind(num)
        .bind(title)
        .bind(at.millis());
        Ok(self.change("rename_discussion", query).await? > 0)
    }

    /// Moves a discussion from one status to another, with the commit when it is merged. The answer
    /// is false, and nothing is changed, when it is not there or has another status by now.
    pub async fn move_discussion(
        &mut self,
        key: RepoKey,
        num: PullNumber,
        from: Status,
        to: Status,
        merge_commit: Option<&ObjectId>,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let ended = match to {
            Status::Draft | Status::Open => None,
            Status::Closed | Status::Merged => Some(at.millis()),
        };
        let query = sql::query(
            "UPDATE discussions SET status = $4, merge_commit = $5, ended_ms = $6, updated_ms = $7
             WHERE repo = $1 AND num = $2 AND status = $3",
        )
        .bind(key.0)
        .bind(num)
        .bind(from.as_str())
        .bind(to.as_str())
        .bind(merge_commit.map(ObjectId::to_string))
        .bind(ended)
        .bind(at.millis());
        Ok(self.change("move_discussion", query).await? > 0)
    }

    /// Writes when something in a discussion changed.
    pub async fn touch_discussion(
        &mut self,
        key: RepoKey,
        num: PullNumber,
        at: Timestamp,
    ) -> Result<(), Error> {
        let query = sql::query(
            "UPDATE discussions SET updated_ms = $3 WHERE repo = $1 AND num = $2 AND updated_ms < $3",
        )
        .bind(key.0)
        .bind(num)
        .bind(at.millis());
        self.change("touch_discussion", query).await?;
        Ok(())
    }
}

macro_rules! discussion_columns {
    () => {
        "d.repo, d.num, d.title, d.status, d.pull, d.created_ms, d.updated_ms, d.base, d.opened_at, \
         d.merge_commit, d.ended_ms, a.id, a.name, a.fullname, a.kind"
    };
}
pub(crate) use discussion_columns;

macro_rules! select_discussions {
    () => {
        concat!(
            "SELECT ",
            discussion_columns!(),
            " FROM discussions d LEFT JOIN accounts a ON a.id = d.author "
        )
    };
}

pub(crate) fn read_discussion(cells: &mut Cells<'_>) -> sqlx::Result<Discussion> {
    Ok(Discussion {
        key: RepoKey(cells.get()?),
        num: cells.number()?,
        title: cells.get()?,
        status: cells.parse()?,
        is_pull: cells.get()?,
        created: cells.time()?,
        updated: cells.time()?,
        base: cells.get()?,
        opened_at: cells.parse_option()?,
        merge_commit: cells.parse_option()?,
        ended: cells.time_option()?,
        author: read_author(cells)?,
    })
}

/// Reads the columns `id, name, fullname, kind` of an account that may be gone.
pub(crate) fn read_author(cells: &mut Cells<'_>) -> sqlx::Result<Option<Author>> {
    let (id, name) = (cells.get::<Option<i64>>()?, cells.get::<Option<String>>()?);
    let (fullname, kind) = (cells.get()?, cells.parse_option()?);
    let author = match (id, name, kind) {
        (Some(id), Some(name), Some(kind)) => Some(Author {
            id: AccountId(id),
            name,
            fullname,
            kind,
        }),
        _ => None,
    };
    Ok(author)
}

async fn discussion(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
) -> sqlx::Result<Option<Discussion>> {
    let query = concat!(select_discussions!(), "WHERE d.repo = $1 AND d.num = $2");
    let row = sql::query(query)
        .bind(key.0)
        .bind(num)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_discussion(&mut Cells::of(&row)))
        .transpose()
}

async fn discussions(
    connection: &mut Connection,
    filter: &DiscussionFilter,
) -> sqlx::Result<DiscussionPage> {
    let mut count =
        Builder::new("SELECT COUNT(*) FROM discussions d LEFT JOIN accounts a ON a.id = d.author ");
    push_conditions(&mut count, filter);
    let count = count.build().fetch_one(&mut *connection).await?;

    let mut query = Builder::new(select_discussions!());
    push_conditions(&mut query, filter);
    query
        .push(" ORDER BY d.num DESC LIMIT ")
        .push_bind(filter.limit);
    query.push(" OFFSET ").push_bind(to_number(filter.offset));
    let rows = query.build().fetch_all(connection).await?;
    let items = rows
        .iter()
        .map(|row| read_discussion(&mut Cells::of(row)))
        .collect::<sqlx::Result<_>>()?;
    Ok(DiscussionPage {
        items,
        count: Cells::of(&count).number()?,
    })
}

fn push_conditions(query: &mut Builder<'_>, filter: &DiscussionFilter) {
    query.push("WHERE d.repo = ").push_bind(filter.key.0);
    match filter.kind {
        None => {}
        Some(DiscussionKind::Discussion) => _ = query.push(" AND NOT d.pull"),
        Some(DiscussionKind::Pull) => _ = query.push(" AND d.pull"),
    }
    match filter.state {
        None => {}
        Some(DiscussionState::Open) => _ = query.push(" AND d.status IN ('draft', 'open')"),
        Some(DiscussionState::Closed) => _ = query.push(" AND d.status IN ('closed', 'merged')"),
    }
    if let Some(author) = &filter.author {
        query.push(" AND a.name_lower = ");
        query.push_bind(author.to_ascii_lowercase());
    }
}

async fn last_number(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Option<u32>> {
    let row = sql::query("SELECT discussions FROM repositories WHERE repo = $1")
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).number()).transpose()
}

async fn open_pulls_by(
    connection: &mut Connection,
    key: RepoKey,
    author: AccountId,
) -> sqlx::Result<u64> {
    let row = sql::query(
        "SELECT COUNT(*) FROM discussions
         WHERE repo = $1 AND author = $2 AND pull AND status IN ('draft', 'open')",
    )
    .bind(key.0)
    .bind(author.0)
    .fetch_one(connection)
    .await?;
    Cells::of(&row).number()
}

async fn pulls_of(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Vec<Discussion>> {
    let query = concat!(
        select_discussions!(),
        "WHERE d.repo = $1 AND d.pull ORDER BY d.num"
    );
    let rows = sql::query(query).bind(key.0).fetch_all(connection).await?;
    rows.iter()
        .map(|row| read_discussion(&mut Cells::of(row)))
        .collect()
}
