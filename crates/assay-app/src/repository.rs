use assay_model::{ObjectId, RepoId, RepoKey, RepoKind, Timestamp};
use serde_json::Value as Json;

/// Who may see a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    Public,
    /// Its owner, the members of its organisation and the operator.
    Private,
}

/// What to make a repository of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepository {
    /// What it will hold.
    pub kind: RepoKind,
    /// The namespace; the caller's own when absent.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// What it is, in a sentence.
    pub description: Option<String>,
}

/// What of a repository is to change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Who may see it.
    pub visibility: Option<Visibility>,
    /// What it is, in a sentence.
    pub description: Option<String>,
}

/// A repository that the caller may use as needed: to have one is to have been let in.
#[derive(Debug, Clone)]
pub struct Repo {
    pub(crate) key: RepoKey,
    pub(crate) kind: RepoKind,
    pub(crate) id: RepoId,
    pub(crate) private: bool,
}

impl Repo {
    /// What it holds.
    pub fn kind(&self) -> RepoKind {
        self.kind
    }

    /// Its name, as its owner spells it.
    pub fn id(&self) -> &RepoId {
        &self.id
    }

    /// Whether only some may see it.
    pub fn is_private(&self) -> bool {
        self.private
    }
}

/// What lists and pages say of a repository.
#[derive(Debug, Clone)]
pub struct RepoInfo {
    /// What it holds.
    pub kind: RepoKind,
    /// Its name.
    pub id: RepoId,
    /// A number that stays when it is renamed, as 24 hexadecimal digits.
    pub stable_id: String,
    /// The commit that was asked for: the head of `main` unless a revision was named.
    pub sha: ObjectId,
    /// Who may see it.
    pub private: bool,
    /// What it is, in a sentence.
    pub description: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// The tags of its card and those that are computed.
    pub tags: Vec<String>,
    /// The front matter of its README, without keys that break clients.
    pub card: Option<Json>,
    /// What it computes from it.
    pub pipeline_tag: Option<String>,
    /// The library it is for.
    pub library_name: Option<String>,
    /// Whether a dataset is a benchmark, that is, has a valid `eval.yaml` on main.
    pub benchmark: bool,
    /// Whether the operator listed the benchmark.
    pub official: bool,
}
