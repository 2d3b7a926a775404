//! Constructors of the columns of the table.

use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_model::{Code, Cost, Finding, Setup};
use serde_json::Value as Json;

use super::{BoardColumn, Cell, CellFormat, CellKind, Shown, SortKey};
use crate::BoardRow;

type Value = fn(&BoardRow) -> Cell<'_>;
type Words = fn(&BoardRow) -> String;

/// A column of files, which people do not see.
pub(super) const fn column(
    id: &'static str,
    heading: &'static str,
    help: &'static str,
    kind: CellKind,
    value: Value,
) -> BoardColumn {
    BoardColumn {
        id,
        heading,
        help,
        kind,
        format: CellFormat::Plain,
        in_files: true,
        shown: Shown::Never,
        beside: None,
        sort: SortKey::Value,
        value,
        words: None,
    }
}

/// A column for people alone, which says what others say for machines.
pub(super) const fn words_column(
    id: &'static str,
    heading: &'static str,
    help: &'static str,
    kind: CellKind,
    value: Value,
) -> BoardColumn {
    let mut made = column(id, heading, help, kind, value);
    made.in_files = false;
    made
}

impl BoardColumn {
    pub(super) const fn shown(mut self, shown: Shown) -> Self {
        self.shown = shown;
        self
    }

    pub(super) const fn format(mut self, format: CellFormat) -> Self {
        self.format = format;
        self
    }

    pub(super) const fn beside(mut self, column: &'static str) -> Self {
        self.beside = Some(column);
        self
    }

    pub(super) const fn sort(mut self, key: SortKey) -> Self {
        self.sort = key;
        self
    }

    pub(super) const fn words(mut self, words: Words) -> Self {
        self.words = Some(words);
        self
    }
}

pub(super) fn text(text: &str) -> Cell<'_> {
    Cell::Text(Cow::Borrowed(text))
}

pub(super) fn optional(found: Option<&str>) -> Cell<'_> {
    Cell::from_option(found.map(text))
}

pub(super) fn owned(found: Option<String>) -> Cell<'static> {
    Cell::from_option(found.map(|text| Cell::Text(Cow::Owned(text))))
}

/// A value of any kind, as JSON in one line.
pub(super) fn json(found: Option<&Json>) -> Cell<'static> {
    owned(found.map(Json::to_string))
}

pub(super) fn count(count: usize) -> Cell<'static> {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

pub(super) fn whole(count: Option<u64>) -> Cell<'static> {
    let count = count.and_then(|count| i64::try_from(count).ok());
    Cell::from_option(count.map(Cell::Integer))
}

pub(super) fn cost(row: &BoardRow, part: fn(&Cost) -> Option<Cell<'static>>) -> Cell<'static> {
    Cell::from_option(row.cost.as_ref().and_then(part))
}

pub(super) fn setup(setup: &Setup) -> Cell<'static> {
    let pairs: Vec<String> = setup
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    owned((!pairs.is_empty()).then(|| pairs.join("; ")))
}

pub(super) fn codes(findings: &[Finding]) -> Cell<'static> {
    let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
    let codes: Vec<String> = codes.iter().map(Code::to_string).collect();
    owned((!codes.is_empty()).then(|| codes.join(" ")))
}
