use serde::{Deserialize, Serialize};

/// The body of `POST /api/validate-yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidateYaml {
    /// The whole card.
    pub content: String,
    /// What the repository holds, as it was written; none for a model.
    #[serde(default)]
    pub repo_type: Option<String>,
}

/// The answer: what is wrong with a card, if anything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct YamlReport {
    /// What must be mended.
    pub errors: Vec<YamlMessage>,
    /// What should be looked at.
    pub warnings: Vec<YamlMessage>,
}

/// One thing to say about a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct YamlMessage {
    /// For people.
    pub message: String,
}

impl YamlReport {
    /// Whether the card can be taken.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}
