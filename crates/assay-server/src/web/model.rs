//! The page of a model: its results on every benchmark, with where it stands.

mod facts;
mod row;

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use assay_app::{
    BoardPlace, Discussion, DiscussionFilter, EvalResult, ListQuery, ListSort, Repo, RepoInfo,
};
use assay_model::{PullNumber, RepoId, RepoKind, TaskId};
use axum::extract::State;
use serde_json::Value as Json;

use self::facts::facts;
use self::row::{ResultRow, row};
use super::frame::{Frame, Section};
use super::matrix::{self, Standing};
use super::{Visitor, links, markdown, readme, show};
use crate::error::Failure;
use crate::extract::PageRepo;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// Number of results that are shown.
const RESULTS: usize = 300;
/// The number of derived models that are named.
const CHILDREN: usize = 12;
/// Number of files that are listed.
const FILES: usize = 12;
/// Number of tags that are shown.
const TAGS: usize = 16;

#[derive(Template)]
#[template(path = "model.html")]
struct ModelPage {
    frame: Frame,
    id: RepoId,
    description: Option<String>,
    private: bool,
    facts: Vec<(&'static str, String)>,
    bases: Vec<(Option<String>, String)>,
    children: Vec<(String, String)>,
    more: usize,
    tags: Vec<String>,
    groups: Vec<Group>,
    /// The standing among all models.
    standing: Option<Standing>,
    results: usize,
    verified: usize,
    pulls: Vec<Pull>,
    snippets: Vec<(String, String)>,
    files: Vec<(String, String)>,
    readme: Option<String>,
    feed: String,
}

/// The results on one benchmark.
#[derive(Debug)]
struct Group {
    benchmark: String,
    /// The page of the benchmark; none when the hub does not have it.
    to: Option<String>,
    name: String,
    rows: Vec<ResultRow>,
}

/// An open pull request.
#[derive(Debug)]
struct Pull {
    to: String,
    number: PullNumber,
    title: String,
    author: Option<String>,
    day: String,
}

/// The page of a model.
pub(super) async fn model(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Standing(id.clone()));
    let hub = &state.hub;
    let repo = hub.repo(&visitor.caller, RepoKind::Model, &id).await?;
    let info = hub.repositories().repo_info(&repo, None).await?;
    let results = hub.boards().model_results(&repo).await?;
    let groups = groups(&state, &visitor, &repo, &results).await?;
    let folder = format!("/{}/blob/main", repo.id());
    let readme = readme::of(&state, &repo).await?;
    let (feed_title, feed) = (
        format!("Results of {}", repo.id()),
        format!("/feeds/models/{}", repo.id()),
    );
    let verified = results
        .iter()
        .filter(|result| result.standing.is_verified());
    let page = ModelPage {
        frame: visitor
            .frame(repo.id().to_string())
            .within(Section::Models)
            .about(format!("{} results of {}.", results.len(), repo.id()))
            .fed_by(feed_title, feed.clone()),
        id: repo.id().clone(),
        facts: facts(&info),
        standing: matrix::standing(&state, &visitor, &repo).await?,
        bases: bases(&state, &visitor, &info).await?,
        children: children(&state, &visitor, &repo).await?,
        more: results.len().saturating_sub(RESULTS),
        tags: info.tags.iter().take(TAGS).cloned().collect(),
        results: results.len(),
        verified: verified.count(),
        pulls: pulls(&state, &repo).await?,
        snippets: snippets(&visitor, &repo, &results),
        files: files(&state, &repo).await?,
        readme: readme.map(|text| markdown::render(&text, &folder)),
        description: info.description,
        private: info.private,
        groups,
        feed,
    };
    visitor.render_kept(&state, place, &page)
}

async fn groups(
    state: &AppState,
    visitor: &Visitor,
    repo: &Repo,
    results: &[Arc<EvalResult>],
) -> Result<Vec<Group>, Failure> {
    let mut by_benchmark: BTreeMap<String, Vec<&Arc<EvalResult>>> = BTreeMap::new();
    for result in results.iter().take(RESULTS) {
        let name = result.dataset.as_str().to_lowercase();
        by_benchmark.entry(name).or_default().push(result);
    }
    let mut groups = Vec::with_capacity(by_benchmark.len());
    for results in by_benchmark.into_values() {
        groups.extend(group(state, visitor, repo, &results).await?);
    }
    Ok(groups)
}

