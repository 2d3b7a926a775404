//! The entries of a board in brief: a board is ranked from these, and the rest of an entry is read when it is shown.

use std::borrow::Cow;
use std::str::FromStr;

use assay_model::{
    Code, Date, Framework, ObjectId, RepoId, RepoKey, RepoPath, Revision, Score, Setup, Source,
    TaskId, Timestamp,
};

use crate::backend::Connection;
use crate::board::{EntryId, of_board};
use crate::entries::names_of_dataset;
use crate::entry_json::{read_codes, read_framework, read_source, scores_of_json};
use crate::error::Cause;
use crate::row::Cells;
use crate::{AccountId, Branch, sql};

/// An entry with what it is ranked by, and what is told of every row of a board.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, as the row has it"
)]
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
    /// The commit of the benchmark that a verified entry was signed for.
    pub signed_for: Option<Revision>,
    /// How many samples were evaluated.
    pub sample_size: Option<u64>,
    /// The whole setup.
    pub setup: Setup,
    /// The codes of the warnings that follow from the file alone.
    pub codes: Vec<Code>,
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
    /// The versions of entries for a task that ended last, the last one first, at most so many: for who has the current ones
    /// and asks what was before.
    fn briefs_that_ended(dataset: &str, task: &TaskId, limit: u32) -> Vec<BriefEntry>;
    /// The current entries of one model for a benchmark: for who keeps a board and need not read all of it again.
    fn briefs_on_board(dataset: &str, model: RepoKey) -> Vec<BriefEntry>;
    /// The words of the current entries for a task.
    fn words_of_board(dataset: &str, task: &TaskId) -> Vec<EntryWords>;
}

/// What stands between the parts of a brief: no name, path, date or JSON has it.
const BETWEEN: char = '\u{1f}';

/// A brief is one column. A board is thousands of rows, and what a row costs on its way from the database is mostly that of
/// its columns, each of which is copied by itself. What is not there is an empty text: `concat_ws` would leave it out.
macro_rules! select_briefs {
    ($condition:literal) => {
        concat!(
            "SELECT concat_ws('\u{1f}', e.id, e.repo, r.name, ",
            "CASE WHEN r.private THEN '1' ELSE '' END, CASE WHEN r.disabled THEN '1' ELSE '' END, r.owner, ",
            "CASE WHEN COALESCE(c.base_models, '[]') <> '[]' THEN '1' ELSE '' END, ",
            "COALESCE(CAST(c.parameters AS TEXT), ''), e.pull, e.file, e.ordinal, e.task, e.scores, COALESCE(e.date, ''), ",
            "e.moment_ms, CASE WHEN e.verified THEN '1' ELSE '' END, ",
            "CASE WHEN e.verified THEN COALESCE(e.dataset_revision, '') ELSE '' END, COALESCE(e.sample_size, ''), COALESCE(e.setup, ''), COALESCE(e.codes, ''), ",
            "CASE WHEN e.notes IS NULL THEN '' ELSE '1' END, CASE WHEN e.framework IS NULL THEN '' ELSE '1' END, ",
            "e.introduced_by, e.committed_ms, e.since_ms, COALESCE(CAST(e.until_ms AS TEXT), '')) ",
            "FROM entries e JOIN repositories r ON r.repo = e.repo LEFT JOIN cards c ON c.repo = e.repo ",
            "WHERE e.dataset_lower IN ",
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
    let query = of_board!(select_briefs, dataset, task, at);
    query.read_all(connection, read_brief).await
}

async fn briefs_that_ended(
    connection: &mut Connection,
    dataset: &str,
    task: &TaskId,
    limit: u32,
) -> sqlx::Result<Vec<BriefEntry>> {
    let query = sql::query(select_briefs!(
        " AND e.task = $2 AND e.until_ms IS NOT NULL ORDER BY e.until_ms DESC, e.id LIMIT $3"
    ));
    let query = query.bind(dataset).bind(task.as_str()).bind(limit);
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
    let text: Cow<'_, str> = cells.get()?;
    let mut parts = Parts(text.split(BETWEEN));
    parts.brief().map_err(sqlx::Error::Decode)
}

/// The parts of a brief, taken one after the other in the order of the `SELECT`.
struct Parts<'t>(std::str::Split<'t, char>);

impl<'t> Parts<'t> {
    fn brief(&mut self) -> Result<BriefEntry, Cause> {
        Ok(BriefEntry {
            id: EntryId(self.read()?),
            key: RepoKey(self.read()?),
            model: self.read()?,
            private: self.flag()?,
            disabled: self.flag()?,
            owner: AccountId(self.read()?),
            derived: self.flag()?,
            parameters: self.read_option()?,
            branch: match self.read()? {
                0 => Branch::Main,
                num => Branch::Pull(num),
            },
            file: self.read()?,
            ordinal: self.read()?,
            task: self.read()?,
            scores: scores_of_json(self.text()?)?,
            date: self.read_option()?,
            moment: Timestamp::from_millis(self.read()?),
            verified: self.flag()?,
            signed_for: self.read_option()?,
            sample_size: self.read_option()?,
            setup: self.setup()?,
            codes: read_codes(self.text()?)?,
            has_notes: self.flag()?,
            has_framework: self.flag()?,
            commit: self.read()?,
            committed: Timestamp::from_millis(self.read()?),
            since: Timestamp::from_millis(self.read()?),
            until: self.read_option()?.map(Timestamp::from_millis),
        })
    }

    fn text(&mut self) -> Result<&'t str, Cause> {
        self.0.next().ok_or_else(|| "a brief ends too soon".into())
    }

    fn read<T: FromStr<Err: Into<Cause>>>(&mut self) -> Result<T, Cause> {
        self.text()?.parse().map_err(Into::into)
    }

    fn read_option<T: FromStr<Err: Into<Cause>>>(&mut self) -> Result<Option<T>, Cause> {
        let text = self.text()?;
        let read = (!text.is_empty()).then(|| text.parse());
        read.transpose().map_err(Into::into)
    }

    fn setup(&mut self) -> Result<Setup, Cause> {
        match self.text()? {
            "" => Ok(Setup::default()),
            json => Ok(serde_json::from_str(json)?),
        }
    }

    fn flag(&mut self) -> Result<bool, Cause> {
        Ok(!self.text()?.is_empty())
    }
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
