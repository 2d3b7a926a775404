use std::collections::HashMap;

use assay_app::{BoardRow, BoardView, EvalResult, FullRow, LoadedResult};
use assay_board::chart::Axis;
use assay_board::{Estimate, Policy};
use assay_hub_api::{self as hub_api, CellFormat, Column, Digits, main_date};
use assay_model::RepoId;

use super::BoardRequest;
use super::setups::Unfolded;
use super::sort::Order;
use super::status::{Status, status};
use crate::web::paging::Paging;
use crate::web::{links, show};

/// Number of characters of the notes a row that shows.
const NOTES: usize = 140;
/// Number of characters of another text a row that shows.
const TEXT: usize = 60;
/// Number of words that are searched for.
const WORDS: usize = 8;

/// The rows of a board that are asked for, in the order that is asked for.
pub(crate) struct Rows<'v> {
    rows: Vec<&'v BoardRow>,
    ranked: Vec<&'v BoardRow>,
}

/// A row as it is shown.
#[derive(Debug)]
pub(crate) struct RowView {
    /// The rank.
    pub(crate) rank: usize,
    /// Between which ranks it lies: as it is shown, and in words.
    pub(crate) ranks: Option<(String, String)>,
    /// True if others share it.
    pub(crate) tied: bool,
    /// The model.
    pub(crate) model: String,
    /// The namespace of the model.
    pub(crate) namespace: String,
    /// Its own name.
    pub(crate) name: String,
    /// Its page.
    pub(crate) to: String,
    /// True if it is to be seen at once.
    pub(crate) highlighted: bool,
    /// True if it is the first of those.
    pub(crate) anchored: bool,
    /// The base of the model.
    pub(crate) base: Option<String>,
    /// The group of the rows from here on, when it differs from that of the row before.
    pub(crate) group: Option<String>,
    /// The other results of the model, where the value stands for several.
    pub(crate) several: Option<Several>,
    /// The other columns.
    pub(crate) cells: Vec<Cell>,
}

/// Several runs or setups that a row stands for.
#[derive(Debug)]
pub(crate) struct Several {
    /// Their number and the range of their values.
    pub(crate) words: String,
    /// The address with a row for each of them.
    pub(crate) all: String,
    /// The results.
    pub(crate) results: Vec<Unfolded>,
}

