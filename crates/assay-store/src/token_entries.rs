//! The entries that bring a token, each to be decided on by itself.

use assay_model::{RepoKey, Standing};

use crate::backend::{Connection, Row};
use crate::entry_json::attested_to_json;
use crate::entry_row::{entry_columns, is_revoked, read_entry};
use crate::row::Cells;
use crate::{Error, IndexedEntry, Tx, sql};

/// A version of an entry that brings a token, current or not.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenEntry {
    /// The number of its row. It lasts as long as the row does.
    pub id: i64,
    /// The model.
    pub key: RepoKey,
    /// The indexed fields.
    pub indexed: IndexedEntry,
}

questions! {
    /// Every version that brings the token of this identity, in any repository, in the order of
    /// their rows.
    fn entries_with_jti(jti: &str) -> Vec<TokenEntry>;
    /// The versions of a repository that bring a token, or of all, in the order of their rows,
    /// those after a row.
    fn token_entries(key: Option<RepoKey>, after: i64, limit: u32) -> Vec<TokenEntry>;
}

impl Tx {
    /// Writes what the evidence of an entry came to.
    pub async fn set_standing(&mut self, id: i64, standing: &Standing) -> Result<(), Error> {
        let attested =
            attested_to_json(standing).map_err(|error| Error::of("set_standing", error))?;
        let query = sql::query(
            "UPDATE entries SET verified = $2, reason = $3, detail = $4, revoked = $5, attested = $6 WHERE id = $1",
        )
        .bind(id)
        .bind(standing.is_verified())
        .bind(standing.reason().map(str::to_owned))
        .bind(standing.detail().map(str::to_owned))
        .bind(is_revoked(standing))
        .bind(attested);
        self.change("set_standing", query).await?;
        Ok(())
    }
}

async fn entries_with_jti(connection: &mut Connection, jti: &str) -> sqlx::Result<Vec<TokenEntry>> {
    let query = concat!(
        "SELECT e.id, e.repo, ",
        entry_columns!(),
        " FROM entries e WHERE e.jti = $1 ORDER BY e.id"
    );
    let rows = sql::query(query).bind(jti).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

async fn token_entries(
    connection: &mut Connection,
    key: Option<RepoKey>,
    after: i64,
    limit: u32,
) -> sqlx::Result<Vec<TokenEntry>> {
    let of_all = concat!(
        "SELECT e.id, e.repo, ",
        entry_columns!(),
        " FROM entries e WHERE e.form IS NOT NULL AND e.id > $1 ORDER BY e.id LIMIT $2"
    );
    let of_one = concat!(
        "SELECT e.id, e.repo, ",
        entry_columns!(),
        " FROM entries e WHERE e.form IS NOT NULL AND e.id > $1 AND e.repo = $3 ORDER BY e.id LIMIT $2"
    );
    let query = match key {
        None => sql::query(of_all).bind(after).bind(limit),
        Some(key) => sql::query(of_one).bind(after).bind(limit).bind(key.0),
    };
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<TokenEntry> {
    let mut cells = Cells::of(row);
    Ok(TokenEntry {
        id: cells.get()?,
        key: RepoKey(cells.get()?),
        indexed: read_entry(cells.named())?,
    })
}
