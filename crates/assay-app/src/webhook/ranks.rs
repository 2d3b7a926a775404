//! Ranks that changed since they were last told. The ranks that were told lie in the database, so
//! what changes while nobody sends is told later, once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use assay_model::{RepoKey, RepoKind};
use assay_store::{HookedTo, Webhook};
use parking_lot::Mutex;
use serde_json::{Value as Json, json};

use super::HookEvent;
use super::tell::queue;
use crate::access::Caller;
use crate::board::{BoardQuery, BoardView};
use crate::error::Error;
use crate::known::KnownBenchmark;
use crate::services::WebhookService;

/// The most moves that one message lists.
const MAX_MOVES: usize = 100;

/// The generations of boards whose ranks were told.
#[derive(Debug, Default)]
pub(crate) struct ReportedBoards(Mutex<HashMap<RepoKey, u64>>);

/// The rank and value of each model, by its name.
type Ranks = BTreeMap<String, (usize, f64)>;

/// Someone who is told of ranks, and of whose.
struct Listener {
    hook: Webhook,
    /// The models whose ranks it reports beside those of its own boards, in lower case: a model, or
    /// a namespace and a slash.
    whose: String,
}

impl ReportedBoards {
    fn is_told(&self, key: RepoKey, generation: u64) -> bool {
        let told = self.0.lock();
        told.get(&key) == Some(&generation)
    }

    fn note(&self, key: RepoKey, generation: u64) {
        let mut told = self.0.lock();
        told.insert(key, generation);
    }
}

impl WebhookService<'_> {
    /// Tells those who want to know which ranks have changed since they were told. Call it from
    /// time to time.
    pub async fn announce_ranks(self) -> Result<(), Error> {
        let listeners = self.listeners().await?;
        if listeners.is_empty() {
            return Ok(());
        }
        self.compare_ranks(&listeners).await
    }

    /// Takes the ranks of now for told.
    pub(super) async fn learn_ranks(self) -> Result<(), Error> {
        let listeners = self.listeners().await?;
        self.compare_ranks(&listeners).await
    }

    async fn listeners(self) -> Result<Vec<Listener>, Error> {
        let mut listeners = Vec::new();
        for hook in self.hub.store.webhooks().await? {
            if hook.paused.is_some() || !HookEvent::Ranks.is_asked_for(&hook.events) {
                continue;
            }
            let whose = match hook.to {
                HookedTo::Account(account) => {
                    let account = self.hub.store.account(account).await?;
                    account.map(|account| format!("{}/", account.name))
                }
                HookedTo::Repository(key) => {
                    let repository = self.hub.store.repository(key).await?;
                    // A dataset has a board of its own and no rank.
                    let model = repository.filter(|held| held.kind == RepoKind::Model);
                    Some(model.map_or_else(String::new, |held| held.id.as_str().to_owned()))
                }
            };
            if let Some(whose) = whose {
                let whose = whose.to_ascii_lowercase();
                listeners.push(Listener { hook, whose });
            }
        }
        Ok(listeners)
    }

    async fn compare_ranks(self, listeners: &[Listener]) -> Result<(), Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        // Private boards are left out: a rank would tell of models that the reader may not see.
        for benchmark in known.all().filter(|benchmark| benchmark.public) {
            let generation = self.hub.boards().generation_of_board(&benchmark.id);
            if self.hub.reported_boards.is_told(benchmark.key, generation) {
                continue;
            }
            self.compare_board(benchmark, listeners).await?;
            self.hub.reported_boards.note(benchmark.key, generation);
        }
        Ok(())
    }

    async fn compare_board(
        self,
        benchmark: &Arc<KnownBenchmark>,
        listeners: &[Listener],
    ) -> Result<(), Error> {
        for task in &benchmark.definition.tasks {
            let query = BoardQuery {
                task: Some(task.id.as_str().to_owned()),
                ..BoardQuery::default()
            };
            let view = self
                .hub
                .boards()
                .leaderboard(&Caller::anonymous(), &benchmark.id, &query)
                .await?;
            let now = ranks(&view);
            let told = self.hub.store.told_ranks(benchmark.key, &task.id).await?;
            if told.as_ref().map(read) == Some(now.clone()) {
                continue;
            }
            let mut tx = self.hub.store.begin().await?;
            if let Some(told) = &told {
                let mut moves = moves(&read(told), &now);
                // Nobody is told the rank of a value in doubt.
                let doubtful = doubtful_models(&view, &moves);
                moves.retain(|moved| !doubtful.contains(&moved.model));
                for listener in listeners {
                    let heard = heard(listener, benchmark, &moves);
                    if heard.is_empty() {
                        continue;
                    }
                    let body = self.message(&view, &heard);
                    let hooks = std::slice::from_ref(&listener.hook);
                    queue(&mut tx, hooks, HookEvent::Ranks, &body, self.hub.now()).await?;
                }
            }
            tx.set_told_ranks(benchmark.key, &task.id, &written(&now))
                .await?;
            tx.commit().await?;
        }
        Ok(())
    }

    fn message(self, view: &BoardView, moves: &[&Move]) -> Json {
        let listed = moves.iter().take(MAX_MOVES).map(|moved| {
            json!({
                "model": moved.model,
                "rank_before": moved.before.map(|(rank, _)| rank),
                "rank_after": moved.after.map(|(rank, _)| rank),
                "value_before": moved.before.map(|(_, value)| value),
                "value_after": moved.after.map(|(_, value)| value),
            })
        });
        json!({
            "event": HookEvent::Ranks.as_str(),
            "at": self.hub.now().to_string(),
            "benchmark": view.benchmark_id.as_str(),
            "task": view.task.as_str(),
            "metric": view.metric.as_str(),
            "policy": view.policy,
            "models": view.total,
            "moves": listed.collect::<Vec<_>>(),
            "moves_count": moves.len(),
        })
    }
}

