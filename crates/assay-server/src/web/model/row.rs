//! One result of a model, as its page shows it.

use assay_app::{BoardPlace, EvalResult, Repo};
use assay_board::interval_of;
use assay_model::{Benchmark, Metric, RepoId, RepoKind};

use crate::web::board::how::with_unit;
use crate::web::board::{Status, framework, status};
use crate::web::chart::way;
use crate::web::{links, show};

/// One result.
#[derive(Debug)]
pub(super) struct ResultRow {
    /// The task.
    pub(super) task: String,
    /// Its board, with this model in sight.
    pub(super) to: Option<String>,
    /// The metric of the value.
    pub(super) metric: String,
    /// The better direction, as a sign.
    pub(super) way: &'static str,
    /// The value.
    pub(super) value: String,
    /// The page with the evidence for it.
    pub(super) evidence: String,
    /// The interval round it.
    pub(super) interval: Option<String>,
    /// The place of the model.
    pub(super) place: Option<PlaceView>,
    /// The status of the result.
    pub(super) status: Status,
    /// The date: as written, and its day.
    pub(super) date: (String, String),
    /// The program that ran the evaluation.
    pub(super) framework: Option<String>,
    /// The setup in words.
    pub(super) notes: Option<String>,
    /// The other values.
    pub(super) others: Vec<String>,
    /// The reason why it is on no board.
    pub(super) pending: Option<String>,
    /// The file that has it: address and path.
    pub(super) file: (String, String),
}

/// The place of a model.
#[derive(Debug)]
pub(super) struct PlaceView {
    /// The rank.
    pub(super) rank: usize,
    /// Between which ranks it lies: as it is shown, and in words.
    pub(super) ranks: Option<(String, String)>,
    /// Of how many.
    pub(super) total: usize,
    /// The percentage of others that it is at least as good as.
    pub(super) percentile: String,
    /// The same from 0 to 100, for the bar.
    pub(super) width: String,
    /// True if this very result is the one that counts.
    pub(super) counts: bool,
}

/// A result with where it stands.
pub(super) fn row(
    repo: &Repo,
    benchmark: &RepoId,
    result: &EvalResult,
    definition: Option<&Benchmark>,
    place: Option<&BoardPlace>,
) -> ResultRow {
    let metric = result
        .value_metric
        .as_ref()
        .and_then(|id| definition?.metric(id.as_str()));
    let interval = metric.and_then(|metric| {
        let (interval, _) = interval_of(&result.entry, metric, result.value)?;
        let width = interval.high - interval.low;
        let (low, high) = (
            show::end(interval.low, width),
            show::end(interval.high, width),
        );
        Some(format!("{low} to {high}"))
    });
    let task = result.task.to_string();
    let name = definition.and_then(|definition| {
        let task = definition.task(result.task.as_str())?;
        task.display_name.clone()
    });
    let file = format!("/{}/blob/main/{}", repo.id(), result.file);
    ResultRow {
        task: name.unwrap_or(task),
        to: definition
            .filter(|_| result.pending.is_none())
            .map(|_| links::row(benchmark, &result.task, repo.id())),
        metric: metric_name(metric, result),
        way: metric.map_or("", |metric| way(metric.direction).0),
        value: match metric {
            Some(metric) => with_unit(result.value, metric),
            None => show::number(result.value),
        },
        evidence: links::result(result),
        interval,
        place: place.map(|place| place_view(place, result)),
        status: status(result),
        date: (result.date.clone(), show::day_of(&result.date).to_owned()),
        framework: framework(result.entry.framework.as_ref()),
        notes: result
            .notes
            .as_deref()
            .map(|notes| show::shortened(notes, 400)),
        others: others(result, definition),
        pending: result.pending.clone(),
        file: (
            match result.pull {
                Some(number) => links::discussion(RepoKind::Model, repo.id(), number),
                None => file,
            },
            result.file.clone(),
        ),
    }
}

fn metric_name(metric: Option<&Metric>, result: &EvalResult) -> String {
    let id = || result.value_metric.as_ref().map(ToString::to_string);
    match metric {
        Some(metric) => metric.display_name.clone(),
        None => id().unwrap_or_else(|| "value".to_owned()),
    }
}

/// The other values of an entry.
fn others(result: &EvalResult, definition: Option<&Benchmark>) -> Vec<String> {
    let scores = result.entry.scores.iter();
    let others =
        scores.filter(|score| score.metric.is_some() && score.metric != result.value_metric);
    others
        .filter_map(|score| {
            let id = score.metric.as_ref()?;
            let metric = definition.and_then(|definition| definition.metric(id.as_str()));
            let name = metric.map_or(id.as_str(), |metric| &metric.display_name);
            let slice = score
                .slice
                .as_deref()
                .map_or_else(String::new, |slice| format!(" ({slice})"));
            Some(format!("{name}{slice} {}", show::score(score)))
        })
        .take(12)
        .collect()
}

fn place_view(place: &BoardPlace, result: &EvalResult) -> PlaceView {
    PlaceView {
        rank: place.rank,
        ranks: place.rank_interval.as_ref().map(show::ranks),
        total: place.total,
        percentile: show::number(place.percentile.round()),
        width: show::plain(place.percentile.round()),
        counts: place.value.total_cmp(&result.value).is_eq(),
    }
}
