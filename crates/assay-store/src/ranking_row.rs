//! Rows that a board is ranked from. The full entry is read only for the rows that are shown.

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

/// The columns of an entry that ranking, filtering and drawing a board need.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, as the row has it"
)]
pub struct RankingRow {
    /// The entry.
    pub id: EntryId,
    /// The model.
    pub key: RepoKey,
    /// The name of the model.
    pub model: RepoId,
    /// True if only those with access see the model.
    pub private: bool,
    /// True if the operator has closed the model.
    pub disabled: bool,
    /// The owner of the model.
    pub owner: AccountId,
    /// True if the card says that it was made from other models.
    pub derived: bool,
    /// Number of parameters that the card says it has.
    pub parameters: Option<u64>,
    /// The branch that has the entry.
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
    /// The time of the evaluation: the date given, else when the file was created.
    pub moment: Timestamp,
    /// True if signed evidence was checked and holds.
    pub verified: bool,
    /// The commit of the benchmark that a verified entry was signed for.
    pub signed_for: Option<Revision>,
    /// Number of samples that were evaluated.
    pub sample_size: Option<u64>,
    /// The whole setup.
    pub setup: Setup,
    /// The codes of the warnings that follow from the file alone.
    pub codes: Vec<Code>,
    /// True if it tells the setup in words.
    pub has_notes: bool,
    /// True if it tells what ran the evaluation.
    pub has_framework: bool,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// The time of that commit.
    pub committed: Timestamp,
    /// Since when it is current.
    pub since: Timestamp,
    /// Until when it was; none while it is.
    pub until: Option<Timestamp>,
}

/// The text of an entry that the search on a board looks in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTextRow {
    /// The entry.
    pub id: EntryId,
    /// The name of the account that brought it to the hub, else the author that the commit names.
    pub submitter: Option<String>,
    /// The place where the scores are published.
    pub source: Option<Source>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The program that ran the evaluation.
    pub framework: Option<Framework>,
}

questions! {
    /// The entries for a benchmark, or for one task of it, as they were at a moment or are now, in
    /// no particular order. The benchmark is named in lower case; entries that use a name it had
    /// before are its own.
    fn ranking_rows_of_board(dataset: &str, task: Option<&TaskId>, at: Option<Timestamp>) -> Vec<RankingRow>;
    /// The versions of entries for a task that ended last, the last one first, at most so many: for
    /// who has the current ones and asks what was before.
    fn ended_ranking_rows(dataset: &str, task: &TaskId, limit: u32) -> Vec<RankingRow>;
    /// The current entries of one model for a benchmark: for who keeps a board and need not read
    /// all of it again.
    fn ranking_rows_of_model(dataset: &str, model: RepoKey) -> Vec<RankingRow>;
    /// Returns the searchable text of the current entries for a task.
    fn search_texts_of_board(dataset: &str, task: &TaskId) -> Vec<SearchTextRow>;
}

/// The separator between the columns of a ranking row: no name, path, date or JSON has it.
const SEPARATOR: char = '\u{1f}';

/// Declares the columns of a ranking row, each once, by name and SQL expression: the `SELECT` and
/// the struct that it is split into follow from the same list.
///
/// A ranking row travels as one text. A board is thousands of rows, and the cost of a row is mostly
/// that of its columns, each of which sqlx copies by itself: 26 columns take twice as long. An
/// absent value is an empty text, which `concat_ws` keeps.
macro_rules! ranking_columns {
    ($first:ident = $first_sql:literal, $($name:ident = $sql:literal,)*) => {
        /// The columns of a ranking row as text.
        struct RankingColumns<'t> {
            $first: &'t str,
            $($name: &'t str,)*
        }

        impl<'t> RankingColumns<'t> {
            /// Splits the text of a row. Returns none when a column is missing.
            fn split(text: &'t str) -> Option<Self> {
                let mut parts = text.split(SEPARATOR);
                Some(Self {
                    $first: parts.next()?,
                    $($name: parts.next()?,)*
                })
            }
        }

        macro_rules! ranking_text {
            () => {
                concat!("concat_ws('\u{1f}', ", $first_sql, $(", ", $sql,)* ")")
            };
        }
    };
}

ranking_columns! {
    id = "e.id",
    repo = "e.repo",
    model = "r.name",
    private = "CASE WHEN r.private THEN '1' ELSE '' END",
    disabled = "CASE WHEN r.disabled THEN '1' ELSE '' END",
    owner = "r.owner",
    derived = "CASE WHEN COALESCE(c.base_models, '[]') <> '[]' THEN '1' ELSE '' END",
    parameters = "COALESCE(CAST(c.parameters AS TEXT), '')",
    pull = "e.pull",
    file = "e.file",
    ordinal = "e.ordinal",
    task = "e.task",
    scores = "e.scores",
    date = "COALESCE(e.date, '')",
    moment = "e.moment_ms",
    verified = "CASE WHEN e.verified THEN '1' ELSE '' END",
    signed_for = "CASE WHEN e.verified THEN COALESCE(e.dataset_revision, '') ELSE '' END",
    sample_size = "COALESCE(e.sample_size, '')",
    setup = "COALESCE(e.setup, '')",
    codes = "COALESCE(e.codes, '')",
    has_notes = "CASE WHEN e.notes IS NULL THEN '' ELSE '1' END",
    has_framework = "CASE WHEN e.framework IS NULL THEN '' ELSE '1' END",
    commit = "e.introduced_by",
    committed = "e.committed_ms",
    since = "e.since_ms",
    until = "COALESCE(CAST(e.until_ms AS TEXT), '')",
}

