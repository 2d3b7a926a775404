//! The results of a model, as they were written.

use std::collections::HashSet;
use std::sync::Arc;

use assay_model::RepoKey;
use assay_store::{Branch, IndexedEntry};

use super::EvalResult;
use super::result::{self, ModelFacts};
use super::signed;
use crate::error::{Error, Missing};
use crate::index;
use crate::known::KnownBenchmark;
use crate::services::BoardService;

impl BoardService<'_> {
    /// Reads the results of a model.
    pub(super) async fn read_model(self, key: RepoKey) -> Result<Vec<Arc<EvalResult>>, Error> {
        let Some(repository) = self.hub.store.repository(key).await? else {
            return Err(Error::NotFound(Missing::Repo));
        };
        let account = self.hub.store.account(repository.owner).await?;
        let owner = result::owner_of(&repository, account);
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let mut rows = without_echoes(self.hub.store.entries_of_model(key, None).await?);
        // Whoever sees a private model sees the private benchmarks of its namespace; nobody else is
        // told of them.
        let sees = |benchmark: &KnownBenchmark| {
            benchmark.public || (repository.settings.private && benchmark.owner == repository.owner)
        };
        let versions = rows.iter_mut().map(|row| &mut row.version).collect();
        signed::check_versions(&self.hub.git, &known, sees, versions).await?;
        let mut results = Vec::with_capacity(rows.len());
        for row in rows {
            let submitter = match row.version.submitter {
                Some(id) => self
                    .hub
                    .store
                    .account(id)
                    .await?
                    .map(|account| account.name),
                None => None,
            };
            let dataset = row.version.entry.dataset.clone();
            let benchmark = known
                .named(dataset.as_str())
                .filter(|benchmark| sees(benchmark));
            let definition = benchmark
                .map(|benchmark| &*benchmark.definition)
                .ok_or_else(|| format!("this hub has no benchmark `{dataset}` yet"));
            let model = ModelFacts {
                id: &repository.id,
                owner: &owner,
                parameters: None,
                base_models: &[],
            };
            let result = result::of_model(model, row, submitter.as_deref(), definition);
            results.push(Arc::new(result));
        }
        Ok(results)
    }
}

/// Leaves out what a pull request says and main says as well.
fn without_echoes(rows: Vec<IndexedEntry>) -> Vec<IndexedEntry> {
    let on_main: HashSet<[u8; 32]> = rows
        .iter()
        .filter(|row| row.branch == Branch::Main)
        .map(|row| index::digest(&row.version.data))
        .collect();
    let is_news = |row: &IndexedEntry| {
        row.branch == Branch::Main || !on_main.contains(&index::digest(&row.version.data))
    };
    rows.into_iter().filter(is_news).collect()
}
