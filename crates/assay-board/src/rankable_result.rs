use assay_model::{ObjectId, PullNumber, RepoId, RepoKey, RepoPath, Score, Setup, Timestamp};

/// One entry of a result file, as a board sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankableResult {
    /// The model.
    pub model: RepoId,
    /// The repository of the model. Two results are of one model when this is equal, whatever it is
    /// called.
    pub key: RepoKey,
    /// True if the model's card declares that it is made from another model.
    pub derived: bool,
    /// True if the signed evidence of the entry was checked and holds.
    pub verified: bool,
    /// The branch or pull request that the result comes from.
    pub origin: Origin,
    /// The date of the evaluation, else the time at which the file was created.
    pub date: Timestamp,
    /// Time at which the commit was made that brought this version of the entry.
    pub committed: Timestamp,
    /// That commit.
    pub commit: ObjectId,
    /// The file.
    pub file: RepoPath,
    /// The index of the entry in its file, from 0.
    pub ordinal: u32,
    /// A digest of the content, for finding the same entry twice.
    pub fingerprint: Fingerprint,
    /// From when on the hub shows this version of the entry.
    pub since: Timestamp,
    /// From when on the hub shows it no more; none while it does.
    pub until: Option<Timestamp>,
    /// The scores, in the order of the file.
    pub scores: Vec<Score>,
    /// The whole setup.
    pub setup: Setup,
}

/// The interval of the true value, with its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence, such as 0.95.
    pub confidence: f64,
}

/// The origin of a result, from most to least authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// It is on the main branch: the owner of the model has taken it in.
    Merged,
    /// It is in an open pull request.
    Community {
        /// The number of the pull request in the model's repository.
        pull: PullNumber,
    },
    /// It is in the card of the model, as results were written before there were files for them.
    Legacy,
}

/// The SHA-256 digest of an entry in canonical form. Entries with the same one say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 32]);