macro_rules! select_ranking_rows {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            ranking_text!(),
            " FROM entries e JOIN repositories r ON r.repo = e.repo LEFT JOIN cards c ON c.repo = e.repo ",
            "WHERE e.dataset_lower IN ",
            names_of_dataset!(),
            $condition
        )
    };
}

async fn ranking_rows_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: Option<&TaskId>,
    at: Option<Timestamp>,
) -> sqlx::Result<Vec<RankingRow>> {
    let query = of_board!(select_ranking_rows, dataset, task, at);
    query.read_all(connection, read_ranking_row).await
}

async fn ended_ranking_rows(
    connection: &mut Connection,
    dataset: &str,
    task: &TaskId,
    limit: u32,
) -> sqlx::Result<Vec<RankingRow>> {
    let query = sql::query(select_ranking_rows!(
        " AND e.task = $2 AND e.until_ms IS NOT NULL ORDER BY e.until_ms DESC, e.id LIMIT $3"
    ));
    let query = query.bind(dataset).bind(task.as_str()).bind(limit);
    query.read_all(connection, read_ranking_row).await
}

async fn ranking_rows_of_model(
    connection: &mut Connection,
    dataset: &str,
    model: RepoKey,
) -> sqlx::Result<Vec<RankingRow>> {
    let query = sql::query(select_ranking_rows!(
        " AND e.repo = $2 AND e.until_ms IS NULL"
    ));
    let query = query.bind(dataset).bind(model.0);
    query.read_all(connection, read_ranking_row).await
}

fn read_ranking_row(cells: &mut Cells<'_>) -> sqlx::Result<RankingRow> {
    let text: Cow<'_, str> = cells.get()?;
    let columns = RankingColumns::split(&text)
        .ok_or_else(|| sqlx::Error::Decode("a ranking row lacks a column".into()))?;
    columns.decode().map_err(sqlx::Error::Decode)
}

impl RankingColumns<'_> {
    fn decode(&self) -> Result<RankingRow, Cause> {
        Ok(RankingRow {
            id: EntryId(parse(self.id)?),
            key: RepoKey(parse(self.repo)?),
            model: parse(self.model)?,
            private: is_set(self.private),
            disabled: is_set(self.disabled),
            owner: AccountId(parse(self.owner)?),
            derived: is_set(self.derived),
            parameters: parse_option(self.parameters)?,
            branch: match parse(self.pull)? {
                0 => Branch::Main,
                num => Branch::Pull(num),
            },
            file: parse(self.file)?,
            ordinal: parse(self.ordinal)?,
            task: parse(self.task)?,
            scores: scores_of_json(self.scores)?,
            date: parse_option(self.date)?,
            moment: Timestamp::from_millis(parse(self.moment)?),
            verified: is_set(self.verified),
            signed_for: parse_option(self.signed_for)?,
            sample_size: parse_option(self.sample_size)?,
            setup: match self.setup {
                "" => Setup::default(),
                json => serde_json::from_str(json)?,
            },
            codes: read_codes(self.codes)?,
            has_notes: is_set(self.has_notes),
            has_framework: is_set(self.has_framework),
            commit: parse(self.commit)?,
            committed: Timestamp::from_millis(parse(self.committed)?),
            since: Timestamp::from_millis(parse(self.since)?),
            until: parse_option(self.until)?.map(Timestamp::from_millis),
        })
    }
}

fn parse<T: FromStr<Err: Into<Cause>>>(text: &str) -> Result<T, Cause> {
    text.parse().map_err(Into::into)
}

fn parse_option<T: FromStr<Err: Into<Cause>>>(text: &str) -> Result<Option<T>, Cause> {
    (!text.is_empty()).then(|| parse(text)).transpose()
}

fn is_set(text: &str) -> bool {
    !text.is_empty()
}

async fn search_texts_of_board(
    connection: &mut Connection,
    dataset: &str,
    task: &TaskId,
) -> sqlx::Result<Vec<SearchTextRow>> {
    let query = concat!(
        "SELECT e.id AS id, s.name AS submitter_name, e.author AS author, e.source AS source, \
         e.notes AS notes, e.framework AS framework FROM entries e \
         LEFT JOIN accounts s ON s.id = e.submitter WHERE e.dataset_lower IN ",
        names_of_dataset!(),
        " AND e.until_ms IS NULL AND e.task = $2"
    );
    let query = sql::query(query).bind(dataset).bind(task.as_str());
    query.read_all(connection, read_search_text).await
}

fn read_search_text(cells: &mut Cells<'_>) -> sqlx::Result<SearchTextRow> {
    let columns = cells.named();
    let account: Option<String> = columns.get("submitter_name")?;
    let author: String = columns.get("author")?;
    Ok(SearchTextRow {
        id: EntryId(columns.get("id")?),
        submitter: account.or_else(|| (!author.is_empty()).then_some(author)),
        source: read_source(columns)?,
        notes: columns.get("notes")?,
        framework: read_framework(columns)?,
    })
}
