use assay_model::{Direction, Metric, MetricId, Timestamp};

use crate::{Level, Policy};

/// What a board is asked for: what to rank by, and whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The metric to rank by.
    pub metric: MetricId,
    /// Whether it is the primary one, for which an anonymous `value` stands.
    pub primary: bool,
    /// The slice that it is defined over; none when that is the whole task.
    pub slice: Option<String>,
    /// Which way it improves.
    pub direction: Direction,
    /// How much of the task the ranked scores cover.
    pub level: Level,
    /// Which result of a model counts.
    pub policy: Policy,
    /// Whether to leave out what is not verified.
    pub verified_only: bool,
    /// Whether to leave out models that are made from another.
    pub base_models_only: bool,
    /// The setup keys that must be equal for two results to be ranked in one order; the subset always is one.
    pub comparable_by: Vec<String>,
    /// The moment whose board is wanted; none for the present one.
    pub as_of: Option<Timestamp>,
}

impl Question {
    /// Who leads by this metric, at present, among all: the other fields can be set from here.
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
