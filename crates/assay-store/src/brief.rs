//! The entries of a board in brief: a board is ranked from these, and the rest of an entry is read when it is shown.

use assay_model::{
    Date, Framework, ObjectId, RepoId, RepoKey, RepoPath, Score, Source, TaskId, Timestamp,
};

use crate::backend::Connection;
use crate::board::EntryId;
use crate::entries::names_of_dataset;
use crate::entry_json::{read_framework, read_scores, read_source};
use crate::entry_row::read_branch;
use crate::row::Cells;
use crate::{AccountId, Branch, sql};

/// An entry with what it is ranked by, and what is told of every row of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct BriefEntry {
    /// The entry.
    pub id: EntryId,
    /// The model.
    pub key: RepoKey,
    /// The name of the model.
    pub model: RepoId,
    /// Whether only those with access see the model.
    pub private: bool,
    /// Whether the operator has closed the model.
    pub disabled: bool,
    /// Whose model it is.
    pub owner: AccountId,
    /// Whether the card says that it was made from other models.
    pub derived: bool,
    /// How many parameters the card says it has.
    pub parameters: Option<u64>,
    /// Where the entry lives.
    pub branch: Branch,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The task.
    pub task: TaskId,
    /// The scores.
    pub scores: Vec<Score>,
    /// The date as it was written.
    pub date: Option<Date>,
    /// When the evaluation ran: the date given, else when the file was created.
    pub moment: Timestamp,
    /// Whether signed evidence was checked and holds.
    pub verified: bool,
    /// How many samples were evaluated.
    pub sample_size: Option<u64>,
    /// Whether it tells the setup in words.
    pub has_notes: bool,
    /// Whether it tells what ran the evaluation.
    pub has_framework: bool,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// When that commit was made.
    pub committed: Timestamp,
    /// Since when it is current.
    pub since: Timestamp,
    /// Until when it was; none while it is.
    pub until: Option<Timestamp>,
}

/// The words of an entry: what somebody may look for on a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryWords {
    /// The entry.
    pub id: EntryId,
    /// The name of the account that brought it to the hub, else the author that the commit names.
    pub submitter: Option<String>,
    /// Where the scores are published.
    pub source: Option<Source>,
    /// The setup in words.
    pub notes: Option<String>,
    /// What ran the evaluation.
    pub framework: Option<Framework>,
}

questions! {
    /// The entries for a benchmark, or for one task of it, as they were at a moment or are now, in no particular order. The
    /// benchmark is named in lower case; entries that use a name it had before are its own.
    fn briefs_of_board(dataset: &str, task: Option<&TaskId>, at: Option<Timestamp>) -> Vec<BriefEntry>;
    /// Every version of every entry for a task, whether it is current or not: for who compares the board of one moment
    /// with that of another.
    fn versions_of_board(dataset: &str, task: &TaskId) -> Vec<BriefEntry>;
    /// The current entries of one model for a benchmark: for who keeps a board and need not read all of it again.
    fn briefs_on_board(dataset: &str, model: RepoKey) -> Vec<BriefEntry>;
    /// The words of the current entries for a task.
    fn words_of_board(dataset: &str, task: &TaskId) -> Vec<EntryWords>;
}

macro_rules! select_briefs {
    ($condition:literal) => {
        concat!(
            "SELECT e.id, e.repo, r.name, r.private, r.disabled, r.owner, COALESCE(c.base_models, '[]') <> '[]', c.parameters, e.pull, e.file, \
             e.ordinal, e.task, e.scores, e.date, e.moment_ms, e.verified, e.sample_size, \
             e.notes IS NOT NULL, e.framework IS NOT NULL, e.introduced_by, e.committed_ms, e.since_ms, e.until_ms \
             FROM entries e JOIN repositories r ON r.repo = e.repo LEFT JOIN cards c ON c.repo = e.repo \
             WHERE e.dataset_lower IN ",
            names_of_dataset!(),
            $condition
        )
    };
}

async fn briefs_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: Option<&TaskId>,
    at: Option<Timestamp>,
) -> sqlx::Result<Vec<BriefEntry>> {
    let statement = match (task, at) {
        (None, None) => select_briefs!(" AND e.until_ms IS NULL"),
        (Some(_), None) => select_briefs!(" AND e.until_ms IS NULL AND e.task = $2"),
        (None, Some(_)) => {
            select_briefs!(" AND e.since_ms <= $2 AND (e.until_ms IS NULL OR e.until_ms > $2)")
        }
        (Some(_), Some(_)) => select_briefs!(
            " AND e.task = $2 AND e.since_ms <= $3 AND (e.until_ms IS NULL OR e.until_ms > $3)"
        ),
    };
    let mut query = sql::query(statement).bind(dataset);
    if let Some(task) = task {
        query = query.bind(task.as_str());
    }
    if let Some(at) = at {
        query = query.bind(at.millis());
    }
    query.read_all(connection, read_brief).await
}

async fn versions_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: &TaskId,
) -> sqlx::Result<Vec<BriefEntry>> {
    let query = sql::query(select_briefs!(" AND e.task = $2"));
    let query = query.bind(dataset).bind(task.as_str());
    query.read_all(connection, read_brief).await
}

async fn briefs_on_board(
    connection: &mut Connection,
    dataset: &str,
    model: RepoKey,
) -> sqlx::Result<Vec<BriefEntry>> {
    let query = sql::query(select_briefs!(" AND e.repo = $2 AND e.until_ms IS NULL"));
    let query = query.bind(dataset).bind(model.0);
    query.read_all(connection, read_brief).await
}

fn read_brief(cells: &mut Cells<'_>) -> sqlx::Result<BriefEntry> {
    Ok(BriefEntry {
        id: EntryId(cells.get()?),
        key: RepoKey(cells.get()?),
        model: cells.parse()?,
        private: cells.get()?,
        disabled: cells.get()?,
        owner: AccountId(cells.get()?),
        derived: cells.get()?,
        parameters: cells.number_option()?,
        branch: read_branch(cells)?,
        file: cells.parse()?,
        ordinal: cells.number()?,
        task: cells.parse()?,
        scores: read_scores(cells)?,
        date: cells.parse_option()?,
        moment: cells.time()?,
        verified: cells.get()?,
        sample_size: cells.parse_option()?,
        has_notes: cells.get()?,
        has_framework: cells.get()?,
        commit: cells.parse()?,
        committed: cells.time()?,
        since: cells.time()?,
        until: cells.time_option()?,
    })
}

async fn words_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: &TaskId,
) -> sqlx::Result<Vec<EntryWords>> {
    let query = concat!(
        "SELECT e.id, s.name, e.author, e.source, e.notes, e.framework FROM entries e \
         LEFT JOIN accounts s ON s.id = e.submitter WHERE e.dataset_lower IN ",
        names_of_dataset!(),
        " AND e.until_ms IS NULL AND e.task = $2"
    );
    let query = sql::query(query).bind(dataset).bind(task.as_str());
    query.read_all(connection, read_words).await
}

fn read_words(cells: &mut Cells<'_>) -> sqlx::Result<EntryWords> {
    let id = EntryId(cells.get()?);
    let (account, author): (Option<String>, String) = (cells.get()?, cells.get()?);
    Ok(EntryWords {
        id,
        submitter: account.or_else(|| (!author.is_empty()).then_some(author)),
        source: read_source(cells)?,
        notes: cells.get()?,
        framework: read_framework(cells)?,
    })
}
