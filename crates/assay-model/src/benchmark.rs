use crate::{Direction, MetricId, TaskId};

/// What a benchmark's `eval.yaml` defines: its metrics and its tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Benchmark {
    /// The name for people.
    pub name: String,
    /// What it measures.
    pub description: String,
    /// The metrics; at least one, exactly one of them primary.
    pub metrics: Vec<Metric>,
    /// The tasks, each a leaderboard; at least one.
    pub tasks: Vec<Task>,
}

/// One metric of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// What results call it.
    pub id: MetricId,
    /// What people call it.
    pub display_name: String,
    /// Which way it improves.
    pub direction: Direction,
    /// Whether boards are ranked by it.
    pub primary: bool,
    /// The unit, when it is declared.
    pub unit: Option<String>,
}

/// One task of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What results call it.
    pub id: TaskId,
    /// What people call it, when that differs.
    pub display_name: Option<String>,
    /// The configuration of the dataset.
    pub config: Option<String>,
    /// The split of the dataset.
    pub split: Option<String>,
}

impl Benchmark {
    /// The metric that boards are ranked by.
    pub fn primary(&self) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.primary)
    }

    /// The metric of this id.
    pub fn metric(&self, id: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.id.as_str() == id)
    }

    /// The task of this id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id.as_str() == id)
    }
}
