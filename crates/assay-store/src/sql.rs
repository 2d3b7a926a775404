//! A statement and its values, before it is known which backend will carry it out. Every statement
//! exists once: both backends read `$1`, and what they differ in is settled where values go in and
//! come out.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::marker::PhantomData;

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

use crate::backend::{Connection, Row};
use crate::row::{Cell, Cells};

/// Number of numbers that a list in a statement has.
const COUNTS: [usize; 4] = [1, 10, 100, MAX_LIST];
/// The most numbers that a list in a statement has.
pub(crate) const MAX_LIST: usize = 1000;

/// A value of a statement. One that is absent still has a type, which `PostgreSQL` wants to know.
#[derive(Debug, Clone)]
pub(crate) enum Value<'q> {
    /// A number, a moment, a key.
    Number(Option<i64>),
    /// Yes or no.
    Flag(Option<bool>),
    /// Text.
    Text(Option<Cow<'q, str>>),
    /// Bytes.
    Bytes(Option<Cow<'q, [u8]>>),
}

/// A statement with its values.
#[derive(Debug)]
#[must_use]
pub(crate) struct Query<'q> {
    pub(crate) statement: SqlStr,
    pub(crate) values: Vec<Value<'q>>,
}

/// A statement whose answer is one column.
#[must_use]
pub(crate) struct Scalar<'q, T> {
    query: Query<'q>,
    column: PhantomData<T>,
}

/// A statement that is put together.
#[derive(Debug)]
pub(crate) struct Builder<'q> {
    statement: String,
    values: Vec<Value<'q>>,
}

/// A statement without values yet.
pub(crate) fn query<'q>(statement: impl SqlSafeStr) -> Query<'q> {
    Query {
        statement: statement.into_sql_str(),
        values: Vec::new(),
    }
}

/// A statement without values yet, whose answer is one column.
pub(crate) fn query_scalar<'q, T>(statement: impl SqlSafeStr) -> Scalar<'q, T> {
    Scalar {
        query: query(statement),
        column: PhantomData,
    }
}

impl<'q> Query<'q> {
    /// Gives the next value.
    pub(crate) fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Carries the statement out. The answer is how many rows it changed.
    pub(crate) async fn execute(self, connection: &mut Connection) -> sqlx::Result<u64> {
        connection.execute(self).await
    }

    /// All rows of the answer.
    pub(crate) async fn fetch_all(self, connection: &mut Connection) -> sqlx::Result<Vec<Row>> {
        connection.fetch_all(self).await
    }

    /// Reads a value from each row of the result. Rows are read as they come, and are not held all
    /// at once.
    pub(crate) async fn read_all<T>(
        self,
        connection: &mut Connection,
        read: impl FnMut(&mut Cells<'_>) -> sqlx::Result<T>,
    ) -> sqlx::Result<Vec<T>> {
        connection.read_all(self, read).await
    }

    /// The first row of the answer, if there is any.
    pub(crate) async fn fetch_optional(
        self,
        connection: &mut Connection,
    ) -> sqlx::Result<Option<Row>> {
        connection.fetch_optional(self).await
    }

    /// The first row of an answer that has one.
    pub(crate) async fn fetch_one(self, connection: &mut Connection) -> sqlx::Result<Row> {
        let row = self.fetch_optional(connection).await?;
        row.ok_or(sqlx::Error::RowNotFound)
    }
}

impl<'q, T: for<'r> Cell<'r>> Scalar<'q, T> {
    /// Gives the next value.
    pub(crate) fn bind(self, value: impl Into<Value<'q>>) -> Self {
        Self {
            query: self.query.bind(value),
            ..self
        }
    }

    /// The column of every row.
    pub(crate) async fn fetch_all(self, connection: &mut Connection) -> sqlx::Result<Vec<T>> {
        let rows = self.query.fetch_all(connection).await?;
        rows.iter().map(|row| T::read(row, 0)).collect()
    }

    /// The column of the first row, if there is any.
    pub(crate) async fn fetch_optional(
        self,
        connection: &mut Connection,
    ) -> sqlx::Result<Option<T>> {
        let row = self.query.fetch_optional(connection).await?;
        row.map(|row| T::read(&row, 0)).transpose()
    }

    /// The column of the first row of an answer that has one.
    pub(crate) async fn fetch_one(self, connection: &mut Connection) -> sqlx::Result<T> {
        let row = self.query.fetch_one(connection).await?;
        T::read(&row, 0)
    }
}

impl<'q> Builder<'q> {
    /// Begins a statement.
    pub(crate) fn new(statement: &'static str) -> Self {
        Self {
            statement: statement.to_owned(),
            values: Vec::new(),
        }
    }

    /// Goes on. What strangers say is never part of a statement, so it takes only what is written
    /// in this program.
    pub(crate) fn push(&mut self, part: &'static str) -> &mut Self {
        self.statement.push_str(part);
        self
    }

    /// Goes on with a list of numbers in brackets, at least one. Some may be repeated: a statement
    /// for every count there may be would fill the memory of prepared ones.
    pub(crate) fn push_list(&mut self, numbers: &[i64]) -> &mut Self {
        let mut counts = COUNTS.into_iter();
        let count = counts.find(|count| numbers.len() <= *count);
        let last = numbers.last().copied().into_iter().cycle();
        let padded = numbers.iter().copied().chain(last);
        self.push("(");
        for (place, number) in padded.take(count.unwrap_or(numbers.len())).enumerate() {
            self.push(if place == 0 { "" } else { ", " });
            self.push_bind(number);
        }
        self.push(")")
    }

    /// Goes on with a value.
    pub(crate) fn push_bind(&mut self, value: impl Into<Value<'q>>) -> &mut Self {
        self.values.push(value.into());
        write!(self.statement, "${}", self.values.len()).expect("a string takes every text");
        self
    }

    /// The statement.
    pub(crate) fn build(self) -> Query<'q> {
        Query {
            statement: AssertSqlSafe(self.statement).into_sql_str(),
            values: self.values,
        }
    }
}

/// Says which of our types are which values, present or not.
macro_rules! values {
    ($($type:ty => $variant:ident, $convert:expr;)*) => {
        $(
            impl<'q> From<$type> for Value<'q> {
                fn from(value: $type) -> Self {
                    Self::$variant(Some($convert(value)))
                }
            }

            impl<'q> From<Option<$type>> for Value<'q> {
                fn from(value: Option<$type>) -> Self {
                    Self::$variant(value.map($convert))
                }
            }
        )*
    };
}

values! {
    i64 => Number, std::convert::identity;
    u32 => Number, i64::from;
    bool => Flag, std::convert::identity;
    &'q str => Text, Cow::Borrowed;
    &'q String => Text, |text: &'q String| Cow::Borrowed(text.as_str());
    String => Text, Cow::Owned;
    &'q [u8] => Bytes, Cow::Borrowed;
    Vec<u8> => Bytes, Cow::Owned;
}

impl<'q> From<&'q Option<String>> for Value<'q> {
    fn from(value: &'q Option<String>) -> Self {
        Self::Text(value.as_deref().map(Cow::Borrowed))
    }
}
