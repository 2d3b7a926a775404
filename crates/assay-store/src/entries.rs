use assay_model::{
    Entry, Finding, ObjectId, RepoId, RepoKey, RepoPath, Standing, TaskId, Timestamp,
};
use serde_json::Value as Json;

use crate::backend::{Connection, Row};
use crate::entry_row::{branch_number, entry_columns, read_entry};
use crate::row::Cells;
use crate::sql::Query;
use crate::{AccountId, Board, sql};

/// The branch of a repository that has an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Branch {
    /// On the main branch: the repository's own.
    Main,
    /// In the pull request of this number: the community's.
    Pull(u32),
}

/// An entry of a result file, as it is to be indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The entry as it was read.
    pub entry: Entry,
    /// The warnings that follow from the file alone.
    pub findings: Vec<Finding>,
    /// The time of the evaluation: the date given, else when the file was created.
    pub moment: Timestamp,
    /// The evidence for the verifier; none without a token.
    pub evidence: Option<Evidence>,
    /// The standing of its signed evidence.
    pub standing: Standing,
    /// The entry as it was written, for clients that read the live keys.
    pub data: Json,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// The time of that commit.
    pub committed: Timestamp,
    /// The account that brought it to the hub, when it was one of its accounts.
    pub submitter: Option<AccountId>,
    /// The author that the commit names.
    pub author: String,
}

/// The evidence of an entry with a token, as far as it follows from the file alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Evidence {
    /// The identity that the token claims, when it can be read.
    pub jti: Option<String>,
    /// The entry in canonical form, or why it has none, in the words of the caller.
    pub form: String,
    /// True if the same token stands before it among the files.
    pub repeated: bool,
}

/// One version of an entry, and when it was current.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEntry {
    /// The branch that has it.
    pub branch: Branch,
    /// Since when it is current.
    pub since: Timestamp,
    /// The time at which it ended; none while it is current.
    pub until: Option<Timestamp>,
    /// The version.
    pub version: NewEntry,
}

/// The place of an entry, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlace {
    /// The model.
    pub key: RepoKey,
    /// The branch.
    pub branch: Branch,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The benchmark, as the entry names it.
    pub dataset: RepoId,
    /// The task.
    pub task: TaskId,
}

impl Branch {
    /// The number of the pull request.
    pub fn pull(self) -> Option<u32> {
        match self {
            Self::Main => None,
            Self::Pull(num) => Some(num),
        }
    }
}

questions! {
    /// The entries of a model on its main branch and in pull requests, as they were at a moment or
    /// are now, in the order of branch, file and place.
    fn entries_of_model(key: RepoKey, at: Option<Timestamp>) -> Vec<IndexedEntry>;
    /// Every version that the entries of one branch ever had, in the order of file, place and time.
    fn history_of(key: RepoKey, branch: Branch) -> Vec<IndexedEntry>;
    /// Returns the versions at a place for one task, newest first: after so many versions, at most
    /// so many.
    fn versions_at(place: &EntryPlace, offset: u64, limit: u32) -> Vec<IndexedEntry>;
    /// Returns the number of versions at a place for one task.
    fn count_versions_at(place: &EntryPlace) -> u64;
    /// The boards that the current entries of a model are on, or would be once the benchmark is
    /// known. A benchmark that was renamed goes by the name that it has now.
    fn boards_touched(key: RepoKey) -> Vec<Board>;
}

/// The names in lower case of the dataset that now has the name `$1`: that one, and those it had
/// before.
macro_rules! names_of_dataset {
    () => {
        "(SELECT $1 UNION ALL SELECT d.name_lower FROM redirects d JOIN repositories n ON n.repo = d.repo
          WHERE n.kind = 'dataset' AND n.name_lower = $1)"
    };
}
pub(crate) use names_of_dataset;

async fn entries_of_model(
    connection: &mut Connection,
    key: RepoKey,
    at: Option<Timestamp>,
) -> sqlx::Result<Vec<IndexedEntry>> {
    let now = concat!(
        "SELECT ",
        entry_columns!(),
        " FROM entries e WHERE e.repo = $1 AND e.until_ms IS NULL ORDER BY e.pull, e.file, e.ordinal"
    );
    let then = concat!(
        "SELECT ",
        entry_columns!(),
        " FROM entries e WHERE e.repo = $1 AND e.since_ms <= $2 AND (e.until_ms IS NULL OR e.until_ms > $2)
          ORDER BY e.pull, e.file, e.ordinal"
    );
    let query = match at {
        None => sql::query(now).bind(key.0),
        Some(at) => sql::query(then).bind(key.0).bind(at.millis()),
    };
    read_entries(&query.fetch_all(connection).await?)
}

async fn history_of(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<Vec<IndexedEntry>> {
    let query = concat!(
        "SELECT ",
        entry_columns!(),
        " FROM entries e WHERE e.repo = $1 AND e.pull = $2 ORDER BY e.file, e.ordinal, e.since_ms"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_all(connection)
        .await?;
    read_entries(&rows)
}

/// The versions at the place that the first values of a statement name.
const AT_PLACE: &str = " FROM entries e WHERE e.repo = $1 AND e.pull = $2 AND e.file = $3 AND e.ordinal = $4 \
     AND e.dataset = $5 AND e.task = $6";

async fn versions_at(
    connection: &mut Connection,
    place: &EntryPlace,
    offset: u64,
    limit: u32,
) -> sqlx::Result<Vec<IndexedEntry>> {
    let query = format!(
        "SELECT {}{AT_PLACE} ORDER BY e.since_ms DESC LIMIT $7 OFFSET $8",
        entry_columns!()
    );
    let rows = bind_place(sql::query(sqlx::AssertSqlSafe(query)), place)
        .bind(limit)
        .bind(i64::try_from(offset).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    read_entries(&rows)
}

async fn count_versions_at(connection: &mut Connection, place: &EntryPlace) -> sqlx::Result<u64> {
    let query = format!("SELECT COUNT(*){AT_PLACE}");
    let row = bind_place(sql::query(sqlx::AssertSqlSafe(query)), place)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

fn bind_place<'q>(query: Query<'q>, place: &'q EntryPlace) -> Query<'q> {
    query
        .bind(place.key.0)
        .bind(branch_number(place.branch))
        .bind(place.file.as_str())
        .bind(place.ordinal)
        .bind(place.dataset.as_str())
        .bind(place.task.as_str())
}

fn read_entries(rows: &[Row]) -> sqlx::Result<Vec<IndexedEntry>> {
    rows.iter()
        .map(|row| read_entry(Cells::of(row).named()))
        .collect()
}

async fn boards_touched(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Vec<Board>> {
    let query = "SELECT DISTINCT COALESCE(
             (SELECT n.name_lower FROM redirects d JOIN repositories n ON n.repo = d.repo
              WHERE d.kind = 'dataset' AND d.name_lower = e.dataset_lower), e.dataset_lower) AS dataset, e.task
         FROM entries e WHERE e.repo = $1 AND e.until_ms IS NULL ORDER BY dataset, e.task";
    let rows = sql::query(query).bind(key.0).fetch_all(connection).await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(Board {
            dataset: cells.get()?,
            task: cells.parse()?,
        })
    };
    rows.iter().map(read).collect()
}
