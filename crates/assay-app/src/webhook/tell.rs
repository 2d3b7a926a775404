//! Queues the webhooks of a change, in the transaction that makes it.

use std::collections::BTreeSet;

use assay_model::{PullNumber, RepoKind, Timestamp};
use assay_store::{Branch, DeliveryCause, IndexedEntry, Store, Tx, Webhook};
use serde_json::{Value as Json, json};

use super::HookEvent;
use crate::error::Error;
use crate::index;
use crate::repo_lookup::Repo;

/// The most results that one message lists.
const MAX_LISTED: usize = 100;

/// The results of a model before a change, for the webhooks that are to be told what becomes of
/// them.
pub(crate) struct Telling<'r> {
    repo: &'r Repo,
    now: Timestamp,
    hooks: Vec<Webhook>,
    before: Vec<IndexedEntry>,
}

impl<'r> Telling<'r> {
    /// Looks before a change; none when nobody wants to know. A repository that nobody watches
    /// costs one question.
    pub(crate) async fn begin(
        store: &Store,
        repo: &'r Repo,
        now: Timestamp,
    ) -> Result<Option<Self>, Error> {
        if repo.kind != RepoKind::Model {
            return Ok(None);
        }
        let mut hooks = store.webhooks_for(repo.key, repo.owner).await?;
        hooks.retain(|hook| hook.paused.is_none() && HookEvent::Results.is_asked_for(&hook.events));
        if hooks.is_empty() {
            return Ok(None);
        }
        let before = store.entries_of_model(repo.key, None).await?;
        Ok(Some(Self {
            repo,
            now,
            hooks,
            before,
        }))
    }

    /// Looks again after it, and queues a message about the difference.
    pub(crate) async fn tell(&self, tx: &mut Tx) -> Result<(), Error> {
        let (repo, now) = (self.repo, self.now);
        let after = tx.entries_of_model(repo.key, None).await?;
        let (held, kept) = (sayings(&self.before), sayings(&after));
        let added: Vec<&IndexedEntry> = after
            .iter()
            .filter(|entry| !held.contains(&saying(entry)))
            .collect();
        let removed: Vec<&IndexedEntry> = self
            .before
            .iter()
            .filter(|entry| !kept.contains(&saying(entry)))
            .collect();
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let list = |entries: &[&IndexedEntry]| -> Vec<Json> {
            let first = entries.iter().take(MAX_LISTED);
            first.map(|entry| result(entry)).collect()
        };
        let body = json!({
            "event": HookEvent::Results.as_str(),
            "at": now.to_string(),
            "repository": repository(repo),
            "added": list(&added),
            "removed": list(&removed),
            "added_count": added.len(),
            "removed_count": removed.len(),
        });
        queue(tx, &self.hooks, HookEvent::Results, &body, now).await
    }
}

/// Tells what happened to a pull request or discussion.
pub(crate) async fn tell_pull(
    tx: &mut Tx,
    repo: &Repo,
    num: PullNumber,
    action: &str,
    sender: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let hooks = hooks_for(tx, repo, HookEvent::PullRequest).await?;
    if hooks.is_empty() {
        return Ok(());
    }
    let Some(held) = tx.discussion(repo.key, num).await? else {
        return Ok(());
    };
    let body = json!({
        "event": HookEvent::PullRequest.as_str(),
        "action": action,
        "at": now.to_string(),
        "repository": repository(repo),
        "discussion": {
            "number": num,
            "title": held.title,
            "status": held.status.as_str(),
            "is_pull_request": held.is_pull,
            "author": held.author.map(|author| author.name),
            "merge_commit": held.merge_commit.map(|commit| commit.to_string()),
        },
        "sender": sender,
    });
    queue(tx, &hooks, HookEvent::PullRequest, &body, now).await
}

/// Puts one message into the queue of each webhook.
pub(super) async fn queue(
    tx: &mut Tx,
    hooks: &[Webhook],
    event: HookEvent,
    body: &Json,
    now: Timestamp,
) -> Result<(), Error> {
    let body = body.to_string();
    for hook in hooks {
        let (event, cause) = (event.as_str(), DeliveryCause::Event);
        tx.add_delivery(hook.id, event, &body, now, cause).await?;
    }
    Ok(())
}

async fn hooks_for(tx: &mut Tx, repo: &Repo, event: HookEvent) -> Result<Vec<Webhook>, Error> {
    let mut hooks = tx.webhooks_for(repo.key, repo.owner).await?;
    hooks.retain(|hook| hook.paused.is_none() && event.is_asked_for(&hook.events));
    Ok(hooks)
}

fn repository(repo: &Repo) -> Json {
    json!({ "type": repo.kind.to_string(), "id": repo.id.as_str(), "private": repo.private })
}

fn result(entry: &IndexedEntry) -> Json {
    let said = &entry.version.entry;
    let scores = said.scores.iter().map(|score| {
        json!({
            "metric": score.metric.as_ref().map(assay_model::MetricId::as_str),
            "value": score.value.get(),
        })
    });
    json!({
        "benchmark": said.dataset.as_str(),
        "task": said.task.as_str(),
        "scores": scores.collect::<Vec<_>>(),
        "file": entry.version.file.as_str(),
        "pull_request": entry.branch.pull(),
        "commit": entry.version.commit.to_string(),
        "verified": entry.version.standing.is_verified(),
    })
}

fn saying(entry: &IndexedEntry) -> (Branch, String, [u8; 32]) {
    let version = &entry.version;
    let digest = index::digest(&version.data);
    (entry.branch, version.file.as_str().to_owned(), digest)
}

fn sayings(entries: &[IndexedEntry]) -> BTreeSet<(Branch, String, [u8; 32])> {
    entries.iter().map(saying).collect()
}
