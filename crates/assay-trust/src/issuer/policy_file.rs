//! A policy as it is written. Unknown keys are errors, and every text knows its place.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A text and where it stands.
pub(super) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyFile {
    pub(super) version: Spanned<i64>,
    #[serde(default)]
    pub(super) issuer: Vec<IssuerFile>,
    #[serde(default)]
    pub(super) integration: Vec<IntegrationFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IssuerFile {
    pub(super) url: Text,
    pub(super) kind: Option<Text>,
    pub(super) jwks: Option<Text>,
    pub(super) audience: Option<Text>,
    pub(super) algorithms: Option<Vec<Text>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IntegrationFile {
    pub(super) id: Text,
    pub(super) frameworks: Vec<FrameworkFile>,
    pub(super) assurance_max: Option<Text>,
    pub(super) lifetime_minutes: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) disclose_targets: bool,
    #[serde(default)]
    pub(super) identity: Vec<Spanned<IdentityFile>>,
    #[serde(default)]
    pub(super) rule: Vec<Spanned<RuleFile>>,
    pub(super) limits: Option<LimitsFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrameworkFile {
    pub(super) name: Text,
    pub(super) versions: Option<Text>,
}

/// An identity as a policy writes it, and as one that was added at the shell is kept.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IdentityFile {
    pub(super) name: Option<String>,
    pub(super) kind: String,
    pub(super) issuer: Option<String>,
    pub(super) require: Option<BTreeMap<String, String>>,
    pub(super) events: Option<Vec<String>>,
    pub(super) client_id: Option<String>,
    pub(super) auth: Option<String>,
    pub(super) assurance: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    pub(super) effect: Text,
    pub(super) benchmarks: Option<Vec<Text>>,
    pub(super) models: Option<Vec<Text>>,
    pub(super) organizations: Option<Vec<Text>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsFile {
    pub(super) issue_per_minute: Option<u32>,
    pub(super) burst: Option<u32>,
    pub(super) issue_per_day: Option<u32>,
    pub(super) integration_per_day: Option<u32>,
    pub(super) owner_per_day: Option<u32>,
    pub(super) distinct_models_per_day: Option<u32>,
    pub(super) same_target_per_day: Option<u32>,
    pub(super) preview_per_minute: Option<u32>,
}
