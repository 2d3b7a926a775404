//! The claims of a token, for people and for machines.

use std::fmt::Write as _;

use assay_model::Timestamp;
use assay_render::visible;
use assay_trust::Claims;
use serde_json::{Value as Json, json};

/// The claims, a line each, indented.
pub(crate) fn claims_in_words(claims: &Claims) -> String {
    let subject = &claims.subject;
    let framework = &subject.framework;
    let metrics: Vec<String> = subject
        .metrics
        .iter()
        .map(|metric| match &metric.slice {
            Some(slice) => format!("{} {} ({slice})", metric.metric_id, metric.value),
            None => format!("{} {}", metric.metric_id, metric.value),
        })
        .collect();
    let mut lines = vec![
        (
            "model",
            format!("{} at {}", subject.model_repo, subject.model_revision),
        ),
        (
            "benchmark",
            format!(
                "{} at {}",
                subject.benchmark_repo, subject.benchmark_revision
            ),
        ),
        ("task", subject.task_id.to_string()),
        ("metrics", metrics.join(", ")),
        (
            "framework",
            format!("{} {}", framework.name, framework.version),
        ),
    ];
    if let Some(command) = &framework.command {
        lines.push(("command", command.clone()));
    }
    lines.extend([
        ("assurance", claims.assurance.to_string()),
        ("integration", claims.sub.to_string()),
        ("issuer", claims.iss.clone()),
        ("for", claims.aud.clone()),
        ("token", claims.jti.to_string()),
        ("issued", Timestamp::from_seconds(claims.iat).to_string()),
        (
            "holds",
            format!(
                "from {} until {}",
                Timestamp::from_seconds(claims.nbf),
                Timestamp::from_seconds(claims.exp)
            ),
        ),
        ("entry", claims.digests.entry.to_string()),
        ("subject", claims.digests.subject.to_string()),
    ]);
    for (key, value) in claims.act.iter().flatten() {
        lines.push(("run by", format!("{key} {value}")));
    }
    for evidence in &claims.evidence {
        lines.push((
            "evidence",
            format!(
                "{} {} ({} bytes)",
                evidence.name, evidence.sha256, evidence.size
            ),
        ));
    }
    let mut text = String::new();
    for (key, value) in lines {
        // A text can always be written to.
        let _ = writeln!(text, "  {key:<12} {}", visible(&value));
    }
    text
}

/// The claims as they stand in the token.
pub(crate) fn claims_document(claims: &Claims) -> Json {
    serde_json::from_str(&claims.to_jcs()).unwrap_or_else(|_| json!(null))
}