/// The change of a model's rank.
#[derive(Debug, Clone, PartialEq)]
struct Move {
    model: String,
    before: Option<(usize, f64)>,
    after: Option<(usize, f64)>,
}

/// The moves that concern a listener: all on its own board, and those of its own models everywhere.
fn heard<'m>(listener: &Listener, benchmark: &KnownBenchmark, moves: &'m [Move]) -> Vec<&'m Move> {
    let is_own_board = match listener.hook.to {
        HookedTo::Repository(key) => key == benchmark.key,
        HookedTo::Account(account) => account == benchmark.owner,
    };
    let owned = |moved: &Move| {
        let model = moved.model.to_ascii_lowercase();
        match listener.hook.to {
            HookedTo::Repository(_) => model == listener.whose,
            HookedTo::Account(_) => model.starts_with(&listener.whose),
        }
    };
    moves
        .iter()
        .filter(|moved| is_own_board || owned(moved))
        .collect()
}

/// The models among those that moved whose value a finding puts in doubt.
fn doubtful_models(view: &BoardView, moves: &[Move]) -> BTreeSet<String> {
    let moved: HashSet<&str> = moves.iter().map(|moved| moved.model.as_str()).collect();
    let rows = view.rows().iter().filter(|row| view.is_doubtful(row));
    rows.map(|row| row.loaded.model().as_str())
        .filter(|model| moved.contains(model))
        .map(str::to_owned)
        .collect()
}

fn ranks(view: &BoardView) -> Ranks {
    let mut ranks = Ranks::new();
    for row in view.rows() {
        // Of several rows of a model the best counts.
        ranks
            .entry(row.loaded.model().as_str().to_owned())
            .or_insert((row.rank, row.value));
    }
    ranks
}

fn moves(before: &Ranks, after: &Ranks) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for (model, now) in after {
        let then = before.get(model).copied();
        if then != Some(*now) {
            moves.push(Move {
                model: model.clone(),
                before: then,
                after: Some(*now),
            });
        }
    }
    for (model, then) in before {
        if !after.contains_key(model) {
            moves.push(Move {
                model: model.clone(),
                before: Some(*then),
                after: None,
            });
        }
    }
    moves.sort_by_key(|moved| moved.after.map_or(usize::MAX, |(rank, _)| rank));
    moves
}

fn written(ranks: &Ranks) -> Json {
    json!(ranks)
}

/// The ranks as they were told. What cannot be read is taken for nothing told of that model.
fn read(told: &Json) -> Ranks {
    serde_json::from_value(told.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks_of(models: &[(&str, usize, f64)]) -> Ranks {
        let ranks = models.iter();
        ranks
            .map(|(model, rank, value)| ((*model).to_owned(), (*rank, *value)))
            .collect()
    }

    #[test]
    fn what_was_told_comes_back_as_it_was_written() {
        let ranks = ranks_of(&[("ada/small", 1, 0.1 + 0.2), ("bob/large", 2, -1e-300)]);

        assert_eq!(read(&written(&ranks)), ranks);
    }

    #[test]
    fn who_enters_moves_and_leaves_is_told_best_first() {
        let before = ranks_of(&[("a/a", 1, 0.9), ("b/b", 2, 0.8), ("c/c", 3, 0.7)]);
        let after = ranks_of(&[("d/d", 1, 0.95), ("a/a", 2, 0.9), ("c/c", 3, 0.7)]);

        let moves = moves(&before, &after);

        let models: Vec<&str> = moves.iter().map(|moved| moved.model.as_str()).collect();
        assert_eq!(models, ["d/d", "a/a", "b/b"]);
        assert_eq!(moves[2].after, None);
    }
}
