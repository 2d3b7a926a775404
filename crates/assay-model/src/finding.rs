use serde::{Deserialize, Serialize};

use crate::Code;

/// What a rule found in a result, as it is kept with the result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// The rule.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "AY601"))]
    pub code: Code,
    /// What it found.
    pub message: String,
}
