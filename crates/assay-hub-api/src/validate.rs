use serde::Deserialize;

/// The body of `POST /api/validate-yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidateYaml {
    /// The whole card.
    pub content: String,
    /// The kind of the repository, as it was written; none for a model.
    #[serde(default)]
    pub repo_type: Option<String>,
}
