use assay_app::{BoardView, RepoInfo};
use assay_model::{RepoId, Task};

use crate::web::links;
use crate::web::query::State;

/// The head of a board.
#[derive(Debug)]
pub(super) struct BoardHead {
    /// The benchmark.
    pub(super) id: RepoId,
    /// Its name.
    pub(super) name: String,
    /// A description of what it measures.
    pub(super) description: String,
    /// True if the operator lists it.
    pub(super) official: bool,
    /// True if only some see it.
    pub(super) private: bool,
    /// The framework that runs it.
    pub(super) framework: Option<String>,
    /// The task that is shown.
    pub(super) task_name: String,
    /// The tasks: address, name and whether it is shown.
    pub(super) tasks: Vec<(String, String, bool)>,
    /// The metrics: id, name and whether it ranks.
    pub(super) metrics: Vec<(String, String, bool)>,
    /// The moment that is shown, when it is not now.
    pub(super) as_of: Option<String>,
    /// The commit of the definition.
    pub(super) revision: String,
}

impl BoardHead {
    pub(super) fn of(view: &BoardView, info: &RepoInfo, state: &State) -> Self {
        let kept = state.only(&[
            "policy",
            "verified",
            "base",
            "max_params",
            "q",
            "as_of",
            "highlight",
        ]);
        let id = &view.benchmark_id;
        let tasks = view.benchmark.tasks.iter().map(|task| {
            let is_shown = task.id == view.task;
            (kept.on(&links::board(id, &task.id)), name(task), is_shown)
        });
        let shown = view.benchmark.task(view.task.as_str());
        let metrics = view.benchmark.metrics.iter().map(|metric| {
            let ranks = metric.id == view.metric;
            (metric.id.to_string(), metric.display_name.clone(), ranks)
        });
        Self {
            id: id.clone(),
            name: view.benchmark.name.clone(),
            description: view.benchmark.description.clone(),
            official: info.official,
            private: info.private,
            framework: view.benchmark.framework.clone(),
            task_name: shown.map_or_else(|| view.task.to_string(), name),
            tasks: tasks.collect(),
            metrics: metrics.collect(),
            as_of: view.as_of.map(|moment| moment.to_string()),
            revision: view.revision.to_string(),
        }
    }

    /// The commit, as people write it.
    pub(super) fn short_revision(&self) -> &str {
        self.revision.get(..10).unwrap_or(&self.revision)
    }
}

/// Returns the label of a task.
fn name(task: &Task) -> String {
    task.display_name
        .clone()
        .unwrap_or_else(|| task.id.to_string())
}
