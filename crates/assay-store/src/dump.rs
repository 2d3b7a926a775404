use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::LazyLock;

use assay_model::RepoKey;

use crate::backend::{Connection, Row};
use crate::row::{Cells, to_json};
use crate::{Error, Store, Tx, sql};

/// A table of the index: its columns but for the repository and what the database numbers itself,
/// and the order that they give its rows within a repository.
struct Table {
    name: &'static str,
    columns: &'static [&'static str],
    order: &'static str,
    /// The subject of its rows.
    about: About,
}

/// The subject of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// Each is about a repository.
    Repository,
    /// Each is about a leaf of the results log.
    Leaf,
}

/// The key of rows that are about no repository: no repository ever has it.
const NO_REPOSITORY: RepoKey = RepoKey(0);

/// The tables of the index. Those that refer to others come after them.
const TABLES: [Table; 9] = [
    Table {
        name: "indexed_refs",
        columns: &["name", "target"],
        order: "name",
        about: About::Repository,
    },
    Table {
        name: "cards",
        columns: &[
            "data",
            "tags",
            "base_models",
            "license",
            "pipeline_tag",
            "library",
            "parameters",
        ],
        order: "repo",
        about: About::Repository,
    },
    Table {
        name: "card_tags",
        columns: &["tag"],
        order: "tag",
        about: About::Repository,
    },
    Table {
        name: "benchmarks",
        columns: &["revision", "definition", "valid"],
        order: "repo",
        about: About::Repository,
    },
    Table {
        name: "benchmark_tasks",
        columns: &["position", "task"],
        order: "position",
        about: About::Repository,
    },
    Table {
        name: "entries",
        columns: &[
            "pull",
            "file",
            "ordinal",
            "since_ms",
            "until_ms",
            "dataset",
            "dataset_lower",
            "task",
            "scores",
            "date",
            "moment_ms",
            "source",
            "notes",
            "framework",
            "subset",
            "sample_size",
            "model_revision",
            "dataset_revision",
            "token",
            "verified",
            "reason",
            "detail",
            "data",
            "introduced_by",
            "committed_ms",
            "submitter",
            "author",
            "jti",
            "form",
            "repeated",
            "revoked",
            "attested",
            "setup",
            "details",
            "codes",
        ],
        order: "pull, file, ordinal, since_ms",
        about: About::Repository,
    },
    Table {
        name: "records",
        columns: &["path", "blob", "facts"],
        order: "path",
        about: About::Repository,
    },
    Table {
        name: "log_issued",
        columns: &["idx", "jti", "kid", "integration", "target"],
        order: "idx",
        about: About::Leaf,
    },
    Table {
        name: "log_decisions",
        columns: &["idx", "jti", "uid", "entry", "reason"],
        order: "idx",
        about: About::Leaf,
    },
];

/// The columns that say yes or no.
const FLAGS: [&str; 4] = ["valid", "verified", "repeated", "revoked"];

/// Number of repositories that are read at a time.
const REPOSITORIES: i64 = 256;
/// Number of leaves that are read at a time.
const LEAVES: i64 = 4096;

/// The statements that read the tables for a range of repositories.
static SELECTS: LazyLock<[String; 9]> = LazyLock::new(|| TABLES.each_ref().map(select));

/// One row of the index, as text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DumpRow {
    /// The table.
    pub table: &'static str,
    /// The repository it is about; 0 for what is known of the logs.
    pub key: RepoKey,
    /// Its columns as a JSON array, without the number that the database gave it.
    pub text: String,
}

/// The index, row by row, at one moment. Two indexes are equal if and only if they give the same
/// rows.
#[derive(Debug)]
pub struct IndexDump {
    transaction: Connection,
    table: usize,
    after: i64,
    rows: VecDeque<DumpRow>,
}

impl IndexDump {
    /// The next row: by table, then by repository, then by the table's own key.
    pub async fn next(&mut self) -> Result<Option<DumpRow>, Error> {
        while self.rows.is_empty() {
            let read = self.read().await;
            if !read.map_err(|error| Error::of("index_dump", error))? {
                return Ok(None);
            }
        }
        Ok(self.rows.pop_front())
    }

