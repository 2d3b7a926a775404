//! The JSON columns of an entry.

use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_model::{
    Attested, Code, Entry, Finding, Framework, MetricContext, MetricId, Number, Provenance, Score,
    Setup, Source, Standing, StatedUncertainty, Timestamp, ValueType,
};
use serde::{Deserialize, Serialize};

use crate::error::Cause;
use crate::row::{NamedColumns, to_json};

#[derive(Serialize, Deserialize)]
struct ScoreJson<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<T>,
    value: f64,
    literal: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_type: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_size: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    uncertainty: StatedUncertainty,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Box<MetricContext>>,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct DetailsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    normalization: Option<String>,
    #[serde(skip_serializing_if = "Setup::is_empty")]
    setup: Setup,
    #[serde(skip_serializing_if = "is_default")]
    provenance: Provenance,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Serialize, Deserialize)]
struct FrameworkJson<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<T>,
}

#[derive(Serialize, Deserialize)]
struct SourceJson<T> {
    url: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<T>,
}

#[derive(Serialize, Deserialize)]
struct AttestedJson<T> {
    assurance: T,
    integration: T,
    issuer: T,
    kid: T,
    jti: T,
    signed: i64,
    first_seen: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_index: Option<u64>,
    decide_index: u64,
}

pub(crate) fn scores_to_json(scores: &[Score]) -> sqlx::Result<String> {
    let spelled = scores.iter().map(|score| ScoreJson {
        metric: score.metric.as_ref().map(MetricId::as_str),
        value: score.value.get(),
        literal: score.literal.as_str(),
        slice: score.slice.as_deref(),
        value_type: score.value_type.map(ValueType::as_str),
        sample_size: score.sample_size,
        uncertainty: score.uncertainty.clone(),
        context: score.context.clone(),
    });
    to_json(&spelled.collect::<Vec<_>>())
}

pub(crate) fn read_scores(columns: NamedColumns<'_>) -> sqlx::Result<Vec<Score>> {
    let text: Cow<'_, str> = columns.get("scores")?;
    scores_of_json(&text).map_err(sqlx::Error::Decode)
}

pub(crate) fn scores_of_json(text: &str) -> Result<Vec<Score>, Cause> {
    let spelled: Vec<ScoreJson<String>> = serde_json::from_str(text)?;
    spelled.into_iter().map(read_score).collect()
}

fn read_score(score: ScoreJson<String>) -> Result<Score, Cause> {
    let metric = score.metric.as_deref().map(str::parse).transpose()?;
    let value_type = score.value_type.as_deref().map(str::parse).transpose()?;
    Ok(Score {
        metric,
        value: Number::new(score.value).ok_or("a score is a finite number")?,
        literal: score.literal,
        slice: score.slice,
        value_type,
        sample_size: score.sample_size,
        uncertainty: score.uncertainty,
        context: score.context,
    })
}

/// The whole setup of an entry; nothing when it tells none.
pub(crate) fn setup_to_json(setup: &Setup) -> sqlx::Result<Option<String>> {
    (!setup.is_empty()).then(|| to_json(setup)).transpose()
}

/// Spells what has no column of its own: listed setup, normalisation, evaluator, dates, cost and
/// what was found. None when all are absent.
pub(crate) fn details_to_json(entry: &Entry, findings: &[Finding]) -> sqlx::Result<Option<String>> {
    let details = DetailsJson {
        normalization: entry.normalization.clone(),
        setup: entry.setup.clone(),
        provenance: entry.provenance.clone(),
        findings: findings.to_vec(),
    };
    (!is_default(&details))
        .then(|| to_json(&details))
        .transpose()
}

/// Reads what has no column of its own into an entry, and returns what was found in it.
pub(crate) fn read_details(
    columns: NamedColumns<'_>,
    entry: &mut Entry,
) -> sqlx::Result<Vec<Finding>> {
    let details: DetailsJson = columns.json_option("details")?.unwrap_or_default();
    entry.normalization = details.normalization;
    entry.setup = details.setup;
    entry.provenance = details.provenance;
    Ok(details.findings)
}

/// The codes of findings, each once; nothing when there are none.
pub(crate) fn codes_of(findings: &[Finding]) -> Option<String> {
    let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
    let codes: Vec<String> = codes.iter().map(Code::to_string).collect();
    (!codes.is_empty()).then(|| codes.join(" "))
}

/// The codes that [`codes_of`] spelled.
pub(crate) fn read_codes(text: &str) -> Result<Vec<Code>, Cause> {
    let codes = text.split_ascii_whitespace().map(str::parse);
    Ok(codes.collect::<Result<_, _>>()?)
}

pub(crate) fn framework_to_json(framework: &Framework) -> sqlx::Result<String> {
    to_json(&FrameworkJson {
        name: framework.name.as_deref(),
        version: framework.version.as_deref(),
        command: framework.command.as_deref(),
    })
}

pub(crate) fn read_framework(columns: NamedColumns<'_>) -> sqlx::Result<Option<Framework>> {
    let spelled: Option<FrameworkJson<String>> = columns.json_option("framework")?;
    Ok(spelled.map(|framework| Framework {
        name: framework.name,
        version: framework.version,
        command: framework.command,
    }))
}

pub(crate) fn source_to_json(source: &Source) -> sqlx::Result<String> {
    to_json(&SourceJson {
        url: source.url.as_str(),
        name: source.name.as_deref(),
        user: source.user.as_deref(),
        org: source.org.as_deref(),
    })
}

pub(crate) fn read_source(columns: NamedColumns<'_>) -> sqlx::Result<Option<Source>> {
    let spelled: Option<SourceJson<String>> = columns.json_option("source")?;
    Ok(spelled.map(|source| Source {
        url: source.url,
        name: source.name,
        user: source.user,
        org: source.org,
    }))
}

/// Returns the claims of a token as JSON, when it holds.
pub(crate) fn attested_to_json(standing: &Standing) -> sqlx::Result<Option<String>> {
    let spelled = standing.attested().map(|attested| AttestedJson {
        assurance: attested.assurance.as_str(),
        integration: attested.integration.as_str(),
        issuer: attested.issuer.as_str(),
        kid: attested.kid.as_str(),
        jti: attested.jti.as_str(),
        signed: attested.signed.millis(),
        first_seen: attested.first_seen.millis(),
        issue_index: attested.issue_index,
        decide_index: attested.decide_index,
    });
    spelled.map(|spelled| to_json(&spelled)).transpose()
}

pub(crate) fn read_attested(columns: NamedColumns<'_>) -> sqlx::Result<Option<Attested>> {
    let spelled: Option<AttestedJson<String>> = columns.json_option("attested")?;
    Ok(spelled.map(|attested| Attested {
        assurance: attested.assurance,
        integration: attested.integration,
        issuer: attested.issuer,
        kid: attested.kid,
        jti: attested.jti,
        signed: Timestamp::from_millis(attested.signed),
        first_seen: Timestamp::from_millis(attested.first_seen),
        issue_index: attested.issue_index,
        decide_index: attested.decide_index,
    }))
}
