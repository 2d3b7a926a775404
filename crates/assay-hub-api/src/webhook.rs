use serde::Serialize;

/// One item of `GET /api/settings/webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// What the hub knows it by.
    pub id: String,
    /// Where it is delivered.
    pub url: Option<String>,
    /// What it watches.
    pub watched: Vec<Watched>,
    /// What it tells of: `repo`, `discussion`.
    pub domains: Vec<String>,
    /// What it is signed with, once; later none.
    pub secret: Option<String>,
    /// Whether it is switched off.
    pub disabled: bool,
}

/// What a webhook watches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Watched {
    /// `user`, `org`, `model` or `dataset`.
    #[serde(rename = "type")]
    pub watched_type: String,
    /// Its name.
    pub name: String,
}
