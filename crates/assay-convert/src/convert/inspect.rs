//! Inspect AI: `.eval` archives and `.json` logs.

use super::{Converted, Log, Refusal};

/// Converts one log.
pub(super) fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    Err(Refusal::Nothing(format!("`{}` cannot be converted", log.path)))
}
