//! lm-evaluation-harness: results and samples.

use super::{Converted, Log, Refusal};

/// Converts one log.
pub(super) fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    Err(Refusal::Nothing(format!("`{}` cannot be converted", log.path)))
}
