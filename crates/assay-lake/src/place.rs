//! The repository of a benchmark that a record lies in, and the names that records have there.

use std::borrow::Cow;
use std::path::Path;

use assay_formats::eee::{from_root, layout_of, repo_names};

use crate::discover::benchmark_of;

/// The definition of a benchmark, beside the `data` of its records.
const DEFINITION: &str = "eval.yaml";

/// The place of a record in a datastore.
///
/// A datastore that lies beside an `eval.yaml` is that of a benchmark with a board. Its records are
/// known by the names that the board has: the repository of the benchmark, the repository of the
/// model, the task. Others keep the names that they give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecordPlace {
    /// The repository of the benchmark, where there is one.
    repository: Option<String>,
    /// The directory of the collection.
    collection: Option<String>,
    developer: String,
    model: String,
}

impl RecordPlace {
    /// Finds the place of a record by its path and its neighbours.
    pub(crate) fn find(path: &str) -> Self {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
        let absolute = absolute.to_string_lossy();
        let (from_root, has_root) = from_root(&absolute);
        let (Some(layout), _) = layout_of(from_root) else {
            return Self::default();
        };
        let above = absolute.strip_suffix(from_root).filter(|_| has_root);
        let definition = above.map(|above| Path::new(above).join(DEFINITION));
        let definition = definition.filter(|definition| definition.is_file());
        Self {
            repository: definition.and_then(|path| benchmark_of(path.to_str()?)),
            collection: Some(layout.benchmark.to_owned()),
            developer: layout.developer.to_owned(),
            model: layout.model.to_owned(),
        }
    }

    /// Returns the benchmark, where the place tells it.
    pub(crate) fn benchmark(&self) -> Option<&str> {
        self.repository.as_deref().or(self.collection.as_deref())
    }

    /// Returns the name of a model that a record calls so.
    pub(crate) fn model_name<'n>(&self, stated: Cow<'n, str>) -> Cow<'n, str> {
        match self.repository {
            Some(_) => {
                let name = repo_names::model(stated.trim(), &self.developer, &self.model);
                Cow::Owned(name.as_str().to_owned())
            }
            None => stated,
        }
    }

    /// Returns the task of an evaluation that a record calls so.
    pub(crate) fn task_name<'n>(&self, stated: Cow<'n, str>) -> Cow<'n, str> {
        let known = self.repository.as_ref();
        match known.and_then(|_| repo_names::task(&stated)) {
            Some(task) if task.as_str() != stated => Cow::Owned(task.as_str().to_owned()),
            Some(_) | None => stated,
        }
    }
}
