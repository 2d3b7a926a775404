//! The benchmarks that this hub knows, in memory: by their name, and by names they had before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_check::{Benchmarks, Lookup, closest};
use assay_model::{Benchmark, ObjectId, RepoId, RepoKey};
use assay_store::{AccountId, IndexedBenchmark, Store};

use crate::error::Error;
use crate::hub::Hub;
use crate::index::benchmark_of;

/// A dataset with a valid definition on its main branch.
#[derive(Debug, Clone)]
pub(crate) struct KnownBenchmark {
    /// The repository.
    pub(crate) key: RepoKey,
    /// Its name.
    pub(crate) id: RepoId,
    /// The account of its namespace.
    pub(crate) owner: AccountId,
    /// True if everyone sees it.
    pub(crate) public: bool,
    /// The definition of the benchmark.
    pub(crate) definition: Arc<Benchmark>,
    /// The commit that defined it so.
    pub(crate) revision: ObjectId,
    /// All that somebody may look for in it, in lower case: a search goes through every benchmark.
    pub(crate) words: String,
}

impl KnownBenchmark {
    /// Its name as entries are looked up by.
    pub(crate) fn name(&self) -> String {
        self.id.as_str().to_ascii_lowercase()
    }
}

/// The benchmarks at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    by_key: BTreeMap<RepoKey, (Arc<KnownBenchmark>, Vec<String>)>,
    by_name: BTreeMap<String, RepoKey>,
}

impl Known {
    /// Reads all of them.
    pub(crate) async fn load(store: &Store) -> Result<Self, Error> {
        let mut known = Self::default();
        let benchmarks = store.benchmarks().await?;
        let mut former = store.all_former_names().await?;
        for benchmark in benchmarks {
            let names = former.remove(&benchmark.listed.repository.key);
            known.insert(benchmark, names.unwrap_or_default());
        }
        Ok(known)
    }

    /// Reads some of them again.
    pub(crate) async fn reload(
        &self,
        store: &Store,
        keys: &BTreeSet<RepoKey>,
    ) -> Result<Self, Error> {
        let mut known = self.clone();
        for key in keys {
            known.remove(*key);
            if let Some(benchmark) = store.benchmark(*key).await? {
                let former = store.former_names(*key).await?;
                known.insert(benchmark, former);
            }
        }
        Ok(known)
    }

    fn remove(&mut self, key: RepoKey) {
        let Some((_, names)) = self.by_key.remove(&key) else {
            return;
        };
        for name in names {
            // Another benchmark may have taken the name meanwhile.
            if self.by_name.get(&name) == Some(&key) {
                self.by_name.remove(&name);
            }
        }
    }

    fn insert(&mut self, benchmark: IndexedBenchmark, former: Vec<String>) {
        let definition = benchmark
            .valid
            .then(|| benchmark_of(&benchmark.definition))
            .flatten();
        let Some(definition) = definition else {
            return;
        };
        let repository = benchmark.listed.repository;
        let current = repository.id.as_str().to_ascii_lowercase();
        let mut names = former;
        // A name that is in use counts for who has it, not for who had it.
        for name in &names {
            self.by_name.entry(name.clone()).or_insert(repository.key);
        }
        self.by_name.insert(current.clone(), repository.key);
        names.push(current);
        let known = KnownBenchmark {
            words: words(&repository.id, &definition),
            key: repository.key,
            id: repository.id,
            owner: repository.owner,
            public: !repository.settings.private && !repository.settings.disabled,
            definition: Arc::new(definition),
            revision: benchmark.revision,
        };
        self.by_key.insert(known.key, (Arc::new(known), names));
    }

    /// The benchmark of this name, in any case, or which had it last.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<KnownBenchmark>> {
        let key = self.by_name.get(&name.to_ascii_lowercase())?;
        self.of(*key)
    }

    /// Every benchmark.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<KnownBenchmark>> {
        self.by_key.values().map(|(known, _)| known)
    }

    /// The benchmark of this repository.
    pub(crate) fn of(&self, key: RepoKey) -> Option<&Arc<KnownBenchmark>> {
        self.by_key.get(&key).map(|(known, _)| known)
    }
}

/// Returns the text that a search looks at: the names, the description, the tasks and the metrics.
fn words(id: &RepoId, definition: &Benchmark) -> String {
    let mut words = vec![id.as_str(), &definition.name, &definition.description];
    for task in &definition.tasks {
        words.push(task.id.as_str());
        words.extend(task.display_name.as_deref());
    }
    for metric in &definition.metrics {
        words.extend([metric.id.as_str(), &metric.display_name]);
    }
    words.join("\n").to_lowercase()
}

/// The benchmarks that everyone sees, for validation. Of others not even the existence is told.
#[derive(Debug)]
struct PublicBenchmarks(Arc<Known>);

impl Benchmarks for PublicBenchmarks {
    fn find(&self, id: &RepoId) -> Lookup {
        if let Some(known) = self.0.named(id.as_str()).filter(|known| known.public) {
            return Lookup::Known(Arc::clone(&known.definition));
        }
        let names: Vec<&str> = self
            .0
            .by_key
            .values()
            .filter(|(known, _)| known.public)
            .map(|(known, _)| known.id.as_str())
            .collect();
        Lookup::Unknown {
            similar: closest(id.as_str(), names)
                .map(str::to_owned)
                .into_iter()
                .collect(),
        }
    }
}

impl Hub {
    /// The benchmarks that validation looks results up in.
    pub(crate) async fn known_benchmarks(&self) -> Result<Arc<dyn Benchmarks + Send>, Error> {
        let known = self.board_cache.known(&self.store).await?;
        Ok(Arc::new(PublicBenchmarks(known)))
    }
}
