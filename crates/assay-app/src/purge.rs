//! Removal for good, by operators: of a pull request or discussion, commits, a comment, an
//! account's personal data. Each leaves a public trace that says what was removed, when and why,
//! and nothing of its content.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_git::{
    Blob, CommitInfo, CommitPlan, EntryKind, Expected, LargeFileId, Objects, RefChange, RefName,
    Reference, Repositories, Repository, Signature, TreeEdit,
};
use assay_model::{ObjectId, PullNumber, RepoId, RepoKind, RepoPath, Timestamp};
use assay_store::{AuditAction, AuditSubject, EventId, Purge, PurgeKind, Status, Tx};

use crate::access::Caller;
use crate::discussion::{UNRECORDED, removed_comment};
use crate::error::{Error, Limit, Missing};
use crate::facts::RepoFacts;
use crate::file::resolve;
use crate::hub::{alongside, blocking};
use crate::index::public;
use crate::repo_lookup::Repo;
use crate::services::OperationService;

/// The title of a discussion that was removed.
const REMOVED_TITLE: &str = "Removed by an operator";
/// The longest reason, in bytes.
const MAX_REASON: usize = 500;
/// The most commits of one branch that are made again after the removed ones.
const MAX_REPLAYED: usize = 10_000;
/// The number of removals on a page.
const PAGE: u32 = 50;

/// The outcome of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeReport {
    /// The content that was removed.
    pub subject: String,
    /// The commits that no branch, tag or pull request leads to any more.
    pub commits: u64,
    /// The large files that the repository no longer has.
    pub large_files: u64,
    /// The comments that were removed.
    pub comments: u64,
}

/// A removal, as everyone may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgedItem {
    /// The time of the removal.
    pub at: Timestamp,
    /// The kind of what was removed: `discussion`, `commits`, `comment` or `account`.
    pub kind: &'static str,
    /// The public repository that it was part of; none when it is private or gone.
    pub repo: Option<(RepoKind, RepoId)>,
    /// The content that was removed, such as `#4`.
    pub subject: String,
    /// The reason.
    pub reason: String,
}

/// A page of removals, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgedPage {
    /// The removals.
    pub items: Vec<PurgedItem>,
    /// True if there are more.
    pub more: bool,
}