/// A cell of a row.
#[derive(Debug)]
pub(crate) enum Cell {
    /// A value of a metric.
    Value {
        /// As it is shown.
        text: String,
        /// The page with the evidence for it, for the metric that ranks.
        to: Option<String>,
        /// The interval round it.
        bar: Option<Bar>,
    },
    /// The status of the result.
    Status(Status),
    /// A number.
    Number(String),
    /// A date: as it was written, its day, and what it is the date of when it is not that of the
    /// evaluation.
    Date(String, String, &'static str),
    /// A text.
    Text(String),
    /// A longer text.
    Notes(String),
    /// Nothing is known.
    Unknown,
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

/// The place of the model that is shown at once, when it is not on this page.
#[derive(Debug)]
pub(crate) struct Pinned {
    /// The model.
    pub(crate) model: String,
    /// Its rank; none when it is not on the board.
    pub(crate) rank: Option<usize>,
    /// The page it is on.
    pub(crate) to: Option<String>,
}

impl<'v> Rows<'v> {
    /// The rows that are asked for.
    pub(crate) fn of(view: &'v BoardView, asked: &BoardRequest, order: &Order) -> Self {
        let words: Vec<String> = asked
            .text
            .split_whitespace()
            .take(WORDS)
            .map(str::to_lowercase)
            .collect();
        let most = asked.most_parameters();
        let stays = |row: &&BoardRow| has_words(&row.loaded, &words) && is_small(&row.loaded, most);
        let ranked: Vec<&BoardRow> = view.rows().iter().filter(stays).collect();
        let mut rows = ranked.clone();
        order.sort(&mut rows, view);
        Self { rows, ranked }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows, best first.
    pub(crate) fn in_order(&self) -> &[&'v BoardRow] {
        &self.ranked
    }

    /// The rows that are on a page.
    pub(crate) fn on_page(&self, offset: usize, size: usize) -> &[&'v BoardRow] {
        let from = offset.min(self.rows.len());
        &self.rows[from..(from + size).min(self.rows.len())]
    }

    /// Some of the rows, as they are shown.
    pub(crate) fn page(
        &self,
        shown: &[(FullRow, hub_api::BoardRow)],
        view: &BoardView,
        columns: &[(Column, Digits)],
        asked: &BoardRequest,
        order: &Order,
        unfolded: &HashMap<RepoId, Vec<Unfolded>>,
    ) -> Vec<RowView> {
        let scale = self.scale();
        let shared = shared(view);
        let rows = shown;
        let mut shown: Vec<RowView> = rows
            .iter()
            .map(|(FullRow { row, result }, told)| {
                let cells = columns.iter().map(|(column, digits)| {
                    let text = column.text(told, *digits);
                    match column {
                        Column::Metric(metric) => {
                            value(metric.ranks, &text, row, result, scale.as_ref())
                        }
                        Column::Fixed(_) | Column::Setup { .. } => {
                            cell(column.format(), column.is_number(), &text, told, result)
                        }
                    }
                });
                let model = &result.model;
                RowView {
                    rank: row.rank,
                    ranks: row.rank_interval.as_ref().map(show::ranks),
                    tied: shared.contains(&row.rank),
                    namespace: model.namespace().unwrap_or_default().to_owned(),
                    name: model.name().to_owned(),
                    to: links::model(model),
                    highlighted: asked.is_highlighted(model.as_str()),
                    anchored: false,
                    base: result.base_models.first().cloned(),
                    group: None,
                    several: told.several_words().map(|words| Several {
                        words,
                        all: all_of_model(row, view, asked),
                        results: unfolded.get(model).cloned().unwrap_or_default(),
                    }),
                    cells: cells.collect(),
                    model: model.to_string(),
                }
            })
            .collect();
        if order.is_by_rank() {
            head_groups(&mut shown, rows);
        }
        // A page has one place of a name.
        if let Some(first) = shown.iter_mut().find(|row| row.highlighted) {
            first.anchored = true;
        }
        shown
    }

    /// Returns the place of the model that is shown at once, unless it is on this page.
    pub(crate) fn pinned(
        &self,
        asked: &BoardRequest,
        paging: &Paging,
        size: usize,
    ) -> Option<Pinned> {
        let wanted = asked.highlight.clone()?;
        let at = self
            .rows
            .iter()
            .position(|row| asked.is_highlighted(row.loaded.model().as_str()));
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
    fn scale(&self) -> Option<Axis> {
        let known = self.ranked.iter().filter_map(|row| row.estimate);
        Axis::linear(known.flat_map(|one| [one.interval.low, one.interval.high]))
    }
}

/// Names the group of each row that begins one, where there are several.
fn head_groups(shown: &mut [RowView], rows: &[(FullRow, hub_api::BoardRow)]) {
    let groups: Vec<&Option<String>> = rows.iter().map(|(_, told)| &told.group).collect();
    let mut last = None;
    for (row, group) in shown.iter_mut().zip(groups) {
        if last != Some(group) {
            let is_alone = last.is_none() && group.is_none();
            row.group = (!is_alone).then(|| match group {
                Some(group) => group.clone(),
                None => "the whole benchmark".to_owned(),
            });
        }
        last = Some(group);
    }
}

/// The address of a board with a row for every result of a model.
fn all_of_model(row: &BoardRow, view: &BoardView, asked: &BoardRequest) -> String {
    let path = links::board(&view.benchmark_id, &view.task);
    let state = asked.state.without("policy").without("q");
    state
        .with("policy", Policy::All.as_str())
        .with("q", row.loaded.model().as_str())
        .on(&path)
}

/// The ranks that more than one row has.
fn shared(view: &BoardView) -> Vec<usize> {
    let mut ranks: Vec<usize> = view
        .rows()
        .windows(2)
        .filter(|pair| pair[0].rank == pair[1].rank)
        .map(|pair| pair[0].rank)
        .collect();
    ranks.dedup();
    ranks
}

fn has_words(loaded: &LoadedResult, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let model = loaded.model().as_str().to_ascii_lowercase();
    let is_told = |word: &String| {
        let told = loaded.words();
        model.contains(word) || told.is_some_and(|told| told.have(word))
    };
    words.iter().all(is_told)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a limit is no finer than a float"
)]
fn is_small(loaded: &LoadedResult, most: Option<f64>) -> bool {
    let Some(most) = most else {
        return true;
    };
    // What is not known to be small is not shown as small.
    loaded.parameters.is_some_and(|count| count as f64 <= most)
}

/// A value of a metric; with its evidence and its interval, for the metric that ranks.
fn value(
    ranks: bool,
    text: &str,
    row: &BoardRow,
    result: &EvalResult,
    scale: Option<&Axis>,
) -> Cell {
    if text.is_empty() {
        return Cell::Unknown;
    }
    let scale = scale.filter(|_| ranks);
    Cell::Value {
        text: show::with_minus(text),
        to: ranks.then(|| links::result(result)),
        bar: scale.and_then(|scale| bar(row, scale)),
    }
}

fn cell(
    format: CellFormat,
    is_number: bool,
    text: &str,
    told: &hub_api::BoardRow,
    result: &EvalResult,
) -> Cell {
    match format {
        CellFormat::Standing => Cell::Status(status(result)),
        CellFormat::Day => {
            let (date, kind) = main_date(told);
            Cell::Date(date.to_owned(), show::day_of(date).to_owned(), kind)
        }
        CellFormat::Plain | CellFormat::Parameters | CellFormat::Notes
            if text.trim().is_empty() =>
        {
            Cell::Unknown
        }
        CellFormat::Notes => Cell::Notes(show::shortened(text, NOTES)),
        CellFormat::Plain | CellFormat::Parameters if is_number => {
            Cell::Number(show::with_minus(text))
        }
        CellFormat::Plain | CellFormat::Parameters => Cell::Text(show::shortened(text, TEXT)),
    }
}

fn bar(row: &BoardRow, scale: &Axis) -> Option<Bar> {
    let Estimate {
        interval, method, ..
    } = row.estimate?;
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
        says: format!("95\u{a0}% interval {low} to {high}, {}", method.words()),
        short: if is_even {
            format!("\u{b1}{}", show::end(above, width))
        } else {
            format!("{low}\u{2013}{high}")
        },
    })
}
