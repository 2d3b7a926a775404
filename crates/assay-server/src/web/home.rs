use askama::Template;
use std::cmp::Reverse;

use assay_app::{ListQuery, ListSort, News, NewsQuery, PublicCounts};
use assay_model::RepoKind;
use axum::extract::State;

use super::board::how::with_unit;
use super::board::{Status, status};
use super::frame::Frame;
use super::listing::{self, BenchmarkCard};
use super::matrix::{self, FirstRows};
use super::moves::{self, Move};
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// Number of results that are shown as new.
const NEWEST: u32 = 8;
/// Number of rank changes that are shown.
const CHANGES: usize = 8;
/// The number of them that are of one board.
const OF_ONE: usize = 3;
/// Number of boards that are asked for what changed.
const BOARDS: usize = 6;
/// Number of rows of the matrix of all results that are shown.
const MATRIX_ROWS: usize = 15;
/// Number of benchmarks that are shown.
const BENCHMARKS: usize = 6;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
    counts: PublicCounts,
    newest: Vec<Newest>,
    only_verified: bool,
    moves: Vec<Move>,
    benchmarks: Vec<BenchmarkCard>,
    /// The first rows of the matrix of all results.
    matrix: Option<FirstRows>,
}

impl Home {
    /// Counts of what the hub has.
    fn counted(&self) -> Vec<(&'static str, String)> {
        let count = |number: u64| show::count(usize::try_from(number).unwrap_or(usize::MAX));
        let mut counted = vec![
            ("benchmarks", count(self.counts.benchmarks)),
            ("models", count(self.counts.models)),
            ("results", count(self.counts.entries)),
        ];
        if self.counts.verified > 0 {
            counted.push(("verified", count(self.counts.verified)));
        }
        counted
    }
}

/// A result that is new.
#[derive(Debug)]
pub(super) struct Newest {
    /// The model: address and name.
    pub(super) model: (String, String),
    /// The board: address and name.
    pub(super) board: (String, String),
    /// The value.
    pub(super) value: String,
    /// The rank and of how many.
    pub(super) rank: Option<(usize, usize)>,
    /// The status of the result.
    pub(super) status: Status,
    /// Since when it is there.
    pub(super) since: String,
}

/// The first page: what there is, what is new, who rose and fell.
pub(super) async fn home(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let counts = state.hub.boards().public_counts().await?;
    let query = |verified| NewsQuery {
        verified,
        owner: None,
        limit: NEWEST,
    };
    let verified = state.hub.boards().news(&query(true)).await?;
    let any = state.hub.boards().news(&query(false)).await?;
    let moves = latest(&state, &visitor, &any).await?;
    let only_verified = !verified.is_empty();
    let shown = if only_verified { &verified } else { &any };
    let page = Home {
        frame: visitor
            .frame("Assay")
            .about("AI benchmark results you can verify: every score links to who ran it, how, and a signed proof.")
            .fed_by("New results and rank changes", "/feeds/changes"),
        newest: shown.iter().map(newest).collect(),
        benchmarks: benchmarks(&state, &visitor).await?,
        matrix: matrix::first_rows(&state, MATRIX_ROWS).await?,
        only_verified,
        moves,
        counts,
    };
    visitor.render_kept(&state, place, &page)
}

/// A result as lists of new ones show it.
pub(super) fn newest(news: &News) -> Newest {
    let result = &news.result;
    let metric = result
        .value_metric
        .as_ref()
        .and_then(|id| news.benchmark.metric(id.as_str()));
    let value = match metric {
        Some(metric) => with_unit(result.value, metric),
        None => show::number(result.value),
    };
    Newest {
        model: (links::model(&result.model), result.model.to_string()),
        board: (
            links::board(&news.benchmark_id, &result.task),
            news.benchmark.name.clone(),
        ),
        value,
        // The rank of a value in doubt is not announced.
        rank: news
            .rank
            .filter(|_| result.doubts().is_empty())
            .map(|rank| (rank, news.total)),
        status: status(result),
        since: show::day(news.since),
    }
}

/// Returns the last changes on the boards where something is new.
async fn latest(state: &AppState, visitor: &Visitor, news: &[News]) -> Result<Vec<Move>, Failure> {
    let mut boards = Vec::new();
    for one in news {
        let board = (&one.benchmark_id, &one.result.task);
        if !boards.contains(&board) && boards.len() < BOARDS {
            boards.push(board);
        }
    }
    let mut found = Vec::new();
    for (benchmark, task) in boards {
        let changes = state
            .hub
            .boards()
            .board_changes(
                &visitor.caller,
                benchmark,
                Some(task.as_str()),
                None,
                OF_ONE,
            )
            .await?;
        found.extend(moves::of(&changes));
    }
    found.sort_by_key(|one| Reverse(one.at));
    found.truncate(CHANGES);
    Ok(found)
}

async fn benchmarks(state: &AppState, visitor: &Visitor) -> Result<Vec<BenchmarkCard>, Failure> {
    let query = |tag: &str| ListQuery {
        kind: RepoKind::Dataset,
        author: None,
        search: Vec::new(),
        tags: vec![tag.to_owned()],
        sort: ListSort::Created,
        limit: Some(BENCHMARKS),
        cursor: None,
    };
    let mut list = state
        .hub
        .repositories()
        .list(&visitor.caller, &query("benchmark:official"))
        .await?;
    if list.repositories.is_empty() {
        list = state
            .hub
            .repositories()
            .list(&visitor.caller, &query("benchmark"))
            .await?;
    }
    let mut cards = Vec::new();
    for info in &list.repositories {
        cards.extend(listing::card(state, visitor, info).await?);
    }
    Ok(cards)
}
