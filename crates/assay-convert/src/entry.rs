//! An entry of a result file, out of the scores that logs and records hold.
//!
//! Nothing is guessed: where the scores could mean several things, [`NoEntry`] says which question
//! has to be answered. The command line asks it with an option, the hub with a field of a form.

mod candidate;
mod choose;
mod compose;
mod keep;

use std::fmt;
use std::str::FromStr;

use assay_model::MetricId;

pub use self::candidate::Candidate;
pub use self::choose::{Choice, Chosen};
pub use self::compose::{About, Remarks, entry};
pub use self::keep::KeepStore;

/// A metric of a log and the metric of a benchmark that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricPair {
    /// The metric or result, as the log names it.
    pub from: String,
    /// The metric of the benchmark.
    pub to: MetricId,
}

impl fmt::Display for MetricPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.from, self.to)
    }
}

/// The error for a text that is no pair of metrics.
#[derive(Debug, thiserror::Error)]
#[error("write the metric of the log, `=` and the metric of the benchmark: `acc_norm=accuracy`")]
pub struct MetricPairError;

impl FromStr for MetricPair {
    type Err = MetricPairError;

    fn from_str(text: &str) -> Result<Self, MetricPairError> {
        // The name in the log may hold the sign itself; that of the benchmark hardly does.
        let (from, to) = text.rsplit_once('=').ok_or(MetricPairError)?;
        let to = to.parse().map_err(|_| MetricPairError)?;
        if from.is_empty() {
            return Err(MetricPairError);
        }
        Ok(Self {
            from: from.to_owned(),
            to,
        })
    }
}

/// The reason why some scores give no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NoEntry {
    /// The reason, in a sentence without a full stop.
    pub reason: String,
    /// The question whose answer would settle it, where there is one.
    pub question: Option<Question>,
}

/// A question that only the person who submits can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Which of several logs is meant.
    Log,
    /// Which of several evaluations is meant.
    Evaluation,
    /// Which of several scores is this metric.
    Score(MetricId),
    /// Which scores are metrics of the benchmark at all.
    Scores,
    /// True if the scores of an incomplete run are to be submitted.
    Incomplete,
    /// Where the named source can be found.
    SourceUrl,
}

impl NoEntry {
    /// A reason that no answer changes.
    fn new(reason: String) -> Self {
        Self {
            reason,
            question: None,
        }
    }

    /// A reason that an answer settles.
    fn asks(reason: String, question: Question) -> Self {
        Self {
            reason,
            question: Some(question),
        }
    }
}
