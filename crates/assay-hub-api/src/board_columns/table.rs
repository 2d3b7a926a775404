//! The table itself.

use super::build::{
    codes, column, cost, count, json, optional, owned, setup, text, whole, words_column,
};
use super::words::{self, interval_words};
use super::{BoardColumn, Cell, CellFormat, CellKind, Shown, SortKey};

/// Every fixed column, in order. A later version may add some; none changes its name or kind, and
/// those of files keep their order.
pub const BOARD_COLUMNS: [BoardColumn; 47] = [
    column(
        "rank",
        "Rank",
        "The place within the group.",
        CellKind::Integer,
        |row| count(row.rank),
    )
    .shown(Shown::Always)
    .sort(SortKey::Rank),
    words_column(
        "ranks",
        "Ranks",
        "Between which places it lies as far as chance is concerned.",
        CellKind::Text,
        |row| owned(words::ranks(row)),
    )
    .shown(Shown::WhenKnown)
    .beside("rank"),
    column("model_id", "Model", "The model.", CellKind::Text, |row| {
        text(row.model_id.as_str())
    })
    .shown(Shown::Always)
    .sort(SortKey::Model),
    column(
        "value",
        "Value",
        "The value it is ranked by.",
        CellKind::Number,
        |row| Cell::Number(row.value),
    )
    .shown(Shown::Always)
    .sort(SortKey::Rank),
    words_column(
        "interval",
        "Interval",
        "The 95 % interval round the value.",
        CellKind::Text,
        |row| {
            owned(
                row.value_interval
                    .as_ref()
                    .map(|found| interval_words(found.low, found.high)),
            )
        },
    )
    .shown(Shown::WhenKnown)
    .beside("value"),
    column(
        "metric_id",
        "Metric",
        "The metric it is ranked by.",
        CellKind::Text,
        |row| text(row.metric_id.as_str()),
    ),
    column("task_id", "Task", "The task.", CellKind::Text, |row| {
        text(row.task_id.as_str())
    }),
    column(
        "verified",
        "Verified",
        "Whether the signed evidence was checked and holds.",
        CellKind::Bool,
        |row| Cell::Bool(row.verified),
    ),
    column(
        "pull_request",
        "Pull request",
        "The open pull request that brings it.",
        CellKind::Integer,
        |row| whole(row.pull_request.map(u64::from)),
    ),
    words_column(
        "standing",
        "Status",
        "Verified, or on whose word: the model's own, or that of an open pull request.",
        CellKind::Text,
        |row| owned(Some(words::standing(row))),
    )
    .shown(Shown::Always)
    .format(CellFormat::Standing)
    .sort(SortKey::Standing),
    column(
        "date",
        "Date",
        "When the evaluation ran, or when the file was created.",
        CellKind::Text,
        |row| text(&row.date),
    )
    .shown(Shown::Always)
    .format(CellFormat::Day)
    .sort(SortKey::Date)
    .words(words::date),
    column(
        "source_url",
        "Source address",
        "Where it is published.",
        CellKind::Text,
        |row| optional(row.source.as_ref().map(|source| source.url.as_str())),
    )
    .shown(Shown::WhenAsked),
    column(
        "source_name",
        "Source",
        "What the source is called.",
        CellKind::Text,
        |row| {
            optional(
                row.source
                    .as_ref()
                    .and_then(|source| source.name.as_deref()),
            )
        },
    )
    .shown(Shown::WhenKnown)
    .beside("standing"),
    column(
        "framework",
        "Framework",
        "What ran the evaluation.",
        CellKind::Text,
        |row| {
            optional(
                row.framework
                    .as_ref()
                    .and_then(|found| found.name.as_deref()),
            )
        },
    )
    .shown(Shown::WhenKnown)
    .sort(SortKey::Framework)
    .words(words::framework),
    column(
        "notes",
        "Notes",
        "The setup in words.",
        CellKind::Text,
        |row| optional(row.notes.as_deref()),
    )
    .shown(Shown::WhenKnown)
    .format(CellFormat::Notes)
    .sort(SortKey::Notes),
    column(
        "submitter",
        "Submitted by",
        "Who brought it.",
        CellKind::Text,
        |row| text(&row.submitter.name),
    )
    .shown(Shown::WhenAsked)
    .sort(SortKey::Submitter),
    column(
        "filename",
        "File",
        "The result file.",
        CellKind::Text,
        |row| text(&row.filename),
    )
    .shown(Shown::WhenAsked),
    column(
        "commit",
        "Commit",
        "The commit that brought it.",
        CellKind::Text,
        |row| owned(Some(row.commit.to_string())),
    )
    .shown(Shown::WhenAsked),
    column(
        "best_rank",
        "Best rank",
        "The best place it may truly have.",
        CellKind::Integer,
        |row| Cell::from_option(row.rank_interval.as_ref().map(|found| count(found.best))),
    ),
    column(
        "worst_rank",
        "Worst rank",
        "The worst place it may truly have.",
        CellKind::Integer,
        |row| Cell::from_option(row.rank_interval.as_ref().map(|found| count(found.worst))),
    ),
    column(
        "rank_method",
        "Rank method",
        "How the places were made.",
        CellKind::Text,
        |row| {
            optional(
                row.rank_interval
                    .as_ref()
                    .map(|found| found.method.as_ref()),
            )
        },
    ),
    column(
        "group",
        "Group",
        "What results are ranked with: none for those over the whole benchmark.",
        CellKind::Text,
        |row| optional(row.group.as_deref()),
    )
    .shown(Shown::WhenKnown)
    .beside("rank"),
    column(
        "setup",
        "Setup",
        "How it was run, as `key=value` with semicolons.",
        CellKind::Text,
        |row| setup(&row.setup),
    ),
    words_column(
        "several",
        "Several",
        "That the value stands for several runs or setups, and from where to where they go.",
        CellKind::Text,
        |row| owned(row.several_words()),
    )
    .shown(Shown::WhenKnown)
    .beside("model_id"),
    column(
        "runs",
        "Runs",
        "How many runs the value is the mean of.",
        CellKind::Integer,
        |row| count(row.runs),
    )
    .shown(Shown::WhenAsked),
    column(
        "setups",
        "Setups",
        "How many setups of the model are in the group.",
        CellKind::Integer,
        |row| count(row.setups.count),
    )
    .shown(Shown::WhenAsked),
    column(
        "least_value",
        "Least value",
        "The least value of the setups of the model.",
        CellKind::Number,
        |row| Cell::Number(row.setups.low),
    ),
    column(
        "greatest_value",
        "Greatest value",
        "The greatest value of the setups of the model.",
        CellKind::Number,
        |row| Cell::Number(row.setups.high),
    ),
    column(
        "value_low",
        "Low",
        "The lower end of the interval of the value.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.value_interval
                    .as_ref()
                    .map(|found| Cell::Number(found.low)),
            )
        },
    ),
    column(
        "value_high",
        "High",
        "The upper end of the interval of the value.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.value_interval
                    .as_ref()
                    .map(|found| Cell::Number(found.high)),
            )
        },
    ),
    column(
        "value_method",
        "Interval method",
        "How the interval of the value was made.",
        CellKind::Text,
        |row| {
            optional(
                row.value_interval
                    .as_ref()
                    .map(|found| found.method.as_ref()),
            )
        },
    )
    .shown(Shown::WhenAsked),
    column(
        "sample_size",
        "Samples",
        "How many samples were evaluated.",
        CellKind::Integer,
        |row| whole(row.sample_size),
    )
    .shown(Shown::WhenAsked),
    column(
        "evaluator",
        "Evaluator",
        "Who ran the evaluation.",
        CellKind::Text,
        |row| {
            optional(
                row.evaluator
                    .as_ref()
                    .and_then(|found| found.name.as_deref()),
            )
        },
    )
    .shown(Shown::WhenKnown)
    .beside("standing")
    .words(words::evaluator),
    column(
        "relationship",
        "Relationship",
        "How the evaluator is related to the developer of the model.",
        CellKind::Text,
        |row| {
            optional(
                row.evaluator
                    .as_ref()
                    .map(|found| found.relationship.as_str()),
            )
        },
    ),
    column(
        "evaluated",
        "Evaluated",
        "When the evaluation ran, as the result says.",
        CellKind::Text,
        |row| optional(row.evaluated.as_deref()),
    )
    .shown(Shown::WhenAsked),
    column(
        "published",
        "Published",
        "When the result was published.",
        CellKind::Text,
        |row| optional(row.published.as_deref()),
    )
    .shown(Shown::WhenAsked),
    column(
        "retrieved",
        "Retrieved",
        "When the result was copied from its source.",
        CellKind::Text,
        |row| optional(row.retrieved.as_deref()),
    )
    .shown(Shown::WhenAsked),
    column(
        "cost_usd",
        "Cost (US$)",
        "What the run cost.",
        CellKind::Number,
        |row| cost(row, |cost| cost.usd.map(|price| Cell::Number(price.get()))),
    )
    .shown(Shown::WhenKnown),
    column(
        "cost_tokens",
        "Tokens",
        "How many tokens the run took.",
        CellKind::Integer,
        |row| cost(row, |cost| cost.tokens.map(|tokens| whole(Some(tokens)))),
    )
    .shown(Shown::WhenAsked),
    column(
        "cost_seconds",
        "Seconds",
        "How long the run took.",
        CellKind::Number,
        |row| {
            cost(row, |cost| {
                cost.seconds.map(|time| Cell::Number(time.get()))
            })
        },
    )
    .shown(Shown::WhenAsked),
    column(
        "findings",
        "Findings",
        "The codes of what the rules find in the result.",
        CellKind::Text,
        |row| codes(&row.findings),
    )
    .shown(Shown::WhenKnown)
    .beside("standing"),
    column(
        "parameters",
        "Size",
        "How many parameters the model has.",
        CellKind::Integer,
        |row| whole(row.parameters),
    )
    .shown(Shown::WhenKnown)
    .format(CellFormat::Parameters)
    .sort(SortKey::Parameters),
    column(
        "tier",
        "Tier",
        "1 for rows that cannot be told from the leader, 2 for those of the rest that cannot be told \
         from the best of the rest, and so on.",
        CellKind::Integer,
        |row| Cell::from_option(row.rank_interval.as_ref().map(|found| count(found.tier))),
    )
    .shown(Shown::WhenKnown),
    column(
        "run",
        "Run",
        "How the run can be repeated: versions, seed, sizes, as JSON.",
        CellKind::Text,
        |row| json(row.run.as_ref()),
    ),
    column(
        "runtime_context",
        "Runtime",
        "The hardware and software of the run, as JSON.",
        CellKind::Text,
        |row| json(row.runtime_context.as_ref()),
    ),
    column(
        "artifacts",
        "Artifacts",
        "Predictions, logs or traces, as JSON.",
        CellKind::Text,
        |row| json(row.artifacts.as_ref()),
    ),
    column(
        "metric_context",
        "Metric context",
        "The parameters of the metric that ranks, as JSON.",
        CellKind::Text,
        |row| json(row.ranked_metric().and_then(|metric| metric.metric_context.as_ref())),
    ),
];