impl OperationService<'_> {
    /// Removes a pull request or discussion for good: its ref, the commits that nothing else leads
    /// to, its title and its comments. Its number stays. For operators.
    pub async fn purge_discussion(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        num: PullNumber,
        reason: &str,
    ) -> Result<PurgeReport, Error> {
        let reason = checked_reason(caller, reason)?;
        let repo = self.hub.repo(caller, kind, id).await?;
        let _locked = self.hub.lock(repo.key).await?;
        let now = self.hub.now();
        let mut tx = self.hub.store.begin().await?;
        let found = tx.discussion(repo.key, num).await?;
        let found = found.ok_or(Error::NotFound(Missing::Discussion(num)))?;
        let before = self.commits_of(&repo).await?;
        match found.status {
            Status::Draft | Status::Open => {
                let (from, to) = (found.status, Status::Closed);
                tx.move_discussion(repo.key, num, from, to, None, now)
                    .await?;
            }
            Status::Closed | Status::Merged => {}
        }
        tx.rename_discussion(repo.key, num, REMOVED_TITLE, now)
            .await?;
        let comments = tx.clear_events(repo.key, num).await?;
        if found.is_pull {
            let name = RefName::pull(num);
            self.hub
                .with_git(repo.key, move |git| {
                    Ok(git.update_refs(&[RefChange {
                        name,
                        expected: Expected::Any,
                        new: None,
                    }])?)
                })
                .await?;
        }
        let subject = format!("#{num}");
        let audited = repo.audited().with(&subject);
        self.audit(&mut tx, caller, AuditAction::RepoPurged, audited)
            .await?;
        let purge = trace(PurgeKind::Discussion, Some(&repo), &subject, reason, now);
        let (commits, large_files) = self.finish_purge(tx, &repo, &purge, &before).await?;
        Ok(PurgeReport {
            subject,
            commits,
            large_files,
            comments,
        })
    }

    /// Removes commits of a branch for good: those after `from`, up to `to` with it. Later commits
    /// are made again on top of `from`, without what the removed ones changed. For operators.
    pub async fn purge_commits(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        branch: &str,
        range: (&str, &str),
        reason: &str,
    ) -> Result<PurgeReport, Error> {
        let reason = checked_reason(caller, reason)?;
        let repo = self.hub.repo(caller, kind, id).await?;
        let name = RefName::branch(branch).map_err(|error| Error::Invalid(error.to_string()))?;
        let (from, to) = (range.0.to_owned(), range.1.to_owned());
        let _locked = self.hub.lock(repo.key).await?;
        let now = self.hub.now();
        let before = self.commits_of(&repo).await?;
        let mut tx = self.hub.store.begin().await?;
        let own = name.clone();
        let (from, to) = self
            .hub
            .with_git(repo.key, move |git| {
                let range = (resolve(git, &from)?, resolve(git, &to)?);
                drop_commits(git, &own, range)?;
                Ok(range)
            })
            .await?;
        let subject = format!("{branch}: {}..{}", short(from), short(to));
        let audited = repo.audited().with(&subject);
        self.audit(&mut tx, caller, AuditAction::RepoPurged, audited)
            .await?;
        let purge = trace(PurgeKind::Commits, Some(&repo), &subject, reason, now);
        let (commits, large_files) = self.finish_purge(tx, &repo, &purge, &before).await?;
        Ok(PurgeReport {
            subject,
            commits,
            large_files,
            comments: 0,
        })
    }

    /// Removes the text of a comment and its former versions for good. For operators.
    pub async fn purge_comment(
        self,
        caller: &Caller,
        event: &str,
        reason: &str,
    ) -> Result<PurgeReport, Error> {
        let reason = checked_reason(caller, reason)?;
        let missing = || Error::NotFound(Missing::Other(format!("there is no comment `{event}`")));
        let id: EventId = event.parse().map_err(|_| missing())?;
        let now = self.hub.now();
        let mut tx = self.hub.store.begin().await?;
        let found = tx.event(&id).await?.ok_or_else(missing)?;
        if found.kind != assay_store::EventKind::Comment {
            return Err(missing());
        }
        tx.set_event(&id, &removed_comment(now)).await?;
        tx.set_mentions(&id, &[], now).await?;
        let subject = format!("#{} comment {event}", found.num);
        tx.add_purge(&Purge {
            purged: now,
            kind: PurgeKind::Comment,
            key: Some(found.key),
            subject: subject.clone(),
            reason: reason.to_owned(),
        })
        .await?;
        let audited = match tx.repository(found.key).await? {
            Some(repo) => AuditSubject::repo(repo.kind, &repo.id, found.key),
            None => AuditSubject::hub(),
        };
        let audited = audited.with(&subject);
        self.audit(&mut tx, caller, AuditAction::CommentPurged, audited)
            .await?;
        tx.commit().await?;
        Ok(PurgeReport {
            subject,
            commits: 0,
            large_files: 0,
            comments: 1,
        })
    }

    /// Removes the personal data of a user for good: full name, address, password, tokens,
    /// sessions, and the text of every comment. The name stays taken, and nobody can sign in with
    /// it. For operators.
    pub async fn purge_account(
        self,
        caller: &Caller,
        name: &str,
        reason: &str,
    ) -> Result<PurgeReport, Error> {
        let reason = checked_reason(caller, reason)?;
        let mut account = self.hub.accounts().account_named(name).await?;
        if account.kind != assay_store::AccountKind::User {
            return Err(Error::Invalid(format!(
                "`{name}` is an organisation, which has no personal data: delete its repositories instead"
            )));
        }
        let now = self.hub.now();
        account.disabled = true;
        account.fullname = None;
        account.email = None;
        let mut tx = self.hub.store.begin().await?;
        tx.update_account(&account).await?;
        for token in tx.tokens_of(account.id).await? {
            tx.revoke_token(token.id, now).await?;
        }
        tx.set_password(account.id, None, now).await?;
        tx.end_web_sessions(account.id, None).await?;
        let comments = tx
            .replace_comments_by(account.id, &removed_comment(now))
            .await?;
        let subject = account.name.clone();
        let purge = trace(PurgeKind::Account, None, &subject, reason, now);
        tx.add_purge(&purge).await?;
        let audited = AuditSubject::account(&subject);
        self.audit(&mut tx, caller, AuditAction::AccountPurged, audited)
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(PurgeReport {
            subject,
            commits: 0,
            large_files: 0,
            comments,
        })
    }

    /// Lists what operators removed, for everyone.
    pub async fn purged(self, caller: &Caller, page: u32) -> Result<PurgedPage, Error> {
        let offset = page.saturating_mul(PAGE);
        let listed = self.hub.store.purges(offset, PAGE + 1).await?;
        let more = listed.len() > PAGE as usize;
        let mut items = Vec::new();
        for purge in listed.into_iter().take(PAGE as usize) {
            let repo = match purge.key {
                Some(key) => self.hub.store.repository(key).await?,
                None => None,
            };
            let is_public = |found: &assay_store::Repository| {
                !found.settings.private && !found.settings.disabled
            };
            let is_operator = caller.runs_the_hub();
            let repo = repo.filter(|found| is_public(found) || is_operator);
            items.push(PurgedItem {
                at: purge.purged,
                kind: purge.kind.as_str(),
                // What was part of a private repository is told without its name and subject.
                subject: match (purge.kind, &repo) {
                    (PurgeKind::Account, _) | (_, Some(_)) => purge.subject,
                    (_, None) => String::new(),
                },
                repo: repo.map(|found| (found.kind, found.id)),
                reason: purge.reason,
            });
        }
        Ok(PurgedPage { items, more })
    }

    /// Records the trace, drops what was set aside with the removed commits, indexes the
    /// repository, then removes what no ref leads to. Returns the number of commits and of large
    /// files that are gone.
    async fn finish_purge(
        self,
        mut tx: Tx,
        repo: &Repo,
        purge: &Purge,
        before: &BTreeSet<ObjectId>,
    ) -> Result<(u64, u64), Error> {
        tx.add_purge(purge).await?;
        let after = alongside(&mut tx, self.commits_of(repo)).await?;
        let removed: Arc<BTreeSet<ObjectId>> =
            Arc::new(before.difference(&after).copied().collect());
        let own = Arc::clone(&removed);
        let kept = self.hub.with_git(repo.key, move |git| {
            drop_refs(git, &own, |one| one.name.as_str().starts_with(UNRECORDED))?;
            commits_behind(git, git.refs()?)
        });
        let kept = alongside(&mut tx, kept).await?;
        let gone = self.forget_large_files(&mut tx, repo, &kept).await?;
        let uid = tx.repository(repo.key).await?.map(|found| found.uid);
        tx.commit().await?;
        if let Err(error) = self.hub.index_repository(repo.key, None).await {
            self.hub.catch_up_later(repo.key);
            return Err(error.after_refs_moved());
        }
        self.hub
            .with_git(repo.key, |git| Ok(git.remove_unreachable()?))
            .await?;
        self.hub.measure_storage(repo.key).await?;
        let commits = removed.len() as u64;
        if let Some(uid) = uid.filter(|_| commits > 0) {
            let git = Arc::clone(&self.hub.git);
            blocking(move || purge_copies(&git, &uid, &removed)).await?;
        }
        Ok((commits, gone))
    }

    /// Takes away the large files that none of these commits names.
    async fn forget_large_files(
        self,
        tx: &mut Tx,
        repo: &Repo,
        commits: &BTreeSet<ObjectId>,
    ) -> Result<u64, Error> {
        let held = tx.large_objects(repo.key).await?;
        if held.is_empty() {
            return Ok(0);
        }
        let commits: Vec<ObjectId> = commits.iter().copied().collect();
        let named = self.hub.with_git(repo.key, move |git| {
            Ok(git.objects().large_files_of(&commits)?)
        });
        let named: BTreeSet<LargeFileId> = alongside(tx, named).await?;
        let mut gone = 0;
        for hash in held {
            if !named.contains(&LargeFileId::from_bytes(*hash.as_bytes())) {
                tx.remove_large_object(repo.key, &hash).await?;
                gone += 1;
            }
        }
        Ok(gone)
    }

    /// Lists every commit that a branch, tag or pull request of the repository leads to.
    async fn commits_of(self, repo: &Repo) -> Result<BTreeSet<ObjectId>, Error> {
        self.hub
            .with_git(repo.key, |git| commits_behind(git, public(git.refs()?)))
            .await
    }
}

