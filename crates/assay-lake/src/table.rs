//! The tables that lie on the disk, and their columns.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

/// The directory of all tables in a lake.
pub(crate) const TABLES: &str = "tables";

/// A table that lies on the disk. The others are views upon these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// One row for each score, of records and of result files.
    Results,
    /// One row for each record.
    Records,
    /// One row for each sample and score, without any text.
    Instances,
    /// The text of samples: questions, answers, transcripts.
    Messages,
    /// One row for each metric that a benchmark defines.
    Metrics,
    /// One row for each file that was taken in. No query sees it.
    Sources,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8 text.
    Text,
    /// A double.
    Number,
    /// A signed integer of 64 bits.
    Integer,
    /// True or false.
    Truth,
    /// A moment in UTC, to the microsecond.
    Moment,
}

/// A column: its name, what it holds and whether a row may leave it empty.
type Column = (&'static str, ColumnType, bool);

use ColumnType::{Integer, Moment, Number, Text, Truth};

const RESULTS: [Column; 44] = [
    ("benchmark", Text, false),
    ("task", Text, false),
    ("model", Text, false),
    ("metric", Text, true),
    ("score", Number, true),
    ("lower_is_better", Truth, true),
    ("score_type", Text, true),
    ("unit", Text, true),
    ("min_score", Number, true),
    ("max_score", Number, true),
    ("standard_error", Number, true),
    ("interval_lower", Number, true),
    ("interval_upper", Number, true),
    ("confidence_level", Number, true),
    ("standard_deviation", Number, true),
    ("num_samples", Integer, true),
    ("slice", Text, true),
    ("dataset", Text, true),
    ("dataset_revision", Text, true),
    ("model_revision", Text, true),
    ("library", Text, true),
    ("reported_by", Text, true),
    ("relationship", Text, true),
    ("evaluated_at", Moment, true),
    ("temperature", Number, true),
    ("origin", Text, false),
    ("record_id", Text, false),
    ("result_id", Text, true),
    ("position", Integer, false),
    ("ordinal", Integer, true),
    ("subset", Text, true),
    ("setup", Text, true),
    ("findings", Text, true),
    ("notes", Text, true),
    ("uncertainty_method", Text, true),
    ("library_version", Text, true),
    ("source_name", Text, true),
    ("source_url", Text, true),
    ("published_at", Moment, true),
    ("retrieved_at", Moment, true),
    ("cost_usd", Number, true),
    ("cost_tokens", Integer, true),
    ("cost_seconds", Number, true),
    ("hardware", Text, true),
];

const RECORDS: [Column; 24] = [
    ("benchmark", Text, false),
    ("model", Text, false),
    ("record_id", Text, false),
    ("evaluation_id", Text, true),
    ("schema_version", Text, true),
    ("model_name", Text, true),
    ("developer", Text, true),
    ("inference_platform", Text, true),
    ("inference_engine", Text, true),
    ("deployment_type", Text, true),
    ("model_availability", Text, true),
    ("library", Text, true),
    ("library_version", Text, true),
    ("source_name", Text, true),
    ("source_type", Text, true),
    ("reported_by", Text, true),
    ("relationship", Text, true),
    ("evaluated_at", Moment, true),
    ("retrieved_at", Moment, true),
    ("results", Integer, false),
    ("instances", Integer, false),
    ("path", Text, false),
    ("digest", Text, false),
    ("samples_digest", Text, true),
];

const INSTANCES: [Column; 25] = [
    ("benchmark", Text, false),
    ("model", Text, false),
    ("task", Text, true),
    ("metric", Text, true),
    ("sample_hash", Text, true),
    ("sample_id", Text, true),
    ("score", Number, true),
    ("is_correct", Truth, true),
    ("interaction_type", Text, true),
    ("num_turns", Integer, true),
    ("tool_calls", Integer, true),
    ("input_tokens", Integer, true),
    ("output_tokens", Integer, true),
    ("total_tokens", Integer, true),
    ("reasoning_tokens", Integer, true),
    ("cache_read_tokens", Integer, true),
    ("cache_write_tokens", Integer, true),
    ("latency_ms", Number, true),
    ("first_token_ms", Number, true),
    ("generation_ms", Number, true),
    ("failed", Truth, false),
    ("metadata", Text, true),
    ("record_id", Text, false),
    ("result_id", Text, true),
    ("line", Integer, false),
];

const MESSAGES: [Column; 16] = [
    ("benchmark", Text, false),
    ("model", Text, false),
    ("task", Text, true),
    ("sample_hash", Text, true),
    ("sample_id", Text, true),
    ("line", Integer, false),
    ("position", Integer, false),
    ("part", Text, false),
    ("turn", Integer, true),
    ("role", Text, true),
    ("content", Text, true),
    ("reasoning", Text, true),
    ("tool_calls", Text, true),
    ("tool_call_id", Text, true),
    ("record_id", Text, false),
    ("result_id", Text, true),
];

const METRICS: [Column; 14] = [
    ("benchmark", Text, false),
    ("metric", Text, false),
    ("display_name", Text, false),
    ("lower_is_better", Truth, false),
    ("is_primary", Truth, false),
    ("unit", Text, true),
    ("aggregation", Text, true),
    ("slice", Text, true),
    ("value_type", Text, true),
    ("record_id", Text, false),
    ("position", Integer, false),
    ("min_score", Number, true),
    ("max_score", Number, true),
    ("comparable_by", Text, true),
];

const SOURCES: [Column; 10] = [
    ("benchmark", Text, false),
    ("model", Text, false),
    ("record_id", Text, false),
    ("path", Text, false),
    ("digest", Text, false),
    ("samples_digest", Text, true),
    ("bytes", Integer, false),
    ("speaks_for", Text, true),
    ("results", Integer, false),
    ("instances", Integer, false),
];

impl Table {
    /// All that queries see.
    pub const ALL: [Self; 5] = [
        Self::Results,
        Self::Records,
        Self::Instances,
        Self::Messages,
        Self::Metrics,
    ];

    /// Its name in SQL and on the disk.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Records => "records",
            Self::Instances => "instances",
            Self::Messages => "messages",
            Self::Metrics => "metrics",
            Self::Sources => "sources",
        }
    }

    /// Its directory in the lake.
    pub(crate) fn directory(self) -> String {
        format!("{TABLES}/{}", self.as_str())
    }

    /// The table of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.as_str() == name)
    }

    /// Its columns: the name, what it holds, and whether it may be empty.
    pub fn columns(self) -> &'static [(&'static str, ColumnType, bool)] {
        match self {
            Self::Results => &RESULTS,
            Self::Records => &RECORDS,
            Self::Instances => &INSTANCES,
            Self::Messages => &MESSAGES,
            Self::Metrics => &METRICS,
            Self::Sources => &SOURCES,
        }
    }

    /// Returns `true` for the tables with rows for each sample, which are large.
    pub(crate) fn has_samples(self) -> bool {
        match self {
            Self::Results | Self::Records | Self::Metrics | Self::Sources => false,
            Self::Instances | Self::Messages => true,
        }
    }

    /// The columns that rows are sorted by, so that the statistics of a stretch of rows rule most of them out.
    pub fn sorted_by(self) -> &'static [&'static str] {
        match self {
            Self::Results => &[
                "benchmark",
                "task",
                "metric",
                "model",
                "record_id",
                "position",
            ],
            Self::Records | Self::Sources => &["benchmark", "model", "record_id"],
            // Groups of models stay together, so that they are added up run by run.
            Self::Instances => &[
                "benchmark",
                "task",
                "metric",
                "model",
                "record_id",
                "sample_hash",
                "line",
            ],
            // What several models were asked stays together, so that it is compressed once.
            Self::Messages => &[
                "benchmark",
                "task",
                "sample_hash",
                "model",
                "record_id",
                "line",
                "position",
            ],
            Self::Metrics => &["benchmark", "position"],
        }
    }

    /// Its columns in the words of Arrow.
    pub fn schema(self) -> SchemaRef {
        self.schema_with(&DataType::Utf8)
    }

    /// Returns `true` for the columns of a file of this table. A file that is older than a column does not have it.
    pub(crate) fn may_have(self, columns: &Schema) -> bool {
        let own = self.schema();
        let is_own = |field: &Arc<Field>| own.fields().iter().any(|known| known == field);
        let has = |name: &str| columns.column_with_name(name).is_some();
        columns.fields().iter().all(is_own)
            && self
                .columns()
                .iter()
                .all(|(name, _, nullable)| *nullable || has(name))
    }

    /// The same with text as views, which are put in order, grouped and joined faster.
    pub(crate) fn schema_of_views(self) -> SchemaRef {
        self.schema_with(&DataType::Utf8View)
    }

    fn schema_with(self, text: &DataType) -> SchemaRef {
        let fields = self.columns().iter().map(|(name, holds, nullable)| {
            let data_type = match holds {
                Text => text.clone(),
                Number => DataType::Float64,
                Integer => DataType::Int64,
                Truth => DataType::Boolean,
                Moment => DataType::Timestamp(TimeUnit::Microsecond, None),
            };
            Field::new(*name, data_type, *nullable)
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}
