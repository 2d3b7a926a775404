//! Tables that are made of the others when they are asked for, so that they can never disagree with
//! them.

/// A table that follows from those on the disk.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// What makes it.
    pub sql: &'static str,
}

/// The scores by the names of their boards: benchmark, metric and direction as the benchmark
/// defines, else as the source says. A slice that the metric is defined over is the whole.
macro_rules! directed {
    () => {
        "(SELECT coalesce(board.name, results.benchmark) AS benchmark, results.task,
             coalesce(results.metric, board.metric) AS metric, results.metric AS stated_metric,
             nullif(results.slice, defined.slice) AS slice, results.subset,
             results.model, results.score, results.standard_error, results.evaluated_at, results.setup,
             coalesce(defined.lower_is_better, results.lower_is_better) AS lower_is_better,
             board.comparable_by, results.origin, results.record_id, results.ordinal, results.position
      FROM results
      LEFT JOIN (SELECT lower(benchmark) AS benchmark, min(benchmark) AS name,
                        min(CASE WHEN is_primary THEN metric END) AS metric, min(comparable_by) AS comparable_by
                 FROM metrics GROUP BY lower(benchmark)) AS board
      ON lower(results.benchmark) = board.benchmark
      LEFT JOIN (SELECT lower(benchmark) AS benchmark, metric, bool_or(lower_is_better) AS lower_is_better,
                        min(slice) AS slice
                 FROM metrics GROUP BY lower(benchmark), metric) AS defined
      ON lower(results.benchmark) = defined.benchmark AND coalesce(results.metric, board.metric) = defined.metric
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
SELECT benchmark, task, metric, slice, subset, evaluated_at, model, score, lower_is_better, best_so_far,
       score = best_so_far AS is_best, origin, record_id
FROM (SELECT *,
             CASE WHEN lower_is_better THEN min(score) OVER earlier
                  WHEN NOT lower_is_better THEN max(score) OVER earlier END AS best_so_far
      FROM ",
            directed!(),
            " AS scores
      WHERE evaluated_at IS NOT NULL
      WINDOW earlier AS (PARTITION BY benchmark, task, metric, slice, subset, lower_is_better
                         ORDER BY evaluated_at, record_id, position
                         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))"
        ),
    },
    View {
        name: "standings",
        sql: concat!(
            "\
SELECT benchmark, task, metric, slice, get_field(line, 'comparable') AS comparable,
       get_field(line, 'rank') AS rank, get_field(line, 'model') AS model, get_field(line, 'score') AS score,
       get_field(line, 'standard_error') AS standard_error, lower_is_better,
       get_field(line, 'evaluated_at') AS evaluated_at, get_field(line, 'setup') AS setup,
       get_field(line, 'runs') AS runs, get_field(line, 'setups') AS setups,
       get_field(line, 'origin') AS origin, get_field(line, 'record_id') AS record_id
FROM (SELECT benchmark, task, metric, slice, lower_is_better, unnest(lines) AS line
      FROM (SELECT benchmark, task, metric, slice, lower_is_better,
                   board_rows(model, record_id, ordinal, position, stated_metric, score, standard_error, setup,
                              evaluated_at, origin, lower_is_better, comparable_by) AS lines
            FROM ",
            directed!(),
            " AS scores
            GROUP BY benchmark, task, metric, slice, lower_is_better) AS boards) AS board_lines"
        ),
    },
];
