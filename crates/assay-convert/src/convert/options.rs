use assay_formats::eee::record::Bound;
use assay_model::{Direction, Relationship};

use super::Supplement;

/// Facts that a log cannot have and a person can.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The organisation that reports the scores.
    pub organization: String,
    /// Its address.
    pub organization_url: Option<String>,
    /// Its logo.
    pub organization_logo_url: Option<String>,
    /// The relation of those who evaluated to those who made the model.
    pub relationship: Relationship,
    /// The source of the scores; the harness, unless told otherwise.
    pub source_name: Option<String>,
    /// The name of the harness in the record, when it shall be another.
    pub library_name: Option<String>,
    /// The version of the harness, whatever the log says.
    pub library_version: Option<String>,
    /// The software that ran the model, whatever the log says.
    pub inference_engine: Option<String>,
    /// Its version.
    pub inference_engine_version: Option<String>,
    /// The model as `developer/model`, whatever the log calls it.
    pub model: Option<String>,
    /// The maker of the model.
    pub developer: Option<String>,
    /// The deployment of the model, such as `api` or `local`.
    pub deployment: Option<String>,
    /// The availability of the model, such as `open_weights` or `proprietary`.
    pub availability: Option<String>,
    /// The facts of metrics that a person gives.
    pub metrics: Vec<MetricSaid>,
    /// The supplement of a file.
    pub supplement: Option<Supplement>,
    /// The time at which the record was made, as Unix seconds. By default the end of the
    /// evaluation: a record must not change with the clock.
    pub retrieved_timestamp: Option<String>,
    /// True if samples are written.
    pub samples: bool,
    /// Number of threads that may work on one log.
    pub jobs: usize,
    /// The most bytes that the members of one archive may hold together, unpacked. A larger archive
    /// is refused.
    pub max_unpacked: u64,
}

/// A fact of a metric that a person gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricSaid {
    /// The metric: its id or its name in the log.
    pub name: String,
    /// The direction of improvement.
    pub direction: Option<Direction>,
    /// The lowest and the highest possible score.
    pub bounds: Option<(Bound, Bound)>,
    /// The unit.
    pub unit: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            organization: "unknown".to_owned(),
            organization_url: None,
            organization_logo_url: None,
            relationship: Relationship::ThirdParty,
            source_name: None,
            library_name: None,
            library_version: None,
            inference_engine: None,
            inference_engine_version: None,
            model: None,
            developer: None,
            deployment: None,
            availability: None,
            metrics: Vec::new(),
            supplement: None,
            retrieved_timestamp: None,
            samples: true,
            jobs: 1,
            max_unpacked: u64::MAX,
        }
    }
}
