use assay_formats::eee;
use assay_model::{ObjectId, RepoPath};

use crate::error::Error;
use crate::index::RECORDS_FOLDER;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// An Every Eval Ever record on the main branch of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFile {
    /// The path of the record.
    pub path: RepoPath,
    /// Its blob.
    pub oid: ObjectId,
    /// Its facts in short.
    pub facts: eee::Facts,
}

/// Records of a repository, in the order of their paths.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordPage {
    /// The records.
    pub records: Vec<RecordFile>,
    /// The total number.
    pub total: u64,
    /// After which path the next page begins; none when this is the last.
    pub next: Option<RepoPath>,
}

impl RepositoryService<'_> {
    /// The records on the main branch of a repository; of one benchmark, when it is named as its
    /// folder is.
    pub async fn records(
        self,
        repo: &Repo,
        benchmark: Option<&str>,
        after: Option<&RepoPath>,
        limit: u32,
    ) -> Result<RecordPage, Error> {
        let folder = benchmark.map(folder_of).transpose()?;
        let folder = folder.as_ref();
        let wanted = limit.saturating_add(1);
        let mut found = self
            .hub
            .store
            .records_of(repo.key, folder, after, wanted)
            .await?;
        let is_last = found.len() < wanted as usize;
        found.truncate(limit as usize);
        let next = found.last().filter(|_| !is_last);
        Ok(RecordPage {
            next: next.map(|record| record.path.clone()),
            total: self.hub.store.count_records(repo.key, folder).await?,
            records: found
                .into_iter()
                .map(|record| RecordFile {
                    path: record.path,
                    oid: record.blob,
                    // What an older version wrote, and this one cannot read, is made again by the
                    // next reindex.
                    facts: serde_json::from_value(record.facts).unwrap_or_default(),
                })
                .collect(),
        })
    }
}

fn folder_of(benchmark: &str) -> Result<RepoPath, Error> {
    let is_name = !benchmark.contains('/');
    let folder = format!("{RECORDS_FOLDER}/{benchmark}").parse();
    folder
        .ok()
        .filter(|_| is_name)
        .ok_or_else(|| Error::Invalid(format!("`{benchmark}` is no folder of a datastore")))
}
