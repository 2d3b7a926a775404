use assay_model::{
    Date, Framework, ObjectId, RepoId, RepoKey, RepoPath, Revision, Score, Source, Standing,
    TaskId, Timestamp,
};

use crate::{AccountId, AccountKind, Branch};

/// One leaderboard: a task of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The benchmark as entries name it, in lower case.
    pub dataset: String,
    /// The task.
    pub task: TaskId,
}

/// The account that owns a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// The name for people.
    pub fullname: Option<String>,
    /// Who it stands for.
    pub kind: AccountKind,
}

/// An entry with what a board needs to know of its model. The entry as it was written and its token are not here:
/// [`Store::entries_of_model`](crate::Store::entries_of_model) has them.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardEntry {
    /// The model.
    pub key: RepoKey,
    /// The name of the model.
    pub model: RepoId,
    /// Whether only those with access see the model.
    pub private: bool,
    /// Whether the operator has closed the model.
    pub disabled: bool,
    /// Whose model it is.
    pub owner: Owner,
    /// The models that the card says it was made from.
    pub base_models: Vec<String>,
    /// How many parameters the card says it has.
    pub parameters: Option<u64>,
    /// Where the entry lives.
    pub branch: Branch,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The task.
    pub task: TaskId,
    /// The scores.
    pub scores: Vec<Score>,
    /// The date as it was written.
    pub date: Option<Date>,
    /// When the evaluation ran: the date given, else when the file was created.
    pub moment: Timestamp,
    /// What the signed evidence says of it.
    pub standing: Standing,
    /// Where the scores are published.
    pub source: Option<Source>,
    /// The setup in words.
    pub notes: Option<String>,
    /// What ran the evaluation.
    pub framework: Option<Framework>,
    /// The subset of the benchmark.
    pub subset: Option<String>,
    /// How many samples were evaluated.
    pub sample_size: Option<u64>,
    /// The commit of the model.
    pub model_revision: Option<Revision>,
    /// The commit of the benchmark.
    pub dataset_revision: Option<Revision>,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// When that commit was made.
    pub committed: Timestamp,
    /// The name of the account that brought it to the hub.
    pub submitter: Option<String>,
    /// The author that the commit names.
    pub author: String,
    /// Since when it is current.
    pub since: Timestamp,
}

/// How much is on a board now, private models and pull requests included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardSize {
    /// The task.
    pub task: TaskId,
    /// How many entries there are.
    pub entries: u64,
    /// Of how many models.
    pub models: u64,
}

questions! {
    /// The entries for a benchmark, or for one task of it, as they were at a moment or are now, in the order of model,
    /// branch, file and place. The benchmark is named in lower case; entries that use a name it had before are its own.
    fn entries_of_board(dataset: &str, task: Option<&TaskId>, at: Option<Timestamp>) -> Vec<BoardEntry>;
    /// How many current entries each task of a benchmark has, in the order of the tasks' names, tasks that the benchmark
    /// does not define included.
    fn board_sizes(dataset: &str) -> Vec<BoardSize>;
}
