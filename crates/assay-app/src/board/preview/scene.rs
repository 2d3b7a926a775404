use assay_model::{Entry, PullNumber, TaskId};
use assay_store::{BoardEntry, Branch, IndexedEntry, NewEntry, Owner, Viewer};

use super::super::EvalResult;
use super::super::result::{self, ModelFacts};
use crate::known::{Known, KnownBenchmark};
use crate::repo_lookup::Repo;

/// The model of a change, and who looks.
pub(super) struct Scene {
    pub(super) repo: Repo,
    /// The pull request that would be merged.
    pub(super) pull: Option<PullNumber>,
    pub(super) viewer: Viewer,
    pub(super) owner: Owner,
    pub(super) base_models: Option<Vec<String>>,
    pub(super) parameters: Option<u64>,
}

impl Scene {
    pub(super) fn sees(&self, row: &BoardEntry) -> bool {
        let is_visible =
            !row.private || self.viewer.sees_all || self.viewer.accounts.contains(&row.owner.id);
        is_visible && !row.disabled
    }

    /// The entries of a board without the pull request, and with it merged.
    pub(super) fn sides(
        &self,
        rows: Vec<BoardEntry>,
        benchmark: &KnownBenchmark,
        task: &TaskId,
        entries: &[NewEntry],
    ) -> (Vec<BoardEntry>, Vec<BoardEntry>) {
        let own_pull = self.pull.map(Branch::Pull);
        let is_own = |row: &BoardEntry| row.key == self.repo.key;
        let before: Vec<BoardEntry> = rows
            .into_iter()
            .filter(|row| !(is_own(row) && Some(row.branch) == own_pull))
            .collect();
        let mut after: Vec<BoardEntry> = before
            .iter()
            .filter(|row| !(is_own(row) && row.branch == Branch::Main))
            .cloned()
            .collect();
        let of_board = entries.iter().filter(|entry| {
            entry.entry.task == *task
                && entry
                    .entry
                    .dataset
                    .as_str()
                    .eq_ignore_ascii_case(benchmark.id.as_str())
        });
        after.extend(of_board.map(|entry| self.row(entry)));
        (before, after)
    }

    /// An entry as the board would have it.
    fn row(&self, new: &NewEntry) -> BoardEntry {
        BoardEntry {
            key: self.repo.key,
            model: self.repo.id.clone(),
            private: self.repo.private,
            disabled: self.repo.disabled,
            owner: self.owner.clone(),
            base_models: self.base_models.clone().unwrap_or_default(),
            parameters: self.parameters,
            branch: Branch::Main,
            file: new.file.clone(),
            ordinal: new.ordinal,
            entry: Entry {
                token: None,
                ..new.entry.clone()
            },
            findings: new.findings.clone(),
            moment: new.moment,
            standing: new.standing.clone(),
            commit: new.commit,
            committed: new.committed,
            submitter: None,
            author: new.author.clone(),
            since: new.committed,
            until: None,
        }
    }

    /// An entry for people.
    pub(super) fn result(&self, new: &NewEntry, known: &Known) -> EvalResult {
        let dataset = &new.entry.dataset;
        let benchmark = known
            .named(dataset.as_str())
            .filter(|benchmark| benchmark.public);
        let definition = benchmark
            .map(|benchmark| &*benchmark.definition)
            .ok_or_else(|| format!("this hub has no benchmark `{dataset}` yet"));
        let model = ModelFacts {
            id: &self.repo.id,
            owner: &self.owner,
            base_models: self.base_models.as_deref().unwrap_or_default(),
            parameters: self.parameters,
        };
        let row = IndexedEntry {
            branch: self.pull.map_or(Branch::Main, Branch::Pull),
            version: new.clone(),
            since: new.committed,
            until: None,
        };
        result::of_model(model, row, None, definition)
    }
}
