//! What differs between two moments: over the hub, or on one board.

use askama::Template;
use assay_app::{BoardDiff, BoardQuery, HubDiff, Moments, RowChange, RowChangeKind};
use assay_hub_api::Digits;
use assay_model::{Metric, RepoId, TaskId, Timestamp};

use super::board::BoardRequest;
use super::chart::unit;
use super::frame::Frame;
use super::paging::Paging;
use super::query::State;
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;
use crate::wire::change_ranks;

/// The number of rows on a page about one board.
const PAGE: usize = 100;
/// The number of rows of each board on the page about the hub.
const OF_EACH: usize = 5;
/// The parameters that choose the two moments and the rows between them.
const OWN: [&str; 3] = ["from", "to", "kind"];

#[derive(Template)]
#[template(path = "between.html")]
struct BetweenPage {
    frame: Frame,
    from: String,
    to: String,
    /// What the page keeps when other moments are chosen.
    kept: State,
    /// The address of the board and its name; none for the whole hub.
    board: Option<(String, String)>,
    /// The rows by how they differ: address, name, number, and whether they are shown.
    kinds: Vec<(String, &'static str, usize, bool)>,
    boards: Vec<BoardPart>,
    paging: Paging,
    /// The most boards that are looked at, when more have changed.
    cut_at: Option<usize>,
    /// The address of the same as JSON.
    api: String,
    /// The address of the page that compares with now.
    since: String,
}

/// How one board differs.
struct BoardPart {
    name: String,
    /// The address of the board.
    to: String,
    /// The address of all its differences.
    all: String,
    summary: String,
    leader: String,
    metric: String,
    rows: Vec<RowView>,
    /// How many rows differ that are not shown.
    more: usize,
}

/// A row that differs.
struct RowView {
    kind: &'static str,
    sign: &'static str,
    words: &'static str,
    model: RepoId,
    rank_before: String,
    rank_after: String,
    value_before: String,
    value_after: String,
    difference: String,
    /// The page of the result behind the later value.
    to: Option<String>,
}

/// Shows what differs between the two moments that the query names.
pub(super) async fn page(state: &AppState, visitor: &Visitor) -> Result<Answer, Failure> {
    let own = |key: &str| visitor.state.get(key).map(str::trim).map(str::to_owned);
    let moments = Moments {
        from: own("from").unwrap_or_default(),
        to: own("to").filter(|to| !to.is_empty()),
    };
    match own("benchmark") {
        None => of_hub(state, visitor, moments).await,
        Some(benchmark) => {
            let id = benchmark.parse().map_err(|_| Failure::no_repo())?;
            of_board(state, visitor, &id, moments).await
        }
    }
}

async fn of_hub(state: &AppState, visitor: &Visitor, moments: Moments) -> Result<Answer, Failure> {
    let place = visitor.place(state, About::Everything);
    let boards = state.hub.boards();
    let diff = boards.hub_diff(&visitor.caller, &moments, OF_EACH).await?;
    let parts = diff.boards.iter().map(|board| part(board, &moments));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let paging = Paging::new("/changes", &visitor.state, 0, PAGE);
    let cut_at = diff.has_more.then_some(HubDiff::MOST);
    let api = api_state(&moments).on("/api/assay/changes");
    let title = "What differs between two moments".to_owned();
    let page = between(visitor, title, moments, parts, paging, api);
    visitor.render_kept(state, place, &BetweenPage { cut_at, ..page })
}

async fn of_board(
    state: &AppState,
    visitor: &Visitor,
    id: &RepoId,
    moments: Moments,
) -> Result<Answer, Failure> {
    let place = visitor.place(state, About::Board(id.clone()));
    let kind = visitor.state.get("kind").and_then(RowChangeKind::from_name);
    let task = visitor.state.get("task").map(str::to_owned);
    let query = BoardQuery {
        limit: Some(PAGE),
        offset: (Paging::asked(&visitor.state) - 1).saturating_mul(PAGE),
        words: false,
        ..BoardRequest::of(&visitor.state).query(task)
    };
    let diff = state
        .hub
        .boards()
        .board_diff(&visitor.caller, id, &query, &moments, kind)
        .await?;
    let total = kind.map_or(diff.counts.total(), |kind| diff.counts.of_kind(kind));
    let paging = Paging::new("/changes", &visitor.state, total, PAGE);
    let part = part(&diff, &moments)?;
    let title = format!("What differs on {}", part.name);
    let mut api = api_state(&moments)
        .with("task_id", diff.task.as_str())
        .with("metric_id", diff.metric.as_str())
        .with("policy", diff.policy);
    if query.verified {
        api = api.with("verified", "true");
    }
    if let Some(kind) = kind {
        api = api.with("kind", kind.as_str());
    }
    let api = api.on(&format!(
        "/api/datasets/{}/leaderboard/changes",
        diff.benchmark_id
    ));
    let board = Some((part.to.clone(), part.name.clone()));
    let page = between(visitor, title, moments, vec![part], paging, api);
    let page = BetweenPage {
        board,
        kinds: kinds(visitor, &diff, kind),
        ..page
    };
    visitor.render_kept(state, place, &page)
}

fn between(
    visitor: &Visitor,
    title: String,
    moments: Moments,
    boards: Vec<BoardPart>,
    paging: Paging,
    api: String,
) -> BetweenPage {
    let kept = OWN
        .iter()
        .fold(visitor.state.without("page"), |state, key| {
            state.without(key)
        });
    BetweenPage {
        frame: visitor
            .frame(title)
            .about("The rows of leaderboards that came, went, moved or have another value."),
        from: moments.from,
        to: moments.to.unwrap_or_default(),
        since: visitor.state.without("to").without("page").on("/changes"),
        kept,
        board: None,
        kinds: Vec::new(),
        boards,
        paging,
        cut_at: None,
        api,
    }
}

/// The two moments as the API takes them.
fn api_state(moments: &Moments) -> State {
    let state = State::default().with("from", moments.from.as_str());
    match &moments.to {
        Some(to) => state.with("to", to.as_str()),
        None => state,
    }
}

fn kinds(
    visitor: &Visitor,
    diff: &BoardDiff,
    shown: Option<RowChangeKind>,
) -> Vec<(String, &'static str, usize, bool)> {
    let state = visitor.state.without("page").without("kind");
    let all = (
        state.on("/changes"),
        "All",
        diff.counts.total(),
        shown.is_none(),
    );
    let of_kind = |kind: RowChangeKind| {
        let address = state.with("kind", kind.as_str()).on("/changes");
        let (name, _, _) = words_of(kind);
        (
            address,
            name,
            diff.counts.of_kind(kind),
            shown == Some(kind),
        )
    };
    std::iter::once(all)
        .chain(RowChangeKind::ALL.map(of_kind))
        .collect()
}

/// The name of a kind of difference, what a row says of itself, and its sign.
fn words_of(kind: RowChangeKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        RowChangeKind::Came => ("New", "new", "+"),
        RowChangeKind::Went => ("Gone", "gone", "\u{2212}"),
        RowChangeKind::Changed => ("Score changed", "score changed", "\u{2260}"),
        RowChangeKind::Moved => ("Moved by others", "moved by others", "\u{2195}"),
    }
}

