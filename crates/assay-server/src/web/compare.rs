//! Models side by side.

use std::sync::Arc;

use askama::Template;
use assay_app::{BoardRow, BoardView};
use assay_board::chart::Axis;
use assay_board::{Verdict, difference};
use assay_model::{Metric, RepoId};
use axum::extract::State;

use super::board::how::with_unit;
use super::chart::{unit, way};
use super::frame::{Frame, Section};
use super::matrix::{self, MatrixTable};
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::side_by_side::{SideBySide, verdict};
use crate::state::AppState;

/// Number of models that can be compared.
const MODELS: usize = 20;

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    frame: Frame,
    models: Vec<Compared>,
    /// The models among all others.
    table: Option<MatrixTable>,
    rows: Vec<CompareRow>,
    wins: Vec<(String, Vec<Option<String>>)>,
    missing: Vec<String>,
    only_shared: bool,
    hidden: usize,
    toggle: String,
    /// The first two on the samples that both have answered.
    head_to_head: Option<String>,
    most: usize,
    too_many: bool,
}

/// A model that is compared.
#[derive(Debug)]
struct Compared {
    id: RepoId,
    to: String,
    /// The address without it.
    without: String,
    parameters: Option<String>,
}

/// One board.
#[derive(Debug)]
struct CompareRow {
    name: String,
    task: String,
    to: String,
    metric: String,
    way: (&'static str, &'static str),
    unit: String,
    cells: Vec<Option<CompareCell>>,
    /// The positions of the values, from 0 to 100.
    dots: Vec<String>,
}

/// One value.
#[derive(Debug)]
struct CompareCell {
    value: String,
    rank: usize,
    total: usize,
    best: bool,
    verified: bool,
    /// The difference from the first model.
    gap: Option<Gap>,
}

/// The difference of two values.
#[derive(Debug)]
struct Gap {
    /// The difference with its sign; none when the two cannot be compared.
    value: Option<String>,
    /// Its interval.
    interval: Option<String>,
    /// The verdict in words.
    words: &'static str,
    /// The class of the verdict. Nothing is coloured that may be chance.
    class: &'static str,
}

/// Compares models.
pub(super) async fn compare(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let (named, too_many) = named(&visitor);
    let SideBySide {
        models,
        missing,
        boards: mut found,
    } = SideBySide::find(&state, &visitor.caller, &named).await?;
    let only_shared = visitor.state.get("shared").is_some();
    let all = found.len();
    if only_shared {
        found.retain(|(_, rows)| rows.iter().all(Option::is_some));
    }
    let page = ComparePage {
        frame: visitor
            .frame("Compare")
            .within(Section::Compare)
            .about("Models side by side, on every benchmark that they share."),
        wins: wins(&models, &found),
        table: matrix::chosen_rows(&state, &visitor, &models).await?,
        models: compared(&models, &found),
        rows: found
            .iter()
            .map(|(view, rows)| row(view, rows))
            .collect::<Result<_, _>>()?,
        hidden: all - found.len(),
        toggle: if only_shared {
            visitor.state.without("shared").on("/compare")
        } else {
            visitor.state.with("shared", "1").on("/compare")
        },
        head_to_head: match models.as_slice() {
            [a, b, ..] => Some(format!("/head-to-head?a={a}&b={b}")),
            [_] | [] => None,
        },
        only_shared,
        missing,
        most: MODELS,
        too_many,
    };
    visitor.render_kept(&state, place, &page)
}

/// The models that the address names, in its order: `models=a,b` and `models=a&models=b` are the
/// same.
fn named(visitor: &Visitor) -> (Vec<String>, bool) {
    let mut named: Vec<String> = Vec::new();
    let texts = visitor
        .state
        .all("models")
        .flat_map(|text| text.split([',', ' ', '\n']));
    for name in texts.map(str::trim).filter(|name| !name.is_empty()) {
        if !named.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            named.push(name.to_owned());
        }
    }
    let too_many = named.len() > MODELS;
    named.truncate(MODELS);
    (named, too_many)
}

