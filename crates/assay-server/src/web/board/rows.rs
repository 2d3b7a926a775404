use std::cmp::Ordering;

use assay_app::chart::Axis;
use assay_app::{BoardRow, BoardView, EvalResult, interval_of};
use assay_model::{Direction, Metric, RepoKind, Score};

use super::{Asked, Column};
use crate::web::chart::value_of;
use crate::web::paging::Paging;
use crate::web::{links, show};

/// How many characters of the notes a row shows.
const NOTES: usize = 140;
/// How many characters a framework may have.
const FRAMEWORK: usize = 40;
/// How many words are searched for.
const WORDS: usize = 8;

/// The rows of a board that are asked for, in the order that is asked for.
pub(crate) struct Rows {
    rows: Vec<BoardRow>,
    ranked: Vec<BoardRow>,
}

/// A row as it is shown.
#[derive(Debug)]
pub(crate) struct RowView {
    /// The rank.
    pub(crate) rank: usize,
    /// Whether others share it.
    pub(crate) tied: bool,
    /// The model.
    pub(crate) model: String,
    /// Whose it is.
    pub(crate) namespace: String,
    /// Its own name.
    pub(crate) name: String,
    /// Its page.
    pub(crate) to: String,
    /// Whether it is to be seen at once.
    pub(crate) highlighted: bool,
    /// What it is made from.
    pub(crate) base: Option<String>,
    /// The other columns.
    pub(crate) cells: Vec<Cell>,
}

/// A cell of a row.
#[derive(Debug)]
pub(crate) enum Cell {
    /// A value of a metric.
    Value {
        /// As it is shown.
        text: String,
        /// The interval round it.
        bar: Option<Bar>,
    },
    /// What stands behind the result.
    Status(Status),
    /// A number.
    Number(String),
    /// A date: as it was written, and its day.
    Date(String, String),
    /// A text.
    Text(String),
    /// A longer text.
    Notes(String),
    /// Nothing is known.
    Unknown,
}

/// What stands behind a result.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Whether its token was checked and holds.
    pub(crate) verified: bool,
    /// Why it is not verified, when it could have been.
    pub(crate) doubt: Option<String>,
    /// The pull request it lives in: number and address.
    pub(crate) pull: Option<(i64, String)>,
    /// Where it is published: name and address.
    pub(crate) source: Option<(String, String)>,
}

impl Status {
    /// Whether there is anything to show.
    pub(crate) fn is_bare(&self) -> bool {
        !self.verified && self.doubt.is_none() && self.pull.is_none() && self.source.is_none()
    }
}

/// An interval on a common scale from 0 to 100.
#[derive(Debug)]
pub(crate) struct Bar {
    /// The lower end.
    pub(crate) low: String,
    /// The upper end.
    pub(crate) high: String,
    /// The value.
    pub(crate) value: String,
    /// The interval in words.
    pub(crate) says: String,
    /// The interval as it is written beside the value.
    pub(crate) short: String,
}

/// Where the model is that is to be seen at once, when that is not on this page.
#[derive(Debug)]
pub(crate) struct Pinned {
    /// The model.
    pub(crate) model: String,
    /// Its rank; none when it is not on the board.
    pub(crate) rank: Option<usize>,
    /// The page it is on.
    pub(crate) to: Option<String>,
}

