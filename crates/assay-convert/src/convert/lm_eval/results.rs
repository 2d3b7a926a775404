use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_formats::{Kind, Value};

/// The keys of a task's results that are no metrics, over all versions.
const NOT_METRICS: [&str; 6] = [
    "name",
    "alias",
    "samples",
    "sample_len",
    "sample_count",
    " ",
];
/// The filter of a task that filters nothing, and of versions that knew none.
pub(super) const NO_FILTER: &str = "none";
/// The greatest depth of groups in groups.
const MAX_GROUP_DEPTH: usize = 32;

/// The content of a results file, in the shapes of all versions.
#[derive(Clone, Copy)]
pub(super) struct Results<'d> {
    root: Value<'d>,
}

/// A task or group with its scores.
pub(super) struct Task<'d> {
    /// Its name.
    pub(super) name: String,
    /// Its scores.
    pub(super) scores: Vec<Score<'d>>,
    /// The names of the metrics whose value is no finite number.
    pub(super) not_numbers: Vec<String>,
    /// The configuration; groups have none.
    pub(super) config: Option<Value<'d>>,
    /// The tasks of a group, down to the last; empty for a task.
    pub(super) leaves: Vec<String>,
    group: bool,
}

/// One score of a task.
pub(super) struct Score<'d> {
    /// The metric.
    pub(super) metric: Cow<'d, str>,
    /// The filter of the answers before they were scored.
    pub(super) filter: Cow<'d, str>,
    /// The score.
    pub(super) value: f64,
    /// Its standard error.
    pub(super) standard_error: Option<f64>,
}

impl Task<'_> {
    /// Returns whether it aggregates tasks.
    pub(super) fn is_group(&self) -> bool {
        self.group
    }

    /// Returns whether answers were scored after more than one filter.
    pub(super) fn has_several_filters(&self) -> bool {
        self.scores
            .iter()
            .any(|score| score.filter != self.scores[0].filter)
    }
}

impl<'d> Results<'d> {
    pub(super) fn new(root: Value<'d>) -> Self {
        Self { root }
    }

    /// The value behind a key of the whole file, unless it is null.
    pub(super) fn get(&self, key: &str) -> Option<Value<'d>> {
        self.root.present(key)
    }

    /// The value behind a key of the run's configuration, unless it is null.
    pub(super) fn config(&self, key: &str) -> Option<Value<'d>> {
        self.get("config")?.present(key)
    }

    /// Returns the entry of a task in one of the tables of the file.
    pub(super) fn about(&self, table: &str, task: &str) -> Option<Value<'d>> {
        self.get(table)?.present(task)
    }

    /// The tasks and groups, in the order of the file. The table `groups` repeats what `results`
    /// has.
    pub(super) fn tasks(self) -> impl Iterator<Item = Task<'d>> {
        self.get("results")
            .into_iter()
            .flat_map(Value::entries)
            .filter_map(move |(key, value)| Some(self.task(key.text()?.into_owned(), value)))
    }

    fn task(self, name: String, value: Value<'d>) -> Task<'d> {
        let mut leaves = Vec::new();
        self.collect_leaves(&name, 0, &mut BTreeSet::new(), &mut leaves);
        let mut task = Task {
            config: self.about("configs", &name),
            group: !leaves.is_empty() || self.about("groups", &name).is_some(),
            name,
            leaves,
            scores: Vec::new(),
            not_numbers: Vec::new(),
        };
        for (key, score) in value.entries() {
            if let Some(key) = key.text() {
                task.add(key, score, value);
            }
        }
        task
    }

    fn collect_leaves(
        self,
        name: &str,
        depth: usize,
        seen: &mut BTreeSet<String>,
        leaves: &mut Vec<String>,
    ) {
        let children = self.about("group_subtasks", name);
        if depth >= MAX_GROUP_DEPTH || !seen.insert(name.to_owned()) {
            return;
        }
        if depth > 0 && children.is_none_or(Value::is_empty) {
            leaves.push(name.to_owned());
            return;
        }
        for child in children.into_iter().flat_map(Value::items) {
            if let Some(child) = child.text() {
                self.collect_leaves(&child, depth + 1, seen, leaves);
            }
        }
    }

    /// Returns the number of samples that a task or the tasks of a group were scored on.
    pub(super) fn samples(&self, task: &Task<'_>) -> Option<u64> {
        if task.is_group() {
            let counts: Option<Vec<u64>> = task
                .leaves
                .iter()
                .map(|leaf| self.samples_of(leaf))
                .collect();
            return counts.filter(|counts| !counts.is_empty()).map(|counts| {
                counts
                    .iter()
                    .fold(0, |sum: u64, count| sum.saturating_add(*count))
            });
        }
        self.samples_of(&task.name)
    }

    fn samples_of(&self, task: &str) -> Option<u64> {
        let effective = self
            .about("n-samples", task)
            .and_then(|counts| counts.present("effective"));
        let own = || {
            let results = self.about("results", task)?;
            results
                .present("sample_len")
                .or_else(|| results.present("samples"))
        };
        let count = effective.or_else(own)?.integer()?;
        u64::try_from(count).ok()
    }
}

impl<'d> Task<'d> {
    /// Takes in one key of the task's results, which may be a metric.
    fn add(&mut self, key: Cow<'d, str>, value: Value<'d>, all: Value<'d>) {
        if NOT_METRICS.contains(&key.as_ref()) || key.trim().is_empty() {
            return;
        }
        let (metric, filter) = split(key);
        if metric.ends_with("_stderr") {
            return;
        }
        let number = match value.kind() {
            Kind::Bool => value.truth().map(f64::from),
            Kind::Number => value.number(),
            Kind::Null | Kind::String | Kind::List | Kind::Map => None,
        };
        let Some(number) = number else {
            self.not_numbers.push(metric.into_owned());
            return;
        };
        let error = all
            .get(&format!("{metric}_stderr,{filter}"))
            .or_else(|| all.get(&format!("{metric}_stderr")));
        self.scores.push(Score {
            value: number,
            standard_error: error.and_then(Value::number).filter(|error| *error >= 0.0),
            metric,
            filter,
        });
    }
}

/// The metric and the filter of a key such as `exact_match,strict-match`; the oldest versions had
/// no filters.
fn split(key: Cow<'_, str>) -> (Cow<'_, str>, Cow<'_, str>) {
    let none = Cow::Borrowed(NO_FILTER);
    match key {
        Cow::Borrowed(key) => match key.rsplit_once(',') {
            Some((metric, filter)) => (metric.into(), filter.into()),
            None => (key.into(), none),
        },
        Cow::Owned(key) => match key.rsplit_once(',') {
            Some((metric, filter)) => (metric.to_owned().into(), filter.to_owned().into()),
            None => (key.into(), none),
        },
    }
}
