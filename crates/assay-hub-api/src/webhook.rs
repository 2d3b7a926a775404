use serde::{Deserialize, Serialize};

/// One item of `GET /api/settings/webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// The id of the webhook on the hub.
    pub id: String,
    /// The address of deliveries.
    pub url: Option<String>,
    /// The subjects it watches.
    pub watched: Vec<Watched>,
    /// The domains it reports: `repo`, `discussion`.
    pub domains: Vec<String>,
    /// The secret that signs deliveries, once; later none.
    pub secret: Option<String>,
    /// True if it is switched off.
    pub disabled: bool,
}

/// A subject of a webhook.
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
    /// The address of deliveries.
    #[serde(default)]
    pub url: Option<String>,
    /// A job to start instead, which hubs without jobs refuse.
    #[serde(default)]
    pub job_source_id: Option<String>,
    /// The subject to watch: one item. None leaves it as it is when a webhook is changed.
    #[serde(default)]
    pub watched: Vec<Watched>,
    /// The domains to report: `repo` and `discussion`, or a scope such as `results`.
    #[serde(default)]
    pub domains: Option<Vec<String>>,
    /// The secret that signs deliveries; without one, the hub draws it.
    #[serde(default)]
    pub secret: Option<String>,
}
