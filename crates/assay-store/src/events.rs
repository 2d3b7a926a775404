use assay_model::{PullNumber, RepoKey, Timestamp};
use serde_json::Value as Json;

use crate::backend::Connection;
use crate::discussions::read_author;
use crate::row::{Cells, to_json};
use crate::{AccountId, Author, Error, EventId, Taken, Tx, sql};

/// A kind of event in a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Someone wrote.
    Comment,
    /// It was opened, closed, reopened or merged.
    StatusChange,
    /// A commit was added to a pull request.
    Commit,
    /// It was given another title.
    TitleChange,
}

/// Something that happened in a discussion.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The identifier of the event.
    pub id: EventId,
    /// The repository.
    pub key: RepoKey,
    /// The discussion.
    pub num: PullNumber,
    /// Its place in the discussion, from 1.
    pub seq: u32,
    /// The kind of the event.
    pub kind: EventKind,
    /// The author, unless that account is gone.
    pub author: Option<Author>,
    /// The time of the event.
    pub created: Timestamp,
    /// Data that belong to the kind.
    pub data: Json,
}

/// An event that is to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// The identifier that it will have.
    pub id: EventId,
    /// The repository.
    pub key: RepoKey,
    /// The discussion.
    pub num: PullNumber,
    /// The kind of the event.
    pub kind: EventKind,
    /// The author.
    pub author: Option<AccountId>,
    /// The time of the event.
    pub created: Timestamp,
    /// Data that belong to the kind.
    pub data: Json,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Comment,
        Self::StatusChange,
        Self::Commit,
        Self::TitleChange,
    ];

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::StatusChange => "status-change",
            Self::Commit => "commit",
            Self::TitleChange => "title-change",
        }
    }
}

words!(
    EventKind,
    "`comment`, `status-change`, `commit` or `title-change`"
);

questions! {
    /// The events of a discussion, in the order in which they were added.
    fn events_of(key: RepoKey, num: PullNumber) -> Vec<Event>;
    /// Some of them: those after so many, at most so many.
    fn events_page(key: RepoKey, num: PullNumber, offset: u64, limit: u32) -> Vec<Event>;
    /// The last events of a discussion, newest first.
    fn last_events(key: RepoKey, num: PullNumber, limit: u32) -> Vec<Event>;
    /// Returns the number of events that a discussion has.
    fn count_events(key: RepoKey, num: PullNumber) -> u64;
    /// Returns the number of characters that the events of a discussion take together, as they are
    /// kept.
    fn length_of_events(key: RepoKey, num: PullNumber) -> u64;
    /// One event.
    fn event(id: &EventId) -> Option<Event>;
}

impl Tx {
    /// Adds an event at the end of its discussion. The answer is its place. [`Error::Taken`] when
    /// the id is in use, [`Error::Related`] when there is no such discussion.
    pub async fn add_event(&mut self, new: &NewEvent) -> Result<u32, Error> {
        let failed = |error| Error::of("add_event", error);
        let query = sql::query(
            "INSERT INTO events (id, repo, num, seq, kind, author, created_ms, data)
             VALUES ($1, $2, $3, (SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE repo = $2 AND num = $3),
                 $4, $5, $6, $7) RETURNING seq",
        )
        .bind(new.id.as_str())
        .bind(new.key.0)
        .bind(new.num)
        .bind(new.kind.as_str())
        .bind(new.author.map(|author| author.0))
        .bind(new.created.millis())
        .bind(to_json(&new.data).map_err(failed)?);
        let seq = self.add("add_event", Taken::Event, query).await?;
        u32::try_from(seq.unwrap_or_default())
            .map_err(|error| failed(sqlx::Error::Decode(error.into())))
    }

    /// Writes what an event says anew, as when a comment is edited or hidden. The answer is whether
    /// it exists.
    pub async fn set_event(&mut self, id: &EventId, data: &Json) -> Result<bool, Error> {
        let data = to_json(data).map_err(|error| Error::of("set_event", error))?;
        let query = sql::query("UPDATE events SET data = $2 WHERE id = $1")
            .bind(id.as_str())
            .bind(data);
        Ok(self.change("set_event", query).await? > 0)
    }
}