fn part(diff: &BoardDiff, moments: &Moments) -> Result<BoardPart, Failure> {
    let metric = diff.benchmark.metric(diff.metric.as_str());
    let metric = metric
        .ok_or_else(|| Failure::internal("a board is ranked by a metric it does not define"))?;
    let task = match diff.benchmark.tasks.len() {
        0 | 1 => String::new(),
        _ => format!(" ({})", diff.task),
    };
    let values = diff.rows.iter();
    let values = values.flat_map(|row| row.value_before.into_iter().chain(row.value_after));
    let leaders = [&diff.before, &diff.after].into_iter();
    let leaders = leaders.filter_map(|state| state.leader.as_ref().map(|(_, value)| *value));
    let digits = Digits::of(values.chain(leaders));
    Ok(BoardPart {
        name: format!("{}{task}", diff.benchmark.name),
        to: links::board(&diff.benchmark_id, &diff.task),
        all: links::between(
            &diff.benchmark_id,
            &diff.task,
            &moments.from,
            moments.to.as_deref(),
        ),
        summary: summary(diff),
        leader: leader(diff, metric, digits),
        metric: match unit(metric) {
            "" => metric.display_name.clone(),
            unit => format!("{}, {unit}", metric.display_name),
        },
        rows: diff.rows.iter().map(|row| row_view(row, digits)).collect(),
        more: diff.counts.total().saturating_sub(diff.rows.len()),
    })
}