    /// Reads one table for some more repositories. The answer is whether there was anything left to
    /// read.
    async fn read(&mut self) -> sqlx::Result<bool> {
        let (Some(table), Some(statement)) = (TABLES.get(self.table), SELECTS.get(self.table))
        else {
            return Ok(false);
        };
        let Some(until) = self.end_of_range(table).await? else {
            self.table += 1;
            self.after = TABLES.get(self.table).map_or(0, Table::before_first);
            return Ok(true);
        };
        let rows = sql::query(statement.as_str())
            .bind(self.after)
            .bind(until)
            .fetch_all(&mut self.transaction)
            .await?;
        for row in &rows {
            self.rows.push_back(dump_row(table, row)?);
        }
        self.after = until;
        Ok(true)
    }

    async fn end_of_range(&mut self, table: &Table) -> sqlx::Result<Option<i64>> {
        let (statement, count) = match table.about {
            About::Repository => (
                "SELECT MAX(repo) FROM (SELECT repo FROM repositories WHERE repo > $1 ORDER BY repo LIMIT $2) r"
                    .to_owned(),
                REPOSITORIES,
            ),
            About::Leaf => (
                format!(
                    "SELECT MAX(idx) FROM (SELECT idx FROM {} WHERE idx > $1 ORDER BY idx LIMIT $2) l",
                    table.name
                ),
                LEAVES,
            ),
        };
        sql::query_scalar(sqlx::AssertSqlSafe(statement))
            .bind(self.after)
            .bind(count)
            .fetch_one(&mut self.transaction)
            .await
    }
}

impl Store {
    /// Begins to read the whole index at one moment. It is read in pieces, so it may be larger than
    /// memory; until it is dropped, it keeps one reader and the state of that moment.
    pub async fn index_dump(&self) -> Result<IndexDump, Error> {
        let begun = self.snapshot().await;
        let transaction = begun.map_err(|error| Error::of("index_dump", error))?;
        let mut dump = IndexDump {
            transaction,
            table: 0,
            after: 0,
            rows: VecDeque::new(),
        };
        // The first question of a transaction, not its beginning, fixes the moment.
        let asked = dump.end_of_range(&TABLES[0]).await;
        asked.map_err(|error| Error::of("index_dump", error))?;
        Ok(dump)
    }
}

impl Tx {
    /// Removes the whole index, what is known of the logs included. The records stay.
    pub async fn drop_index(&mut self) -> Result<(), Error> {
        self.forget_logs().await?;
        for table in TABLES.iter().rev() {
            let statement = format!("DELETE FROM {}", table.name);
            let query = sql::query(sqlx::AssertSqlSafe(statement));
            self.change("drop_index", query).await?;
        }
        Ok(())
    }

    /// Removes the index of one repository. Its records stay.
    pub async fn drop_index_of(&mut self, key: RepoKey) -> Result<(), Error> {
        let own = TABLES
            .iter()
            .filter(|table| table.about == About::Repository);
        for table in own.rev() {
            let statement = format!("DELETE FROM {} WHERE repo = $1", table.name);
            let query = sql::query(sqlx::AssertSqlSafe(statement)).bind(key.0);
            self.change("drop_index_of", query).await?;
        }
        Ok(())
    }
}

impl Table {
    /// Returns the key before the first row.
    fn before_first(&self) -> i64 {
        match self.about {
            About::Repository => NO_REPOSITORY.0,
            About::Leaf => -1,
        }
    }
}

fn select(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(|column| as_text(column)).collect();
    let columns = columns.join(", ");
    let Table { name, order, .. } = table;
    match table.about {
        About::Repository => format!(
            "SELECT repo, {columns} FROM {name} WHERE repo > $1 AND repo <= $2 ORDER BY repo, {order}"
        ),
        About::Leaf => format!(
            "SELECT CAST({} AS BIGINT), {columns} FROM {name} WHERE idx > $1 AND idx <= $2 ORDER BY {order}",
            NO_REPOSITORY.0
        ),
    }
}

/// A column as text. Backends do not spell yes and no alike, but they agree on one and zero.
fn as_text(column: &str) -> String {
    if FLAGS.contains(&column) {
        format!("CAST(CAST({column} AS INTEGER) AS TEXT)")
    } else {
        format!("CAST({column} AS TEXT)")
    }
}

fn dump_row(table: &Table, row: &Row) -> sqlx::Result<DumpRow> {
    let mut cells = Cells::of(row);
    let key = RepoKey(cells.get()?);
    let columns = table
        .columns
        .iter()
        .map(|_| cells.get())
        .collect::<sqlx::Result<Vec<Option<Cow<'_, str>>>>>()?;
    Ok(DumpRow {
        table: table.name,
        key,
        text: to_json(&columns)?,
    })
}
