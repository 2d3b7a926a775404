//! The versions of a result file on the hub: on the main branch, and in open pull requests.

use std::collections::BTreeSet;

use assay_formats::eval_results::entries;
use assay_hub_api::EvalResult;
use assay_hub_api::client::{Client, ClientError};
use assay_model::{Entry, RepoId, RepoKind};

use super::SubmitError;

/// The most open pull requests of one file that are looked into.
const MAX_PULLS: usize = 1000;

/// One result file of a model, as the hub has it.
#[derive(Debug, Default)]
pub(super) struct KnownFile {
    /// The file on the main branch.
    pub(super) main: Option<String>,
    /// The entries of the file in each open pull request that has it.
    pulls: Vec<(u32, Vec<Entry>)>,
}

/// The place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryLocation {
    /// On the main branch.
    Merged,
    /// In an open pull request.
    Open(u32),
}

impl KnownFile {
    /// Asks the hub; `results` is what it tells of all results of the model.
    pub(super) fn ask(
        client: &Client,
        model: &RepoId,
        path: &str,
        results: &[EvalResult],
    ) -> Result<Self, SubmitError> {
        let mut numbers: Vec<u32> = pulls_with(results, path).into_iter().collect();
        // The newest are the likeliest, and the ones that a person would look at.
        numbers.reverse();
        numbers.truncate(MAX_PULLS);
        let mut pulls = Vec::new();
        for num in numbers {
            let at = format!("refs/pr/{num}");
            if let Some(text) = content(client, model, &at, path)?
                && let Ok(entries) = entries::read(&text)
            {
                pulls.push((num, entries));
            }
        }
        let main = content(client, model, "main", path)?;
        Ok(Self { main, pulls })
    }

    /// Returns the place of an entry that looks like this. A merged one counts before a proposed
    /// one.
    pub(super) fn find(&self, is_it: impl Fn(&Entry) -> bool) -> Option<EntryLocation> {
        let merged = self
            .main
            .as_deref()
            .and_then(|text| entries::read(text).ok());
        if merged.is_some_and(|entries| entries.iter().any(&is_it)) {
            return Some(EntryLocation::Merged);
        }
        let open = self
            .pulls
            .iter()
            .find(|(_, entries)| entries.iter().any(&is_it));
        open.map(|(num, _)| EntryLocation::Open(*num))
    }
}

/// All results of a model, as the hub has them.
pub(super) fn results_of(client: &Client, model: &RepoId) -> Result<Vec<EvalResult>, ClientError> {
    let info = client.model_results(model)?.value;
    Ok(info.eval_results.unwrap_or_default())
}

/// The open pull requests that bring results in a file.
fn pulls_with(results: &[EvalResult], path: &str) -> BTreeSet<u32> {
    results
        .iter()
        .filter(|item| item.filename == path)
        .filter_map(|item| item.pull_request)
        .collect()
}

/// The text of a file; none when there is no such file.
fn content(
    client: &Client,
    model: &RepoId,
    revision: &str,
    path: &str,
) -> Result<Option<String>, SubmitError> {
    let content = client.file(RepoKind::Model, model, revision, path)?;
    Ok(content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
