//! A whole database copied into another one, from either backend to either.

use std::borrow::Cow;
use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use crate::backend::{Connection, Row};
use crate::row::{Cell as _, Cells};
use crate::sql::{self, Value};
use crate::{Error, Store};

/// Every table, each after those that it refers to.
const TABLES: [&str; 43] = [
    "generation",
    "accounts",
    "members",
    "tokens",
    "repositories",
    "redirects",
    "discussions",
    "events",
    "mentions",
    "large_objects",
    "storage",
    "uploads",
    "purges",
    "official",
    "settings",
    "indexed_refs",
    "cards",
    "card_tags",
    "benchmarks",
    "benchmark_tasks",
    "entries",
    "records",
    "control_requests",
    "log_cursor",
    "log_issued",
    "log_decisions",
    "integrations",
    "identities",
    "credentials",
    "access_tokens",
    "seen_assertions",
    "idempotency",
    "quotas",
    "issuer_events",
    "web_sessions",
    "passwords",
    "webhooks",
    "deliveries",
    "told_ranks",
    "sign_in_failures",
    "audit",
    "trusted_publishers",
    "device_codes",
];
/// The one table that has a row from the beginning.
const GENERATION: &str = "generation";
/// Number of rows that are read and written at a time. Those of the widest table have fewer values
/// together than either backend allows in one statement.
const ROWS: usize = 400;

/// The number of copied rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The table.
    pub table: &'static str,
    /// The rows.
    pub rows: u64,
}

/// A column: its name, and what it holds.
struct Column {
    name: String,
    kind: Kind,
    /// True if the database numbers it.
    is_numbered: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Flag,
    Text,
    Bytes,
}

impl Store {
    /// Copies all of this database, as it is at one moment, into one that has nothing yet. Either
    /// all of it is there when this returns, table by table as many rows as here, or nothing.
    pub async fn copy_into(&self, target: &Self) -> Result<Vec<Copied>, Error> {
        let failed = |error| Error::of("copy_into", error);
        let mut from = self.snapshot().await.map_err(failed)?;
        let mut to = target.begin().await?;
        if let Some(table) = filled_table(to.connection()).await.map_err(failed)? {
            return Err(Error::NotEmpty { table });
        }
        let clear = sql::query("DELETE FROM generation");
        clear.execute(to.connection()).await.map_err(failed)?;
        let mut copied = Vec::new();
        for table in TABLES {
            let copy = copy_table(&mut from, to.connection(), table).await;
            copy.map_err(failed)?;
            let rows = count(&mut from, table).await.map_err(failed)?;
            let found = count(to.connection(), table).await.map_err(failed)?;
            if rows != found {
                return Err(Error::Miscounted { table, rows, found });
            }
            copied.push(Copied { table, rows });
        }
        to.commit().await?;
        if let Err(error) = target.tidy(&TABLES).await {
            // Everything is there, and the server makes up for it by itself.
            tracing::warn!(%error, "the copy could not be cleared up");
        }
        Ok(copied)
    }

    /// Returns [`Error::NotEmpty`] when anything was ever written to the database.
    pub async fn check_empty(&self) -> Result<(), Error> {
        let mut connection = self.reader("check_empty").await?;
        let filled = filled_table(&mut connection).await;
        match filled.map_err(|error| Error::of("check_empty", error))? {
            Some(table) => Err(Error::NotEmpty { table }),
            None => Ok(()),
        }
    }

    /// Returns [`Error::Damaged`] when the file of the database is not whole, or when a row refers
    /// to one that is not there. A server looks after its own files.
    pub async fn check_integrity(&self) -> Result<(), Error> {
        let mut connection = self.reader("check_integrity").await?;
        let found = complaint(&mut connection).await;
        match found.map_err(|error| Error::of("check_integrity", error))? {
            Some(found) => Err(Error::Damaged { found }),
            None => Ok(()),
        }
    }
}

