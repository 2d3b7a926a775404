use std::collections::HashSet;

use assay_model::ObjectId;

use crate::{Error, Objects, Repository};

/// The objects that a commit brings to a repository when a ref comes to point at it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The commits that no ref leads to yet, over all parents: those of the quarantine, and those
    /// that the repository happens to have.
    pub commits: Vec<ObjectId>,
    /// True if a ref points at the commit itself already.
    pub is_tip: bool,
}

impl Arrival {
    /// The most commits that may come at once.
    pub const MAX_COMMITS: usize = 1_000_000;
}

/// The length of a line of `git rev-list`.
const LINE: usize = ObjectId::DIGITS + 1;

impl Repository {
    /// Finds out what comes with a commit. `objects` sees it; `old` is where the ref points now, if
    /// it exists.
    ///
    /// That an object is in the repository says nothing: it may have come with a push whose refs
    /// were refused. What counts is whether a ref leads to it. A commit that follows on the tip of
    /// a ref is found without looking at the refs.
    pub fn arrival(
        &self,
        objects: &Objects,
        commit: ObjectId,
        old: Option<ObjectId>,
    ) -> Result<Arrival, Error> {
        let known = self.objects();
        let old = match old {
            Some(old) => objects.commit_behind(old)?,
            None => None,
        };
        let mut commits = Vec::new();
        let mut met = Vec::new();
        let mut seen = HashSet::new();
        let mut next = vec![commit];
        while let Some(id) = next.pop() {
            if Some(id) == old || !seen.insert(id) {
                continue;
            }
            if known.contains(id)? {
                met.push(id);
                continue;
            }
            if commits.len() == Arrival::MAX_COMMITS {
                return Err(Error::TooManyCommits(Arrival::MAX_COMMITS));
            }
            next.extend(objects.parents(id)?);
            commits.push(id);
        }
        if met.is_empty() {
            return Ok(Arrival {
                is_tip: Some(commit) == old,
                commits,
            });
        }
        let tips = self.tips()?;
        let is_tip = tips.contains(&commit);
        if !met.iter().all(|id| tips.contains(id)) {
            commits = unreached(objects, commit)?;
        }
        Ok(Arrival { commits, is_tip })
    }

    /// The commits that refs point at.
    fn tips(&self) -> Result<HashSet<ObjectId>, Error> {
        let references = self.refs()?.into_iter();
        Ok(references.map(|reference| reference.target).collect())
    }
}

/// The commits that lead to one and that no ref leads to, by git, which finds them without walking
/// all of the history.
fn unreached(objects: &Objects, commit: ObjectId) -> Result<Vec<ObjectId>, Error> {
    let output = objects
        .git("rev-list")?
        .arg(commit.to_string())
        .args(["--not", "--all"])
        .run(Arrival::MAX_COMMITS * LINE)?
        .require("rev-list")?;
    if output.is_cut {
        return Err(Error::TooManyCommits(Arrival::MAX_COMMITS));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
}
