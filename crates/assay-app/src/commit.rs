use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_git::{self as git, CommitPlan, Expected, FileMode, LargeFile, RefName, Signature};
use assay_model::{Diagnostic, ObjectId, RepoId, RepoKind, RepoPath, Timestamp};
use assay_store::Status;

use crate::access::{Caller, Need, SignedIn};
use crate::attributes;
use crate::error::{Error, Missing};
use crate::file::resolve;
use crate::hub::{Hub, blocking};
use crate::judge::SharedJudge;
use crate::publish::{Note, RefMove, publish};
use crate::repository::Repo;

/// How often a commit that names no parent is built again when another process moved the branch meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// The longest message of a commit, in bytes.
const MESSAGE_BYTES: usize = 64 << 10;
/// The most files that a preview judges.
const PREVIEW_FILES: usize = 100;

/// A commit to make through the API.
#[derive(Debug)]
pub struct CommitRequest {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub description: String,
    /// What the caller believes the head to be, in full or cut short.
    pub parent: Option<String>,
    /// Whether to open a pull request instead of moving the branch.
    pub create_pull: bool,
    /// What to change, in order.
    pub operations: Vec<Operation>,
}

/// One change of a commit.
#[derive(Debug)]
pub enum Operation {
    /// Write a file.
    Put {
        /// Where.
        path: RepoPath,
        /// What.
        content: FileSource,
    },
    /// Write the pointer of a large file that was uploaded before.
    PutLarge {
        /// Where.
        path: RepoPath,
        /// The SHA-256 of the content.
        sha256: String,
        /// Its size; looked up when absent.
        size: Option<u64>,
    },
    /// Remove a file.
    Delete(RepoPath),
    /// Remove a folder.
    DeleteFolder(RepoPath),
}

/// Where the bytes of an uploaded file are.
#[derive(Debug)]
pub enum FileSource {
    /// Here.
    Memory(Vec<u8>),
    /// In a temporary file, which the commit takes over.
    Disk(tempfile::TempPath),
    /// In a file that stays.
    Path(PathBuf),
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The new commit.
    pub commit: ObjectId,
    /// The pull request that was opened.
    pub pull: Option<i64>,
    /// Warnings about the files: they never refuse.
    pub warnings: Vec<Diagnostic>,
}

/// What a client is about to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preupload {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// Whether a pull request will be opened.
    pub create_pull: bool,
    /// The files: path and size.
    pub files: Vec<(String, u64)>,
    /// The `.gitignore` that the client is about to commit.
    pub git_ignore: Option<String>,
}

/// How each file is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadPlan {
    /// The head of the branch.
    pub head: ObjectId,
    /// The files, in the order asked.
    pub files: Vec<PreuploadFile>,
}

/// How one file is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadFile {
    /// The path, as asked.
    pub path: String,
    /// Whether it goes through git-lfs.
    pub large: bool,
    /// Whether `.gitignore` says to leave it out.
    pub ignore: bool,
    /// The content at this path now: the blob, or the SHA-256 of a large file.
    pub oid: Option<String>,
}

/// Where a commit goes.
struct Target {
    /// The ref that it begins with.
    from: RefName,
    /// What is said of it.
    note: Note,
}