/// Lists every commit that these refs lead to.
pub(crate) fn commits_behind(
    git: &Repository,
    refs: Vec<Reference>,
) -> Result<BTreeSet<ObjectId>, Error> {
    let objects = git.objects();
    let mut seen = BTreeSet::new();
    let mut next: Vec<ObjectId> = refs.into_iter().map(|one| one.target).collect();
    while let Some(id) = next.pop() {
        let Some(id) = objects.commit_behind(id)? else {
            continue;
        };
        if seen.insert(id) {
            next.extend(objects.commit(id)?.parents);
        }
    }
    Ok(seen)
}

/// Deletes those of the chosen refs that lead to a removed commit.
fn drop_refs(
    git: &Repository,
    removed: &BTreeSet<ObjectId>,
    is_chosen: impl Fn(&Reference) -> bool,
) -> Result<(), Error> {
    let mut changes = Vec::new();
    for reference in git.refs()?.into_iter().filter(is_chosen) {
        let (name, target) = (reference.name.clone(), reference.target);
        if !commits_behind(git, vec![reference])?.is_disjoint(removed) {
            changes.push(RefChange {
                name,
                expected: Expected::At(target),
                new: None,
            });
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    Ok(git.update_refs(&changes)?)
}

/// Removes commits from the copies of a repository that were set aside because the database did not
/// know them.
fn purge_copies(
    git: &Repositories,
    uid: &[u8; 16],
    removed: &BTreeSet<ObjectId>,
) -> Result<(), Error> {
    for aside in git.list_set_aside()? {
        let facts = assay_git::read_facts(&aside.path)?;
        let facts = facts.as_deref().and_then(RepoFacts::parse);
        if facts.is_none_or(|facts| facts.uid != *uid) {
            continue;
        }
        let copy = git.open_at(&aside.path)?;
        drop_refs(&copy, removed, |_| true)?;
        copy.remove_unreachable()?;
    }
    Ok(())
}

/// Moves a branch to a line without the commits of a range.
fn drop_commits(
    git: &Repository,
    branch: &RefName,
    (from, to): (ObjectId, ObjectId),
) -> Result<(), Error> {
    let objects = git.objects();
    let head = git
        .find_ref(branch)?
        .ok_or_else(|| Error::NotFound(Missing::Revision(branch.as_str().to_owned())))?
        .target;
    let line = objects.first_parents(head, Some(from))?;
    let Some(place) = line.iter().position(|commit| commit.id == to) else {
        return Err(Error::Invalid(format!(
            "`{}` is not on the first-parent line of the branch after `{}`",
            short(to),
            short(from)
        )));
    };
    if line
        .last()
        .is_none_or(|first| first.parents.first() != Some(&from))
    {
        return Err(Error::Invalid(format!(
            "`{}` is not on the first-parent line of the branch",
            short(from)
        )));
    }
    if place > MAX_REPLAYED {
        return Err(Error::TooLarge(Limit::ReplayedCommits {
            most: MAX_REPLAYED,
        }));
    }
    let removed = changed_paths(&objects, &line[place..])?;
    let quarantine = git.quarantine();
    let mut tip = from;
    for commit in line[..place].iter().rev() {
        tip = quarantine.write(&replayed(&objects, commit, tip, &removed)?)?;
    }
    quarantine.admit()?;
    git.update_refs(&[RefChange {
        name: branch.clone(),
        expected: Expected::At(head),
        new: Some(tip),
    }])?;
    Ok(())
}

/// Lists the paths that commits of a line change.
fn changed_paths(objects: &Objects, line: &[CommitInfo]) -> Result<BTreeSet<RepoPath>, Error> {
    let mut paths = BTreeSet::new();
    for commit in line {
        let changes = objects.changes(commit.parents.first().copied(), commit.id)?;
        paths.extend(changes.into_iter().map(|change| change.path));
    }
    Ok(paths)
}

/// Plans a commit again on another parent. It may not touch a path that was removed: its version of
/// that file could hold what is to go.
fn replayed(
    objects: &Objects,
    commit: &CommitInfo,
    parent: ObjectId,
    removed: &BTreeSet<RepoPath>,
) -> Result<CommitPlan, Error> {
    let mut operations = Vec::new();
    for change in objects.changes(commit.parents.first().copied(), commit.id)? {
        if removed.contains(&change.path) {
            return Err(Error::Operator(format!(
                "commit {} changes `{}` as well: remove the commits up to the head of the branch, and commit the rest again",
                short(commit.id),
                change.path
            )));
        }
        operations.push(match change.new {
            None => TreeEdit::Delete(change.path),
            Some(version) => match version.kind {
                EntryKind::File(mode) => TreeEdit::Put {
                    path: change.path,
                    blob: Blob::Existing(version.oid),
                    mode,
                },
                EntryKind::Symlink | EntryKind::Submodule | EntryKind::Directory => {
                    return Err(Error::Operator(format!(
                        "commit {} changes the link `{}`, which cannot be made again: remove the commits up to the head of the branch",
                        short(commit.id),
                        change.path
                    )));
                }
            },
        });
    }
    let author = Signature {
        name: commit.author_name.clone(),
        email: commit.author_email.clone(),
        when: commit.authored,
    };
    Ok(CommitPlan {
        parents: vec![parent],
        base: Some(parent),
        operations,
        message: commit.message(),
        committer: Signature {
            when: commit.committed,
            ..author.clone()
        },
        author,
    })
}

fn trace(
    kind: PurgeKind,
    repo: Option<&Repo>,
    subject: &str,
    reason: &str,
    now: Timestamp,
) -> Purge {
    Purge {
        purged: now,
        kind,
        key: repo.map(|repo| repo.key),
        subject: subject.to_owned(),
        reason: reason.to_owned(),
    }
}

fn checked_reason<'r>(caller: &Caller, reason: &'r str) -> Result<&'r str, Error> {
    caller.check_operator()?;
    let reason = reason.trim();
    if reason.is_empty() || reason.len() > MAX_REASON {
        return Err(Error::Invalid(format!(
            "a removal needs a reason of at most {MAX_REASON} bytes: everyone can read it"
        )));
    }
    Ok(reason)
}

fn short(id: ObjectId) -> String {
    id.to_string().chars().take(10).collect()
}
