use crate::{Direction, MetricId, Number, RepoId, Revision, TaskId, ValueType};

/// The metrics and tasks that a benchmark's `eval.yaml` defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Benchmark {
    /// The name for people.
    pub name: String,
    /// A description of what is measured.
    pub description: String,
    /// The framework that runs it, such as `inspect-ai`, when it is declared.
    pub framework: Option<String>,
    /// The metrics; at least one, exactly one of them primary.
    pub metrics: Vec<Metric>,
    /// The tasks, each a leaderboard; at least one.
    pub tasks: Vec<Task>,
    /// The setup keys that must be equal for two results to be ranked in one order.
    pub comparable_by: Vec<String>,
}

/// One metric of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// The name by which results refer to the metric.
    pub id: MetricId,
    /// The label of the metric on pages.
    pub display_name: String,
    /// The direction in which values improve.
    pub direction: Direction,
    /// True if boards are ranked by it.
    pub primary: bool,
    /// The unit, when it is declared.
    pub unit: Option<String>,
    /// The way values of samples or classes become one, when it is declared.
    pub aggregation: Option<String>,
    /// The subset it applies to, when it is not all.
    pub slice: Option<String>,
    /// The kind of number of its values, when it is declared.
    pub value_type: Option<ValueType>,
    /// The least that a value can be, when it is declared.
    pub min: Option<Number>,
    /// The most that a value can be, when it is declared.
    pub max: Option<Number>,
}

/// One task of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The name by which results refer to the task.
    pub id: TaskId,
    /// The label of the task on pages, when it differs from the id.
    pub display_name: Option<String>,
    /// The configuration of the dataset.
    pub config: Option<String>,
    /// The split of the dataset.
    pub split: Option<String>,
    /// The dataset that holds the data, when the task names it.
    pub dataset: Option<TaskDataset>,
}

/// The dataset that a task takes its data from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDataset {
    /// The repository.
    pub id: RepoId,
    /// The commit.
    pub revision: Option<Revision>,
}

impl Benchmark {
    /// The metric that stands for the single anonymous `value` of a benchmark that declares no
    /// metrics.
    pub const ANONYMOUS_METRIC: &str = "value";

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