impl Rows {
    /// The rows that are asked for.
    pub(crate) fn of(view: &BoardView, asked: &Asked) -> Self {
        let words: Vec<String> = asked
            .text
            .split_whitespace()
            .take(WORDS)
            .map(str::to_lowercase)
            .collect();
        let most = asked.most_parameters();
        let stays = |row: &&BoardRow| has_words(&row.result, &words) && is_small(&row.result, most);
        let ranked: Vec<BoardRow> = view.rows.iter().filter(stays).cloned().collect();
        let mut rows = ranked.clone();
        sort(&mut rows, view, asked);
        Self { rows, ranked }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows, best first.
    pub(crate) fn in_order(&self) -> Vec<BoardRow> {
        self.ranked.clone()
    }

    /// Some of the rows, as they are shown.
    pub(crate) fn page(
        &self,
        view: &BoardView,
        metric: &Metric,
        columns: &[Column],
        asked: &Asked,
        offset: usize,
        size: usize,
    ) -> Vec<RowView> {
        let scale = self.scale(metric);
        let shared = shared(view);
        let shown = self.rows.iter().skip(offset).take(size);
        shown
            .map(|row| {
                let cells = columns
                    .iter()
                    .map(|column| cell(row, column, metric, scale.as_ref()));
                let model = &row.result.model;
                RowView {
                    rank: row.rank,
                    tied: shared.contains(&row.rank),
                    namespace: model.namespace().unwrap_or_default().to_owned(),
                    name: model.name().to_owned(),
                    to: links::model(model),
                    highlighted: asked.is_highlighted(model.as_str()),
                    base: row.result.base_models.first().cloned(),
                    cells: cells.collect(),
                    model: model.to_string(),
                }
            })
            .collect()
    }

    /// Where the model is that is to be seen at once, unless it is on this page.
    pub(crate) fn pinned(&self, asked: &Asked, paging: &Paging, size: usize) -> Option<Pinned> {
        let wanted = asked.highlight.clone()?;
        let at = self
            .rows
            .iter()
            .position(|row| asked.is_highlighted(row.result.model.as_str()));
        let Some(at) = at else {
            return Some(Pinned {
                model: wanted,
                rank: None,
                to: None,
            });
        };
        let page = at / size + 1;
        (page != paging.page).then(|| Pinned {
            model: wanted,
            rank: Some(self.rows[at].rank),
            to: Some(format!("{}#highlighted", paging.to(page))),
        })
    }

    /// The scale of the bars: all intervals of the board fit.
    fn scale(&self, metric: &Metric) -> Option<Axis> {
        let ends = self.ranked.iter().filter_map(|row| {
            let (interval, _) = interval_of(&row.result.entry, metric, row.value)?;
            Some([interval.low, interval.high])
        });
        Axis::linear(ends.flatten())
    }
}

/// The ranks that more than one row has.
fn shared(view: &BoardView) -> Vec<usize> {
    let mut ranks: Vec<usize> = view
        .rows
        .windows(2)
        .filter(|pair| pair[0].rank == pair[1].rank)
        .map(|pair| pair[0].rank)
        .collect();
    ranks.dedup();
    ranks
}

fn has_words(result: &EvalResult, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = result.model.as_str().to_lowercase();
    for more in [
        result.notes.as_deref(),
        result.submitter.as_deref(),
        result.source_name.as_deref(),
        result
            .entry
            .framework
            .as_ref()
            .and_then(|framework| framework.name.as_deref()),
    ] {
        text.push('\n');
        text.push_str(&more.unwrap_or_default().to_lowercase());
    }
    words.iter().all(|word| text.contains(word))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a limit is no finer than a float"
)]
fn is_small(result: &EvalResult, most: Option<f64>) -> bool {
    let Some(most) = most else {
        return true;
    };
    // What is not known to be small is not shown as small.
    result.parameters.is_some_and(|count| count as f64 <= most)
}

fn sort(rows: &mut [BoardRow], view: &BoardView, asked: &Asked) {
    let Some(key) = asked.sort.as_deref() else {
        if asked.reversed {
            rows.reverse();
        }
        return;
    };
    // Rows are in the order of their rank, and stay so among equals.
    if let Some(metric) = view.benchmark.metric(key) {
        let value = |row: &BoardRow| value_of(row, metric);
        rows.sort_by(|left, right| {
            let order = by_value(value(left), value(right), metric.direction);
            turned(
                order,
                asked.reversed,
                value(left).zip(value(right)).is_some(),
            )
        });
        return;
    }
    let text = |row: &BoardRow| match key {
        "framework" => framework(&row.result).unwrap_or_default(),
        "submitter" => row.result.submitter.clone().unwrap_or_default(),
        "notes" => row.result.notes.clone().unwrap_or_default(),
        _ => String::new(),
    };
    let status = |row: &BoardRow| {
        (
            !row.result.standing.is_verified(),
            row.result.pull.is_some(),
        )
    };
    rows.sort_by(|left, right| {
        let order = match key {
            "model" => by_name(left, right),
            "date" => right.result.moment.cmp(&left.result.moment),
            "params" => {
                let known = |row: &BoardRow| row.result.parameters.unwrap_or(u64::MAX);
                known(left).cmp(&known(right))
            }
            "status" => status(left).cmp(&status(right)),
            _ => text(left).cmp(&text(right)),
        };
        turned(order, asked.reversed, true)
    });
}

