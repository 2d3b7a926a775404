use assay_git::RefName;
use assay_model::{ObjectId, RepoId, RepoKey, RepoKind, Timestamp};
use assay_store::Listed;
use serde_json::Value as Json;

use crate::error::{Error, Missing};
use crate::listing::{BENCHMARK_TAG, OFFICIAL_TAG};
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The facts of a repository for lists and pages.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them may be true"
)]
pub struct RepoInfo {
    /// The kind of the repository.
    pub kind: RepoKind,
    /// Its name.
    pub id: RepoId,
    /// A number that stays when it is renamed, as 24 hexadecimal digits.
    pub stable_id: String,
    /// Its identity, drawn at random when it was made. No other repository ever has it.
    pub uid: [u8; 16],
    /// The commit that was asked for: the head of `main` unless a revision was named.
    pub sha: ObjectId,
    /// True if it is private.
    pub private: bool,
    /// True if the operator has closed it.
    pub disabled: bool,
    /// A description in a sentence.
    pub description: Option<String>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time of the last change.
    pub updated: Timestamp,
    /// The tags of its card and those that are computed.
    pub tags: Vec<String>,
    /// The front matter of its README, without keys that break clients.
    pub card: Option<Json>,
    /// The task of the model.
    pub pipeline_tag: Option<String>,
    /// The library it is for.
    pub library_name: Option<String>,
    /// True if a dataset is a benchmark, that is, has a valid `eval.yaml` on main.
    pub benchmark: bool,
    /// True if the operator listed the benchmark.
    pub official: bool,
}

impl RepoInfo {
    /// Returns the facts of a repository in a list, at a commit.
    pub(crate) fn of(listed: Listed, sha: ObjectId) -> Self {
        let Listed {
            repository,
            card,
            benchmark,
            official,
            ..
        } = listed;
        let (mut tags, data, pipeline_tag, library_name) = match card {
            Some(card) => (card.tags, Some(card.data), card.pipeline_tag, card.library),
            None => (Vec::new(), None, None, None),
        };
        // A card that claims these is not believed.
        tags.retain(|tag| ![BENCHMARK_TAG, OFFICIAL_TAG].contains(&tag.as_str()));
        if benchmark {
            tags.push(BENCHMARK_TAG.to_owned());
        }
        if benchmark && official {
            tags.push(OFFICIAL_TAG.to_owned());
        }
        Self {
            kind: repository.kind,
            id: repository.id,
            stable_id: format!("{:024x}", repository.key.0),
            uid: repository.uid,
            sha,
            private: repository.settings.private,
            disabled: repository.settings.disabled,
            description: repository.settings.description,
            created: repository.created,
            updated: repository.updated,
            tags,
            card: data,
            pipeline_tag,
            library_name,
            benchmark,
            official,
        }
    }
}

impl RepositoryService<'_> {
    /// Returns the facts of a repository, at a revision.
    pub async fn repo_info(self, repo: &Repo, revision: Option<&str>) -> Result<RepoInfo, Error> {
        let sha = match revision {
            Some(revision) => Some(self.resolve(repo, revision).await?),
            None => None,
        };
        self.info(repo.key, sha).await
    }

    pub(crate) async fn info(self, key: RepoKey, sha: Option<ObjectId>) -> Result<RepoInfo, Error> {
        let listed = self
            .hub
            .store
            .listed(key)
            .await?
            .ok_or(Error::NotFound(Missing::Repo))?;
        let sha = match sha.or(listed.head) {
            Some(sha) => sha,
            None => self.head_of(key).await?,
        };
        Ok(RepoInfo::of(listed, sha))
    }

    async fn head_of(self, key: RepoKey) -> Result<ObjectId, Error> {
        self.hub
            .with_git(key, |git| {
                let head = git.find_ref(&RefName::main())?;
                head.map(|head| head.target)
                    .ok_or_else(|| Error::internal("the repository has no branch `main`"))
            })
            .await
    }
}
