use assay_git::{
    self as git, CommitPlan, Expected, FileMode, LargeFile, RefChange, Signature, TreeEdit,
};
use assay_hub_api::{CommitOperation, CommitPrefix};
use assay_model::{Diagnostic, ObjectId, PullNumber, RepoId, RepoKind, RepoPath, Timestamp};

use crate::access::{Caller, Need, SignedIn};
use crate::attributes;
use crate::error::{Error, Limit};
use crate::lock::Locked;
use crate::publish::{ChangeContext, PullEffect, publish};
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;
use crate::target::Target;

/// The number of times that a commit without a parent is built again when another process moved the
/// branch meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// The longest message of a commit, in bytes.
const MESSAGE_BYTES: usize = 64 << 10;

/// A commit to make through the API.
#[derive(Debug)]
pub struct CommitRequest {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub description: String,
    /// The head that the caller has seen; the commit is refused when the branch has moved on.
    pub parent: Option<CommitPrefix>,
    /// True if a pull request is opened instead of moving the branch.
    pub create_pull: bool,
    /// The operations, in order.
    pub operations: Vec<CommitOperation<FileSource>>,
    /// The time of the request, if reading it took a while; now when absent.
    pub received_at: Option<Timestamp>,
}

/// The source of the bytes of an uploaded file.
#[derive(Debug)]
pub enum FileSource {
    /// Here.
    Memory(Vec<u8>),
    /// In a temporary file, which the commit takes over.
    Disk(tempfile::TempPath),
}

/// The outcome of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The new commit.
    pub commit: ObjectId,
    /// The pull request that was opened.
    pub pull: Option<PullNumber>,
    /// Warnings about the files: they never refuse.
    pub warnings: Vec<Diagnostic>,
}

