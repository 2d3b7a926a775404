use std::borrow::Cow;
use std::str::FromStr;

use assay_model::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;

use crate::backend::Row;
use crate::error::Cause;
use crate::postgres::unescape;

/// The columns of a row, taken one after the other in the order of the `SELECT`. What is not as
/// this program writes it is an error that names the column.
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Cells<'r> {
    /// The columns of a row from the first on.
    pub(crate) fn of(row: &'r Row) -> Self {
        Self { row, next: 0 }
    }

    /// The same columns, read by name.
    pub(crate) fn named(&self) -> NamedColumns<'r> {
        NamedColumns { row: self.row }
    }

    /// The next column.
    pub(crate) fn get<T: Cell<'r>>(&mut self) -> sqlx::Result<T> {
        let index = self.next;
        self.next += 1;
        T::read(self.row, index)
    }

    /// The next column, a word or a name.
    pub(crate) fn parse<T: FromStr<Err: Into<Cause>>>(&mut self) -> sqlx::Result<T> {
        let text: Cow<'_, str> = self.get()?;
        text.parse().map_err(|error: T::Err| self.wrong(error))
    }

    /// The next column, a word or a name or nothing.
    pub(crate) fn parse_option<T: FromStr<Err: Into<Cause>>>(&mut self) -> sqlx::Result<Option<T>> {
        let text: Option<Cow<'_, str>> = self.get()?;
        text.map(|text| text.parse())
            .transpose()
            .map_err(|error: T::Err| self.wrong(error))
    }

    /// The next column, so many bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> sqlx::Result<[u8; N]> {
        let bytes: &[u8] = self.get()?;
        bytes
            .try_into()
            .map_err(|error: std::array::TryFromSliceError| self.wrong(error))
    }

    /// The next column, a number that its type may not hold.
    pub(crate) fn number<T: TryFrom<i64, Error: Into<Cause>>>(&mut self) -> sqlx::Result<T> {
        let number: i64 = self.get()?;
        T::try_from(number).map_err(|error| self.wrong(error))
    }

    /// The next column, a number or nothing.
    pub(crate) fn number_option<T: TryFrom<i64, Error: Into<Cause>>>(
        &mut self,
    ) -> sqlx::Result<Option<T>> {
        let number: Option<i64> = self.get()?;
        number
            .map(T::try_from)
            .transpose()
            .map_err(|error| self.wrong(error))
    }

    /// The next column, a moment.
    pub(crate) fn time(&mut self) -> sqlx::Result<Timestamp> {
        Ok(Timestamp::from_millis(self.get()?))
    }

    /// The next column, a moment or nothing.
    pub(crate) fn time_option(&mut self) -> sqlx::Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>()?.map(Timestamp::from_millis))
    }

    /// The next column, JSON.
    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> sqlx::Result<T> {
        let text: Cow<'_, str> = self.get()?;
        serde_json::from_str(&text).map_err(|error| self.wrong(error))
    }

    /// The next column, JSON or nothing.
    pub(crate) fn json_option<T: DeserializeOwned>(&mut self) -> sqlx::Result<Option<T>> {
        let text: Option<Cow<'_, str>> = self.get()?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| self.wrong(error))
    }

    fn wrong(&self, source: impl Into<Cause>) -> sqlx::Error {
        sqlx::Error::ColumnDecode {
            index: (self.next - 1).to_string(),
            source: source.into(),
        }
    }
}

/// The columns of a row, read by the names that the `SELECT` gives them with `AS`. A value that
/// this program would not write is an error that names its column.
#[derive(Clone, Copy)]
pub(crate) struct NamedColumns<'r> {
    row: &'r Row,
}

