use assay_model::{Direction, Metric, MetricId, Timestamp};

use crate::{Level, Policy};

/// A request for a board: the metric to rank by, and the results to include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The metric to rank by.
    pub metric: MetricId,
    /// True if it is the primary one, for which an anonymous `value` stands.
    pub primary: bool,
    /// The slice that it is defined over; none when that is the whole task.
    pub slice: Option<String>,
    /// The direction in which the metric improves.
    pub direction: Direction,
    /// The part of the task that the ranked scores cover.
    pub level: Level,
    /// The rule that chooses among several results of a model.
    pub policy: Policy,
    /// True if results that are not verified are left out.
    pub verified_only: bool,
    /// True if models that are made from another are left out.
    pub base_models_only: bool,
    /// The setup keys that must be equal for two results to be ranked in one order; the subset
    /// always is one.
    pub comparable_by: Vec<String>,
    /// The moment whose board is wanted; none for the present one.
    pub as_of: Option<Timestamp>,
}

impl Question {
    /// Returns the question for the current leader by this metric among all; the other fields can
    /// be set from here.
    pub fn by(metric: &Metric) -> Self {
        Self {
            metric: metric.id.clone(),
            primary: metric.primary,
            slice: metric.slice.clone(),
            direction: metric.direction,
            level: Level::Whole,
            policy: Policy::default(),
            verified_only: false,
            base_models_only: false,
            comparable_by: Vec::new(),
            as_of: None,
        }
    }
}
