//! Feeds of new results and rank changes.

use std::fmt::Write as _;

use assay_app::{News, NewsQuery};
use assay_model::{RepoId, RepoKind, Timestamp};
use axum::extract::State;
use serde::Deserialize;

use super::home::{self, Newest};
use super::moves::{self, Move};
use super::{Visitor, escape::escaped};
use crate::error::Failure;
use crate::extract::{PageRepo, PathParams};
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// Number of entries that a feed has.
const ENTRIES: usize = 30;
/// Number of boards of a model that are asked for what changed.
const BOARDS: usize = 12;
const KIND: &str = "application/atom+xml; charset=utf-8";

#[derive(Debug, Deserialize)]
pub(super) struct Account {
    name: String,
}

/// One entry of a feed.
struct Entry {
    id: String,
    at: Timestamp,
    title: String,
    text: String,
    to: String,
}

/// The feed of changes on a board.
pub(super) async fn of_benchmark(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Board(id.clone()));
    let task = visitor.state.get("task");
    let changes = state
        .hub
        .boards()
        .board_changes(&visitor.caller, &id, task, None, ENTRIES)
        .await?;
    let title = format!("{}: {}", changes.benchmark.name, changes.task);
    let entries: Vec<Entry> = moves::of(&changes).iter().map(moved).collect();
    let text = write(&visitor, &title, &entries);
    Ok(visitor.other_kept(&state, place, KIND, text))
}

/// The feed of changes for a model, on every board it is on.
pub(super) async fn of_model(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let hub = &state.hub;
    let repo = hub.repo(&visitor.caller, RepoKind::Model, &id).await?;
    let mut boards = Vec::new();
    for result in hub.boards().model_results(&repo).await?.iter() {
        let board = (result.dataset.clone(), result.task.clone());
        if result.pending.is_none() && !boards.contains(&board) && boards.len() < BOARDS {
            boards.push(board);
        }
    }
    let mut entries = Vec::new();
    for (benchmark, task) in boards {
        let changes = hub
            .boards()
            .board_changes(
                &visitor.caller,
                &benchmark,
                Some(task.as_str()),
                None,
                ENTRIES,
            )
            .await;
        let changes = match changes {
            Ok(changes) => changes,
            Err(assay_app::Error::NotFound(_) | assay_app::Error::Moved { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let own = moves::of(&changes);
        let own = own.iter().filter(|one| one.model.1 == repo.id().as_str());
        entries.extend(own.map(moved));
    }
    let title = format!("Results of {}", repo.id());
    let text = write(&visitor, &title, &latest(entries));
    Ok(visitor.other_kept(&state, place, KIND, text))
}

/// The feed of news for the models of a user or an organisation.
pub(super) async fn of_account(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(named): PathParams<Account>,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let account = state.hub.accounts().account(&named.name).await?;
    let entries = recent(&state, &visitor, Some(&account.name)).await?;
    let title = format!("Results of {}", account.name);
    let text = write(&visitor, &title, &entries);
    Ok(visitor.other_kept(&state, place, KIND, text))
}

/// Writes the feed of all boards that everyone sees.
pub(super) async fn of_hub(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let entries = recent(&state, &visitor, None).await?;
    let text = write(&visitor, "New results and rank changes", &entries);
    Ok(visitor.other_kept(&state, place, KIND, text))
}

/// The newest results, and what changed on their boards: of every model, or of those of one
/// account.
async fn recent(
    state: &AppState,
    visitor: &Visitor,
    owner: Option<&str>,
) -> Result<Vec<Entry>, Failure> {
    let query = NewsQuery {
        verified: false,
        owner: owner.map(str::to_owned),
        limit: u32::try_from(ENTRIES).unwrap_or(u32::MAX),
    };
    let news = state.hub.boards().news(&query).await?;
    let mut entries: Vec<Entry> = news.iter().map(fresh).collect();
    let mut boards: Vec<(&RepoId, &str)> = Vec::new();
    for one in &news {
        let board = (&one.benchmark_id, one.result.task.as_str());
        if !boards.contains(&board) && boards.len() < BOARDS {
            boards.push(board);
        }
    }
    let prefix = owner.map(|owner| format!("{owner}/"));
    for (benchmark, task) in boards {
        let changes = state
            .hub
            .boards()
            .board_changes(&visitor.caller, benchmark, Some(task), None, ENTRIES)
            .await?;
        let moves = moves::of(&changes);
        let own = moves.iter().filter(|one| {
            let prefix = prefix.as_deref().unwrap_or_default();
            one.model.1.starts_with(prefix)
        });
        entries.extend(own.filter(|one| one.kind != "new").map(moved));
    }
    Ok(latest(entries))
}

fn latest(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|left, right| right.at.cmp(&left.at).then_with(|| left.id.cmp(&right.id)));
    entries.truncate(ENTRIES);
    entries
}

fn moved(one: &Move) -> Entry {
    let mut text = format!(
        "{} {} on {}: {}.",
        one.model.1, one.what, one.board.1, one.value
    );
    if !one.others.is_empty() {
        // A text can always be written to.
        let _ = write!(text, " Moved by it: {}.", one.others);
    }
    Entry {
        id: format!("{}:{}:{}", one.board.0, one.model.1, one.at),
        at: one.at,
        title: format!("{} {}", one.model.1, one.what),
        text,
        to: one.difference.clone(),
    }
}

fn fresh(news: &News) -> Entry {
    let Newest {
        model,
        board,
        value,
        rank,
        status,
        ..
    } = home::newest(news);
    let rank = rank.map_or_else(String::new, |(rank, total)| {
        format!(", rank {rank} of {total}")
    });
    let verified = if status.verified { ", verified" } else { "" };
    Entry {
        id: format!("{}:{}:{}:new", board.0, model.1, news.since),
        at: news.since,
        title: format!("{} has {value} on {}", model.1, board.1),
        text: format!("{} has {value} on {}{rank}{verified}.", model.1, board.1),
        to: board.0,
    }
}

fn write(visitor: &Visitor, title: &str, entries: &[Entry]) -> String {
    let base = visitor.base.to_string();
    let own = format!("{base}{}", visitor.state.on(&visitor.path));
    let (base, own, title) = (escaped(&base), escaped(&own), escaped(title));
    let updated = entries
        .first()
        .map_or(Timestamp::from_millis(0), |entry| entry.at);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{title}</title>\n<id>{own}</id>\n<link rel=\"self\" href=\"{own}\"/>\n<updated>{updated}</updated>\n\
         <author><name>Assay</name></author>\n"
    );
    for entry in entries {
        let (id, title) = (escaped(&entry.id), escaped(&entry.title));
        let (said, to, at) = (escaped(&entry.text), escaped(&entry.to), entry.at);
        let _ = writeln!(
            text,
            "<entry><id>{base}{id}</id><title>{title}</title><updated>{at}</updated>\
             <link href=\"{base}{to}\"/><content type=\"text\">{said}</content></entry>"
        );
    }
    text.push_str("</feed>\n");
    text
}
