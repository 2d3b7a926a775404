use std::sync::Arc;

use assay_git::{CommitInfo, Depth, EntryKind, Objects, Repository, TreeEntry};
use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::error::{Error, Limit, Missing, UnusablePath};
use crate::large_storage::LargeContent;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;
use crate::unpacked::UnpackedBlob;

/// The largest file of git that is read into memory. A larger one is unpacked to the disk and sent
/// from there.
const MAX_IN_MEMORY: u64 = 1 << 20;
/// The most paths that one question asks about.
const MAX_PATHS: usize = 10_000;

/// A file or folder at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The path of the file.
    pub path: RepoPath,
    /// True if it is a folder.
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

/// The pointer of a large file in git.
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
    /// The time of the commit.
    pub date: Timestamp,
    /// The rest of its message.
    pub body: String,
    /// The author of the commit.
    pub author: String,
}

/// Some commits, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPage {
    /// The commits.
    pub commits: Vec<LastCommit>,
    /// True if there are more.
    pub more: bool,
    /// The total number.
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

/// The source of the bytes of a file.
#[derive(Debug)]
pub enum BlobContent {
    /// Here.
    Memory(bytes::Bytes),
    /// Beside git.
    Large(LargeContent),
    /// Out of git, in a file without a name.
    Unpacked(Arc<UnpackedBlob>),
    /// Not read: only the facts were asked for, or the file is larger than was asked for.
    NotRead,
}

/// The part of a file that is read.
#[derive(Debug, Clone, Copy)]
enum Extent {
    Facts,
    /// All of it, if it has at most so many bytes.
    UpTo(u64),
    Whole,
}

/// The content that was read of a file of git.
enum FileContent {
    Bytes(Vec<u8>),
    /// It is to be unpacked out of this repository.
    TooLarge(Repository),
    Nothing,
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

impl RepositoryService<'_> {
    /// The commit that a branch, tag, hash or `refs/pr/N` names.
    pub async fn resolve(self, repo: &Repo, revision: &str) -> Result<ObjectId, Error> {
        let revision = revision.to_owned();
        self.hub
            .with_git(repo.key, move |git| resolve(git, &revision))
            .await
    }

    /// The files of a folder, in order of path.
    pub async fn tree(
        self,
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
        self.hub
            .with_git(repo.key, move |git| {
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

    /// Returns the entries at some paths; those that do not exist are left out.
    pub async fn paths(
        self,
        repo: &Repo,
        revision: &str,
        paths: &[String],
        last_commits: bool,
    ) -> Result<Vec<FileEntry>, Error> {
        if paths.len() > MAX_PATHS {
            return Err(Error::TooLarge(Limit::Paths { most: MAX_PATHS }));
        }
        let revision = revision.to_owned();
        let paths: Vec<RepoPath> = paths
            .iter()
            .filter_map(|path| path.trim_end_matches('/').parse().ok())
            .collect();
        self.hub
            .with_git(repo.key, move |git| {
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
    /// However large it is, little of it is in memory.
    pub async fn blob(
        self,
        repo: &Repo,
        revision: &str,
        path: &str,
        content: bool,
        raw: bool,
    ) -> Result<Blob, Error> {
        let extent = if content {
            Extent::Whole
        } else {
            Extent::Facts
        };
        self.read_blob(repo, revision, path, extent, raw).await
    }

    /// A file of git, with its bytes in memory if it has at most `max` of them, and a megabyte;
    /// else with its facts alone.
    pub async fn small_blob(
        self,
        repo: &Repo,
        revision: &str,
        path: &str,
        max: u64,
        raw: bool,
    ) -> Result<Blob, Error> {
        let extent = Extent::UpTo(max.min(MAX_IN_MEMORY));
        self.read_blob(repo, revision, path, extent, raw).await
    }

    async fn read_blob(
        self,
        repo: &Repo,
        revision: &str,
        path: &str,
        extent: Extent,
        raw: bool,
    ) -> Result<Blob, Error> {
        let revision = revision.to_owned();
        // A path that no file can have is the path of no file.
        let path = path.parse::<RepoPath>().ok();
        let turn = match extent {
            Extent::Facts => None,
            Extent::UpTo(_) | Extent::Whole => {
                let turn = Arc::clone(&self.hub.blob_reads).acquire_owned().await;
                Some(turn.map_err(Error::internal)?)
            }
        };
        let (commit, mut entry, found) = self
            .hub
            .with_git(repo.key, move |git| {
                let _turn = turn;
                let commit = resolve(git, &revision)?;
                let path = path.ok_or(no_entry(commit))?;
                let objects = git.objects();
                let found = objects.entry(commit, &path)?;
                let entry = found.filter(is_blob).ok_or(no_entry(commit))?;
                let is_pointer = entry.large.is_some() && !raw;
                let found = match extent {
                    Extent::Facts => FileContent::Nothing,
                    Extent::UpTo(_) | Extent::Whole if is_pointer => FileContent::Nothing,
                    Extent::UpTo(max) if entry.size > max => FileContent::Nothing,
                    Extent::Whole if entry.size > MAX_IN_MEMORY => {
                        FileContent::TooLarge(git.clone())
                    }
                    Extent::UpTo(_) | Extent::Whole => {
                        FileContent::Bytes(objects.read(entry.oid, MAX_IN_MEMORY)?)
                    }
                };
                Ok((commit, entry, found))
            })
            .await?;
        if raw {
            entry.large = None;
        }
        let content = match (found, &entry.large) {
            (FileContent::Bytes(bytes), _) => BlobContent::Memory(bytes.into()),
            (FileContent::TooLarge(git), _) => {
                let unpacked = self.hub.unpacked.get(&git, entry.oid, entry.size).await?;
                BlobContent::Unpacked(unpacked)
            }
            (FileContent::Nothing, Some(large)) => {
                let object = self.large(repo, &large.oid.to_string()).await?;
                let object = object.ok_or(no_entry(commit))?;
                match extent {
                    Extent::Whole => BlobContent::Large(object.content),
                    Extent::Facts | Extent::UpTo(_) => BlobContent::NotRead,
                }
            }
            (FileContent::Nothing, None) => BlobContent::NotRead,
        };
        Ok(Blob {
            commit,
            entry: FileEntry::of(entry),
            content,
        })
    }

    /// The history, newest first.
    pub async fn commits(
        self,
        repo: &Repo,
        revision: &str,
        offset: usize,
        limit: usize,
    ) -> Result<CommitPage, Error> {
        let revision = revision.to_owned();
        self.hub
            .with_git(repo.key, move |git| {
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
        .map_err(|error: assay_model::RepoPathError| {
            Error::UnusablePath(UnusablePath::Invalid(error))
        })
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
