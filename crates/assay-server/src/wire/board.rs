use assay_app::{BoardView, EvalResult, FullRow};
use assay_board::{Estimate, Group};
use assay_hub_api as hub_api;
use assay_model::{Date, RepoId};

use crate::base_url::BaseUrl;

/// One row, with the keys that clients read and those that only we tell.
pub(crate) fn board_row(view: &BoardView, whole: &FullRow, base: &BaseUrl) -> hub_api::BoardRow {
    let FullRow { row, result } = whole;
    hub_api::BoardRow {
        rank: row.rank,
        rank_interval: row.rank_interval.map(rank_interval),
        model_id: result.model.clone(),
        value: row.value,
        filename: result.file.clone(),
        verified: result.standing.is_verified(),
        author: super::account(&result.owner, &result.owner_full_name, result.owner_kind),
        source: source(result, base),
        notes: result.notes.clone(),
        pull_request: result.pull,
        task_id: view.task.clone(),
        metric_id: view.metric.clone(),
        metrics: metrics(view, result),
        date: result.date.clone(),
        framework: framework(result),
        submitter: hub_api::Submitter {
            name: submitter(result),
        },
        commit: result.commit,
        standing: super::standing(&result.standing),
        badges: badges(result),
        group: group(&row.group),
        setup: row.loaded.setup().clone(),
        runs: row.runs,
        setups: hub_api::BoardSetups {
            count: row.setups.count,
            low: row.setups.low,
            high: row.setups.high,
        },
        value_interval: row.estimate.as_ref().map(value_interval),
        sample_size: sample_size(view, result),
        evaluator: result.entry.provenance.evaluator.clone(),
        evaluated: date(result.entry.date.as_ref()),
        published: date(result.entry.provenance.published.as_ref()),
        retrieved: date(result.entry.provenance.retrieved.as_ref()),
        cost: Some(&result.entry.provenance.cost)
            .filter(|cost| !cost.is_unknown())
            .cloned(),
        findings: result.findings.clone(),
        parameters: result.parameters,
        run: result.entry.provenance.run.clone(),
        runtime_context: result.entry.provenance.runtime_context.clone(),
        artifacts: result.entry.provenance.artifacts.clone(),
    }
}

/// The interval of an estimate.
pub(crate) fn value_interval(estimate: &Estimate) -> hub_api::ValueInterval {
    hub_api::ValueInterval {
        low: estimate.interval.low,
        high: estimate.interval.high,
        confidence: estimate.interval.confidence,
        method: estimate.method.as_str().into(),
    }
}

/// The number of samples behind the value that ranks: that of the metric, else that of the entry.
fn sample_size(view: &BoardView, result: &EvalResult) -> Option<u64> {
    let scores = result.entry.scores.iter();
    let mut ranked =
        scores.filter(|score| score.metric.as_ref() == Some(&view.metric) && score.slice.is_none());
    let own = ranked.next().and_then(|score| score.sample_size);
    own.or(result.entry.sample_size)
}

/// Returns the fields that the rows of a group share, such as `subset: first 20`; none for results
/// over the whole benchmark.
fn group(group: &Group) -> Option<String> {
    let words = group.values().iter().map(|(key, value)| {
        let value = value.as_deref().unwrap_or("not reported");
        format!("{key}: {value}")
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn date(date: Option<&Date>) -> Option<String> {
    date.map(|date| date.as_str().to_owned())
}

fn rank_interval(found: assay_board::RankInterval) -> hub_api::RankInterval {
    hub_api::RankInterval {
        best: found.best,
        worst: found.worst,
        confidence: found.confidence,
        method: found.method.as_str().into(),
        tier: found.tier,
    }
}

/// Returns the badges of a result. All of them are computed, nothing is declared.
pub(super) fn badges(result: &EvalResult) -> Vec<hub_api::Badge> {
    let mut badges = Vec::new();
    if result.standing.is_verified() {
        badges.push(hub_api::Badge::Verified);
    }
    if result.pull.is_some() {
        badges.push(hub_api::Badge::Community);
    }
    if result.pending.is_none() {
        badges.push(hub_api::Badge::Leaderboard);
    }
    if result.source_url.is_some() {
        badges.push(hub_api::Badge::Source);
    }
    badges
}

fn source(result: &EvalResult, base: &BaseUrl) -> Option<hub_api::BoardSource> {
    let url = result.source_url.clone()?;
    Some(hub_api::BoardSource {
        is_external: !is_below(&url, &base.to_string()),
        name: result.source_name.clone(),
        url,
    })
}

/// Returns whether an address is one of this hub.
fn is_below(url: &str, base: &str) -> bool {
    url.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

/// Every value of the entry; one without a name is of the primary metric.
fn metrics(view: &BoardView, result: &EvalResult) -> Vec<hub_api::ResultMetric> {
    let primary = view.benchmark.primary().map(|metric| &metric.id);
    let named = |score: &assay_model::Score| {
        let context = score.context.as_ref();
        Some(hub_api::ResultMetric {
            metric_id: score.metric.as_ref().or(primary)?.clone(),
            value: score.value,
            slice: score.slice.clone(),
            value_type: score.value_type,
            sample_size: score.sample_size,
            uncertainty: Some(&score.uncertainty)
                .filter(|stated| **stated != assay_model::StatedUncertainty::default())
                .cloned(),
            metric_context: context.and_then(|context| context.parameters.clone()),
            normalization: context.and_then(|context| context.normalization.clone()),
        })
    };
    result.entry.scores.iter().filter_map(named).collect()
}

fn framework(result: &EvalResult) -> Option<hub_api::ResultFramework> {
    let own = result.entry.framework.as_ref()?;
    Some(hub_api::ResultFramework {
        name: own.name.clone(),
        version: own.version.clone(),
        command: own.command.clone(),
    })
}

/// Returns the account that brought the result; its owner when that is no longer known.
fn submitter(result: &EvalResult) -> String {
    let namespace = |id: &RepoId| id.namespace().unwrap_or_default().to_owned();
    result
        .submitter
        .clone()
        .unwrap_or_else(|| namespace(&result.model))
}
