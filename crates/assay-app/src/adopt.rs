//! A commit that is made twice because its answer got lost on the way: the second time, the first
//! one is the answer.

use assay_git::{CommitInfo, CommitPlan, Objects, RefName};
use assay_hub_api::CommitPrefix;
use assay_model::ObjectId;

use crate::attributes;
use crate::error::Error;
use crate::hub::Hub;
use crate::repo_lookup::Repo;

/// The number of later commits among which the one in question is searched.
const MAX_LATER: usize = 32;

impl Hub {
    /// The commit that an earlier request has made of this plan: its parent is what the caller
    /// believes the head to be, and it differs in nothing but the time.
    pub(crate) async fn made_before(
        &self,
        repo: &Repo,
        line: &RefName,
        parent: &CommitPrefix,
        plan: CommitPlan,
    ) -> Result<Option<ObjectId>, Error> {
        let (line, parent) = (line.clone(), parent.clone());
        self.with_git(repo.key, move |git| {
            let Some(head) = git.find_ref(&line)? else {
                return Ok(None);
            };
            let known = git.objects();
            let Some((before, made)) = child_of(&known, head.target, &parent)? else {
                return Ok(None);
            };
            let quarantine = git.quarantine();
            let objects = quarantine.objects();
            let plan = CommitPlan {
                parents: vec![before],
                base: Some(before),
                ..plan
            };
            let plan = attributes::track(&objects, plan)?;
            // What cannot be made after that commit cannot have been made before.
            let Ok(commit) = quarantine.write(&plan) else {
                return Ok(None);
            };
            let own = objects.commit(commit)?;
            Ok(is_same(&own, &made).then_some(made.id))
        })
        .await
    }
}

/// The commit whose first parent begins with these digits, and that parent.
fn child_of(
    objects: &Objects,
    head: ObjectId,
    parent: &CommitPrefix,
) -> Result<Option<(ObjectId, CommitInfo)>, Error> {
    let mut id = head;
    for _ in 0..MAX_LATER {
        let commit = objects.commit(id)?;
        let Some(before) = commit.parents.first().copied() else {
            return Ok(None);
        };
        if parent.is_of(&before) {
            return Ok(Some((before, commit)));
        }
        id = before;
    }
    Ok(None)
}

fn is_same(own: &CommitInfo, made: &CommitInfo) -> bool {
    let facts = |commit: &CommitInfo| {
        (
            commit.tree,
            commit.parents.clone(),
            commit.title.clone(),
            commit.body.clone(),
            commit.author_name.clone(),
            commit.author_email.clone(),
        )
    };
    facts(own) == facts(made)
}
