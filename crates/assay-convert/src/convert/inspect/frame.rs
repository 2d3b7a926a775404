//! The input and the output of writing the rows of a sample.

use super::super::judging::SentPrompt;
use super::results::Aggregate;

/// The parts that all rows of a record share.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) evaluation_id: String,
    pub(super) evaluation_name: String,
    pub(super) model_id: String,
    /// The model as the log calls it, which its usage is found by.
    pub(super) model: String,
    /// The names of the models that judge.
    pub(super) judges: Vec<String>,
    /// The scorers whose judges were asked what the header does not hold.
    pub(super) without_prompt: Vec<String>,
    /// The scorers of the log, whether they scored anything or not.
    pub(super) scorers: Vec<String>,
    /// The results of the log; none when it has none, and scores speak for themselves.
    pub(super) aggregates: Vec<Aggregate>,
}

impl Frame {
    /// Returns whether the evaluated model judges its own answers.
    pub(super) fn judges_itself(&self) -> bool {
        self.judges.contains(&self.model)
    }
}

/// The rows of one sample.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) bytes: Vec<u8>,
    pub(super) count: u64,
    /// Each score, for results that have yet to be computed and bounds that have yet to be proved.
    pub(super) scores: Vec<Tally>,
    /// Rows of a sample that failed, by result: in a log without results nobody knows yet which
    /// there will be.
    pub(super) failures: Vec<(String, Vec<u8>)>,
    /// True if the sample could be read.
    pub(super) is_sample: bool,
    /// True if the sample failed.
    pub(super) is_failed: bool,
    /// The name that the model answered under.
    pub(super) served: Option<String>,
    /// The prompts of judges, where the header does not have them.
    pub(super) prompts: Vec<SentPrompt>,
    /// Notes for a person.
    pub(super) notes: Vec<String>,
}

/// One score of one sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    /// The result it counts for.
    pub(super) id: String,
    pub(super) scorer: String,
    pub(super) name: String,
    pub(super) score: f64,
    pub(super) is_first_epoch: bool,
}
