//! An Every Eval Ever record: what it says of itself, and the rules that judge it.

use assay_formats::eee::{self, Version};
use assay_formats::rows::Algorithm;
use assay_formats::{Kind, Value};

use crate::document::Document;
use crate::layout::Location;
use crate::rules;
use crate::sink::Sink;

/// What a record says that its samples must agree with.
#[derive(Debug, Default)]
pub(crate) struct RecordFacts {
    pub(crate) version: Option<Version>,
    pub(crate) evaluation_id: Option<String>,
    pub(crate) model_id: Option<String>,
    pub(crate) results: Vec<ResultFacts>,
    pub(crate) companion: Option<Companion>,
}

/// One result of a record.
#[derive(Debug, Default, Clone)]
pub(crate) struct ResultFacts {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) score: Option<f64>,
    pub(crate) num_samples: Option<i64>,
}

/// What a record says of its samples file.
#[derive(Debug, Default)]
pub(crate) struct Companion {
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) checksum: Option<String>,
    pub(crate) total_rows: Option<i64>,
}

impl RecordFacts {
    /// Reads what the samples of a record must agree with; absent where the record is not well-formed.
    pub(crate) fn of(root: Value<'_>) -> Self {
        let text =
            |value: Value<'_>, key: &str| value.text_of(key).map(std::borrow::Cow::into_owned);
        let results = root
            .get("evaluation_results")
            .into_iter()
            .flat_map(Value::items)
            .map(ResultFacts::of)
            .collect();
        let declared = root
            .get("detailed_evaluation_results")
            .filter(|value| value.kind() == Kind::Map);
        Self {
            version: text(root, "schema_version").and_then(|version| version.parse().ok()),
            evaluation_id: text(root, "evaluation_id"),
            model_id: root.get("model_info").and_then(|model| text(model, "id")),
            results,
            companion: declared.map(|value| Companion {
                algorithm: text(value, "hash_algorithm").and_then(|name| Algorithm::named(&name)),
                checksum: text(value, "checksum"),
                total_rows: value.get("total_rows").and_then(Value::integer),
            }),
        }
    }

    /// The result that a row counts for, by its id.
    pub(crate) fn result(&self, id: &str) -> Option<usize> {
        self.results
            .iter()
            .position(|result| result.id.as_deref() == Some(id))
    }

    /// The algorithm to hash the samples with: the declared one, or the usual one.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.companion
            .as_ref()
            .and_then(|companion| companion.algorithm)
            .unwrap_or(Algorithm::Sha256)
    }
}

impl ResultFacts {
    fn of(result: Value<'_>) -> Self {
        let text = |key: &str| result.text_of(key).map(std::borrow::Cow::into_owned);
        let metric = result.get("metric_config");
        let bound = |key: &str| metric.and_then(|metric| metric.number_of(key));
        let details = result.get("score_details");
        let uncertainty = details.and_then(|details| details.get("uncertainty"));
        Self {
            id: text("evaluation_result_id"),
            name: text("evaluation_name"),
            min: bound("min_score"),
            max: bound("max_score"),
            score: details.and_then(|details| details.number_of("score")),
            num_samples: uncertainty
                .and_then(|value| value.get("num_samples"))
                .and_then(Value::integer),
        }
    }
}

/// Judges a record by itself; its samples are judged elsewhere, its companion rules once they have been read.
pub(crate) fn check(
    document: &Document,
    location: &Location<'_>,
    sink: &mut Sink<'_>,
) -> RecordFacts {
    let root = document.root();
    let version = rules::schema_version::record(root, sink);
    document.has_shape(
        eee::aggregate_shape(version.unwrap_or(Version::CURRENT)),
        sink,
    );
    rules::record(root, location, sink);
    RecordFacts {
        version,
        ..RecordFacts::of(root)
    }
}
