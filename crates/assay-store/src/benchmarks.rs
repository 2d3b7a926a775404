use assay_model::{ObjectId, RepoKey, TaskId};
use serde_json::Value as Json;

use crate::backend::Connection;
use crate::cards::card_columns;
use crate::listing::{read_listed, select_listed};
use crate::repositories::repository_columns;
use crate::row::{Cells, to_json};
use crate::{Error, Listed, Tx, sql};

/// A benchmark: a dataset with an `eval.yaml`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedBenchmark {
    /// The repository, as lists show it.
    pub listed: Listed,
    /// The commit that the definition was read from.
    pub revision: ObjectId,
    /// The definition, as the caller spells it.
    pub definition: Json,
    /// True if the definition is valid; results of one that is not are pending.
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
    /// True if the definition is valid.
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
        let query = sql::query("DELETE FROM benchmarks WHERE repo = $1").bind(key.0);
        self.change("set_benchmark", query).await?;
        let Some(benchmark) = benchmark else {
            return Ok(());
        };
        let definition = to_json(&benchmark.definition);
        let query = sql::query(
            "INSERT INTO benchmarks (repo, revision, definition, valid) VALUES ($1, $2, $3, $4)",
        )
        .bind(key.0)
        .bind(benchmark.revision.to_string())
        .bind(definition.map_err(|error| Error::of("set_benchmark", error))?)
        .bind(benchmark.valid);
        self.change("set_benchmark", query).await?;
        for (position, task) in (0_i64..).zip(&benchmark.tasks) {
            let query = sql::query(
                "INSERT INTO benchmark_tasks (repo, task, position) VALUES ($1, $2, $3)
                 ON CONFLICT (repo, task) DO NOTHING",
            )
            .bind(key.0)
            .bind(task.as_str())
            .bind(position);
            self.change("set_benchmark", query).await?;
        }
        Ok(())
    }
}

macro_rules! select_benchmarks {
    () => {
        select_listed!(", b.revision, b.definition, b.valid")
    };
}

fn read_benchmark(cells: &mut Cells<'_>) -> sqlx::Result<IndexedBenchmark> {
    Ok(IndexedBenchmark {
        listed: read_listed(cells)?,
        revision: cells.parse()?,
        definition: cells.json()?,
        valid: cells.get()?,
    })
}

async fn benchmark(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Option<IndexedBenchmark>> {
    let query = concat!(select_benchmarks!(), "WHERE b.repo = $1");
    let row = sql::query(query)
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_benchmark(&mut Cells::of(&row)))
        .transpose()
}

async fn benchmarks(connection: &mut Connection) -> sqlx::Result<Vec<IndexedBenchmark>> {
    let query = concat!(select_benchmarks!(), "WHERE b.valid ORDER BY r.name_lower");
    let rows = sql::query(query).fetch_all(connection).await?;
    rows.iter()
        .map(|row| read_benchmark(&mut Cells::of(row)))
        .collect()
}
