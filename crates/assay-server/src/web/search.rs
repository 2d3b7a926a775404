use askama::Template;
use assay_app::{Account, BenchmarkHit, ListQuery, ListSort, RepoInfo};
use assay_model::RepoKind;
use axum::extract::State;
use axum::routing::get;

use super::frame::Frame;
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

/// The number of each kind that are shown.
const SHOWN: usize = 50;
/// The longest text that is looked for, in characters.
const MAX_QUERY: usize = 200;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/search",
        "Benchmarks, models, datasets and accounts that have the words that were looked for.",
        get(search),
    )
}

#[derive(Template)]
#[template(path = "search.html")]
struct Search {
    frame: Frame,
    asked: String,
    kinds: Vec<(String, &'static str, bool)>,
    benchmarks: Vec<BenchmarkHit>,
    models: Vec<RepoInfo>,
    datasets: Vec<RepoInfo>,
    accounts: Vec<Account>,
    more_models: bool,
}

impl Search {
    fn benchmark(hit: &BenchmarkHit) -> String {
        match &hit.task {
            Some(task) if hit.via != "its name" => {
                format!(
                    "{}/leaderboard/{}",
                    links::benchmark(&hit.id),
                    links::part(task)
                )
            }
            Some(_) | None => links::benchmark(&hit.id),
        }
    }

    fn repo(info: &RepoInfo) -> String {
        links::repo(info.kind, &info.id)
    }

    fn is_empty(&self) -> bool {
        self.benchmarks.is_empty()
            && self.models.is_empty()
            && self.datasets.is_empty()
            && self.accounts.is_empty()
    }

    fn count(&self) -> usize {
        self.benchmarks.len() + self.models.len() + self.datasets.len() + self.accounts.len()
    }
}

async fn search(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let asked = visitor.state.get("q").unwrap_or_default().trim();
    let asked: String = asked.chars().take(MAX_QUERY).collect();
    let kind = visitor.state.get("kind").unwrap_or("all").to_owned();
    let wants = |own: &str| (kind == "all" || kind == own) && !asked.is_empty();
    let mut page = Search {
        frame: visitor.frame(if asked.is_empty() {
            "Search".to_owned()
        } else {
            format!("Search for {asked}")
        }),
        kinds: [
            ("all", "Everything"),
            ("benchmarks", "Benchmarks"),
            ("models", "Models"),
            ("datasets", "Datasets"),
            ("accounts", "People and organisations"),
        ]
        .map(|(word, label)| {
            let to = visitor.state.with("kind", word).on(&visitor.path);
            (to, label, kind == word)
        })
        .to_vec(),
        benchmarks: Vec::new(),
        models: Vec::new(),
        datasets: Vec::new(),
        accounts: Vec::new(),
        more_models: false,
        asked: asked.clone(),
    };
    page.frame.search.clone_from(&asked);
    if wants("benchmarks") {
        page.benchmarks = state
            .hub
            .boards()
            .search_benchmarks(&visitor.caller, &asked, SHOWN)
            .await?;
    }
    if wants("models") {
        (page.models, page.more_models) = named(&state, &visitor, &asked, RepoKind::Model).await?;
    }
    if wants("datasets") {
        (page.datasets, _) = named(&state, &visitor, &asked, RepoKind::Dataset).await?;
        // A benchmark is told once.
        page.datasets
            .retain(|info| !info.benchmark || kind == "datasets");
    }
    if wants("accounts") {
        page.accounts = state.hub.boards().search_accounts(&asked).await?;
    }
    visitor.render(&page)
}

async fn named(
    state: &AppState,
    visitor: &Visitor,
    asked: &str,
    kind: RepoKind,
) -> Result<(Vec<RepoInfo>, bool), Failure> {
    let query = ListQuery {
        kind,
        author: None,
        search: asked
            .split_whitespace()
            .take(8)
            .map(str::to_owned)
            .collect(),
        tags: Vec::new(),
        sort: ListSort::Updated,
        limit: Some(SHOWN),
        cursor: None,
    };
    let page = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    Ok((page.repositories, page.next.is_some()))
}
