use std::collections::BTreeMap;

use assay_model::Relationship;
use serde::Deserialize;

use super::TableRow;

/// The version of the format of mappings.
const VERSION: u32 = 1;
/// The name that stands for the column of a score itself, in the text of an evaluation.
const OWN_COLUMN: &str = "column";

/// A reason to refuse a mapping.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// Not TOML, or with other keys than a mapping has.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// An unknown version.
    #[error("`version` is {0}: this program reads version {known}", known = VERSION)]
    Version(u32),
    /// A value that no record can be made with.
    #[error("{0}")]
    Content(String),
}

/// The columns of a table and their meaning.
///
/// Texts may name columns in braces: `{organization}/{model}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    version: u32,
    /// The form of the table.
    pub(super) format: TableFormat,
    /// The place of the rows in a JSON document: keys joined by dots. The document itself when it
    /// is empty.
    #[serde(default)]
    pub(super) rows: String,
    /// The place of the names of columns, for rows that are lists.
    #[serde(default)]
    pub(super) headers: Option<String>,
    /// The column that the key of a row becomes, for rows in a map.
    #[serde(default)]
    pub(super) key: Option<String>,
    /// The directory of the records in a datastore.
    pub(super) benchmark: String,
    /// The values that rows must have to become records.
    #[serde(default)]
    pub(super) only: BTreeMap<String, String>,
    /// The column with the date of the evaluation.
    #[serde(default)]
    pub(super) evaluated: Option<String>,
    /// The columns that a table may lack; one that lacks any other column named here is refused.
    #[serde(default)]
    pub(super) optional: Vec<String>,
    pub(super) source: SourceMapping,
    pub(super) model: ModelMapping,
    /// The setup that tells results of one model apart: names, and the texts that fill them.
    #[serde(default)]
    pub(super) setup: BTreeMap<String, String>,
    #[serde(rename = "metric")]
    pub(super) metrics: Vec<MetricMapping>,
}

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TableFormat {
    /// Values separated by commas, with a header.
    Csv,
    /// Values separated by tabs, with a header.
    Tsv,
    /// A list of maps, a map of maps, or lists beside a list of headers.
    Json,
}

/// The publisher of the table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceMapping {
    pub(super) name: String,
    pub(super) organization: String,
    pub(super) organization_url: Option<String>,
    /// The relation to the makers of the models; a third party unless given.
    pub(super) relationship: Option<Relationship>,
    /// The address of the table.
    pub(super) url: String,
    /// The dataset repository with the questions.
    pub(super) dataset: Option<String>,
    /// The program that made the scores, if it is known.
    pub(super) library: Option<String>,
    pub(super) library_version: Option<String>,
}

/// The model of a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelMapping {
    /// The name for people.
    pub(super) name: String,
    /// The model as `developer/model`; the name when it is absent.
    pub(super) id: Option<String>,
    /// Developers by the beginning of the name, where the id has none.
    #[serde(default)]
    pub(super) developers: BTreeMap<String, String>,
    /// The part of the setup that stands in parentheses behind the name.
    pub(super) parenthesis: Option<String>,
}

/// One metric of a table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricMapping {
    /// The columns with its scores.
    pub(super) columns: Vec<String>,
    /// The name of the evaluation. `{column}` is the name of the column.
    pub(super) evaluation: String,
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    #[serde(default)]
    pub(super) lower_is_better: bool,
    /// The column with the standard error.
    pub(super) standard_error: Option<String>,
    /// The number of samples, or the column with it in braces.
    pub(super) samples: Option<String>,
}

impl Mapping {
    /// Reads a mapping from its text.
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        let mapping: Self = toml::from_str(text)?;
        if mapping.version != VERSION {
            return Err(MappingError::Version(mapping.version));
        }
        let content = |what: &str| Err(MappingError::Content(what.to_owned()));
        if mapping.benchmark.trim().is_empty() {
            return content("`benchmark` names no directory");
        }
        if mapping
            .metrics
            .iter()
            .any(|metric| metric.columns.is_empty())
        {
            return content("a `[[metric]]` has no `columns`");
        }
        for metric in &mapping.metrics {
            metric.check_scale().map_err(MappingError::Content)?;
        }
        if let Some(text) = mapping.texts().find(|text| is_torn(text)) {
            return content(&format!("the braces of `{text}` do not match"));
        }
        let is_json = mapping.format == TableFormat::Json;
        let has_places = !mapping.rows.is_empty() || mapping.headers.is_some();
        if !is_json && (has_places || mapping.key.is_some()) {
            return content("`rows`, `headers` and `key` are for JSON alone");
        }
        Ok(mapping)
    }

    /// Returns true when a row has the values of `only`.
    pub(super) fn wants(&self, row: &TableRow) -> bool {
        let mut wanted = self.only.iter();
        wanted.all(|(column, value)| row.get(column).is_some_and(|own| own == value))
    }

    /// The columns that the mapping reads.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let in_texts = self.texts().flat_map(columns_of);
        let in_texts = in_texts.filter(|column| *column != OWN_COLUMN);
        let errors = self.metrics.iter().map(|own| own.standard_error.as_ref());
        let scores = self.metrics.iter().flat_map(|own| own.columns.iter());
        let alone = errors.chain([self.evaluated.as_ref()]).flatten();
        let alone = alone.chain(scores).chain(self.only.keys());
        in_texts.chain(alone.map(String::as_str))
    }

    /// The texts that may name columns in braces.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let model = self.model.id.iter().chain([&self.model.name]);
        let evaluations = self.metrics.iter().map(|own| &own.evaluation);
        let samples = self.metrics.iter().filter_map(|own| own.samples.as_ref());
        let texts = model.chain(self.setup.values()).chain(evaluations);
        texts.chain(samples).map(String::as_str)
    }
}

impl MetricMapping {
    /// The lowest and the highest score: as given, or those of the unit.
    pub(super) fn scale(&self) -> (Option<f64>, Option<f64>) {
        let (low, high) = match self.unit.as_deref() {
            Some("proportion") => (Some(0.0), Some(1.0)),
            Some("percentage") => (Some(0.0), Some(100.0)),
            Some(_) | None => (None, None),
        };
        (self.min.or(low), self.max.or(high))
    }

    fn check_scale(&self) -> Result<(), String> {
        let id = &self.id;
        match self.scale() {
            (Some(low), Some(high)) if low < high => Ok(()),
            (Some(low), Some(high)) => Err(format!(
                "the scale of `{id}` is {low} to {high}: `min` must be less than `max`"
            )),
            _ => Err(format!(
                "the scale of `{id}` is unknown: give `min` and `max`, which may be `-inf` and `inf`, \
                 or the unit `proportion` or `percentage`"
            )),
        }
    }
}

/// Returns true when a brace is not closed, or not opened.
fn is_torn(text: &str) -> bool {
    let mut is_open = false;
    for brace in text.chars().filter(|own| matches!(own, '{' | '}')) {
        if is_open == (brace == '{') {
            return true;
        }
        is_open = !is_open;
    }
    is_open
}

/// The columns that a text names in braces.
fn columns_of(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

/// Fills the columns of a row into a text; none when a column is empty or absent.
pub(super) fn fill(text: &str, row: &TableRow) -> Option<String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (column, behind) = after.split_once('}')?;
        filled.push_str(before);
        filled.push_str(row.get(column)?);
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
}
