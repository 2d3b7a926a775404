//! An Every Eval Ever record: what it says of itself, and the rules that validate it.

use std::borrow::Cow;
use std::collections::HashMap;

use assay_formats::eee::{self, Version};
use assay_formats::rows::Algorithm;
use assay_formats::{Kind, Value};
use assay_model::Timestamp;

use crate::apply;
use crate::bounds::Bounds;
use crate::document::Document;
use crate::layout::Location;
use crate::parts::MetricParts;
use crate::rules;
use crate::sink::Sink;

/// The facts of a record that its samples must agree with.
#[derive(Debug, Default)]
pub(crate) struct RecordFacts {
    pub(crate) version: Option<Version>,
    pub(crate) evaluation_id: Option<String>,
    pub(crate) model_id: Option<String>,
    /// Read only when there are samples to agree with them.
    pub(crate) results: Vec<ResultFacts>,
    /// The position of each result that has an id; of two with the same id, the first.
    by_id: HashMap<String, usize>,
    pub(crate) companion: Option<Companion>,
}

/// One result of a record.
#[derive(Debug, Default, Clone)]
pub(crate) struct ResultFacts {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    /// The range of its scores, when the record's bounds make sense.
    pub(crate) bounds: Bounds,
    pub(crate) lower_is_better: Option<bool>,
    /// True if a score of -1 stands for an unknown level.
    pub(crate) unknown_level: bool,
    /// True if the score of the result ought to be the mean of its rows.
    pub(crate) is_mean: bool,
}

/// The fields of a record about its samples file.
#[derive(Debug, Default)]
pub(crate) struct Companion {
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) checksum: Option<String>,
}

impl RecordFacts {
    /// Reads what the samples of a record must agree with; absent where the record is not
    /// well-formed. `None` when there are no samples and the record speaks of none, as most do:
    /// nobody asks for it then.
    pub(crate) fn of(
        root: Value<'_>,
        version: Option<Version>,
        samples_exist: bool,
    ) -> Option<Self> {
        let declared = root
            .get("detailed_evaluation_results")
            .filter(|value| value.kind() == Kind::Map);
        if declared.is_none() && !samples_exist {
            return None;
        }
        let text = |value: Value<'_>, key: &str| value.text_of(key).map(Cow::into_owned);
        let facts = Self {
            version,
            evaluation_id: text(root, "evaluation_id"),
            model_id: root.get("model_info").and_then(|model| text(model, "id")),
            results: Vec::new(),
            by_id: HashMap::new(),
            companion: declared.map(|value| Companion {
                algorithm: text(value, "hash_algorithm").and_then(|name| Algorithm::named(&name)),
                checksum: text(value, "checksum").map(|digest| digest.trim().to_owned()),
            }),
        };
        Some(if samples_exist {
            facts.with_results(root)
        } else {
            facts
        })
    }

    /// Reads what the rows of each result must agree with, too; nobody asks for it where there are
    /// no rows.
    fn with_results(mut self, root: Value<'_>) -> Self {
        self.results = root
            .get("evaluation_results")
            .into_iter()
            .flat_map(Value::items)
            .map(ResultFacts::of)
            .collect();
        for (position, result) in self.results.iter().enumerate() {
            if let Some(id) = &result.id {
                self.by_id.entry(id.clone()).or_insert(position);
            }
        }
        self
    }

    /// The result that a row counts for, by its id.
    pub(crate) fn result(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The ids of the results.
    pub(crate) fn result_ids(&self) -> impl Iterator<Item = &str> {
        self.results
            .iter()
            .filter_map(|result| result.id.as_deref())
    }

    /// The algorithm to hash the samples with: the declared one, the one whose digests are as long
    /// as the declared digest, or the usual one.
    pub(crate) fn algorithm(&self) -> Algorithm {
        let Some(companion) = &self.companion else {
            return Algorithm::Sha256;
        };
        companion
            .algorithm
            .unwrap_or_else(|| match companion.checksum.as_deref().map(str::len) {
                Some(digits) if digits == Algorithm::Md5.digits() => Algorithm::Md5,
                Some(_) | None => Algorithm::Sha256,
            })
    }

    /// Returns whether the rules for samples files that came with 0.2.3 apply: before, paths were
    /// those of the machine that made the record.
    pub(crate) fn is_strict(&self) -> bool {
        self.version.unwrap_or(Version::CURRENT) >= Version::V0_2_3
    }
}

impl ResultFacts {
    fn of(result: Value<'_>) -> Self {
        let text = |key: &str| result.text_of(key).map(Cow::into_owned);
        let metric = result.get("metric_config").map(MetricParts::of);
        Self {
            id: text("evaluation_result_id"),
            name: text("evaluation_name"),
            bounds: metric
                .map(|metric| metric.bounds)
                .unwrap_or_default()
                .usable(),
            lower_is_better: metric.and_then(|metric| metric.lower_is_better?.truth()),
            unknown_level: metric.is_some_and(|metric| metric.has_unknown_level()),
            is_mean: metric.as_ref().is_some_and(is_mean),
        }
    }

    /// The result for a sentence: its id, or what it evaluates.
    pub(crate) fn title(&self) -> &str {
        self.id
            .as_deref()
            .or(self.name.as_deref())
            .unwrap_or("the result")
    }
}

/// Metrics whose score is the mean of what the samples score, by the beginnings of their names.
/// Others may be computed over the whole data (BLEU, F1, perplexity), or over several answers to
/// one question (pass@8, majority votes).
const MEANS: [&str; 12] = [
    "acc",
    "exact",
    "em",
    "match",
    "correct",
    "successrate",
    "passrate",
    "pass@1",
    "passat1",
    "winrate",
    "solverate",
    "resolved",
];

fn is_mean(metric: &MetricParts<'_>) -> bool {
    if metric.is_reduced() {
        return false;
    }
    let named = [metric.id, metric.name, metric.kind]
        .into_iter()
        .filter_map(|name| name?.text())
        .any(|name| {
            let own = name.rsplit(['/', '.', ':']).next().unwrap_or(&name);
            let plain = own.to_lowercase().replace(['_', '-', ' '], "");
            // `pass@1` is a mean, `pass@10` is not, and `acc@10` may be anything.
            MEANS.iter().any(|mean| {
                plain
                    .strip_prefix(mean)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c == '@' || c.is_ascii_digit()))
            })
        });
    named || metric.is_scored_as("binary")
}

/// Validates a record by itself; its samples are validated elsewhere, its companion rules once they
/// have been read. Returns its version, if it has one that is known.
pub(crate) fn check(
    document: &Document<'_>,
    location: &Location<'_>,
    now: Timestamp,
    sink: &mut Sink<'_>,
) -> Option<Version> {
    let root = document.root();
    let version = rules::schema_version::record(root, sink);
    document.has_shape(
        eee::aggregate_shape(version.unwrap_or(Version::CURRENT)),
        sink,
    );
    apply::record(root, location, now, sink);
    version
}
