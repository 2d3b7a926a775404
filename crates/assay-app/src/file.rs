use std::path::PathBuf;

use assay_git::{CommitInfo, Depth, EntryKind, Objects, Repository, TreeEntry};
use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::door::Repo;
use crate::error::{Error, Missing};
use crate::hub::Hub;

/// The most paths that one question asks about.
const MAX_PATHS: usize = 10_000;

/// A file or folder at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where it is.
    pub path: RepoPath,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The blob or tree.
    pub oid: ObjectId,
    /// Its size; that of the content for a large file, 0 for a folder.
    pub size: u64,
    /// The SHA-256 and pointer size of a large file.
    pub large: Option<LargePointer>,
    /// The commit that last changed it, when that was asked for.
    pub last_commit: Option<LastCommit>,
}

/// How a large file stands in git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargePointer {
    /// The SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
    /// The size of the pointer.
    pub pointer_size: u64,
}

/// The commit that last changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommit {
    /// The commit.
    pub id: ObjectId,
    /// Its first line.
    pub title: String,
    /// When.
    pub date: Timestamp,
    /// The rest of its message.
    pub body: String,
    /// Who made it.
    pub author: String,
}

/// Some commits, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPage {
    /// The commits.
    pub commits: Vec<LastCommit>,
    /// Whether there are more.
    pub more: bool,
    /// How many there are in all.
    pub total: u64,
}

/// The content of a file, and where it was found.
#[derive(Debug)]
pub struct Blob {
    /// The commit that the revision named.
    pub commit: ObjectId,
    /// The file.
    pub entry: FileEntry,
    /// Its bytes.
    pub content: BlobContent,
}

/// Where the bytes of a file are.
#[derive(Debug)]
pub enum BlobContent {
    /// Here.
    Memory(bytes::Bytes),
    /// In a file of the hub.
    Disk(PathBuf),
    /// Not read: only the facts were asked for.
    NotRead,
}

impl FileEntry {
    fn of(entry: TreeEntry) -> Self {
        let is_folder = match entry.kind {
            EntryKind::Directory => true,
            EntryKind::File(_) | EntryKind::Symlink | EntryKind::Submodule => false,
        };
        Self {
            path: entry.path,
            is_folder,
            oid: entry.oid,
            size: entry.large.map_or(entry.size, |large| large.size),
            large: entry.large.map(|large| LargePointer {
                sha256: large.oid.to_string(),
                pointer_size: large.pointer_size,
            }),
            last_commit: None,
        }
    }
}

impl LastCommit {
    pub(crate) fn of(commit: CommitInfo) -> Self {
        Self {
            id: commit.id,
            title: commit.title,
            date: commit.committed,
            body: commit.body,
            author: commit.author_name,
        }
    }
}

impl Hub {
    /// The commit that a branch, tag, hash or `refs/pr/N` names.
    pub async fn resolve(&self, repo: &Repo, revision: &str) -> Result<ObjectId, Error> {
        let revision = revision.to_owned();
        self.with_git(repo.key, move |git| resolve(git, &revision))
            .await
    }

    /// The files of a folder, in order of path.
    pub async fn tree(
        &self,
        repo: &Repo,
        revision: &str,
        folder: Option<&str>,
        recursive: bool,
        last_commits: bool,
    ) -> Result<Vec<FileEntry>, Error> {
        let revision = revision.to_owned();
        let folder = folder.map(parse_path).transpose()?;
        let depth = if recursive {
            Depth::Recursive
        } else {
            Depth::Direct
        };
        self.with_git(repo.key, move |git| {
            let commit = resolve(git, &revision)?;
            let objects = git.objects();
            let entries = objects
                .list(commit, folder.as_ref(), depth)?
                .ok_or(no_entry(commit))?;
            // A submodule is nothing that this hub could hand out.
            let mut files: Vec<FileEntry> = entries
                .into_iter()
                .filter(|entry| entry.kind != EntryKind::Submodule)
                .map(FileEntry::of)
                .collect();
            files.sort_by(|one, other| one.path.cmp(&other.path));
            if last_commits {
                add_last_commits(&objects, commit, &mut files)?;
            }
            Ok(files)
        })
        .await
    }

