use serde::Serialize;

/// A readiness report: one entry for each check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Readiness {
    /// True when no check failed.
    pub ready: bool,
    /// The checks.
    pub checks: Vec<ReadinessCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReadinessCheck {
    /// Its name: `database`, `disk`, `logs`, `repositories`, `unrecorded`.
    pub name: String,
    /// Its outcome: `ok`; `warning`, the operator should look; `failed`, changes cannot be made.
    pub status: String,
    /// The finding, in a sentence.
    pub detail: String,
}