fn by_name(left: &BoardRow, right: &BoardRow) -> Ordering {
    let name = |row: &BoardRow| row.result.model.as_str().to_lowercase();
    name(left).cmp(&name(right))
}

/// The better first; who has no value comes last, whichever way.
fn by_value(left: Option<f64>, right: Option<f64>, direction: Direction) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => match direction {
            Direction::HigherIsBetter => right.total_cmp(&left),
            Direction::LowerIsBetter => left.total_cmp(&right),
        },
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

fn turned(order: Ordering, reversed: bool, both_known: bool) -> Ordering {
    if reversed && both_known {
        order.reverse()
    } else {
        order
    }
}

fn cell(row: &BoardRow, column: &Column, ranking: &Metric, scale: Option<&Axis>) -> Cell {
    let result = &*row.result;
    let known = |text: Option<String>| text.map_or(Cell::Unknown, Cell::Text);
    match column {
        Column::Metric(metric) => {
            let Some(score) = score_of(result, metric) else {
                return Cell::Unknown;
            };
            let bar = (metric.id == ranking.id)
                .then(|| bar(row, metric, scale?))
                .flatten();
            Cell::Value {
                text: show::score(score),
                bar,
            }
        }
        Column::Status => Cell::Status(status(result)),
        Column::Parameters => match result.parameters {
            Some(count) => Cell::Number(show::parameters(count)),
            None => Cell::Unknown,
        },
        Column::Date => Cell::Date(result.date.clone(), show::day_of(&result.date).to_owned()),
        Column::Framework => known(framework(result)),
        Column::Submitter => known(result.submitter.clone()),
        Column::Notes => match result.notes.as_deref() {
            Some(notes) if !notes.trim().is_empty() => Cell::Notes(show::shortened(notes, NOTES)),
            Some(_) | None => Cell::Unknown,
        },
    }
}

fn score_of<'r>(result: &'r EvalResult, metric: &Metric) -> Option<&'r Score> {
    let mut scores = result.entry.scores.iter();
    scores.find(|score| {
        let is_named = match &score.metric {
            Some(id) => *id == metric.id,
            None => metric.primary,
        };
        is_named && (score.slice.is_none() || score.slice == metric.slice)
    })
}

fn bar(row: &BoardRow, metric: &Metric, scale: &Axis) -> Option<Bar> {
    let (interval, _) = interval_of(&row.result.entry, metric, row.value)?;
    let place = |value: f64| show::plain((scale.place(value) * 1000.0).round() / 10.0);
    let width = interval.high - interval.low;
    let (low, high) = (
        show::end(interval.low, width),
        show::end(interval.high, width),
    );
    let (below, above) = (row.value - interval.low, interval.high - row.value);
    let is_even = (below - above).abs() <= 1e-6 * above.abs().max(1e-12);
    Some(Bar {
        low: place(interval.low),
        high: place(interval.high),
        value: place(row.value),
        says: format!("95\u{a0}% interval {low} to {high}"),
        short: if is_even {
            format!("\u{b1}{}", show::end(above, width))
        } else {
            format!("{low}\u{2013}{high}")
        },
    })
}

/// What stands behind a result.
pub(crate) fn status(result: &EvalResult) -> Status {
    let doubt = match result.standing.reason() {
        // Most results have no token, and nobody doubts them for it.
        Some("no_token") => None,
        Some(_) | None => result.standing.detail().map(str::to_owned),
    };
    Status {
        verified: result.standing.is_verified(),
        doubt,
        pull: result.pull.map(|number| {
            let address = links::discussion(RepoKind::Model, &result.model, number);
            (number, address)
        }),
        source: source(result),
    }
}

/// Where a result is published, when the address is safe to follow.
fn source(result: &EvalResult) -> Option<(String, String)> {
    let address = links::safe(result.source_url.as_deref()?)?;
    let name = result.source_name.as_deref().unwrap_or("Source");
    Some((show::shortened(name, FRAMEWORK), address.to_owned()))
}

/// What ran the evaluation, with its version.
pub(crate) fn framework(result: &EvalResult) -> Option<String> {
    let framework = result.entry.framework.as_ref()?;
    let name = framework.name.as_deref()?;
    let whole = match framework.version.as_deref() {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    };
    Some(show::shortened(&whole, FRAMEWORK))
}
