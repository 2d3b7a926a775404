//! The entries of a pull request, from one of its moments to the next.

use std::collections::{BTreeMap, HashSet};

use assay_git::Error;
use assay_model::{ObjectId, PullNumber, RepoPath, Timestamp};
use assay_store::{AccountId, Branch, History, NewEntry};

use super::derive::{MAX_ENDED, MAX_ENTRIES};
use super::files::Kind;
use super::provenance::{Provenance, Sayings, indexed};
use super::result_files::{CommittedFile, ResultFileReader};

/// The facts of a pull request that the index needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pull {
    /// Its number.
    pub(super) num: PullNumber,
    /// The author.
    pub(super) author: Option<AccountId>,
    /// The time at which it was opened.
    pub(super) created: Timestamp,
    /// The commit of main at that moment.
    pub(super) opened_at: Option<ObjectId>,
    /// Its events, in order.
    pub(super) happenings: Vec<(Timestamp, Happening)>,
    /// The target of its ref.
    pub(super) tip: Option<ObjectId>,
}

/// An event that matters to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happening {
    /// A commit came in, and is the tip until the next.
    Commit(ObjectId),
    /// It was opened or reopened.
    Opened,
    /// It was closed or merged.
    Ended,
}

/// Number of moments of a pull request that are told apart; what came before them is forgotten.
/// Every push to a pull request reads all of them, so there must be an end to it.
const MAX_TIPS: usize = 64;

/// The commits whose entries count, each from a moment on; none when the pull request does not
/// count.
pub(super) fn tips(pull: &Pull) -> Vec<(Timestamp, Option<ObjectId>)> {
    let mut tips: Vec<(Timestamp, Option<ObjectId>)> = Vec::new();
    let (mut tip, mut open, mut now) = (None, true, pull.created);
    let mut set = |at: Timestamp, tip: Option<ObjectId>| match tips.last_mut() {
        // Of the commits of one push only the last one counts.
        Some((last, held)) if *last == at => *held = tip,
        Some((_, held)) if *held == tip => {}
        None if tip.is_none() => {}
        Some(_) | None => tips.push((at, tip)),
    };
    for (at, happening) in &pull.happenings {
        // A clock that was set back must not turn the order round.
        now = now.max(*at);
        match happening {
            Happening::Commit(commit) => tip = Some(*commit),
            Happening::Opened => open = true,
            Happening::Ended => open = false,
        }
        set(now, tip.filter(|_| open));
    }
    // A ref that was forced back to an older commit brings no commit, and so no event.
    if pull.tip != tip {
        set(now, pull.tip.filter(|_| open));
    }
    let forgotten = tips.len().saturating_sub(MAX_TIPS);
    tips.split_off(forgotten)
}

/// The versions that the entries of a pull request had.
pub(super) fn history(result_files: &ResultFileReader<'_>, pull: &Pull) -> Result<History, Error> {
    let mut history = History::new(Branch::Pull(pull.num)).keeping(MAX_ENDED as usize);
    let mut sayings = Sayings::default();
    for (at, tip) in tips(pull) {
        let entries = match tip {
            Some(tip) => brought(result_files, pull, tip, &mut sayings)?,
            None => Vec::new(),
        };
        // While it is closed nothing is said, but what is said again after that is still the same.
        if tip.is_some() {
            sayings = Sayings::of(entries.iter());
        }
        history.replace(at, &entries);
    }
    Ok(history)
}

/// The entries that a tip has and the commit that the pull request set out from has not.
fn brought(
    result_files: &ResultFileReader<'_>,
    pull: &Pull,
    tip: ObjectId,
    sayings: &mut Sayings,
) -> Result<Vec<NewEntry>, Error> {
    if !result_files.objects.contains(tip)? {
        return Ok(Vec::new());
    }
    let base = base_files(result_files, pull, tip)?;
    let files: Vec<CommittedFile> = result_files.files(tip)?;
    let changed: Vec<CommittedFile> = files
        .into_iter()
        .filter(|file| base.get(&file.path) != Some(&file.blob))
        .collect();
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let inherited = digests(result_files, base.values())?;
    let paths: Vec<RepoPath> = changed.iter().map(|file| file.path.clone()).collect();
    let commits = result_files.objects.last_commits(tip, &paths)?;
    let mut entries = Vec::new();
    for file in &changed {
        let Some(commit) = commits.get(&file.path) else {
            continue;
        };
        if entries.len() >= MAX_ENTRIES {
            break;
        }
        let mut created = None;
        for (ordinal, said) in (0..).zip(result_files.read(file.kind, file.blob)?.submissions()) {
            if inherited.contains(&said.digest) {
                continue;
            }
            if created.is_none() && said.entry.date.is_none() {
                let birth = result_files.objects.created(tip, &file.path)?;
                created = birth.map(|birth| birth.committed);
            }
            let provenance = sayings
                .take(&file.path, said)
                .unwrap_or_else(|| Provenance::of(commit, pull.author));
            let created = created.unwrap_or(commit.committed);
            entries.push(indexed(&file.path, ordinal, said, created, provenance));
        }
    }
    entries.truncate(MAX_ENTRIES);
    Ok(entries)
}

