use serde::{Deserialize, Serialize};

/// The body of `PUT /api/assay/benchmarks/{id}/official`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Official {
    /// True if it is to be official.
    pub official: bool,
}
