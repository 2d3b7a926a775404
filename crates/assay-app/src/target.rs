use assay_git::RefName;
use assay_hub_api::CommitPrefix;
use assay_model::{ObjectId, PullNumber};
use assay_store::Status;

use crate::access::{Caller, Need};
use crate::commit::CommitRequest;
use crate::error::{Conflict, Denied, Error, Missing};
use crate::publish::PullEffect;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The target of a commit.
pub(crate) struct Target {
    /// The ref that it begins with.
    pub(crate) from: RefName,
    /// The effect on discussions.
    pub(crate) effect: PullEffect,
    /// The right that it takes.
    pub(crate) need: Need,
}

impl RepositoryService<'_> {
    /// Returns the target of a commit, if the caller may make it there.
    pub(crate) async fn target(
        self,
        caller: &Caller,
        repo: &Repo,
        request: &CommitRequest,
    ) -> Result<Target, Error> {
        if request.create_pull {
            let base = branch(&request.revision)?;
            return Ok(Target {
                from: base.clone(),
                effect: PullEffect::OpenPull {
                    title: request.summary.clone(),
                    description: request.description.clone(),
                    base,
                },
                need: Need::Discuss,
            });
        }
        if let Some(num) = pull_number(&request.revision) {
            let need = self.check_pull_push(caller, repo, num).await?;
            return Ok(Target {
                from: RefName::pull(num),
                effect: PullEffect::CommitsToPull { num },
                need,
            });
        }
        self.hub.check(caller, repo, Need::Write).await?;
        Ok(Target {
            from: branch(&request.revision)?,
            effect: PullEffect::None,
            need: Need::Write,
        })
    }

    /// Refuses whoever may not add to a pull request, and everyone when it is over. The answer is
    /// the right that it takes.
    pub(crate) async fn check_pull_push(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
    ) -> Result<Need, Error> {
        let actor = caller.signed_in()?;
        let missing = || Error::NotFound(Missing::Revision(format!("refs/pr/{num}")));
        let pull = self.hub.store.discussion(repo.key, num).await?;
        let pull = pull.filter(|pull| pull.is_pull).ok_or_else(missing)?;
        match pull.status {
            Status::Draft | Status::Open => {}
            Status::Closed | Status::Merged => {
                return Err(Error::Conflict(Conflict::PullNotOpen {
                    num,
                    status: pull.status.as_str(),
                }));
            }
        }
        let is_author = pull.author.is_some_and(|author| author.id == actor.account);
        let need = if is_author {
            Need::Discuss
        } else {
            Need::Write
        };
        let checked = self.hub.check(caller, repo, need).await;
        checked.map_err(|error| match error {
            Error::Denied(_) => Error::Denied(Denied::PullOfOthers(num)),
            other => other,
        })?;
        Ok(need)
    }

    /// The commit that the new one follows on.
    pub(crate) async fn start(
        self,
        repo: &Repo,
        target: &Target,
        parent: Option<&CommitPrefix>,
    ) -> Result<ObjectId, Error> {
        let from = target.from.clone();
        let head = self
            .hub
            .with_git(repo.key, move |git| {
                git.find_ref(&from)?
                    .map(|head| head.target)
                    .ok_or_else(|| Error::NotFound(Missing::Revision(short(&from))))
            })
            .await?;
        let Some(parent) = parent else {
            return Ok(head);
        };
        if parent.is_of(&head) {
            return Ok(head);
        }
        match &target.effect {
            // A pull request may begin where its author was, also when the branch has moved on.
            PullEffect::OpenPull { .. } => self.resolve(repo, parent.as_str()).await,
            PullEffect::None | PullEffect::CommitsToPull { .. } | PullEffect::Merged { .. } => {
                Err(Error::Stale)
            }
        }
    }
}

/// The branch that a revision names. A tag or a hash is nothing that a commit could move.
fn branch(revision: &str) -> Result<RefName, Error> {
    let name = revision.strip_prefix("refs/heads/").unwrap_or(revision);
    RefName::branch(name).map_err(|_| Error::NotFound(Missing::Revision(revision.to_owned())))
}

/// The number in `refs/pr/N`.
pub(crate) fn pull_number(revision: &str) -> Option<PullNumber> {
    revision.parse::<RefName>().ok()?.as_pull()
}

fn short(name: &RefName) -> String {
    name.as_branch().unwrap_or(name.as_str()).to_owned()
}
