use assay_model::{
    Entry, Finding, ObjectId, RepoId, RepoKey, RepoPath, Standing, TaskId, Timestamp,
};

use crate::backend::Connection;
use crate::entries::names_of_dataset;
use crate::entry_row::{read_branch, read_said, read_standing, said_columns};
use crate::row::Cells;
use crate::sql::{self, Builder, MAX_LIST};
use crate::{AccountId, AccountKind, Branch};

/// One leaderboard: a task of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The benchmark as entries name it, in lower case.
    pub dataset: String,
    /// The task.
    pub task: TaskId,
}

/// The number of an entry in the index, by which the rest of it is found. Another process may give
/// it another number after the index was made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub i64);

/// The account that owns a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// The name for people.
    pub fullname: Option<String>,
    /// The kind of the account.
    pub kind: AccountKind,
}

/// An entry with what a board needs to know of its model. The entry as it was written and its token
/// are not here: [`Store::entries_of_model`](crate::Store::entries_of_model) has them.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardEntry {
    /// The model.
    pub key: RepoKey,
    /// The name of the model.
    pub model: RepoId,
    /// True if only those with access see the model.
    pub private: bool,
    /// True if the operator has closed the model.
    pub disabled: bool,
    /// The owner of the model.
    pub owner: Owner,
    /// The models that the card says it was made from.
    pub base_models: Vec<String>,
    /// Number of parameters that the card says it has.
    pub parameters: Option<u64>,
    /// The branch that has the entry.
    pub branch: Branch,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The entry, but for its token.
    pub entry: Entry,
    /// The warnings that follow from the file alone.
    pub findings: Vec<Finding>,
    /// The time of the evaluation: the date given, else when the file was created.
    pub moment: Timestamp,
    /// The standing of its signed evidence.
    pub standing: Standing,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// The time of that commit.
    pub committed: Timestamp,
    /// The name of the account that brought it to the hub.
    pub submitter: Option<String>,
    /// The author that the commit names.
    pub author: String,
    /// Since when it is current.
    pub since: Timestamp,
    /// Until when it was; none while it is.
    pub until: Option<Timestamp>,
}

questions! {
    /// The entries for a benchmark, or for one task of it, as they were at a moment or are now, in
    /// the order of model, branch, file and place. The benchmark is named in lower case; entries
    /// that use a name it had before are its own.
    fn entries_of_board(dataset: &str, task: Option<&TaskId>, at: Option<Timestamp>) -> Vec<BoardEntry>;
    /// The entries of these numbers, as far as there are any, in no particular order.
    fn entries_with(ids: &[EntryId]) -> Vec<(EntryId, BoardEntry)>;
}

macro_rules! select_board {
    (SELECT) => {
        concat!(
            "SELECT e.id AS id, e.repo AS repo, r.name AS model, r.private AS private, \
             r.disabled AS disabled, r.owner AS owner, a.name AS owner_name, \
             a.fullname AS owner_fullname, a.kind AS owner_kind, c.base_models AS base_models, \
             c.parameters AS parameters, e.pull AS pull, e.file AS file, e.ordinal AS ordinal, ",
            said_columns!(),
            ", e.moment_ms AS moment_ms, e.verified AS verified, e.reason AS reason, \
             e.detail AS detail, e.revoked AS revoked, e.attested AS attested, \
             e.introduced_by AS introduced_by, e.committed_ms AS committed_ms, \
             s.name AS submitter_name, e.author AS author, e.since_ms AS since_ms, \
             e.until_ms AS until_ms",
            " FROM entries e JOIN repositories r ON r.repo = e.repo JOIN accounts a ON a.id = r.owner \
             LEFT JOIN cards c ON c.repo = e.repo LEFT JOIN accounts s ON s.id = e.submitter \
             WHERE "
        )
    };
    ($condition:literal) => {
        concat!(
            select_board!(SELECT),
            "e.dataset_lower IN ",
            names_of_dataset!(),
            $condition,
            " ORDER BY e.repo, e.pull, e.file, e.ordinal"
        )
    };
}

/// The question for what a board, or one task of it, had at a moment or has now, of the columns
/// that a macro selects.
macro_rules! of_board {
    ($select:ident, $dataset:expr, $task:expr, $at:expr) => {{
        let statement = match ($task, $at) {
            (None, None) => $select!(" AND e.until_ms IS NULL"),
            (Some(_), None) => $select!(" AND e.until_ms IS NULL AND e.task = $2"),
            (None, Some(_)) => {
                $select!(" AND e.since_ms <= $2 AND (e.until_ms IS NULL OR e.until_ms > $2)")
            }
            (Some(_), Some(_)) => $select!(
                " AND e.task = $2 AND e.since_ms <= $3 AND (e.until_ms IS NULL OR e.until_ms > $3)"
            ),
        };
        let mut query = sql::query(statement).bind($dataset);
        if let Some(task) = $task {
            query = query.bind(task.as_str());
        }
        if let Some(at) = $at {
            query = query.bind(at.millis());
        }
        query
    }};
}
pub(crate) use of_board;

async fn entries_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: Option<&TaskId>,
    at: Option<Timestamp>,
) -> sqlx::Result<Vec<BoardEntry>> {
    let query = of_board!(select_board, dataset, task, at);
    query.read_all(connection, read_board_entry).await
}

async fn entries_with(
    connection: &mut Connection,
    ids: &[EntryId],
) -> sqlx::Result<Vec<(EntryId, BoardEntry)>> {
    let ids: Vec<i64> = ids.iter().map(|EntryId(id)| *id).collect();
    let mut entries = Vec::with_capacity(ids.len());
    for some in ids.chunks(MAX_LIST) {
        let mut query = Builder::new(concat!(select_board!(SELECT), "e.id IN "));
        query.push_list(some);
        let read = |cells: &mut Cells<'_>| {
            let id = EntryId(cells.named().get("id")?);
            Ok((id, read_board_entry(cells)?))
        };
        entries.extend(query.build().read_all(connection, read).await?);
    }
    Ok(entries)
}

fn read_board_entry(cells: &mut Cells<'_>) -> sqlx::Result<BoardEntry> {
    let columns = cells.named();
    let (entry, findings) = read_said(columns)?;
    Ok(BoardEntry {
        key: RepoKey(columns.get("repo")?),
        model: columns.parse("model")?,
        private: columns.get("private")?,
        disabled: columns.get("disabled")?,
        owner: Owner {
            id: AccountId(columns.get("owner")?),
            name: columns.get("owner_name")?,
            fullname: columns.get("owner_fullname")?,
            kind: columns.parse("owner_kind")?,
        },
        base_models: columns.json_option("base_models")?.unwrap_or_default(),
        parameters: columns.number_option("parameters")?,
        branch: read_branch(columns)?,
        file: columns.parse("file")?,
        ordinal: columns.number("ordinal")?,
        entry,
        findings,
        moment: columns.time("moment_ms")?,
        standing: read_standing(columns)?,
        commit: columns.parse("introduced_by")?,
        committed: columns.time("committed_ms")?,
        submitter: columns.get("submitter_name")?,
        author: columns.get("author")?,
        since: columns.time("since_ms")?,
        until: columns.time_option("until_ms")?,
    })
}
