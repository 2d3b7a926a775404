use std::time::Duration;

use assay_model::{ObjectId, RepoPath};
use gix::objs::Kind;

use crate::plan::encode_commit;
use crate::{Error, Objects, Quarantine, Signature};

/// A plan to bring one branch into another.
#[derive(Debug, Clone)]
pub struct MergePlan {
    /// The message of the commit, if one is needed.
    pub message: String,
    /// Its author.
    pub author: Signature,
    /// Its committer.
    pub committer: Signature,
    /// True if a commit is made even when there is nothing to merge.
    pub fast_forward: FastForward,
}

/// The treatment of `theirs` that already follows on `ours`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastForward {
    /// Take `theirs` as it is.
    Allow,
    /// Make a commit all the same, so that the branch tells when it was merged.
    Never,
}

/// The outcome of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// `ours` has all of `theirs` already.
    UpToDate,
    /// `theirs` follows on `ours`: take it.
    FastForward(ObjectId),
    /// A commit with both as its parents, in the quarantine.
    Commit(ObjectId),
    /// Both changed these files in ways that do not go together.
    Conflict(Vec<RepoPath>),
}

/// Number of bytes that the names of files in conflict may have.
const MAX_NAMES: usize = 4 << 20;

/// Maximum duration of it to bring the files of two commits together.
const TIME_LIMIT: Duration = Duration::from_secs(5);

impl Quarantine {
    /// Merges one commit into another.
    pub fn merge(
        &self,
        ours: ObjectId,
        theirs: ObjectId,
        plan: &MergePlan,
    ) -> Result<Merged, Error> {
        let objects = self.objects();
        let base = objects.merge_base(ours, theirs)?;
        if base == Some(theirs) {
            return Ok(Merged::UpToDate);
        }
        let tree = if base == Some(ours) {
            match plan.fast_forward {
                FastForward::Allow => return Ok(Merged::FastForward(theirs)),
                FastForward::Never => objects.commit(theirs)?.tree,
            }
        } else {
            match merge_trees(&objects, ours, theirs)? {
                Ok(tree) => tree,
                Err(paths) => return Ok(Merged::Conflict(paths)),
            }
        };
        let commit = encode_commit(
            tree,
            &[ours, theirs],
            &plan.author,
            &plan.committer,
            &plan.message,
        );
        self.shadow.insert(Kind::Commit, commit).map(Merged::Commit)
    }
}

/// The tree of both, or the files that do not go together.
fn merge_trees(
    objects: &Objects,
    ours: ObjectId,
    theirs: ObjectId,
) -> Result<Result<ObjectId, Vec<RepoPath>>, Error> {
    let output = objects
        .git("merge-tree")?
        .args(["--write-tree", "--name-only", "--no-messages", "-z"])
        .arg("--allow-unrelated-histories")
        .args([ours.to_string(), theirs.to_string()])
        .time_limit(TIME_LIMIT)
        .run(MAX_NAMES)?;
    if output.is_late {
        return Err(Error::OutOfTime {
            subcommand: "merge-tree",
            seconds: TIME_LIMIT.as_secs(),
        });
    }
    let failed = || Error::Git {
        subcommand: "merge-tree",
        output: output.stderr.trim().to_owned(),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let tree = fields.next().and_then(|field| field.parse().ok());
    match output.code {
        Some(0) => tree.map(Ok).ok_or_else(failed),
        Some(1) => Ok(Err(fields.filter_map(|path| path.parse().ok()).collect())),
        Some(_) | None => Err(failed()),
    }
}
