use std::fmt::Write as _;
use std::sync::LazyLock;

use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::entry_row::{
    WRITTEN, WRITTEN_COUNT, bind_entry, branch_number, entry_columns, read_entry,
};
use crate::history::{Places, by_place_and_time};
use crate::row::Cells;
use crate::{Branch, Error, IndexedEntry, NewEntry, Taken, Tx, sql};

/// How many rows one statement inserts: few sizes, so that each is prepared once and used again, and no large ones,
/// because each placeholder is looked up among all of its statement.
static INSERTS: LazyLock<[(usize, String); 3]> =
    LazyLock::new(|| [16, 4, 1].map(|rows| (rows, insert_statement(rows))));

impl Tx {
    /// Makes these the current entries of a branch, at a moment. A version that is still as it was stays, with its
    /// commit; others end, and new ones begin. The moment counts as no earlier than the last change of the branch,
    /// because the clocks of committers may run backwards. It does what [`History::replace`](crate::History::replace)
    /// does.
    pub async fn replace_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        at: Timestamp,
        entries: &[NewEntry],
    ) -> Result<(), Error> {
        let failed = |error| Error::of("replace_entries", error);
        let last = last_change(self.connection(), key, branch).await;
        let last = last.map_err(failed)?;
        let current = match last {
            Some(_) => current(self.connection(), key, branch).await,
            None => Ok(Vec::new()),
        };
        let current = current.map_err(failed)?;
        let at = last.map_or(at, |last| at.max(last));
        let new = Places::of(entries);
        for (id, indexed) in &current {
            if !new.have(&indexed.version) {
                self.end_entry(*id, indexed.since, at).await?;
            }
        }
        let old = Places::of(current.iter().map(|(_, indexed)| &indexed.version));
        let begins: Vec<IndexedEntry> = entries
            .iter()
            .filter(|entry| !old.have(entry))
            .map(|version| IndexedEntry {
                branch,
                since: at,
                until: None,
                version: version.clone(),
            })
            .collect();
        self.insert_entries("replace_entries", key, branch, &begins)
            .await
    }

    /// Ends every current entry of a branch, as when a pull request is closed.
    pub async fn close_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.replace_entries(key, branch, at, &[]).await
    }

    /// Writes the whole history of a branch in place of what is there, as when it was read from git anew.
    /// [`Error::Taken`] when two versions begin at one place and moment.
    pub async fn rewrite_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        versions: &[IndexedEntry],
    ) -> Result<(), Error> {
        let before = self.history_of(key, branch).await?;
        let mut sorted: Vec<&IndexedEntry> = versions.iter().collect();
        sorted.sort_by(|left, right| by_place_and_time(left, right));
        let is_as_before = before.iter().eq(sorted);
        if is_as_before {
            return Ok(());
        }
        let query = sql::query("DELETE FROM entries WHERE repo = $1 AND pull = $2")
            .bind(key.0)
            .bind(branch_number(branch));
        self.change("rewrite_entries", query).await?;
        self.insert_entries("rewrite_entries", key, branch, versions)
            .await
    }

    /// Ends a version. One that ended when it began was never to be seen.
    async fn end_entry(&mut self, id: i64, since: Timestamp, at: Timestamp) -> Result<(), Error> {
        let query = if since < at {
            sql::query("UPDATE entries SET until_ms = $2 WHERE id = $1")
                .bind(id)
                .bind(at.millis())
        } else {
            sql::query("DELETE FROM entries WHERE id = $1").bind(id)
        };
        self.change("replace_entries", query).await?;
        Ok(())
    }

    async fn insert_entries(
        &mut self,
        doing: &'static str,
        key: RepoKey,
        branch: Branch,
        entries: &[IndexedEntry],
    ) -> Result<(), Error> {
        let mut rest = entries;
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

async fn last_change(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<Option<Timestamp>> {
    let query =
        "SELECT MAX(COALESCE(until_ms, since_ms)) FROM entries WHERE repo = $1 AND pull = $2";
    let row = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_one(connection)
        .await?;
    Cells::of(&row).time_option()
}

async fn current(
    connection: &mut Connection,
    key: RepoKey,
    branch: Branch,
) -> sqlx::Result<Vec<(i64, IndexedEntry)>> {
    let query = concat!(
        "SELECT e.id, ",
        entry_columns!(),
        " FROM entries e WHERE e.repo = $1 AND e.pull = $2 AND e.until_ms IS NULL"
    );
    let rows = sql::query(query)
        .bind(key.0)
        .bind(branch_number(branch))
        .fetch_all(connection)
        .await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok((cells.get()?, read_entry(&mut cells)?))
    };
    rows.iter().map(read).collect()
}
