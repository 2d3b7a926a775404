use std::fmt::Write as _;
use std::sync::LazyLock;

use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::entry_row::{
    WRITTEN, WRITTEN_COUNT, bind_entry, branch_number, entry_columns, read_branch, read_entry,
};
use crate::history::{BranchChange, History, VersionEnd};
use crate::row::Cells;
use crate::{Branch, Error, IndexedEntry, NewEntry, Taken, Tx, sql};

/// The statements that insert rows, by their number of rows: few sizes, so that each is prepared
/// once and used again, and no large ones, because each placeholder is looked up among all of its
/// statement.
static INSERTS: LazyLock<[(usize, String); 3]> =
    LazyLock::new(|| [16, 4, 1].map(|rows| (rows, insert_statement(rows))));

questions! {
    /// The current entries of a branch, in the order of file and place, and when one of its
    /// versions ended last.
    fn branch_entries(key: RepoKey, branch: Branch) -> (Vec<IndexedEntry>, Option<Timestamp>);
    /// Returns the number of rows that a branch has.
    fn count_entries(key: RepoKey, branch: Branch) -> u64;
    /// The branches of a repository that have rows, with their number.
    fn branches_of(key: RepoKey) -> Vec<(Branch, u64)>;
}

impl Tx {
    /// Makes these the current entries of a branch, at a moment, as [`History::replace`] does.
    pub async fn replace_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        at: Timestamp,
        entries: &[NewEntry],
    ) -> Result<(), Error> {
        let (current, last_end) = self.branch_entries(key, branch).await?;
        let mut history = History::after(branch, current, last_end);
        history.replace(at, entries);
        self.write_branch(key, &history.into_change()).await
    }

    /// Writes what a history says that followed on the rows of this branch. [`Error::Taken`] when
    /// two versions begin at one place and moment.
    pub async fn write_branch(&mut self, key: RepoKey, change: &BranchChange) -> Result<(), Error> {
        let branch = change.branch;
        for end in &change.ends {
            self.end_entry(key, branch, end).await?;
        }
        self.add_entries(key, branch, &change.ended).await?;
        self.add_entries(key, branch, &change.current).await
    }

    /// Removes rows of a branch, at most this many, those that ended first before others. The
    /// answer is how many.
    pub async fn remove_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        most: u32,
    ) -> Result<u64, Error> {
        let query = "DELETE FROM entries WHERE id IN (
                SELECT id FROM entries WHERE repo = $1 AND pull = $2
                ORDER BY until_ms IS NULL, until_ms, file, ordinal LIMIT $3)";
        let query = sql::query(query)
            .bind(key.0)
            .bind(branch_number(branch))
            .bind(most);
        self.change("remove_entries", query).await
    }

    /// Removes the rows of a branch that ended first, until no more than this many are left of
    /// those that have ended: what [`History::keeping`] would keep.
    pub async fn trim_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        most_ended: u32,
    ) -> Result<u64, Error> {
        if self.count_entries(key, branch).await? <= u64::from(most_ended) {
            return Ok(0);
        }
        let ended = count_ended(self.connection(), key, branch).await;
        let ended = ended.map_err(|error| Error::of("trim_entries", error))?;
        let surplus = ended.saturating_sub(most_ended);
        if surplus == 0 {
            return Ok(0);
        }
        self.remove_entries(key, branch, surplus).await
    }

    /// Ends a version. One that ended when it began was never to be seen.
    async fn end_entry(
        &mut self,
        key: RepoKey,
        branch: Branch,
        end: &VersionEnd,
    ) -> Result<(), Error> {
        let is_seen = end.since < end.until;
        let query = sql::query(if is_seen {
            "UPDATE entries SET until_ms = $6
             WHERE repo = $1 AND pull = $2 AND file = $3 AND ordinal = $4 AND since_ms = $5"
        } else {
            "DELETE FROM entries
             WHERE repo = $1 AND pull = $2 AND file = $3 AND ordinal = $4 AND since_ms = $5"
        });
        let query = query
            .bind(key.0)
            .bind(branch_number(branch))
            .bind(end.file.as_str())
            .bind(end.ordinal)
            .bind(end.since.millis());
        let query = if is_seen {
            query.bind(end.until.millis())
        } else {
            query
        };
        self.change("write_branch", query).await?;
        Ok(())
    }

    /// Adds versions of a branch. [`Error::Taken`] when two begin at one place and moment.
    pub async fn add_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        versions: &[IndexedEntry],
    ) -> Result<(), Error> {
        let doing = "add_entries";
        let mut rest = versions;
        for (rows, statement) in INSERTS.iter() {
            while let Some((now, later)) = rest.split_at_checked(*rows) {
                rest = later;
                let mut query = sql::query(statement.as_str());
                for entry in now {
                    query = bind_entry(query, key, branch, entry)
                        .map_err(|error| Error::of(doing, error))?;
                }
                self.insert(doing, Taken::Entry, query).await?;
            }
        }
        Ok(())
    }
}

fn insert_statement(rows: usize) -> String {
    let mut statement = format!("INSERT INTO entries ({WRITTEN}) VALUES ");
    for row in 0..rows {
        statement.push_str(if row == 0 { "(" } else { ", (" });
        for column in 1..=WRITTEN_COUNT {
            let comma = if column == 1 { "" } else { ", " };
            let number = row * WRITTEN_COUNT + column;
            write!(statement, "{comma}${number}").expect("a string takes every text");
        }
        statement.push(')');
    }
    statement
}

async fn branch_entries(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<(Vec<IndexedEntry>, Option<Timestamp>)> {
    let last_end = "SELECT MAX(until_ms) FROM entries WHERE repo = $1 AND pull = $2";
    let row = sql::query(last_end)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_one(connection)
        .await?;
    let last_end = Cells::of(&row).time_option()?;
    let query = concat!(
        "SELECT ",
        entry_columns!(),
        " FROM entries e WHERE e.repo = $1 AND e.pull = $2 AND e.until_ms IS NULL ORDER BY e.file, e.ordinal"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_all(connection)
        .await?;
    let read = |row| read_entry(Cells::of(row).named());
    let current = rows.iter().map(read).collect::<sqlx::Result<_>>()?;
    Ok((current, last_end))
}

async fn count_entries(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<u64> {
    let query = "SELECT COUNT(*) FROM entries WHERE repo = $1 AND pull = $2";
    let row = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

async fn branches_of(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Vec<(Branch, u64)>> {
    let query = "SELECT pull AS pull, COUNT(*) AS entries FROM entries WHERE repo = $1 GROUP BY pull ORDER BY pull";
    let rows = sql::query(query).bind(key.0).fetch_all(connection).await?;
    let read = |row| {
        let columns = Cells::of(row).named();
        Ok((read_branch(columns)?, columns.number("entries")?))
    };
    rows.iter().map(read).collect()
}

async fn count_ended(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<u32> {
    let query =
        "SELECT COUNT(*) FROM entries WHERE repo = $1 AND pull = $2 AND until_ms IS NOT NULL";
    let row = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}
