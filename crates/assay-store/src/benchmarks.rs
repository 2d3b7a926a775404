use assay_model::{ObjectId, RepoKey, TaskId};
use serde_json::Value as Json;

use crate::{Error, Listed, Tx};

/// A benchmark: a dataset with an `eval.yaml`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedBenchmark {
    /// The repository, as lists show it.
    pub listed: Listed,
    /// The commit that the definition was read from.
    pub revision: ObjectId,
    /// The definition, as the caller spells it.
    pub definition: Json,
    /// Whether the definition is valid; results of one that is not are pending.
    pub valid: bool,
}

/// A benchmark that is to be indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBenchmark {
    /// The commit that the definition was read from.
    pub revision: ObjectId,
    /// The definition, as the caller spells it.
    pub definition: Json,
    /// The tasks, in the order of the definition.
    pub tasks: Vec<TaskId>,
    /// Whether the definition is valid.
    pub valid: bool,
}

questions! {
    /// The benchmark of a repository.
    fn benchmark(key: RepoKey) -> Option<IndexedBenchmark>;
    /// Every valid benchmark, in the order of their names, private ones too.
    fn benchmarks() -> Vec<IndexedBenchmark>;
}

impl Tx {
    /// Writes the benchmark of a repository, or removes it.
    pub async fn set_benchmark(
        &mut self,
        key: RepoKey,
        benchmark: Option<&NewBenchmark>,
    ) -> Result<(), Error> {
        let _ = (key, benchmark);
        todo!()
    }
}