impl<'r> NamedColumns<'r> {
    /// Reads a column.
    pub(crate) fn get<T: Cell<'r>>(self, name: &str) -> sqlx::Result<T> {
        T::read(self.row, self.row.index_of(name)?)
    }

    /// Parses a column of text.
    pub(crate) fn parse<T: FromStr<Err: Into<Cause>>>(self, name: &str) -> sqlx::Result<T> {
        let text: Cow<'_, str> = self.get(name)?;
        text.parse()
            .map_err(|error: T::Err| undecodable(name, error))
    }

    /// Parses a column of text that may be absent.
    pub(crate) fn parse_option<T: FromStr<Err: Into<Cause>>>(
        self,
        name: &str,
    ) -> sqlx::Result<Option<T>> {
        let text: Option<Cow<'_, str>> = self.get(name)?;
        text.map(|text| text.parse())
            .transpose()
            .map_err(|error: T::Err| undecodable(name, error))
    }

    /// Reads a number into a type that may be too small for it.
    pub(crate) fn number<T: TryFrom<i64, Error: Into<Cause>>>(self, name: &str) -> sqlx::Result<T> {
        let number: i64 = self.get(name)?;
        T::try_from(number).map_err(|error| undecodable(name, error))
    }

    /// Reads a number that may be absent.
    pub(crate) fn number_option<T: TryFrom<i64, Error: Into<Cause>>>(
        self,
        name: &str,
    ) -> sqlx::Result<Option<T>> {
        let number: Option<i64> = self.get(name)?;
        number
            .map(T::try_from)
            .transpose()
            .map_err(|error| undecodable(name, error))
    }

    /// Reads a time.
    pub(crate) fn time(self, name: &str) -> sqlx::Result<Timestamp> {
        Ok(Timestamp::from_millis(self.get(name)?))
    }

    /// Reads a time that may be absent.
    pub(crate) fn time_option(self, name: &str) -> sqlx::Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>(name)?.map(Timestamp::from_millis))
    }

    /// Reads a column of JSON.
    pub(crate) fn json<T: DeserializeOwned>(self, name: &str) -> sqlx::Result<T> {
        let text: Cow<'_, str> = self.get(name)?;
        serde_json::from_str(&text).map_err(|error| undecodable(name, error))
    }

    /// Reads a column of JSON that may be absent.
    pub(crate) fn json_option<T: DeserializeOwned>(self, name: &str) -> sqlx::Result<Option<T>> {
        let text: Option<Cow<'_, str>> = self.get(name)?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| undecodable(name, error))
    }
}

fn undecodable(name: &str, source: impl Into<Cause>) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: name.to_owned(),
        source: source.into(),
    }
}

/// A type that a column can hold.
pub(crate) trait Cell<'r>: Sized {
    /// Reads a column of a row.
    fn read(row: &'r Row, index: usize) -> sqlx::Result<Self>;
}

/// Implements `Cell` for types that both backends read as they are.
macro_rules! cells {
    ($($type:ty),*) => {
        $(
            impl<'r> Cell<'r> for $type {
                fn read(row: &'r Row, index: usize) -> sqlx::Result<Self> {
                    match row {
                        Row::Sqlite(row) => row.try_get(index),
                        Row::Postgres(row) => row.try_get(index),
                    }
                }
            }
        )*
    };
}

cells!(
    i64,
    bool,
    Vec<u8>,
    &'r [u8],
    Option<i64>,
    Option<bool>,
    Option<Vec<u8>>
);

impl<'r> Cell<'r> for Option<Cow<'r, str>> {
    fn read(row: &'r Row, index: usize) -> sqlx::Result<Self> {
        match row {
            Row::Sqlite(row) => Ok(row.try_get::<Option<&str>, _>(index)?.map(Cow::Borrowed)),
            Row::Postgres(row) => Ok(row.try_get::<Option<&str>, _>(index)?.map(unescape)),
        }
    }
}

impl<'r> Cell<'r> for Cow<'r, str> {
    fn read(row: &'r Row, index: usize) -> sqlx::Result<Self> {
        match row {
            Row::Sqlite(row) => Ok(Cow::Borrowed(row.try_get(index)?)),
            Row::Postgres(row) => Ok(unescape(row.try_get(index)?)),
        }
    }
}

impl<'r> Cell<'r> for Option<String> {
    fn read(row: &'r Row, index: usize) -> sqlx::Result<Self> {
        let text = Option::<Cow<'_, str>>::read(row, index)?;
        Ok(text.map(Cow::into_owned))
    }
}

impl<'r> Cell<'r> for String {
    fn read(row: &'r Row, index: usize) -> sqlx::Result<Self> {
        Cow::<'_, str>::read(row, index).map(Cow::into_owned)
    }
}

/// A value as the text of a JSON column.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// A number as columns hold it: none of ours reaches 2^63, and what would is cut.
pub(crate) fn to_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