/// How many rows there were and are, and how many differ, in sentences.
fn summary(diff: &BoardDiff) -> String {
    let rows = |count: usize| {
        format!(
            "{} {}",
            show::count(count),
            show::plural(count, "row", "rows")
        )
    };
    let size = if diff.before.rows == diff.after.rows {
        format!("{}, as before.", rows(diff.after.rows))
    } else {
        let before = show::count(diff.before.rows);
        format!("{}, before {before}.", rows(diff.after.rows))
    };
    let counted: Vec<String> = RowChangeKind::ALL
        .into_iter()
        .map(|kind| (diff.counts.of_kind(kind), words_of(kind).1))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{} {words}", show::count(count)))
        .collect();
    if counted.is_empty() {
        return format!("{size} No row differs.");
    }
    format!("{size} {}.", counted.join(", "))
}

/// Who led and who leads, in a sentence.
fn leader(diff: &BoardDiff, metric: &Metric, digits: Digits) -> String {
    let value = |value: f64| {
        let written = show::with_minus(&digits.written(value));
        match unit(metric) {
            "" => written,
            "$" => format!("${written}"),
            unit => format!("{written}\u{a0}{unit}"),
        }
    };
    match (&diff.before.leader, &diff.after.leader) {
        (Some((old, before)), Some((new, after)))
            if old == new && before.total_cmp(after).is_eq() =>
        {
            format!("{new} leads with {}, as before.", value(*after))
        }
        (Some((old, before)), Some((new, after))) => format!(
            "{new} leads with {}; before, {old} led with {}.",
            value(*after),
            value(*before)
        ),
        (None, Some((new, after))) => format!("{new} leads with {}.", value(*after)),
        (Some((old, before)), None) => {
            format!("Nobody leads; before, {old} led with {}.", value(*before))
        }
        (None, None) => String::new(),
    }
}

fn row_view(row: &RowChange, digits: Digits) -> RowView {
    let (name, words, sign) = match row.movement {
        assay_board::Movement::Rose { .. } => ("up", words_of(row.kind).1, "\u{2191}"),
        assay_board::Movement::Fell { .. } => ("down", words_of(row.kind).1, "\u{2193}"),
        assay_board::Movement::Entered { .. } => ("new", words_of(row.kind).1, "+"),
        assay_board::Movement::Left { .. } => ("gone", words_of(row.kind).1, "\u{2212}"),
        assay_board::Movement::Held { .. } => ("same", words_of(row.kind).1, "="),
    };
    let (rank_before, rank_after) = change_ranks(row.movement);
    let rank = |rank: Option<usize>| rank.map_or_else(|| "\u{b7}".to_owned(), show::count);
    let written = |value: f64| show::with_minus(&digits.written(value));
    let value = |value: Option<f64>| value.map_or_else(|| "\u{b7}".to_owned(), written);
    let difference = match (row.value_before, row.value_after) {
        (Some(before), Some(after)) if before.total_cmp(&after).is_ne() => {
            let sign = if after > before { "+" } else { "" };
            format!("{sign}{}", written(after - before))
        }
        _ => String::new(),
    };
    RowView {
        kind: name,
        sign,
        words,
        model: row.model.clone(),
        to: row
            .result
            .as_ref()
            .filter(|_| rank_after.is_some())
            .map(|result| links::result(result)),
        rank_before: rank(rank_before),
        rank_after: rank(rank_after),
        value_before: value(row.value_before),
        value_after: value(row.value_after),
        difference,
    }
}

/// Returns the page of how a board differs between two moments.
pub(crate) fn board_diff_page(
    id: &RepoId,
    task: &TaskId,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> String {
    let text = |at: Timestamp| at.to_string();
    let from = from.map(text).unwrap_or_default();
    links::between(id, task, &from, to.map(text).as_deref())
}
