//! A pull request, merged where nobody sees it.

use assay_git::{Error as GitError, Merged, Quarantine, RefName, Repository};
use assay_model::{ObjectId, PullNumber, Timestamp};
use assay_store::{AccountId, Status as Stored};

use super::merge::{base_of, names, trial_plan};
use crate::board::Ends;
use crate::error::Error;
use crate::repo_lookup::Repo;
use crate::services::DiscussionService;

/// A pull request that could still be merged.
pub(crate) struct Trial {
    held: assay_store::Discussion,
}

impl DiscussionService<'_> {
    /// A pull request to try; none when the discussion is no pull request or is over.
    pub(crate) async fn trial(self, repo: &Repo, num: PullNumber) -> Result<Option<Trial>, Error> {
        let held = self.stored_discussion(repo, num).await?;
        let is_live = match held.status {
            Stored::Draft | Stored::Open => held.is_pull,
            Stored::Closed | Stored::Merged => false,
        };
        Ok(is_live.then_some(Trial { held }))
    }
}

impl Trial {
    /// Its number.
    pub(crate) fn num(&self) -> PullNumber {
        self.held.num
    }

    /// Returns the author.
    pub(crate) fn author(&self) -> Option<AccountId> {
        self.held.author.as_ref().map(|author| author.id)
    }

    /// Returns the commits of the merge; none when one of the two is missing.
    pub(crate) fn ends(&self, git: &Repository) -> Result<Option<Ends>, GitError> {
        let pull = RefName::pull(self.held.num);
        let (Some(head), Some(tip)) = (git.find_ref(&base_of(&self.held))?, git.find_ref(&pull)?)
        else {
            return Ok(None);
        };
        Ends::of(&git.objects(), head.target, tip.target).map(Some)
    }

    /// The commit that a merge would make, or the files that stand in its way.
    pub(crate) fn merged(
        quarantine: &Quarantine,
        ends: Ends,
        now: Timestamp,
    ) -> Result<Result<ObjectId, Vec<String>>, GitError> {
        let plan = trial_plan(now);
        Ok(match quarantine.merge(ends.onto, ends.tip, &plan)? {
            Merged::UpToDate => Ok(ends.onto),
            Merged::Commit(commit) | Merged::FastForward(commit) => Ok(commit),
            Merged::Conflict(files) => Err(names(files)),
        })
    }
}
