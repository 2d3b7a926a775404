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

/// The number of an entry in the index, by which the rest of it is found. Another process may give it another number after
/// the index was made anew.
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
    /// Who it stands for.
    pub kind: AccountKind,
}

/// An entry with what a board needs to know of its model. The entry as it was written and its token are not here:
/// [`Store::entries_of_model`](crate::Store::entries_of_model) has them.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardEntry {
    /// The model.
    pub key: RepoKey,
    /// The name of the model.
    pub model: RepoId,
    /// Whether only those with access see the model.
    pub private: bool,
    /// Whether the operator has closed the model.
    pub disabled: bool,
    /// Whose model it is.
    pub owner: Owner,
    /// The models that the card says it was made from.
    pub base_models: Vec<String>,
    /// How many parameters the card says it has.
    pub parameters: Option<u64>,
    /// Where the entry lives.
    pub branch: Branch,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// What it says, but for its token.
    pub entry: Entry,
    /// The warnings that follow from the file alone.
    pub findings: Vec<Finding>,
    /// When the evaluation ran: the date given, else when the file was created.
    pub moment: Timestamp,
    /// What the signed evidence says of it.
    pub standing: Standing,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// When that commit was made.
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
    /// The entries for a benchmark, or for one task of it, as they were at a moment or are now, in the order of model,
    /// branch, file and place. The benchmark is named in lower case; entries that use a name it had before are its own.
    fn entries_of_board(dataset: &str, task: Option<&TaskId>, at: Option<Timestamp>) -> Vec<BoardEntry>;
    /// The entries of these numbers, as far as there are any, in no particular order.
    fn entries_with(ids: &[EntryId]) -> Vec<(EntryId, BoardEntry)>;
}

macro_rules! select_board {
    (SELECT $more:literal) => {
        concat!(
            "SELECT e.repo, r.name, r.private, r.disabled, r.owner, a.name, a.fullname, a.kind, c.base_models, \
             c.parameters, e.pull, e.file, e.ordinal, ",
            said_columns!(),
            ", e.moment_ms, e.verified, e.reason, e.detail, e.revoked, e.attested, e.introduced_by, e.committed_ms, \
             s.name, e.author, e.since_ms, e.until_ms",
            $more,
            " FROM entries e JOIN repositories r ON r.repo = e.repo JOIN accounts a ON a.id = r.owner \
             LEFT JOIN cards c ON c.repo = e.repo LEFT JOIN accounts s ON s.id = e.submitter \
             WHERE "
        )
    };
    ($condition:literal) => {
        concat!(
            select_board!(SELECT ""),
            "e.dataset_lower IN ",
            names_of_dataset!(),
            $condition,
            " ORDER BY e.repo, e.pull, e.file, e.ordinal"
        )
    };
}

/// The question for what a board, or one task of it, had at a moment or has now, of the columns that a macro selects.
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
        let mut query = Builder::new(concat!(select_board!(SELECT ", e.id"), "e.id IN "));
        query.push_list(some);
        let read = |cells: &mut Cells<'_>| {
            let entry = read_board_entry(cells)?;
            Ok((EntryId(cells.get()?), entry))
        };
        entries.extend(query.build().read_all(connection, read).await?);
    }
    Ok(entries)
}

fn read_board_entry(cells: &mut Cells<'_>) -> sqlx::Result<BoardEntry> {
    let key = RepoKey(cells.get()?);
    let model = cells.parse()?;
    let (private, disabled) = (cells.get()?, cells.get()?);
    let owner = Owner {
        id: AccountId(cells.get()?),
        name: cells.get()?,
        fullname: cells.get()?,
        kind: cells.parse()?,
    };
    let base_models = cells.json_option()?.unwrap_or_default();
    let parameters = cells.number_option()?;
    let branch = read_branch(cells)?;
    let (file, ordinal) = (cells.parse()?, cells.number()?);
    let (entry, findings) = read_said(cells)?;
    Ok(BoardEntry {
        key,
        model,
        private,
        disabled,
        owner,
        base_models,
        parameters,
        branch,
        file,
        ordinal,
        entry,
        findings,
        moment: cells.time()?,
        standing: read_standing(cells)?,
        commit: cells.parse()?,
        committed: cells.time()?,
        submitter: cells.get()?,
        author: cells.get()?,
        since: cells.time()?,
        until: cells.time_option()?,
    })
}
