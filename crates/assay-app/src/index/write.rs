//! Writing to the index: ordinary changes in one transaction, large ones in several, so that nobody
//! waits long.

use std::collections::{BTreeMap, BTreeSet};

use assay_model::{ObjectId, RepoKind};
use assay_store::{BranchChange, IndexedEntry, NewEntry, Repository, Store, Tx};

use super::derive::{Change, Derived, MAX_ENDED};
use super::gather::{Plan, UNFINISHED, indexed_refs};
use super::{Sources, Touched};
use crate::error::Error;
use crate::trust::compute_standings;
use crate::webhook::Telling;

/// The outcome of a plan.
pub(super) enum Written {
    /// It is written.
    Done(Touched),
    /// Somebody else has written to the index since the plan was made.
    Overtaken,
}

/// Writes what was planned.
pub(super) async fn write(
    sources: &Sources,
    store: &Store,
    plan: Plan,
    telling: Option<&Telling<'_>>,
) -> Result<Written, Error> {
    let mut boards = plan.shown.clone();
    boards.extend(plan.derived.boards());
    let most = sources.transaction_rows;
    let mut writer = Writer {
        sources,
        store,
        indexed: plan.indexed.clone(),
        boards,
        is_large: plan.rows() > most,
        plan,
    };
    if writer.is_large && !writer.write_beforehand(most).await? {
        return Ok(Written::Overtaken);
    }
    writer.finish(telling).await
}

struct Writer<'w> {
    sources: &'w Sources,
    store: &'w Store,
    plan: Plan,
    /// The refs that are indexed, as this writer last left them.
    indexed: BTreeMap<String, ObjectId>,
    /// The benchmarks of all entries before and after.
    boards: BTreeSet<String>,
    /// True if it takes more than one transaction.
    is_large: bool,
}