fn compared(models: &[RepoId], found: &[(Arc<BoardView>, Vec<Option<BoardRow>>)]) -> Vec<Compared> {
    models
        .iter()
        .enumerate()
        .map(|(position, id)| {
            let others: Vec<&str> = models
                .iter()
                .filter(|other| *other != id)
                .map(RepoId::as_str)
                .collect();
            let mut rows = found.iter().filter_map(|(_, rows)| rows[position].as_ref());
            Compared {
                id: id.clone(),
                to: links::model(id),
                without: format!("/compare?models={}", others.join(",")),
                parameters: rows
                    .find_map(|row| row.loaded.parameters)
                    .map(show::parameters),
            }
        })
        .collect()
}

fn row(view: &BoardView, rows: &[Option<BoardRow>]) -> Result<CompareRow, Failure> {
    let metric = super::board::ranking(view)?;
    let best = rows.iter().flatten().map(|row| row.rank).min();
    let first = rows.first().and_then(Option::as_ref);
    let axis = Axis::linear(rows.iter().flatten().map(|row| row.value));
    let cells = rows.iter().enumerate().map(|(position, row)| {
        let row = row.as_ref()?;
        Some(CompareCell {
            value: with_unit(row.value, metric),
            rank: row.rank,
            total: view.ranked_with(row),
            best: Some(row.rank) == best && rows.iter().flatten().count() > 1,
            verified: row.loaded.is_verified(),
            gap: first
                .filter(|_| position > 0)
                .map(|first| gap(first, row, metric)),
        })
    });
    let dots = rows.iter().flatten().map(|row| {
        let place = axis.as_ref().map_or(0.5, |axis| axis.place(row.value));
        show::plain((place * 1000.0).round() / 10.0)
    });
    Ok(CompareRow {
        name: view.benchmark.name.clone(),
        task: match view.benchmark.tasks.len() {
            0 | 1 => String::new(),
            _ => view.task.to_string(),
        },
        to: links::board(&view.benchmark_id, &view.task),
        metric: metric.display_name.clone(),
        way: way(metric.direction),
        unit: unit(metric).to_owned(),
        cells: cells.collect(),
        dots: dots.collect(),
    })
}

fn gap(first: &BoardRow, row: &BoardRow, metric: &Metric) -> Gap {
    if first.group != row.group {
        return Gap {
            value: None,
            interval: None,
            words: "not comparable: ranked apart",
            class: "",
        };
    }
    let signed = |text: String, value: f64| {
        let sign = if value > 0.0 { "+" } else { "" };
        format!("{sign}{text}")
    };
    let estimates = first.estimate.zip(row.estimate);
    let interval = estimates.map(|(first, own)| {
        let found = difference(&first, &own);
        let (low, high) = (found.interval.low, found.interval.high);
        let end = |value: f64| signed(show::end(value, high - low), value);
        format!("{} to {}", end(low), end(high))
    });
    let gap = row.value - first.value;
    let (words, class) = match verdict(first, row, metric) {
        Some(Verdict::Above) => ("\u{25b2} better", "up"),
        Some(Verdict::Below) => ("\u{25bc} worse", "down"),
        Some(Verdict::Unclear) => ("no clear difference", ""),
        None => ("uncertainty not known", ""),
    };
    Gap {
        value: Some(signed(show::number(gap), gap)),
        interval,
        words,
        class,
    }
}

/// Counts how often each model is clearly ahead of each other, not clearly different, and clearly
/// behind, over the boards that both are on and that report the uncertainty of their values.
fn wins(
    models: &[RepoId],
    found: &[(Arc<BoardView>, Vec<Option<BoardRow>>)],
) -> Vec<(String, Vec<Option<String>>)> {
    let against = |one: usize, other: usize| {
        let (mut won, mut unclear, mut lost) = (0, 0, 0);
        for (view, rows) in found {
            let (Some(one), Some(other)) = (&rows[one], &rows[other]) else {
                continue;
            };
            let metric = view.benchmark.metric(view.metric.as_str());
            match metric.and_then(|metric| verdict(other, one, metric)) {
                Some(Verdict::Above) => won += 1,
                Some(Verdict::Unclear) => unclear += 1,
                Some(Verdict::Below) => lost += 1,
                None => {}
            }
        }
        let any = won + unclear + lost > 0;
        any.then(|| format!("{won}\u{2013}{unclear}\u{2013}{lost}"))
    };
    models
        .iter()
        .enumerate()
        .map(|(one, id)| {
            let cells =
                (0..models.len()).map(|other| (one != other).then(|| against(one, other))?);
            (id.to_string(), cells.collect())
        })
        .collect()
}
