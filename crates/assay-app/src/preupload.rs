use std::collections::BTreeMap;

use assay_git::{EntryKind, TreeEntry};
use assay_model::{Diagnostic, ObjectId, RepoId, RepoKind};

use crate::access::{Caller, Need};
use crate::attributes::{self, LargeFileRules};
use crate::error::{Error, Limit};
use crate::file::{parse_path, resolve};
use crate::hub::blocking;
use crate::services::RepositoryService;
use crate::target::pull_number;
use crate::validator::SharedValidator;

/// The most files that a preview validates.
const PREVIEW_FILES: usize = 100;

/// The files that a client is about to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preupload {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// True if a pull request will be opened.
    pub create_pull: bool,
    /// The files: path and size.
    pub files: Vec<(String, u64)>,
    /// The `.gitignore` that the client is about to commit.
    pub git_ignore: Option<String>,
}

/// The way to upload each file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadPlan {
    /// The head of the branch.
    pub head: ObjectId,
    /// The files, in the order asked.
    pub files: Vec<PreuploadFile>,
}

/// The way to upload one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadFile {
    /// The path, as asked.
    pub path: String,
    /// True if it goes through git-lfs.
    pub large: bool,
    /// True if `.gitignore` says to leave it out.
    pub ignore: bool,
    /// The content at this path now: the blob, or the SHA-256 of a large file.
    pub oid: Option<String>,
}

impl RepositoryService<'_> {
    /// Validates these files as if committed to `main`; nothing is kept.
    pub async fn preview(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: Option<&RepoId>,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<Diagnostic>, Error> {
        if let Some(id) = id {
            self.hub.repo(caller, kind, id).await?;
        }
        let bytes: u64 = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if files.len() > PREVIEW_FILES || bytes > self.hub.config.limits.validated_bytes {
            return Err(Error::TooLarge(Limit::Preview {
                files: PREVIEW_FILES,
                bytes: self.hub.config.limits.validated_bytes,
            }));
        }
        let validator = SharedValidator::new(self.hub, kind, None).await?;
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let validation = blocking(move || Ok(validator.get().preview(&files))).await?;
        let mut diagnostics = validation.errors;
        diagnostics.extend(validation.warnings);
        Ok(diagnostics)
    }

    /// Returns the way to upload each file.
    pub async fn preupload(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: Preupload,
    ) -> Result<PreuploadPlan, Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Discuss).await?;
        match pull_number(&request.revision) {
            _ if request.create_pull => {}
            Some(num) => {
                self.check_pull_push(caller, &repo, num).await?;
            }
            None => self.hub.check(caller, &repo, Need::Write).await?,
        }
        let limits = self.hub.config.limits;
        if request.files.len() > limits.commit_files {
            return Err(Error::TooLarge(Limit::CommitFiles {
                most: limits.commit_files,
            }));
        }
        self.hub
            .with_git(repo.key, move |git| {
                let head = resolve(git, &request.revision)?;
                let objects = git.objects();
                let ignore = match &request.git_ignore {
                    Some(text) => attributes::ignore(text),
                    None => attributes::ignore(&attributes::text_at(&objects, head, ".gitignore")?),
                };
                let mut large_files = LargeFileRules::new(&objects, head);
                let mut files = Vec::with_capacity(request.files.len());
                for (path, size) in request.files {
                    if size > limits.large_file_bytes {
                        return Err(Error::TooLarge(Limit::File {
                            path: path.clone(),
                            size,
                            most: limits.large_file_bytes,
                        }));
                    }
                    let place = parse_path(&path)?;
                    let entry = objects.entry(head, &place)?;
                    let is_file = |entry: &TreeEntry| entry.kind != EntryKind::Directory;
                    files.push(PreuploadFile {
                        // An empty file is the same in git and beside it.
                        large: size > limits.file_bytes
                            || size > 0 && large_files.is_large(&place)?,
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
