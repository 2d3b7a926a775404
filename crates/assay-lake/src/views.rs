//! Tables that are made of the others when they are asked for, so that they can never disagree with them.

/// A table that follows from those on the disk.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// What makes it.
    pub sql: &'static str,
}

/// The scores, with the metric and its direction: as their source says, else as their benchmark defines.
macro_rules! directed {
    () => {
        "(SELECT results.benchmark, results.task, coalesce(results.metric, main.metric) AS metric, results.slice,
             results.model, results.score, results.standard_error, results.evaluated_at,
             coalesce(results.lower_is_better, defined.lower_is_better) AS lower_is_better,
             results.origin, results.record_id, results.position
      FROM results
      LEFT JOIN (SELECT lower(benchmark) AS benchmark, min(metric) AS metric
                 FROM metrics WHERE is_primary GROUP BY lower(benchmark)) AS main
      ON lower(results.benchmark) = main.benchmark
      LEFT JOIN (SELECT lower(benchmark) AS benchmark, metric, bool_or(lower_is_better) AS lower_is_better
                 FROM metrics GROUP BY lower(benchmark), metric) AS defined
      ON lower(results.benchmark) = defined.benchmark AND coalesce(results.metric, main.metric) = defined.metric
      WHERE results.score IS NOT NULL)"
    };
}

/// All views.
pub const VIEWS: [View; 4] = [
    View {
        name: "models",
        sql: "\
SELECT coalesce(scores.model, runs.model) AS model,
       runs.name, runs.developer, runs.availability,
       coalesce(runs.records, 0) AS records,
       coalesce(scores.benchmarks, 0) AS benchmarks,
       coalesce(scores.results, 0) AS results,
       coalesce(runs.instances, 0) AS instances,
       scores.first_evaluated_at, scores.last_evaluated_at
FROM (SELECT model, count(DISTINCT benchmark) AS benchmarks, count(*) AS results,
             min(evaluated_at) AS first_evaluated_at, max(evaluated_at) AS last_evaluated_at
      FROM results GROUP BY model) AS scores
FULL JOIN (SELECT model, max(model_name) AS name, max(developer) AS developer,
                  max(model_availability) AS availability, count(*) AS records,
                  sum(instances) AS instances
           FROM records GROUP BY model) AS runs
ON scores.model = runs.model",
    },
    View {
        name: "benchmarks",
        sql: "\
SELECT coalesce(scores.benchmark, runs.benchmark) AS benchmark,
       coalesce(scores.tasks, 0) AS tasks,
       coalesce(scores.models, 0) AS models,
       coalesce(runs.records, 0) AS records,
       coalesce(scores.results, 0) AS results,
       coalesce(runs.instances, 0) AS instances
FROM (SELECT benchmark, count(DISTINCT task) AS tasks, count(DISTINCT model) AS models, count(*) AS results
      FROM results GROUP BY benchmark) AS scores
FULL JOIN (SELECT benchmark, count(*) AS records, sum(instances) AS instances
           FROM records GROUP BY benchmark) AS runs
ON scores.benchmark = runs.benchmark",
    },
    View {
        name: "history",
        sql: concat!(
            "\
SELECT benchmark, task, metric, slice, evaluated_at, model, score, lower_is_better, best_so_far,
       score = best_so_far AS is_best, origin, record_id
FROM (SELECT *,
             CASE WHEN lower_is_better THEN min(score) OVER earlier
                  WHEN NOT lower_is_better THEN max(score) OVER earlier END AS best_so_far
      FROM ",
            directed!(),
            " AS scores
      WHERE evaluated_at IS NOT NULL
      WINDOW earlier AS (PARTITION BY benchmark, task, metric, slice, lower_is_better
                         ORDER BY evaluated_at, record_id, position
                         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))"
        ),
    },
    View {
        name: "standings",
        sql: concat!(
            "\
SELECT benchmark, task, metric, slice,
       CASE WHEN lower_is_better IS NOT NULL THEN
            rank() OVER (PARTITION BY benchmark, task, metric, slice, lower_is_better
                         ORDER BY CASE WHEN lower_is_better THEN score ELSE -score END) END AS rank,
       model, score, standard_error, lower_is_better, evaluated_at, origin, record_id
FROM (SELECT *, row_number() OVER (PARTITION BY benchmark, task, metric, slice, model
                                   ORDER BY evaluated_at DESC NULLS LAST, record_id DESC, position) AS age
      FROM ",
            directed!(),
            " AS scores)
WHERE age = 1"
        ),
    },
];
