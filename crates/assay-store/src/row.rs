use std::str::FromStr;

use assay_model::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::{Decode, Row as _, Type};

use crate::error::Cause;
use crate::sqlite::{Db, Row};

/// The columns of a row, taken one after the other in the order of the `SELECT`. What is not as this program writes it is
/// an error that names the column.
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Cells<'r> {
    /// The columns of a row from the first on.
    pub(crate) fn of(row: &'r Row) -> Self {
        Self { row, next: 0 }
    }

    /// The next column, as the backend reads it.
    pub(crate) fn get<T: Decode<'r, Db> + Type<Db>>(&mut self) -> sqlx::Result<T> {
        let index = self.next;
        self.next += 1;
        self.row.try_get(index)
    }

    /// The next column, a word or a name.
    pub(crate) fn parse<T: FromStr<Err: Into<Cause>>>(&mut self) -> sqlx::Result<T> {
        let text: &str = self.get()?;
        text.parse().map_err(|error: T::Err| self.wrong(error))
    }

    /// The next column, a word or a name or nothing.
    pub(crate) fn parse_option<T: FromStr<Err: Into<Cause>>>(&mut self) -> sqlx::Result<Option<T>> {
        let text: Option<&str> = self.get()?;
        text.map(str::parse)
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
        let text: &str = self.get()?;
        serde_json::from_str(text).map_err(|error| self.wrong(error))
    }

    /// The next column, JSON or nothing.
    pub(crate) fn json_option<T: DeserializeOwned>(&mut self) -> sqlx::Result<Option<T>> {
        let text: Option<&str> = self.get()?;
        text.map(serde_json::from_str)
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

/// A value as the text of a JSON column.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// A number as columns hold it: none of ours reaches 2^63, and what would is cut.
pub(crate) fn to_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