/// The first table with rows; every database has a generation.
async fn filled_table(connection: &mut Connection) -> sqlx::Result<Option<&'static str>> {
    for table in TABLES.into_iter().filter(|table| *table != GENERATION) {
        if count(connection, table).await? > 0 {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// The first complaint of `SQLite` about its file.
async fn complaint(connection: &mut Connection) -> sqlx::Result<Option<String>> {
    if matches!(connection, Connection::Postgres(_)) {
        return Ok(None);
    }
    let checked: String =
        sql::query_scalar("SELECT integrity_check FROM pragma_integrity_check LIMIT 1")
            .fetch_one(connection)
            .await?;
    if checked != "ok" {
        return Ok(Some(checked));
    }
    let related: Option<String> =
        sql::query_scalar("SELECT MIN(\"table\") FROM pragma_foreign_key_check")
            .fetch_one(connection)
            .await?;
    Ok(related.map(|table| format!("rows of `{table}` refer to what is not there")))
}

async fn count(connection: &mut Connection, table: &str) -> sqlx::Result<u64> {
    let statement = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    let row = sql::query(statement).fetch_one(connection).await?;
    Cells::of(&row).number()
}

async fn copy_table(from: &mut Connection, to: &mut Connection, table: &str) -> sqlx::Result<()> {
    let columns = columns_of(from, table).await?;
    let mut pages = Pages::begin(from, table, &columns).await?;
    loop {
        let rows = pages.next(from).await?;
        if !rows.is_empty() {
            write_rows(to, table, &columns, &rows).await?;
        }
        if rows.len() < ROWS {
            break;
        }
    }
    pages.end(from).await?;
    continue_numbers(from, to, table).await
}

/// The columns of a table, as its backend describes them.
async fn columns_of(connection: &mut Connection, table: &str) -> sqlx::Result<Vec<Column>> {
    let statement = match connection {
        Connection::Sqlite(_) => {
            "SELECT name, lower(type), FALSE FROM pragma_table_info($1) ORDER BY cid"
        }
        Connection::Postgres(_) => {
            "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT), is_identity = 'YES'
             FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position"
        }
    };
    let rows = sql::query(statement)
        .bind(table)
        .fetch_all(connection)
        .await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        let (name, kind): (String, String) = (cells.get()?, cells.get()?);
        let kind = match kind.as_str() {
            "bigint" | "integer" => Kind::Number,
            "boolean" => Kind::Flag,
            "text" => Kind::Text,
            "blob" | "bytea" => Kind::Bytes,
            other => {
                let told = format!("`{name}` of `{table}` has the unknown type `{other}`");
                return Err(sqlx::Error::Decode(told.into()));
            }
        };
        Ok(Column {
            name,
            kind,
            is_numbered: cells.get()?,
        })
    };
    rows.iter().map(read).collect()
}

/// The rows of a table, some at a time: with a file behind the last row that was read, with a
/// server by a cursor.
enum Pages {
    After { statement: String, last: i64 },
    Cursor { table: String },
}

impl Pages {
    async fn begin(
        connection: &mut Connection,
        table: &str,
        columns: &[Column],
    ) -> sqlx::Result<Self> {
        let columns = names(columns);
        match connection {
            Connection::Sqlite(_) => Ok(Self::After {
                statement: format!(
                    "SELECT {columns}, rowid FROM {table} WHERE rowid > $1 ORDER BY rowid LIMIT {ROWS}"
                ),
                last: i64::MIN,
            }),
            Connection::Postgres(_) => {
                let declare = format!(
                    "DECLARE copy_{table} NO SCROLL CURSOR FOR SELECT {columns} FROM {table}"
                );
                connection.run(AssertSqlSafe(declare)).await?;
                Ok(Self::Cursor {
                    table: table.to_owned(),
                })
            }
        }
    }

    async fn next(&mut self, connection: &mut Connection) -> sqlx::Result<Vec<Row>> {
        match self {
            Self::After { statement, last } => {
                let rows = sql::query(AssertSqlSafe(statement.as_str()))
                    .bind(*last)
                    .fetch_all(connection)
                    .await?;
                if let Some(row) = rows.last() {
                    *last = i64::read(row, row.len() - 1)?;
                }
                Ok(rows)
            }
            Self::Cursor { table } => {
                let fetch = format!("FETCH {ROWS} FROM copy_{table}");
                sql::query(AssertSqlSafe(fetch)).fetch_all(connection).await
            }
        }
    }

    async fn end(self, connection: &mut Connection) -> sqlx::Result<()> {
        match self {
            Self::After { .. } => Ok(()),
            Self::Cursor { table } => {
                let close = format!("CLOSE copy_{table}");
                connection.run(AssertSqlSafe(close)).await
            }
        }
    }
}

async fn write_rows(
    connection: &mut Connection,
    table: &str,
    columns: &[Column],
    rows: &[Row],
) -> sqlx::Result<()> {
    let mut statement = format!("INSERT INTO {table} ({}) VALUES ", names(columns));
    let mut values = Vec::with_capacity(rows.len() * columns.len());
    for (place, row) in rows.iter().enumerate() {
        statement.push_str(if place == 0 { "(" } else { ", (" });
        for (index, column) in columns.iter().enumerate() {
            values.push(value_of(row, index, column.kind)?);
            let comma = if index == 0 { "" } else { ", " };
            write!(statement, "{comma}${}", values.len()).expect("a string takes every text");
        }
        statement.push(')');
    }
    let mut query = sql::query(AssertSqlSafe(statement));
    query.values = values;
    query.execute(connection).await?;
    Ok(())
}

fn value_of(row: &Row, index: usize, kind: Kind) -> sqlx::Result<Value<'_>> {
    Ok(match kind {
        Kind::Number => Value::Number(Option::read(row, index)?),
        Kind::Flag => Value::Flag(Option::read(row, index)?),
        Kind::Text => Value::Text(Option::read(row, index)?),
        Kind::Bytes => Value::Bytes(Option::<Vec<u8>>::read(row, index)?.map(Cow::Owned)),
    })
}

/// Lets the numbers that a server gives go on behind those that were given, to what is gone by now
/// included. A file goes on behind the last that is there by itself.
async fn continue_numbers(
    from: &mut Connection,
    to: &mut Connection,
    table: &str,
) -> sqlx::Result<()> {
    if matches!(to, Connection::Sqlite(_)) {
        return Ok(());
    }
    let columns = columns_of(to, table).await?;
    let Some(column) = columns.iter().find(|column| column.is_numbered) else {
        return Ok(());
    };
    let given = last_given(from, table, &column.name).await?;
    if given > 0 {
        sql::query("SELECT setval(pg_get_serial_sequence($1, $2), $3)")
            .bind(table)
            .bind(&column.name)
            .bind(given)
            .fetch_one(to)
            .await?;
    }
    Ok(())
}

/// The last number that was given to a row of a table.
async fn last_given(connection: &mut Connection, table: &str, column: &str) -> sqlx::Result<i64> {
    let statement = match connection {
        Connection::Sqlite(_) => format!(
            "SELECT MAX(COALESCE((SELECT MAX({column}) FROM {table}), 0),
                 COALESCE((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0))"
        ),
        Connection::Postgres(_) => format!(
            "SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', '{column}') AS regclass)), 0)"
        ),
    };
    sql::query_scalar(AssertSqlSafe(statement))
        .fetch_one(connection)
        .await
}

fn names(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}
