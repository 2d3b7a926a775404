use assay_formats::{Kind, Value};

use crate::layout::Location;
use crate::record::RecordFacts;
use crate::samples::SamplesSummary;

/// A record and what was found of its samples file, for the rules that compare the two.
#[derive(Clone, Copy)]
pub(crate) struct Pairing<'a> {
    pub(crate) record: Value<'a>,
    pub(crate) facts: &'a RecordFacts,
    /// The place of the record.
    pub(crate) location: &'a Location<'a>,
    /// True if it lies anywhere, so that its samples can be expected beside it.
    pub(crate) is_placed: bool,
    /// The path of its samples, whether they exist or not.
    pub(crate) samples_path: &'a str,
    pub(crate) samples_exist: bool,
    /// The summary of the samples, when they could be read.
    pub(crate) summary: Option<&'a SamplesSummary>,
}

impl<'a> Pairing<'a> {
    /// Returns the fields of the record about its samples file.
    pub(crate) fn declared(&self) -> Option<Value<'a>> {
        self.record
            .get("detailed_evaluation_results")
            .filter(|declared| declared.kind() == Kind::Map)
    }

    /// The name that the samples file must have: that of the record, with another ending.
    pub(crate) fn samples_name(&self) -> String {
        let name = name_of(self.location.path);
        format!(
            "{}_samples.jsonl",
            name.strip_suffix(".json").unwrap_or(name)
        )
    }

    /// The result of the record at a position.
    pub(crate) fn result(&self, position: usize) -> Option<Value<'a>> {
        self.record.get("evaluation_results")?.items().nth(position)
    }
}

/// The last part of a path, whichever way its slashes lean.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A path for a message, whole, because it is to be copied, and with nothing hidden in it.
pub(crate) fn quote_path(path: &str) -> String {
    format!(
        "`{}`",
        path.chars()
            .flat_map(char::escape_debug)
            .collect::<String>()
    )
}
