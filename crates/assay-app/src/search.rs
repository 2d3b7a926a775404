//! Benchmarks by what their definitions say, not by their name alone.

use std::sync::Arc;

use assay_model::RepoId;

use crate::access::Caller;
use crate::error::Error;
use crate::known::KnownBenchmark;
use crate::services::BoardService;

/// A benchmark that was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchmarkHit {
    /// The benchmark.
    pub id: RepoId,
    /// Its name for people.
    pub name: String,
    /// A description of what it measures.
    pub description: String,
    /// The text that had the words: its name, its description, a task or a metric.
    pub via: String,
    /// The task that had them.
    pub task: Option<String>,
}

/// Number of accounts that are looked through.
const MAX_ACCOUNTS: usize = 20;

impl BoardService<'_> {
    /// Benchmarks whose names, description, tasks or metrics have these words, those that the
    /// caller may see.
    pub async fn search_benchmarks(
        self,
        caller: &Caller,
        words: &str,
        limit: usize,
    ) -> Result<Vec<BenchmarkHit>, Error> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let viewer = self.hub.repositories().viewer(caller).await?;
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let visible = known.all().filter(|benchmark| {
            benchmark.public || viewer.sees_all || viewer.accounts.contains(&benchmark.owner)
        });
        let has = |text: &str| {
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        let may_have = |benchmark: &&Arc<KnownBenchmark>| {
            let mut words = words.iter();
            words.all(|word| benchmark.words.contains(word.as_str()))
        };
        let mut hits = Vec::new();
        for benchmark in visible.filter(may_have) {
            let definition = &benchmark.definition;
            let task = definition.tasks.iter().find(|task| {
                let name = task.display_name.as_deref().unwrap_or_default();
                has(task.id.as_str()) || has(name)
            });
            let metric = definition
                .metrics
                .iter()
                .find(|metric| has(metric.id.as_str()) || has(&metric.display_name));
            let via = if has(benchmark.id.as_str()) || has(&definition.name) {
                "its name".to_owned()
            } else if let Some(task) = task {
                format!("its task {}", task.id)
            } else if let Some(metric) = metric {
                format!("its metric {}", metric.display_name)
            } else if has(&definition.description) {
                "its description".to_owned()
            } else {
                continue;
            };
            hits.push(BenchmarkHit {
                id: benchmark.id.clone(),
                name: definition.name.clone(),
                description: definition.description.clone(),
                via,
                task: task.map(|task| task.id.as_str().to_owned()),
            });
        }
        // Whose name it is comes before who only mentions it.
        hits.sort_by(|one, other| {
            let rank = |hit: &BenchmarkHit| hit.via != "its name";
            (rank(one), &one.id).cmp(&(rank(other), &other.id))
        });
        hits.truncate(limit);
        Ok(hits)
    }

    /// Accounts whose name begins with a word.
    pub async fn search_accounts(self, word: &str) -> Result<Vec<crate::Account>, Error> {
        let word = word.trim().to_ascii_lowercase();
        let mut characters = word.chars();
        let Some(last) = characters.next_back() else {
            return Ok(Vec::new());
        };
        // The names from just before the word on: those that begin with it come first.
        let before = char::from_u32((last as u32).saturating_sub(1)).unwrap_or(' ');
        let after = format!("{}{before}\u{10ffff}", characters.as_str());
        let limit = u32::try_from(MAX_ACCOUNTS).unwrap_or(u32::MAX);
        let found = self.hub.store.accounts(None, Some(&after), limit).await?;
        Ok(found
            .into_iter()
            .filter(|account| account.name.to_ascii_lowercase().starts_with(&word))
            .map(crate::Account::of)
            .collect())
    }

    /// Returns the totals of the hub.
    pub async fn counts(self) -> Result<assay_store::Counts, Error> {
        Ok(self.hub.store.counts().await?)
    }
}
