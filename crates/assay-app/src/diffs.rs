//! A cache of the changes between two commits: a diff takes long, and anybody may ask for it.

use std::sync::Arc;
use std::time::Duration;

use assay_git::{Diff, Error as GitError, Merged, Quarantine, Repository};
use assay_model::{ObjectId, RepoKey, Timestamp};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::discussion::{names, trial_plan};
use crate::error::{Busy, Error};
use crate::services::RepositoryService;

/// Maximum length of a diff, in bytes; what is longer is cut.
const MAX_DIFF: usize = 4 << 20;
/// Number of diffs and trial merges that are worked out at a time.
const AT_ONCE: usize = 2;
/// The time to wait for a turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of bytes of the kept answers of a kind together.
const MAX_KEPT_BYTES: u32 = 32 << 20;
/// The bytes that an answer counts for at least, so that at most 1,024 of a kind are kept.
const LEAST_BYTES: u32 = MAX_KEPT_BYTES / 1024;

/// The changes between two commits, as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffText {
    /// A unified diff; empty when it would have been too much work.
    pub text: String,
    /// The part that is missing, the reason, and how to see it all the same.
    pub left_out: Option<String>,
}

/// The obstacles of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacles {
    /// These files; none when nothing does.
    Files(Vec<String>),
    /// It takes too long to find out.
    Unknown,
}

/// The answers that are kept. They follow from the ids of two commits, so they are right for ever.
pub(crate) struct Diffs {
    turns: Semaphore,
    texts: Cache<Ends, Arc<DiffText>>,
    obstacles: Cache<Ends, Arc<Obstacles>>,
}

/// Two commits.
type Ends = (ObjectId, ObjectId);

impl Default for Diffs {
    fn default() -> Self {
        Self {
            turns: Semaphore::new(AT_ONCE),
            texts: bounded_cache(|diff: &DiffText| diff.text.len()),
            obstacles: bounded_cache(|obstacles: &Obstacles| match obstacles {
                Obstacles::Files(files) => files.iter().map(String::len).sum(),
                Obstacles::Unknown => 0,
            }),
        }
    }
}

impl RepositoryService<'_> {
    /// Returns the changes between two commits of a repository.
    pub(crate) async fn diff_between(
        self,
        key: RepoKey,
        from: ObjectId,
        to: ObjectId,
    ) -> Result<Arc<DiffText>, Error> {
        let ends = (from, to);
        if let Some(held) = self.hub.diffs.texts.get(&ends) {
            return Ok(held);
        }
        let _turn = self.hub.diffs.turn().await?;
        if let Some(held) = self.hub.diffs.texts.get(&ends) {
            return Ok(held);
        }
        let diff = self
            .hub
            .with_git(key, move |git| {
                Ok(git.objects().diff(from, to, MAX_DIFF)?)
            })
            .await?;
        let diff = Arc::new(DiffText::of(diff));
        self.hub.diffs.texts.insert(ends, Arc::clone(&diff));
        Ok(diff)
    }

    /// Returns the obstacles of bringing one commit into another.
    pub(crate) async fn obstacles_between(
        self,
        key: RepoKey,
        onto: ObjectId,
        tip: ObjectId,
    ) -> Result<Arc<Obstacles>, Error> {
        let ends = (onto, tip);
        if let Some(held) = self.hub.diffs.obstacles.get(&ends) {
            return Ok(held);
        }
        let _turn = self.hub.diffs.turn().await?;
        if let Some(held) = self.hub.diffs.obstacles.get(&ends) {
            return Ok(held);
        }
        let found = self
            .hub
            .with_git(key, move |git| Ok(try_merge(git, onto, tip)?));
        let found = Arc::new(found.await?);
        self.hub.diffs.obstacles.insert(ends, Arc::clone(&found));
        Ok(found)
    }
}

impl Diffs {
    /// Returns whether it is known that a merge takes too long to be tried.
    pub(crate) fn is_hopeless(&self, onto: ObjectId, tip: ObjectId) -> bool {
        let held = self.obstacles.get(&(onto, tip));
        held.is_some_and(|held| *held == Obstacles::Unknown)
    }

    /// Keeps in mind that a merge takes too long to be tried.
    pub(crate) fn note_hopeless(&self, onto: ObjectId, tip: ObjectId) {
        let unknown = Arc::new(Obstacles::Unknown);
        self.obstacles.insert((onto, tip), unknown);
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Error> {
        let turn = tokio::time::timeout(PATIENCE, self.turns.acquire()).await;
        let turn = turn.map_err(|_| Error::Busy(Busy::Diffs))?;
        turn.map_err(Error::internal)
    }
}

impl DiffText {
    fn of(diff: Diff) -> Self {
        match diff {
            Diff::Text { text, cut: false } => Self {
                text,
                left_out: None,
            },
            Diff::Text { text, cut: true } => Self {
                text,
                left_out: Some(format!(
                    "the diff is longer than {} MiB and is cut here: fetch both commits and compare them with `git diff`",
                    MAX_DIFF >> 20
                )),
            },
            Diff::TooMuch { files, bytes } => Self {
                text: String::new(),
                left_out: Some(format!(
                    "the diff is too large to be worked out here ({files} files with {bytes} bytes, before and after): \
                     fetch both commits and compare them with `git diff`"
                )),
            },
        }
    }
}

/// Builds a cache of answers whose bytes are bounded; those that nobody asked for the longest go
/// first.
fn bounded_cache<T: Send + Sync + 'static>(
    bytes: impl Fn(&T) -> usize + Send + Sync + 'static,
) -> Cache<Ends, Arc<T>> {
    let weigh = move |_: &Ends, answer: &Arc<T>| {
        let bytes = u32::try_from(bytes(answer)).unwrap_or(u32::MAX);
        bytes.max(LEAST_BYTES)
    };
    Cache::builder()
        .max_capacity(MAX_KEPT_BYTES.into())
        .weigher(weigh)
        .eviction_policy(EvictionPolicy::lru())
        .build()
}

fn try_merge(git: &Repository, onto: ObjectId, tip: ObjectId) -> Result<Obstacles, GitError> {
    let quarantine: Quarantine = git.quarantine();
    let trial = trial_plan(Timestamp::from_millis(0));
    Ok(match quarantine.merge(onto, tip, &trial) {
        Ok(Merged::Conflict(files)) => Obstacles::Files(names(files)),
        Ok(Merged::UpToDate | Merged::FastForward(_) | Merged::Commit(_)) => {
            Obstacles::Files(Vec::new())
        }
        Err(GitError::OutOfTime { .. }) => Obstacles::Unknown,
        Err(error) => return Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_answers_have_an_end_in_number_and_in_bytes() {
        let id = |number: u32| {
            let text = format!("{number:040x}");
            text.parse::<ObjectId>().unwrap()
        };
        let texts = bounded_cache(|text: &String| text.len());
        let keep = |answers: std::ops::Range<u32>, bytes: usize| {
            for number in answers {
                let text = "x".repeat(bytes);
                texts.insert((id(0), id(number)), Arc::new(text));
                texts.run_pending_tasks();
            }
            texts.entry_count()
        };

        assert_eq!(keep(0..2_000, 10), 1024);
        assert_eq!(keep(2_000..2_020, 4 << 20), 8);
        assert!(texts.get(&(id(0), id(2_019))).is_some());
        assert!(texts.get(&(id(0), id(2_000))).is_none());
    }
}