impl Tx {
    /// Removes every event of a discussion. The answer is how many there were.
    pub async fn clear_events(&mut self, key: RepoKey, num: PullNumber) -> Result<u64, Error> {
        let query = sql::query("DELETE FROM events WHERE repo = $1 AND num = $2")
            .bind(key.0)
            .bind(num);
        self.change("clear_events", query).await
    }

    /// Replaces the text of every comment of an account, with its former versions and whom they
    /// mention. The answer is how many there were.
    pub async fn replace_comments_by(
        &mut self,
        author: AccountId,
        data: &Json,
    ) -> Result<u64, Error> {
        let data = to_json(data).map_err(|error| Error::of("replace_comments_by", error))?;
        let forget = sql::query(
            "DELETE FROM mentions WHERE event IN (SELECT e.id FROM events e WHERE e.author = $1)",
        )
        .bind(author.0);
        self.change("replace_comments_by", forget).await?;
        let query =
            sql::query("UPDATE events SET data = $2 WHERE author = $1 AND kind = 'comment'")
                .bind(author.0)
                .bind(data);
        self.change("replace_comments_by", query).await
    }
}

macro_rules! select_events {
    () => {
        "SELECT e.id, e.repo, e.num, e.seq, e.kind, e.created_ms, e.data, a.id, a.name, a.fullname, a.kind \
         FROM events e LEFT JOIN accounts a ON a.id = e.author "
    };
}

fn read_event(cells: &mut Cells<'_>) -> sqlx::Result<Event> {
    Ok(Event {
        id: cells.parse()?,
        key: RepoKey(cells.get()?),
        num: cells.number()?,
        seq: cells.number()?,
        kind: cells.parse()?,
        created: cells.time()?,
        data: cells.json()?,
        author: read_author(cells)?,
    })
}

async fn events_of(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
) -> sqlx::Result<Vec<Event>> {
    let query = concat!(
        select_events!(),
        "WHERE e.repo = $1 AND e.num = $2 ORDER BY e.seq"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(num)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_event(&mut Cells::of(row)))
        .collect()
}

async fn events_page(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
    offset: u64,
    limit: u32,
) -> sqlx::Result<Vec<Event>> {
    let query = concat!(
        select_events!(),
        "WHERE e.repo = $1 AND e.num = $2 ORDER BY e.seq LIMIT $3 OFFSET $4"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(num)
        .bind(limit)
        .bind(i64::try_from(offset).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_event(&mut Cells::of(row)))
        .collect()
}

async fn last_events(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
    limit: u32,
) -> sqlx::Result<Vec<Event>> {
    let query = concat!(
        select_events!(),
        "WHERE e.repo = $1 AND e.num = $2 ORDER BY e.seq DESC LIMIT $3"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(num)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_event(&mut Cells::of(row)))
        .collect()
}

async fn count_events(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
) -> sqlx::Result<u64> {
    let query = "SELECT COUNT(*) FROM events WHERE repo = $1 AND num = $2";
    let row = sql::query(query)
        .bind(key.0)
        .bind(num)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

async fn length_of_events(
    connection: &mut Connection,
    key: RepoKey,
    num: PullNumber,
) -> sqlx::Result<u64> {
    let query = "SELECT CAST(COALESCE(SUM(LENGTH(data)), 0) AS BIGINT) FROM events
                 WHERE repo = $1 AND num = $2";
    let row = sql::query(query)
        .bind(key.0)
        .bind(num)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

async fn event(connection: &mut Connection, id: &EventId) -> sqlx::Result<Option<Event>> {
    let query = concat!(select_events!(), "WHERE e.id = $1");
    let row = sql::query(query)
        .bind(id.as_str())
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_event(&mut Cells::of(&row))).transpose()
}
