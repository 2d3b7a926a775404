use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Watched {
    /// `user`, `org`, `model` or `dataset`.
    #[serde(rename = "type")]
    pub watched_type: String,
    /// Its name.
    pub name: String,
}

/// The answer about one webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookAnswer {
    /// The webhook as it is now.
    pub webhook: Webhook,
}

/// The body of a request to make or change a webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookRequest {
    /// Where it is delivered.
    #[serde(default)]
    pub url: Option<String>,
    /// A job to start instead, which hubs without jobs refuse.
    #[serde(default)]
    pub job_source_id: Option<String>,
    /// What it watches: one item. None leaves it as it is when a webhook is changed.
    #[serde(default)]
    pub watched: Vec<Watched>,
    /// What it tells of: `repo` and `discussion`, or a scope such as `results`.
    #[serde(default)]
    pub domains: Option<Vec<String>>,
    /// What deliveries are signed with; without one, the hub draws it.
    #[serde(default)]
    pub secret: Option<String>,
}
