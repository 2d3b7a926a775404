//! The protocol between a hub and the process that answers for its lake, over a socket of one
//! machine.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The program that answers for a lake.
pub const PROGRAM: &str = "assay-lake";
/// The command that installs it.
pub const INSTALL: &str = "cargo install --path crates/assay-lake --locked --profile lake";
/// The header that says how many rows an answer has.
pub const ROWS_HEADER: &str = "assay-rows";
/// The header that says whether there were more rows than the budget allows: `true` or `false`.
pub const TRUNCATED_HEADER: &str = "assay-truncated";

/// The header that says how many milliseconds an answer or a refusal took, without the wait for a
/// turn.
pub const ENGINE_MILLIS_HEADER: &str = "assay-engine-millis";

/// A question in SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub sql: String,
    /// The format of the answer.
    pub format: Format,
    /// The budget of the query.
    pub budget: Budget,
    /// The kind of caller.
    #[serde(default)]
    pub class: CallerClass,
    /// The files whose rows exist for whoever asks.
    #[serde(default)]
    pub sources: SourceFilter,
    /// The moment at which the answer is sent: complete, or as it is made.
    #[serde(default)]
    pub delivery: Delivery,
}

/// A kind of caller. Each kind has a share of the questions that are answered at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallerClass {
    /// A page of the hub.
    Page,
    /// Somebody with an account.
    Account,
    /// An anonymous caller.
    #[default]
    Anonymous,
    /// Somebody who downloads a whole table.
    Download,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One object with the columns, the rows and whether there are more.
    #[default]
    Json,
    /// One JSON object a line.
    Ndjson,
    /// Comma-separated values with a header.
    Csv,
    /// A Parquet file.
    Parquet,
}

/// The moment at which an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// Send it when it is complete: a query that fails has an error status, and an answer that was
    /// cut says so in a header.
    #[default]
    Whole,
    /// As it is made: one that fails on the way breaks off.
    Stream,
}

/// The budget of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Maximum number of seconds that it may take.
    pub seconds: u64,
    /// Maximum number of bytes of memory in the engine.
    pub memory: usize,
    /// Number of rows that are answered; those beyond are cut off.
    pub rows: usize,
    /// Number of bytes that an answer may have when it is sent as a whole.
    pub bytes: u64,
}

/// A filter on the files that rows were taken from: an allow list by directory.
///
/// The default allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFilter {
    /// Directories below which nothing is visible unless [`SourceFilter::visible`] says so.
    #[serde(default)]
    pub restricted: Vec<String>,
    /// Directories below which everything is visible.
    #[serde(default)]
    pub visible: Vec<String>,
}

/// Two models to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskCompare {
    /// The one model.
    pub model_a: String,
    /// The other model.
    pub model_b: String,
    /// Only samples of this task, or of the benchmark of this name.
    pub task: Option<String>,
    /// Only samples of this benchmark.
    pub benchmark: Option<String>,
    /// Only scores of this metric.
    pub metric: Option<String>,
    /// The number of differing samples that are listed with question and answers.
    pub flips: usize,
    /// The budget of the comparison.
    pub budget: Budget,
    /// The files whose rows exist for whoever asks.
    #[serde(default)]
    pub sources: SourceFilter,
}

/// Directories to be taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskIngest {
    /// The directories. What was found below them and is there no more leaves the lake.
    pub directories: Vec<PathBuf>,
}

/// The outcome of an ingest of directories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ingested {
    /// Files that were not there before.
    pub added: u64,
    /// Files that were there with other content.
    pub replaced: u64,
    /// Files that were there already.
    pub unchanged: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Files that were left out, each with the reason.
    pub refused: Vec<(String, String)>,
}

/// The reason why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// The error, for people.
    pub error: String,
}

/// The kind of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefusalKind {
    /// The question is wrong.
    Question,
    /// It took too long.
    Time,
    /// It needed too much memory or room on the disk, or the answer is too large.
    Size,
    /// It ended the process that worked on it, most likely for want of memory.
    Fatal,
    /// Too many others are asking.
    Busy,
    /// There is nothing to ask yet.
    Empty,
    /// It is the fault of the lake.
    Ours,
}

impl Format {
    /// The media type of an answer.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

impl RefusalKind {
    /// The status that says the same.
    pub fn status(self) -> u16 {
        match self {
            Self::Question => 400,
            Self::Time => 408,
            Self::Size | Self::Fatal => 413,
            Self::Busy | Self::Empty => 503,
            Self::Ours => 500,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_as_it_was_written() {
        let ask = Ask {
            sql: "SELECT 1".to_owned(),
            format: Format::Csv,
            budget: Budget {
                seconds: 1,
                memory: 2,
                rows: 3,
                bytes: 4,
            },
            class: CallerClass::Download,
            sources: SourceFilter {
                restricted: vec!["models".to_owned()],
                visible: vec!["models/a".to_owned()],
            },
            delivery: Delivery::Stream,
        };

        let text = serde_json::to_string(&ask).unwrap();

        assert_eq!(serde_json::from_str::<Ask>(&text).unwrap(), ask);
    }

    #[test]
    fn what_a_lake_does_not_know_is_no_question() {
        let misspelt = r#"{"sql": "", "format": "csv", "sorces": {}, "budget": {"seconds": 1, "memory": 1, "rows": 1, "bytes": 1}}"#;

        let read = serde_json::from_str::<Ask>(misspelt);

        assert!(read.unwrap_err().to_string().contains("sorces"));
    }
}
