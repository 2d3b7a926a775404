//! The columns of a leaderboard: one table, from which pages, files, documents and the command line
//! are written.

mod build;
mod column;
mod table;
mod words;

use std::borrow::Cow;

use crate::BoardRow;

pub use self::column::{Column, MetricColumn};
pub use self::table::BOARD_COLUMNS;
pub use self::words::{interval_decimals, interval_words, main_date, parameter_words, unit_sign};

/// One fixed column of a leaderboard. Metrics and setup keys are columns by data: [`Column`] has
/// all three.
#[derive(Debug, Clone, Copy)]
pub struct BoardColumn {
    /// The name for machines. It is never given to another column.
    pub id: &'static str,
    /// The heading for people.
    pub heading: &'static str,
    /// The meaning of the column.
    pub help: &'static str,
    /// The type of its values in files.
    pub kind: CellKind,
    /// The format of its values for people.
    pub format: CellFormat,
    /// True if CSV and Parquet have it.
    pub in_files: bool,
    /// True if people see it.
    pub shown: Shown,
    /// The column in whose cell pages and LaTeX draw it; none when it has cells of its own.
    pub beside: Option<&'static str>,
    /// The sort key of the page.
    pub sort: SortKey,
    /// Reads the value of a row.
    pub value: fn(&BoardRow) -> Cell<'_>,
    /// Writes the value for people, where that is not the value itself.
    pub words: Option<fn(&BoardRow) -> String>,
}

/// The type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// True or false.
    Bool,
    /// Texts.
    Text,
}

/// The format of the values of a column for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellFormat {
    /// As they are; numbers with the digits of their column.
    Plain,
    /// A number of parameters, such as `7.2B`.
    Parameters,
    /// A day.
    Day,
    /// A longer text.
    Notes,
    /// The evidence behind a result, for which pages have badges.
    Standing,
}

/// The rule whether people see a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// On every board.
    Always,
    /// Shown where a visible row has a value.
    WhenKnown,
    /// Time at which it is asked for.
    WhenAsked,
    /// Never: it is for machines.
    Never,
}

/// A sort key of a page. All but the last are known of every row of a board without reading whole
/// results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    /// The rank.
    Rank,
    /// The name of the model.
    Model,
    /// Verified, then merged, then community.
    Standing,
    /// The moment of the evaluation, the newest first.
    Date,
    /// Number of parameters that the model has.
    Parameters,
    /// The name of the framework.
    Framework,
    /// The account that submitted the result.
    Submitter,
    /// The notes.
    Notes,
    /// The value of the column, for which every result of the board is read.
    Value,
}

/// The value of a row in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'r> {
    /// Nothing is known.
    Empty,
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(Cow<'r, str>),
}

impl<'r> Cell<'r> {
    fn from_option(cell: Option<Self>) -> Self {
        cell.unwrap_or(Self::Empty)
    }

    /// The value as text; empty when nothing is known.
    pub fn into_text(self) -> Cow<'r, str> {
        match self {
            Self::Empty => Cow::Borrowed(""),
            Self::Integer(number) => number.to_string().into(),
            Self::Number(number) => number.to_string().into(),
            Self::Bool(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
            Self::Text(text) => text,
        }
    }

    /// The same without what it borrows.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Empty => Cell::Empty,
            Self::Integer(number) => Cell::Integer(number),
            Self::Number(number) => Cell::Number(number),
            Self::Bool(truth) => Cell::Bool(truth),
            Self::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
        }
    }

    /// The value as a number.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts beyond 2^53 are written from the whole number"
    )]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            Self::Empty | Self::Bool(_) | Self::Text(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own_and_says_what_it_is() {
        let ids: BTreeSet<&str> = BOARD_COLUMNS.iter().map(|column| column.id).collect();

        assert_eq!(ids.len(), BOARD_COLUMNS.len());
        for column in &BOARD_COLUMNS {
            assert!(column.help.ends_with('.'), "{}", column.id);
            assert!(
                column.in_files || column.shown != Shown::Never,
                "{} is for nobody",
                column.id
            );
            assert!(
                column.beside.is_none_or(|other| ids.contains(other)),
                "{} is drawn in a column that there is not",
                column.id
            );
        }
    }
}
