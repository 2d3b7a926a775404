//! What changed on the boards since a day: over the hub, or on one board. What differs between two
//! moments is beside it.

use askama::Template;
use assay_app::{BoardChanges, ChangedBoards};
use assay_model::{Date, RepoId, Timestamp};
use axum::extract::State;
use axum::routing::get;

use super::frame::Frame;
use super::moves::{self, Move};
use super::{Pages, Visitor, between, links, show};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// The time that the page looks back when no day is named, in milliseconds: 30 days.
const RECENT_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// The most changes of each board beside those of others.
const OF_EACH: usize = 10;
/// The most changes of one board alone.
const OF_ONE: usize = 200;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/changes",
        "New results and rank changes since a day, or what differs between two moments: of every board or of one.",
        get(changes),
    )
}

#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage {
    frame: Frame,
    since: String,
    benchmark: String,
    task: String,
    days: Vec<Day>,
    /// Boards that have more changes than are shown: what they are called, and where all are.
    longer: Vec<(String, String)>,
    /// The most boards that are shown, when more have changed.
    cut_at: Option<usize>,
}

/// The changes of one day.
struct Day {
    name: String,
    moves: Vec<Move>,
}

async fn changes(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    if visitor.state.get("from").is_some() {
        return between::page(&state, &visitor).await;
    }
    let asked = visitor.state.get("since").map(str::to_owned);
    // Without a day the page depends on the time as well, so it is not kept.
    let place = match asked {
        Some(_) => visitor.place(&state, About::Everything),
        None => None,
    };
    let day = asked.unwrap_or_else(|| {
        let now = state.web.clock.now();
        show::day(Timestamp::from_millis(now.millis() - RECENT_MILLIS))
    });
    let since = moment(&day)?;
    let benchmark = visitor.state.get("benchmark").unwrap_or_default();
    let task = visitor.state.get("task").unwrap_or_default();
    let (found, limit) = if benchmark.is_empty() {
        let found = state
            .hub
            .boards()
            .changes_since(&visitor.caller, since, OF_EACH);
        (found.await?, OF_EACH)
    } else {
        (one(&state, &visitor, benchmark, task, since).await?, OF_ONE)
    };
    let title = match benchmark {
        "" => "What changed".to_owned(),
        benchmark => format!("What changed on {benchmark}"),
    };
    let page = ChangesPage {
        frame: visitor
            .frame(title)
            .about("New results and rank changes of the leaderboards.")
            .fed_by("New results and rank changes", "/feeds/changes"),
        benchmark: benchmark.to_owned(),
        task: task.to_owned(),
        longer: match benchmark {
            "" => found
                .boards
                .iter()
                .filter_map(|board| longer(board, limit, &day))
                .collect(),
            _ => Vec::new(),
        },
        cut_at: found.has_more.then_some(ChangedBoards::MOST),
        days: days(&found.boards),
        since: day,
    };
    visitor.render_kept(&state, place, &page)
}

/// The changes of one board.
async fn one(
    state: &AppState,
    visitor: &Visitor,
    benchmark: &str,
    task: &str,
    since: Timestamp,
) -> Result<ChangedBoards, Failure> {
    let id: RepoId = benchmark.parse().map_err(|_| Failure::no_repo())?;
    let task = Some(task).filter(|task| !task.is_empty());
    let found = state
        .hub
        .boards()
        .board_changes(&visitor.caller, &id, task, Some(since), OF_ONE)
        .await?;
    Ok(ChangedBoards {
        boards: vec![found],
        has_more: false,
    })
}

/// The beginning of a day, or the moment that a text names.
fn moment(text: &str) -> Result<Timestamp, Failure> {
    let date: Option<Date> = text.parse().ok();
    let moment = date.and_then(|date| Timestamp::of_date(&date));
    moment.ok_or_else(|| Failure::invalid(format!("`{text}` is no day: write one as 2026-03-01")))
}

/// The changes of every board, day by day, newest first.
fn days(boards: &[BoardChanges]) -> Vec<Day> {
    let mut all: Vec<Move> = boards.iter().flat_map(moves::of).collect();
    all.sort_by(|left, right| {
        let place = |one: &Move| (one.board.0.clone(), one.model.1.clone());
        right
            .at
            .cmp(&left.at)
            .then_with(|| place(left).cmp(&place(right)))
    });
    let mut days: Vec<Day> = Vec::new();
    for one in all {
        let name = one.day();
        match days.last_mut().filter(|day| day.name == name) {
            Some(day) => day.moves.push(one),
            None => days.push(Day {
                name,
                moves: vec![one],
            }),
        }
    }
    days
}

/// Returns the address of all changes of a board, when it has as many as are shown of each.
fn longer(board: &BoardChanges, limit: usize, since: &str) -> Option<(String, String)> {
    let name = format!("{} ({})", board.benchmark.name, board.task);
    let all = links::changes(&board.benchmark_id, &board.task);
    let to = format!("{all}&since={}", links::part(since));
    (board.changes.len() >= limit).then_some((name, to))
}
