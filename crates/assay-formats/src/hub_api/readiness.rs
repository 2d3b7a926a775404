use serde::Serialize;

/// Whether a hub can make changes, check by check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Readiness {
    /// Whether no check failed.
    pub ready: bool,
    /// What was looked at.
    pub checks: Vec<ReadinessCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReadinessCheck {
    /// What it is called: `database`, `disk`, `logs`, `repositories`, `unrecorded`.
    pub name: String,
    /// What came of it: `ok`; `warning`, the operator should look; `failed`, changes cannot be made.
    pub status: String,
    /// What was found, in a sentence.
    pub detail: String,
}