/// The result files that the pull request set out from.
fn base_files(
    result_files: &ResultFileReader<'_>,
    pull: &Pull,
    tip: ObjectId,
) -> Result<BTreeMap<RepoPath, ObjectId>, Error> {
    let base = match pull.opened_at {
        Some(opened_at) if result_files.objects.contains(opened_at)? => {
            result_files.objects.merge_base(opened_at, tip)?
        }
        Some(_) | None => None,
    };
    let Some(base) = base else {
        return Ok(BTreeMap::new());
    };
    let files = result_files.files(base)?;
    Ok(files
        .into_iter()
        .map(|file| (file.path, file.blob))
        .collect())
}

fn digests<'b>(
    result_files: &ResultFileReader<'_>,
    blobs: impl Iterator<Item = &'b ObjectId>,
) -> Result<HashSet<[u8; 32]>, Error> {
    let mut digests = HashSet::new();
    for blob in blobs {
        digests.extend(
            result_files
                .read(Kind::Results, *blob)?
                .submissions()
                .iter()
                .map(|said| said.digest),
        );
    }
    Ok(digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn commit(number: u8) -> ObjectId {
        ObjectId::from_bytes([number; 20])
    }

    fn pull(happenings: &[(i64, Happening)], tip: Option<ObjectId>) -> Pull {
        Pull {
            num: 1,
            author: None,
            created: at(10),
            opened_at: None,
            happenings: happenings
                .iter()
                .map(|(millis, happening)| (at(*millis), *happening))
                .collect(),
            tip,
        }
    }

    #[test]
    fn a_pull_request_counts_from_its_first_commit_until_it_is_closed() {
        let pull = pull(
            &[
                (10, Happening::Commit(commit(1))),
                (20, Happening::Ended),
                (30, Happening::Opened),
            ],
            Some(commit(1)),
        );

        let tips = tips(&pull);

        let expected = [
            (at(10), Some(commit(1))),
            (at(20), None),
            (at(30), Some(commit(1))),
        ];
        assert_eq!(tips, expected);
    }

    #[test]
    fn of_the_commits_of_one_push_the_last_counts() {
        let pull = pull(
            &[
                (15, Happening::Commit(commit(1))),
                (15, Happening::Commit(commit(2))),
            ],
            Some(commit(2)),
        );

        assert_eq!(tips(&pull), [(at(15), Some(commit(2)))]);
    }

    #[test]
    fn a_ref_that_was_forced_back_counts_from_the_last_event_on() {
        let happenings = [
            (15, Happening::Commit(commit(1))),
            (25, Happening::Commit(commit(2))),
        ];
        let pull = pull(&happenings, Some(commit(1)));

        assert_eq!(
            tips(&pull),
            [(at(15), Some(commit(1))), (at(25), Some(commit(1)))]
        );
    }

    #[test]
    fn of_a_pull_request_without_end_the_last_moments_count() {
        let happenings: Vec<(i64, Happening)> = (0..200_u8)
            .map(|number| (i64::from(number) + 20, Happening::Commit(commit(number))))
            .collect();

        let tips = tips(&pull(&happenings, Some(commit(199))));

        assert_eq!(tips.len(), MAX_TIPS);
        assert_eq!(tips.last(), Some(&(at(219), Some(commit(199)))));
    }

    #[test]
    fn a_draft_without_a_commit_counts_for_nothing() {
        let pull = pull(&[(12, Happening::Opened), (14, Happening::Ended)], None);

        assert_eq!(tips(&pull), []);
    }

    #[test]
    fn a_commit_to_a_closed_pull_request_counts_when_it_is_reopened() {
        let pull = pull(
            &[
                (15, Happening::Commit(commit(1))),
                (20, Happening::Ended),
                (25, Happening::Commit(commit(2))),
                (40, Happening::Opened),
            ],
            Some(commit(2)),
        );

        let expected = [
            (at(15), Some(commit(1))),
            (at(20), None),
            (at(40), Some(commit(2))),
        ];
        assert_eq!(tips(&pull), expected);
    }
}
