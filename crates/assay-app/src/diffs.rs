//! What changed between two commits, worked out once: it takes long, and anybody may ask.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_git::{Diff, Error as GitError, Merged, Quarantine, Repository};
use assay_model::{ObjectId, RepoKey, Timestamp};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::discussion::{names, trial_plan};
use crate::error::Error;
use crate::hub::Hub;

/// How long a diff may be, in bytes; what is longer is cut.
const MAX_DIFF: usize = 4 << 20;
/// How many diffs and trial merges are worked out at a time.
const AT_ONCE: usize = 2;
/// How long to wait for one's turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many answers are kept of each kind.
const MAX_KEPT: usize = 1024;
/// How many bytes the kept diffs may have together.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// What changed between two commits, as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffText {
    /// A unified diff; empty when it would have been too much work.
    pub text: String,
    /// What is missing, why, and how to see it all the same.
    pub left_out: Option<String>,
}

/// What stands in the way of a merge.
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
    texts: Mutex<Kept<DiffText>>,
    obstacles: Mutex<Kept<Obstacles>>,
}

/// Two commits.
type Ends = (ObjectId, ObjectId);

/// Answers, of which the oldest go when there are too many.
struct Kept<T> {
    answers: HashMap<Ends, Arc<T>>,
    order: VecDeque<(Ends, usize)>,
    bytes: usize,
}

impl Default for Diffs {
    fn default() -> Self {
        Self {
            turns: Semaphore::new(AT_ONCE),
            texts: Mutex::default(),
            obstacles: Mutex::default(),
        }
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            answers: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<T> Kept<T> {
    fn keep(&mut self, ends: Ends, answer: Arc<T>, bytes: usize) {
        if self.answers.insert(ends, answer).is_some() {
            return;
        }
        self.order.push_back((ends, bytes));
        self.bytes += bytes;
        while self.order.len() > MAX_KEPT || self.bytes > MAX_KEPT_BYTES {
            let Some((oldest, bytes)) = self.order.pop_front() else {
                return;
            };
            self.answers.remove(&oldest);
            self.bytes -= bytes;
        }
    }
}

impl Hub {
    /// What changed between two commits of a repository.
    pub(crate) async fn diff_between(
        &self,
        key: RepoKey,
        from: ObjectId,
        to: ObjectId,
    ) -> Result<Arc<DiffText>, Error> {
        let ends = (from, to);
        if let Some(held) = held(&self.diffs.texts, ends) {
            return Ok(held);
        }
        let _turn = self.diffs.turn().await?;
        if let Some(held) = held(&self.diffs.texts, ends) {
            return Ok(held);
        }
        let diff = self
            .with_git(key, move |git| {
                Ok(git.objects().diff(from, to, MAX_DIFF)?)
            })
            .await?;
        let diff = Arc::new(DiffText::of(diff));
        let mut kept = lock(&self.diffs.texts);
        kept.keep(ends, Arc::clone(&diff), diff.text.len());
        Ok(diff)
    }

    /// What stands in the way of bringing one commit into another.
    pub(crate) async fn obstacles_between(
        &self,
        key: RepoKey,
        onto: ObjectId,
        tip: ObjectId,
    ) -> Result<Arc<Obstacles>, Error> {
        let ends = (onto, tip);
        if let Some(held) = held(&self.diffs.obstacles, ends) {
            return Ok(held);
        }
        let _turn = self.diffs.turn().await?;
        if let Some(held) = held(&self.diffs.obstacles, ends) {
            return Ok(held);
        }
        let found = self.with_git(key, move |git| Ok(try_merge(git, onto, tip)?));
        let found = Arc::new(found.await?);
        let bytes = match &*found {
            Obstacles::Files(files) => files.iter().map(String::len).sum(),
            Obstacles::Unknown => 0,
        };
        lock(&self.diffs.obstacles).keep(ends, Arc::clone(&found), bytes);
        Ok(found)
    }
}

impl Diffs {
    /// Returns whether it is known that a merge takes too long to be tried.
    pub(crate) fn is_hopeless(&self, onto: ObjectId, tip: ObjectId) -> bool {
        let held = held(&self.obstacles, (onto, tip));
        held.is_some_and(|held| *held == Obstacles::Unknown)
    }

    /// Keeps in mind that a merge takes too long to be tried.
    pub(crate) fn note_hopeless(&self, onto: ObjectId, tip: ObjectId) {
        lock(&self.obstacles).keep((onto, tip), Arc::new(Obstacles::Unknown), 0);
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Error> {
        let turn = tokio::time::timeout(PATIENCE, self.turns.acquire()).await;
        let turn = turn.map_err(|_| {
            Error::Unavailable(
                "too many diffs are being worked out; try again in a few seconds".to_owned(),
            )
        })?;
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

fn held<T>(kept: &Mutex<Kept<T>>, ends: Ends) -> Option<Arc<T>> {
    lock(kept).answers.get(&ends).cloned()
}

fn lock<T>(kept: &Mutex<Kept<T>>) -> std::sync::MutexGuard<'_, Kept<T>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
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
        let ends = |number: u8| {
            let id = ObjectId::from_bytes([number; 20]);
            (id, id)
        };
        let mut kept = Kept::default();

        for number in 0..100 {
            kept.keep(ends(number), Arc::new(number), MAX_KEPT_BYTES / 10);
        }

        assert!(kept.bytes <= MAX_KEPT_BYTES);
        assert_eq!(kept.answers.len(), 10);
        assert!(kept.answers.contains_key(&ends(99)));
        assert!(!kept.answers.contains_key(&ends(0)));
    }
}
