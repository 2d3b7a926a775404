use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The name of a task inside a benchmark, such as `gpqa_diamond`; it may hold slashes, as
/// `MathArena/aime_2026` does.
///
/// ```
/// # use assay_model::TaskId;
/// assert!("MathArena/aime_2026".parse::<TaskId>().is_ok());
/// assert!("gpqa diamond".parse::<TaskId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TaskId(String);

/// The error of a text that is not the name of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskIdError {
    /// Empty or too long.
    #[error("a task id has 1 to {max} characters", max = TaskId::MAX)]
    Length,
    /// White space or a control character.
    #[error("a task id holds no white space or control character")]
    Space,
}

impl TaskId {
    /// The longest a task id may be, in bytes.
    pub const MAX: usize = 128;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TaskId {
    type Err = TaskIdError;

    fn from_str(text: &str) -> Result<Self, TaskIdError> {
        if text.is_empty() || text.len() > Self::MAX {
            return Err(TaskIdError::Length);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(TaskIdError::Space);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