    /// What lies at some paths; those that do not exist are left out.
    pub async fn paths(
        &self,
        repo: &Repo,
        revision: &str,
        paths: &[String],
        last_commits: bool,
    ) -> Result<Vec<FileEntry>, Error> {
        if paths.len() > MAX_PATHS {
            return Err(Error::TooLarge(format!(
                "one request asks about at most {MAX_PATHS} paths"
            )));
        }
        let revision = revision.to_owned();
        let paths: Vec<RepoPath> = paths
            .iter()
            .filter_map(|path| path.trim_end_matches('/').parse().ok())
            .collect();
        self.with_git(repo.key, move |git| {
            let commit = resolve(git, &revision)?;
            let objects = git.objects();
            let mut files = Vec::new();
            for path in &paths {
                let entry = objects.entry(commit, path)?;
                files.extend(
                    entry
                        .filter(|entry| entry.kind != EntryKind::Submodule)
                        .map(FileEntry::of),
                );
            }
            if last_commits {
                add_last_commits(&objects, commit, &mut files)?;
            }
            Ok(files)
        })
        .await
    }

    /// A file, with its bytes when `content`; the stored pointer of a large file when `raw`.
    pub async fn blob(
        &self,
        repo: &Repo,
        revision: &str,
        path: &str,
        content: bool,
        raw: bool,
    ) -> Result<Blob, Error> {
        let revision = revision.to_owned();
        // A path that no file can have is the path of no file.
        let path = path.parse::<RepoPath>().ok();
        let max = self.config.limits.file_bytes;
        let (commit, mut entry, bytes) = self
            .with_git(repo.key, move |git| {
                let commit = resolve(git, &revision)?;
                let path = path.ok_or(no_entry(commit))?;
                let objects = git.objects();
                let found = objects.entry(commit, &path)?;
                let entry = found.filter(is_blob).ok_or(no_entry(commit))?;
                let is_pointer = entry.large.is_some() && !raw;
                let bytes = if content && !is_pointer {
                    Some(objects.read(entry.oid, max.max(entry.size))?)
                } else {
                    None
                };
                Ok((commit, entry, bytes))
            })
            .await?;
        if raw {
            entry.large = None;
        }
        let content = match (bytes, &entry.large) {
            (Some(bytes), _) => BlobContent::Memory(bytes.into()),
            (None, Some(large)) => {
                let object = self.large(repo, &large.oid.to_string()).await?;
                let object = object.ok_or(no_entry(commit))?;
                if content {
                    BlobContent::Disk(object.path)
                } else {
                    BlobContent::NotRead
                }
            }
            (None, None) => BlobContent::NotRead,
        };
        Ok(Blob {
            commit,
            entry: FileEntry::of(entry),
            content,
        })
    }

    /// The history, newest first.
    pub async fn commits(
        &self,
        repo: &Repo,
        revision: &str,
        offset: usize,
        limit: usize,
    ) -> Result<CommitPage, Error> {
        let revision = revision.to_owned();
        self.with_git(repo.key, move |git| {
            let commit = resolve(git, &revision)?;
            let objects = git.objects();
            let mut commits = objects.log(commit, offset, limit.saturating_add(1))?;
            let more = commits.len() > limit;
            commits.truncate(limit);
            Ok(CommitPage {
                commits: commits.into_iter().map(LastCommit::of).collect(),
                more,
                total: objects.count(commit)? as u64,
            })
        })
        .await
    }
}

/// The commit that a text means.
pub(crate) fn resolve(git: &Repository, revision: &str) -> Result<ObjectId, Error> {
    git.resolve(revision)?
        .ok_or_else(|| Error::NotFound(Missing::Revision(revision.to_owned())))
}

/// A path that a request names. One that leads out of the repository makes no sense.
pub(crate) fn parse_path(path: &str) -> Result<RepoPath, Error> {
    path.trim_end_matches('/')
        .parse()
        .map_err(|error: assay_model::RepoPathError| Error::Unprocessable(error.to_string()))
}

fn is_blob(entry: &TreeEntry) -> bool {
    match entry.kind {
        EntryKind::File(_) | EntryKind::Symlink => true,
        EntryKind::Directory | EntryKind::Submodule => false,
    }
}

fn no_entry(commit: ObjectId) -> Error {
    Error::NotFound(Missing::Entry {
        commit: Some(commit),
    })
}

fn add_last_commits(
    objects: &Objects,
    commit: ObjectId,
    files: &mut [FileEntry],
) -> Result<(), Error> {
    let paths: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
    let mut commits = objects.last_commits(commit, &paths)?;
    for file in files {
        file.last_commit = commits.remove(&file.path).map(LastCommit::of);
    }
    Ok(())
}