impl Hub {
    /// Makes a commit, or a pull request of one commit.
    pub async fn commit(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: CommitRequest,
    ) -> Result<Committed, Error> {
        let repo = self.repo(caller, kind, id, Need::Discuss).await?;
        let actor = caller.signed_in()?;
        self.check_size(&request)?;
        let message = message_of(&request.summary, &request.description)?;
        let _locked = self.lock(repo.key).await;
        let target = self.target(caller, &repo, &request).await?;
        // The temporary files of the request live until it is answered.
        let (operations, _temporary) = self.operations(&repo, request.operations).await?;
        let author = signature(Some(actor), self.now());
        let mut attempt = 1;
        loop {
            let start = self
                .start(&repo, &target, request.parent.as_deref())
                .await?;
            let plan = CommitPlan {
                parents: vec![start],
                base: Some(start),
                operations: operations.clone(),
                message: message.clone(),
                author: author.clone(),
                committer: author.clone(),
            };
            match self.publish_plan(actor, &repo, &target, start, plan).await {
                // The lock keeps this process in order; another one may share the directory.
                Err(Error::Stale) if request.parent.is_none() && attempt < MAX_ATTEMPTS => {
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    async fn publish_plan(
        &self,
        actor: &SignedIn,
        repo: &Repo,
        target: &Target,
        start: ObjectId,
        plan: CommitPlan,
    ) -> Result<Committed, Error> {
        let (quarantine, commit) = self
            .with_git(repo.key, move |git| {
                let quarantine = git.quarantine();
                let plan = attributes::track(&quarantine.objects(), plan)?;
                let commit = quarantine.write(&plan)?;
                Ok((quarantine, commit))
            })
            .await?;
        let change = RefMove {
            name: target.from.clone(),
            expected: Expected::At(start),
            new: Some(commit),
        };
        let note = target.note.clone();
        let published = publish(self, actor, repo, quarantine, vec![change], note).await?;
        Ok(Committed {
            commit,
            pull: published.pull,
            warnings: published.warnings,
        })
    }

    /// Where a commit goes, if the caller may make it there.
    async fn target(
        &self,
        caller: &Caller,
        repo: &Repo,
        request: &CommitRequest,
    ) -> Result<Target, Error> {
        if request.create_pull {
            let base = branch(&request.revision)?;
            return Ok(Target {
                from: base.clone(),
                note: Note::OpenPull {
                    title: request.summary.clone(),
                    description: request.description.clone(),
                    base,
                },
            });
        }
        if let Some(num) = pull_number(&request.revision) {
            self.check_pull_push(caller, repo, num).await?;
            return Ok(Target {
                from: pull_ref(num)?,
                note: Note::CommitsToPull { num },
            });
        }
        self.check(caller, repo, Need::Write).await?;
        Ok(Target {
            from: branch(&request.revision)?,
            note: Note::None,
        })
    }

    /// Refuses whoever may not add to a pull request, and everyone when it is over.
    pub(crate) async fn check_pull_push(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
    ) -> Result<(), Error> {
        let actor = caller.signed_in()?;
        let missing = || Error::NotFound(Missing::Revision(format!("refs/pr/{num}")));
        let number = u32::try_from(num).map_err(|_| missing())?;
        let pull = self.store.discussion(repo.key, number).await?;
        let pull = pull.filter(|pull| pull.is_pull).ok_or_else(missing)?;
        match pull.status {
            Status::Draft | Status::Open => {}
            Status::Closed | Status::Merged => {
                return Err(Error::Conflict(format!(
                    "pull request {num} is {}",
                    pull.status.as_str()
                )));
            }
        }
        let is_author = pull.author.is_some_and(|author| author.id == actor.account);
        let need = if is_author {
            Need::Discuss
        } else {
            Need::Write
        };
        self.check(caller, repo, need).await.map_err(|error| match error {
            Error::Forbidden(_) => Error::Forbidden(format!(
                "only its author and those who may write to the repository may change pull request {num}"
            )),
            other => other,
        })
    }

    /// The commit that the new one follows on.
    async fn start(
        &self,
        repo: &Repo,
        target: &Target,
        parent: Option<&str>,
    ) -> Result<ObjectId, Error> {
        let from = target.from.clone();
        let head = self
            .with_git(repo.key, move |git| {
                git.find_ref(&from)?
                    .map(|head| head.target)
                    .ok_or_else(|| Error::NotFound(Missing::Revision(short(&from))))
            })
            .await?;
        let Some(parent) = parent else {
            return Ok(head);
        };
        if !is_hash(parent) {
            return Err(Error::Invalid(format!(
                "`{parent}` is not the hash of a commit"
            )));
        }
        if head.to_string().starts_with(parent) {
            return Ok(head);
        }
        match &target.note {
            // A pull request may begin where its author was, also when the branch has moved on.
            Note::OpenPull { .. } => self.resolve(repo, parent).await,
            Note::None | Note::CommitsToPull { .. } | Note::Merged { .. } => Err(Error::Stale),
        }
    }

    fn check_size(&self, request: &CommitRequest) -> Result<(), Error> {
        let limits = &self.config.limits;
        if request.operations.len() > limits.commit_files {
            return Err(Error::TooLarge(format!(
                "a commit has at most {} files",
                limits.commit_files
            )));
        }
        let mut total: u64 = 0;
        for operation in &request.operations {
            if let Operation::Put { path, content } = operation {
                let size = content.size()?;
                if size > limits.file_bytes {
                    return Err(Error::TooLarge(format!(
                        "`{path}` has {size} bytes; a file in git has at most {}",
                        limits.file_bytes
                    )));
                }
                total = total.saturating_add(size);
            }
        }
        if total > limits.commit_bytes {
            return Err(Error::TooLarge(format!(
                "the files of a commit have at most {} bytes together",
                limits.commit_bytes
            )));
        }
        Ok(())
    }

    /// The operations in the words of git, and the files that must outlive them.
    async fn operations(
        &self,
        repo: &Repo,
        operations: Vec<Operation>,
    ) -> Result<(Vec<git::Operation>, Vec<tempfile::TempPath>), Error> {
        let mut plan = Vec::with_capacity(operations.len());
        let mut temporary = Vec::new();
        for operation in operations {
            plan.push(match operation {
                Operation::Put { path, content } => git::Operation::Put {
                    path,
                    blob: match content {
                        FileSource::Memory(bytes) => git::Blob::Bytes(bytes),
                        FileSource::Path(path) => git::Blob::File(path),
                        FileSource::Disk(file) => {
                            let path = file.to_path_buf();
                            temporary.push(file);
                            git::Blob::File(path)
                        }
                    },
                    mode: FileMode::Regular,
                },
                Operation::PutLarge { path, sha256, size } => {
                    let file = self.large_file(repo, &path, &sha256, size).await?;
                    git::Operation::PutPointer { path, file }
                }
                Operation::Delete(path) => git::Operation::Delete(path),
                Operation::DeleteFolder(path) => git::Operation::DeleteFolder(path),
            });
        }
        Ok((plan, temporary))
    }

    /// A large file that this repository has. One of another repository is not this one's to show.
    async fn large_file(
        &self,
        repo: &Repo,
        path: &RepoPath,
        sha256: &str,
        size: Option<u64>,
    ) -> Result<LargeFile, Error> {
        let object = self.large(repo, sha256).await?.ok_or_else(|| {
            Error::Invalid(format!("the content of `{path}` was not uploaded before"))
        })?;
        if size.is_some_and(|size| size != object.size) {
            return Err(Error::Invalid(format!(
                "`{path}` has {} bytes, not as many as was said",
                object.size
            )));
        }
        let oid = sha256
            .parse()
            .map_err(|error: git::LargeFileIdError| Error::Invalid(error.to_string()))?;
        Ok(LargeFile::new(oid, object.size))
    }

    /// What the judge would say of these files, as if committed to `main`; nothing is kept.
    pub async fn preview(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: Option<&RepoId>,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<Diagnostic>, Error> {
        if let Some(id) = id {
            self.repo(caller, kind, id, Need::Read).await?;
        }
        let bytes: u64 = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if files.len() > PREVIEW_FILES || bytes > self.config.limits.judged_bytes {
            return Err(Error::TooLarge(format!(
                "a preview has at most {PREVIEW_FILES} files of {} bytes together",
                self.config.limits.judged_bytes
            )));
        }
        let judge = SharedJudge::new(self, kind, None).await?;
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let judgement = blocking(move || Ok(judge.get().preview(&files))).await?;
        let mut diagnostics = judgement.errors;
        diagnostics.extend(judgement.warnings);
        Ok(diagnostics)
    }

    /// How files are to be uploaded.
    pub async fn preupload(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: Preupload,
    ) -> Result<PreuploadPlan, Error> {
        let repo = self.repo(caller, kind, id, Need::Discuss).await?;
        match pull_number(&request.revision) {
            _ if request.create_pull => {}
            Some(num) => self.check_pull_push(caller, &repo, num).await?,
            None => self.check(caller, &repo, Need::Write).await?,
        }
        let limits = self.config.limits;
        if request.files.len() > limits.commit_files {
            return Err(Error::TooLarge(format!(
                "a commit has at most {} files",
                limits.commit_files
            )));
        }
        self.with_git(repo.key, move |git| {
            let head = resolve(git, &request.revision)?;
            let objects = git.objects();
            let ignore = match &request.git_ignore {
                Some(text) => attributes::ignore(text),
                None => attributes::ignore(&attributes::text_at(&objects, head, ".gitignore")?),
            };
            let mut files = Vec::with_capacity(request.files.len());
            for (path, size) in request.files {
                if size > limits.large_file_bytes {
                    return Err(Error::TooLarge(format!(
                        "`{path}` has {size} bytes; a file has at most {}",
                        limits.large_file_bytes
                    )));
                }
                let place = crate::file::parse_path(&path)?;
                let entry = objects.entry(head, &place)?;
                let is_file = |entry: &git::TreeEntry| entry.kind != git::EntryKind::Directory;
                files.push(PreuploadFile {
                    large: size > limits.file_bytes,
                    ignore: attributes::is_ignored(&ignore, &place),
                    oid: entry.filter(is_file).map(|entry| match entry.large {
                        Some(large) => large.oid.to_string(),
                        None => entry.oid.to_string(),
                    }),
                    path,
                });
            }
            Ok(PreuploadPlan { head, files })
        })
        .await
    }
}

impl FileSource {
    fn size(&self) -> Result<u64, Error> {
        let path = match self {
            Self::Memory(bytes) => return Ok(bytes.len() as u64),
            Self::Disk(path) => path.as_ref(),
            Self::Path(path) => path.as_path(),
        };
        let metadata = fs_err::metadata(path).map_err(Error::internal)?;
        Ok(metadata.len())
    }
}

/// Who signs a commit: the user, or the hub itself.
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

fn message_of(summary: &str, description: &str) -> Result<String, Error> {
    let (summary, description) = (summary.trim(), description.trim());
    if summary.is_empty() {
        return Err(Error::Invalid("a commit needs a summary".to_owned()));
    }
    if summary.len() + description.len() > MESSAGE_BYTES {
        return Err(Error::TooLarge(format!(
            "the message of a commit has at most {MESSAGE_BYTES} bytes"
        )));
    }
    if description.is_empty() {
        Ok(summary.to_owned())
    } else {
        Ok(format!("{summary}\n\n{description}"))
    }
}

/// The branch that a revision names. A tag or a hash is nothing that a commit could move.
fn branch(revision: &str) -> Result<RefName, Error> {
    let name = revision.strip_prefix("refs/heads/").unwrap_or(revision);
    RefName::branch(name).map_err(|_| Error::NotFound(Missing::Revision(revision.to_owned())))
}

/// The number in `refs/pr/N`.
pub(crate) fn pull_number(revision: &str) -> Option<i64> {
    let number = revision.parse::<RefName>().ok()?.as_pull()?;
    i64::try_from(number).ok()
}

fn pull_ref(num: i64) -> Result<RefName, Error> {
    Ok(RefName::pull(u64::try_from(num).map_err(Error::internal)?))
}

fn short(name: &RefName) -> String {
    name.as_branch().unwrap_or(name.as_str()).to_owned()
}

fn is_hash(text: &str) -> bool {
    let digits = git::Repository::MIN_ABBREVIATION..=ObjectId::DIGITS;
    digits.contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