/// The results on one benchmark; none when there are none.
async fn group(
    state: &AppState,
    visitor: &Visitor,
    repo: &Repo,
    results: &[&Arc<EvalResult>],
) -> Result<Option<Group>, Failure> {
    let Some(first) = results.first() else {
        return Ok(None);
    };
    let id = &first.dataset;
    let definition = state.hub.boards().definition(&visitor.caller, id).await?;
    let mut places: BTreeMap<&TaskId, Option<BoardPlace>> = BTreeMap::new();
    let mut rows = Vec::with_capacity(results.len());
    for result in results {
        let task = &result.task;
        if definition.is_some() && !places.contains_key(task) {
            let hub = &state.hub;
            let place = hub
                .boards()
                .place_on_board(&visitor.caller, id, task, repo)
                .await?;
            places.insert(task, place);
        }
        let place = places.get(task).and_then(Option::as_ref);
        rows.push(row(repo, id, result, definition.as_deref(), place));
    }
    Ok(Some(Group {
        to: definition.as_ref().map(|_| links::benchmark(id)),
        name: definition
            .as_ref()
            .map_or_else(|| id.to_string(), |definition| definition.name.clone()),
        benchmark: id.to_string(),
        rows,
    }))
}

/// Returns the bases of the model: with an address when the visitor may see it here.
async fn bases(
    state: &AppState,
    visitor: &Visitor,
    info: &RepoInfo,
) -> Result<Vec<(Option<String>, String)>, Failure> {
    let named = match info.card.as_ref().and_then(|card| card.get("base_model")) {
        Some(Json::String(one)) => vec![one.clone()],
        Some(Json::Array(many)) => many
            .iter()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .take(8)
            .collect(),
        Some(_) | None => Vec::new(),
    };
    let mut bases = Vec::with_capacity(named.len());
    for name in named {
        let address = match name.parse::<RepoId>() {
            Ok(id) => {
                let found = state.hub.repo(&visitor.caller, RepoKind::Model, &id).await;
                found.ok().map(|repo| links::model(repo.id()))
            }
            Err(_) => None,
        };
        bases.push((address, name));
    }
    Ok(bases)
}

/// The models whose cards say that they are made from this one.
async fn children(
    state: &AppState,
    visitor: &Visitor,
    repo: &Repo,
) -> Result<Vec<(String, String)>, Failure> {
    let query = ListQuery {
        kind: RepoKind::Model,
        author: None,
        search: Vec::new(),
        tags: vec![format!("base_model:{}", repo.id())],
        sort: ListSort::Name,
        limit: Some(CHILDREN),
        cursor: None,
    };
    let list = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    let named = |info: RepoInfo| (links::model(&info.id), info.id.to_string());
    Ok(list.repositories.into_iter().map(named).collect())
}

async fn pulls(state: &AppState, repo: &Repo) -> Result<Vec<Pull>, Failure> {
    let filter = DiscussionFilter {
        is_pull: Some(true),
        open: Some(true),
        ..DiscussionFilter::default()
    };
    let page = state.hub.discussions().discussions(repo, &filter).await?;
    let pull = |discussion: Discussion| Pull {
        to: links::discussion(RepoKind::Model, repo.id(), discussion.num),
        number: discussion.num,
        title: show::shortened(&discussion.title, 120),
        author: discussion.author,
        day: show::day(discussion.created),
    };
    Ok(page.discussions.into_iter().map(pull).collect())
}

/// Markdown for the README: a badge for the rank and the score on each board.
fn snippets(visitor: &Visitor, repo: &Repo, results: &[Arc<EvalResult>]) -> Vec<(String, String)> {
    let mut seen: Vec<(&RepoId, &str)> = Vec::new();
    let mut snippets = Vec::new();
    let base = &visitor.base;
    for result in results.iter().filter(|result| result.pending.is_none()) {
        let board = (&result.dataset, result.task.as_str());
        if seen.contains(&board) || snippets.len() >= 6 {
            continue;
        }
        seen.push(board);
        let query = format!(
            "benchmark={}&task={}",
            links::part(result.dataset.as_str()),
            links::part(result.task.as_str())
        );
        let picture = format!("/badges/models/{}/rank.svg?{query}", repo.id());
        let to = links::board(&result.dataset, &result.task);
        let markdown = format!("[![rank]({base}{picture})]({base}{to})");
        snippets.push((picture, markdown));
    }
    snippets
}

async fn files(state: &AppState, repo: &Repo) -> Result<Vec<(String, String)>, Failure> {
    let entries = state
        .hub
        .repositories()
        .tree(repo, "main", None, false, false)
        .await?;
    let file = |entry: assay_app::FileEntry| {
        let path = entry.path.as_str();
        let view = if entry.is_folder { "tree" } else { "blob" };
        let parts: Vec<String> = path.split('/').map(links::part).collect();
        let address = format!("/{}/{view}/main/{}", repo.id(), parts.join("/"));
        let name = if entry.is_folder {
            format!("{path}/")
        } else {
            path.to_owned()
        };
        (address, name)
    };
    Ok(entries.into_iter().take(FILES).map(file).collect())
}
