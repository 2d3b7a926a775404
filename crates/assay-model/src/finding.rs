use serde::{Deserialize, Serialize};

use crate::Code;

/// A warning of a rule that is kept with a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// The rule.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "AY601"))]
    pub code: Code,
    /// The text of the warning.
    pub message: String,
}