impl Writer<'_> {
    /// Writes what need not be written together with what is current, some rows at a time. The
    /// answer is whether the plan still holds.
    async fn write_beforehand(&mut self, most: usize) -> Result<bool, Error> {
        let Some((mut tx, _)) = self.begin().await? else {
            return Ok(false);
        };
        // From here on the rows are neither those of before nor those of after: whoever finds this
        // mark starts over.
        let mark = self.plan.refs.first().map(|reference| reference.target);
        let mark = mark.unwrap_or(ObjectId::from_bytes([0; 20]));
        tx.set_indexed_ref(self.plan.key, UNFINISHED, Some(&mark))
            .await?;
        tx.commit().await?;
        self.indexed.insert(UNFINISHED.to_owned(), mark);
        Ok(self.remove_rows(most).await?
            && self.write_records(most).await?
            && self.write_ended(most).await?)
    }

    async fn remove_rows(&mut self, most: usize) -> Result<bool, Error> {
        let limit = u32::try_from(most).unwrap_or(u32::MAX);
        for (branch, _) in std::mem::take(&mut self.plan.removed) {
            loop {
                let Some((mut tx, _)) = self.begin().await? else {
                    return Ok(false);
                };
                let removed = tx.remove_entries(self.plan.key, branch, limit).await?;
                tx.commit().await?;
                if removed < u64::from(limit) {
                    break;
                }
            }
        }
        Ok(true)
    }

    async fn write_records(&mut self, most: usize) -> Result<bool, Error> {
        if self.plan.is_anew {
            let limit = u32::try_from(most).unwrap_or(u32::MAX);
            loop {
                let Some((mut tx, _)) = self.begin().await? else {
                    return Ok(false);
                };
                let removed = tx.remove_records(self.plan.key, limit).await?;
                tx.commit().await?;
                if removed < u64::from(limit) {
                    break;
                }
            }
        }
        let records = std::mem::take(&mut self.plan.derived.records);
        for gone in records.gone.chunks(most) {
            let Some((mut tx, _)) = self.begin().await? else {
                return Ok(false);
            };
            for path in gone {
                tx.remove_record(self.plan.key, path).await?;
            }
            tx.commit().await?;
        }
        for written in records.written.chunks(most) {
            let Some((mut tx, _)) = self.begin().await? else {
                return Ok(false);
            };
            tx.set_records(self.plan.key, written).await?;
            tx.commit().await?;
        }
        Ok(true)
    }

    async fn write_ended(&mut self, most: usize) -> Result<bool, Error> {
        let Derived { main, pulls, .. } = &mut self.plan.derived;
        let branches = std::iter::once(main).chain(pulls);
        let ended = branches.map(|change| (change.branch, std::mem::take(&mut change.ended)));
        let ended: Vec<_> = ended.collect();
        for (branch, mut versions) in ended {
            for versions in versions.chunks_mut(most) {
                let Some((mut tx, record)) = self.begin().await? else {
                    return Ok(false);
                };
                compute_standings(&self.sources.trust, &mut tx, &record, entries_of(versions))
                    .await?;
                tx.add_entries(self.plan.key, branch, versions).await?;
                tx.trim_entries(self.plan.key, branch, MAX_ENDED).await?;
                tx.commit().await?;
            }
        }
        Ok(true)
    }

    /// Writes all that is left, which makes the index say what the refs say.
    async fn finish(&mut self, telling: Option<&Telling<'_>>) -> Result<Written, Error> {
        let Some((mut tx, record)) = self.begin().await? else {
            return Ok(Written::Overtaken);
        };
        let key = self.plan.key;
        let mut touched = Touched {
            boards: self.boards.clone(),
            ..Touched::default()
        };
        match record.kind {
            RepoKind::Model => touched.add_model(key, &record.id),
            // Files beside the definition, such as records, change no board.
            RepoKind::Dataset => {
                if let Change::To(_) = self.plan.derived.benchmark {
                    touched.datasets.insert(key);
                }
            }
        }
        for (branch, _) in &self.plan.removed {
            tx.remove_entries(key, *branch, u32::MAX).await?;
        }
        let derived = &mut self.plan.derived;
        for change in std::iter::once(&mut derived.main).chain(&mut derived.pulls) {
            compute_standings_of_branch(self.sources, &mut tx, &record, change).await?;
            tx.write_branch(key, change).await?;
            if change.rows() > 0 {
                tx.trim_entries(key, change.branch, MAX_ENDED).await?;
            }
        }
        self.write_rest(&mut tx).await?;
        if let Some(telling) = telling {
            telling.tell(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(Written::Done(touched))
    }

    async fn write_rest(&self, tx: &mut Tx) -> Result<(), Error> {
        let Plan { key, derived, .. } = &self.plan;
        // Where nothing is indexed yet, there is nothing to remove.
        let is_new = self.indexed.is_empty() && !self.plan.is_anew;
        if let Change::To(card) = &derived.card
            && !(is_new && card.is_none())
        {
            tx.set_card(*key, card.as_ref()).await?;
        }
        if let Change::To(benchmark) = &derived.benchmark
            && !(is_new && benchmark.is_none())
        {
            tx.set_benchmark(*key, benchmark.as_ref()).await?;
        }
        // In a large change, they were replaced beforehand.
        if self.plan.is_anew && !self.is_large {
            tx.remove_records(*key, u32::MAX).await?;
        }
        for path in &derived.records.gone {
            tx.remove_record(*key, path).await?;
        }
        tx.set_records(*key, &derived.records.written).await?;
        self.write_refs(tx).await
    }

    /// Writes the refs that differ: a repository may have thousands, and a push moves one.
    async fn write_refs(&self, tx: &mut Tx) -> Result<(), Error> {
        let key = self.plan.key;
        let mut gone = self.indexed.clone();
        for reference in &self.plan.refs {
            let name = reference.name.as_str();
            if gone.remove(name) != Some(reference.target) {
                tx.set_indexed_ref(key, name, Some(&reference.target))
                    .await?;
            }
        }
        for name in gone.keys() {
            tx.set_indexed_ref(key, name, None).await?;
        }
        Ok(())
    }

    /// Begins a transaction; none when the plan does not hold any more.
    async fn begin(&self) -> Result<Option<(Tx, Repository)>, Error> {
        let mut tx = self.store.begin().await?;
        let found = indexed_refs(tx.indexed_refs(self.plan.key).await?);
        let record = tx.repository(self.plan.key).await?;
        match record {
            Some(record) if found == self.indexed => Ok(Some((tx, record))),
            Some(_) | None => {
                tx.rollback().await?;
                Ok(None)
            }
        }
    }
}

/// Gives every new entry of a branch its standing.
async fn compute_standings_of_branch(
    sources: &Sources,
    tx: &mut Tx,
    record: &Repository,
    change: &mut BranchChange,
) -> Result<(), Error> {
    let mut entries = entries_of(&mut change.ended);
    entries.extend(entries_of(&mut change.current));
    compute_standings(&sources.trust, tx, record, entries).await
}

fn entries_of(versions: &mut [IndexedEntry]) -> Vec<&mut NewEntry> {
    versions
        .iter_mut()
        .map(|indexed| &mut indexed.version)
        .collect()
}
