use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The name of a metric inside a benchmark, such as `accuracy` or `mc1@k`.
///
/// ```
/// # use assay_model::MetricId;
/// assert!("pass@1".parse::<MetricId>().is_ok());
/// assert!("top 1".parse::<MetricId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct MetricId(String);

/// The error of a text that is not the name of a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetricIdError {
    /// Empty or too long.
    #[error("a metric id has 1 to {max} characters", max = MetricId::MAX)]
    Length,
    /// White space or a control character.
    #[error("a metric id holds no white space or control character")]
    Space,
}

impl MetricId {
    /// The longest a metric id may be, in bytes.
    pub const MAX: usize = 128;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MetricId {
    type Err = MetricIdError;

    fn from_str(text: &str) -> Result<Self, MetricIdError> {
        if text.is_empty() || text.len() > Self::MAX {
            return Err(MetricIdError::Length);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(MetricIdError::Space);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