impl RepositoryService<'_> {
    /// Makes a commit, or a pull request of one commit. Files that are on the branch as they are
    /// sent make no commit: who sends them again, because the answer got lost, is answered with
    /// what is there.
    pub async fn commit(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: CommitRequest,
    ) -> Result<Committed, Error> {
        let received_at = request.received_at.unwrap_or_else(|| self.hub.now());
        let repo = self.hub.repo_for(caller, kind, id, Need::Discuss).await?;
        let actor = caller.signed_in()?;
        self.check_size(&request)?;
        let message = message_of(&request.summary, &request.description)?;
        let locked = self.hub.lock(repo.key).await?;
        let target = self.target(caller, &repo, &request).await?;
        // The temporary files of the request live until it is answered.
        let (operations, _temporary) = self.operations(&repo, request.operations).await?;
        let author = signature(Some(actor), self.hub.now());
        let mut attempt = 1;
        loop {
            let mut plan = CommitPlan {
                parents: Vec::new(),
                base: None,
                operations: operations.clone(),
                message: message.clone(),
                author: author.clone(),
                committer: author.clone(),
            };
            let parent = request.parent.as_ref();
            let start = match (self.start(&repo, &target, parent).await, parent) {
                (Err(Error::Stale), Some(parent)) => {
                    let made = self
                        .hub
                        .made_before(&repo, &target.from, parent, plan)
                        .await?;
                    return made.map(Committed::before).ok_or(Error::Stale);
                }
                (start, _) => start?,
            };
            plan.parents = vec![start];
            plan.base = Some(start);
            let context = ChangeContext {
                actor,
                repo: &repo,
                need: target.need,
                received_at,
            };
            match self.publish_plan(&locked, context, &target, plan).await {
                // The lock keeps this process in order; another one may share the directory.
                Err(Error::Stale) if request.parent.is_none() && attempt < MAX_ATTEMPTS => {
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    async fn publish_plan(
        self,
        locked: &Locked,
        context: ChangeContext<'_>,
        target: &Target,
        plan: CommitPlan,
    ) -> Result<Committed, Error> {
        let base = plan.base;
        let expected = base.map_or(Expected::Absent, Expected::At);
        let (quarantine, commit, is_same) = self
            .hub
            .with_git(context.repo.key, move |git| {
                let quarantine = git.quarantine();
                let objects = quarantine.objects();
                let plan = attributes::track(&objects, plan)?;
                let commit = quarantine.write(&plan)?;
                let tree = objects.commit(commit)?.tree;
                let is_same = match plan.base {
                    // Whoever sends no files wants a commit without changes.
                    Some(base) if !plan.operations.is_empty() => objects.commit(base)?.tree == tree,
                    Some(_) | None => false,
                };
                Ok((quarantine, commit, is_same))
            })
            .await?;
        if let (Some(base), true, PullEffect::None | PullEffect::CommitsToPull { .. }) =
            (base, is_same, &target.effect)
        {
            return Ok(Committed::before(base));
        }
        let change = RefChange {
            name: target.from.clone(),
            expected,
            new: Some(commit),
        };
        let effect = target.effect.clone();
        let published =
            publish(self.hub, locked, context, quarantine, vec![change], effect).await?;
        Ok(Committed {
            commit,
            pull: published.pull,
            warnings: published.warnings,
        })
    }

    fn check_size(self, request: &CommitRequest) -> Result<(), Error> {
        let limits = &self.hub.config.limits;
        // A file that is moved counts as two: it is written where it goes and deleted where it was.
        let changes = request.operations.iter().map(|operation| match operation {
            CommitOperation::File { old_path, .. }
            | CommitOperation::LargeFile { old_path, .. } => 1 + usize::from(old_path.is_some()),
            CommitOperation::DeleteFile { .. } | CommitOperation::DeleteFolder { .. } => 1,
        });
        if changes.sum::<usize>() > limits.commit_files {
            return Err(Error::TooLarge(Limit::CommitFiles {
                most: limits.commit_files,
            }));
        }
        let mut total: u64 = 0;
        for operation in &request.operations {
            if let CommitOperation::File { path, content, .. } = operation {
                let size = content.size;
                if size > limits.file_bytes {
                    return Err(Error::TooLarge(Limit::FileInGit {
                        path: path.to_string(),
                        size,
                        most: limits.file_bytes,
                    }));
                }
                total = total.saturating_add(size);
            }
        }
        if total > limits.commit_bytes {
            return Err(Error::TooLarge(Limit::CommitBytes {
                most: limits.commit_bytes,
            }));
        }
        Ok(())
    }

    /// Resolves operations to edits of a tree, and returns them with the temporary files that must
    /// outlive them.
    async fn operations(
        self,
        repo: &Repo,
        operations: Vec<CommitOperation<FileSource>>,
    ) -> Result<(Vec<TreeEdit>, Vec<tempfile::TempPath>), Error> {
        let mut plan = Vec::with_capacity(operations.len());
        let mut temporary = Vec::new();
        for operation in operations {
            match operation {
                CommitOperation::File {
                    path,
                    old_path,
                    content,
                } => {
                    plan.extend(old_path.map(TreeEdit::Delete));
                    let blob = match content.written {
                        FileSource::Memory(bytes) => git::Blob::Bytes(bytes),
                        FileSource::Disk(file) => {
                            let path = file.to_path_buf();
                            temporary.push(file);
                            git::Blob::File(path)
                        }
                    };
                    plan.push(TreeEdit::Put {
                        path,
                        blob,
                        mode: FileMode::Regular,
                    });
                }
                CommitOperation::LargeFile {
                    path,
                    old_path,
                    oid,
                    size,
                } => {
                    plan.extend(old_path.map(TreeEdit::Delete));
                    let file = self.large_file(repo, &path, &oid, size).await?;
                    plan.push(TreeEdit::PutPointer { path, file });
                }
                CommitOperation::DeleteFile { path } => plan.push(TreeEdit::Delete(path)),
                CommitOperation::DeleteFolder { path } => plan.push(TreeEdit::DeleteFolder(path)),
            }
        }
        Ok((plan, temporary))
    }

    /// A large file that this repository has. One of another repository is not this one's to show.
    async fn large_file(
        self,
        repo: &Repo,
        path: &RepoPath,
        sha256: &str,
        size: Option<u64>,
    ) -> Result<LargeFile, Error> {
        let uploaded = self.uploaded(repo, sha256).await?.ok_or_else(|| {
            Error::Invalid(format!("the content of `{path}` was not uploaded before"))
        })?;
        if size.is_some_and(|size| size != uploaded) {
            return Err(Error::Invalid(format!(
                "`{path}` has {uploaded} bytes, not as many as was said"
            )));
        }
        let oid = sha256
            .parse()
            .map_err(|error: git::LargeFileIdError| Error::Invalid(error.to_string()))?;
        Ok(LargeFile::new(oid, uploaded))
    }
}

impl Committed {
    /// Returns the state before a commit.
    fn before(commit: ObjectId) -> Self {
        Self {
            commit,
            pull: None,
            warnings: Vec::new(),
        }
    }
}

impl From<Vec<u8>> for FileSource {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes)
    }
}

/// Returns the signature of a commit: the user, or the hub itself.
pub(crate) fn signature(user: Option<&SignedIn>, when: Timestamp) -> Signature {
    let (name, email) = match user {
        Some(user) => (user.name.clone(), user.email.clone()),
        None => ("assay".to_owned(), None),
    };
    Signature {
        // An address that is nobody's: a made-up domain could be somebody's one day.
        email: email.unwrap_or_else(|| format!("{name}@users.noreply.invalid")),
        name,
        when,
    }
}

pub(crate) fn message_of(summary: &str, description: &str) -> Result<String, Error> {
    let (summary, description) = (summary.trim(), description.trim());
    if summary.is_empty() {
        return Err(Error::Invalid("a commit needs a summary".to_owned()));
    }
    if summary.len() + description.len() > MESSAGE_BYTES {
        return Err(Error::TooLarge(Limit::CommitMessage {
            most: MESSAGE_BYTES,
        }));
    }
    if description.is_empty() {
        Ok(summary.to_owned())
    } else {
        Ok(format!("{summary}\n\n{description}"))
    }
}
