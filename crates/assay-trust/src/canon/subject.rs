use std::str::FromStr;

use assay_model::{Number, RepoId, Revision, quote};

use crate::subject::repeated_metric;
use crate::{Field, FrameworkClaim, Json, MetricClaim, Reason, Subject, Unverified};

/// Reads the claim of an entry for a model.
pub(super) fn read(entry: &Json, model: &RepoId) -> Result<Subject, Unverified> {
    let dataset = map(entry, "dataset", Field::Dataset)?;
    let framework = map(entry, "framework", Field::Framework)?;
    Ok(Subject {
        model_repo: model.clone(),
        model_revision: revision(entry, "model_revision", Field::ModelRevision)?,
        benchmark_repo: parsed(dataset, "id", Field::DatasetId)?,
        benchmark_revision: revision(dataset, "revision", Field::DatasetRevision)?,
        task_id: parsed(dataset, "task_id", Field::TaskId)?,
        metrics: metrics(entry)?,
        framework: FrameworkClaim {
            name: text(framework, "name", Field::FrameworkName)?.to_owned(),
            version: text(framework, "version", Field::FrameworkVersion)?.to_owned(),
            command: optional(framework, "command", Field::FrameworkCommand)?,
        },
    })
}

/// Returns whether an entry claims exactly this.
pub(super) fn is(entry: &Json, signed: &Subject) -> bool {
    let [dataset, framework] = ["dataset", "framework"].map(|key| entry.get(key));
    let has = |holder: Option<&Json>, key: &str, text: &str| {
        let own = holder.and_then(|holder| holder.get(key)?.text());
        own == Some(text)
    };
    has(
        Some(entry),
        "model_revision",
        signed.model_revision.as_str(),
    ) && has(dataset, "id", signed.benchmark_repo.as_str())
        && has(dataset, "revision", signed.benchmark_revision.as_str())
        && has(dataset, "task_id", signed.task_id.as_str())
        && has(framework, "name", &signed.framework.name)
        && has(framework, "version", &signed.framework.version)
        && framework
            .is_some_and(|own| has_optional(own, "command", signed.framework.command.as_deref()))
        && has_metrics(entry.get("metrics"), &signed.metrics)
}

fn has_metrics(list: Option<&Json>, signed: &[MetricClaim]) -> bool {
    let Some(Json::List(items)) = list else {
        return false;
    };
    let is_same = |(item, signed): (&Json, &MetricClaim)| {
        let id = item.get("metric_id").and_then(Json::text);
        id == Some(signed.metric_id.as_str())
            && item.get("value") == Some(&Json::Number(signed.value))
            && has_optional(item, "slice", signed.slice.as_deref())
    };
    items.len() == signed.len() && items.iter().zip(signed).all(is_same)
}

/// Returns whether a text is there exactly when it was signed, and is the same then.
fn has_optional(holder: &Json, key: &str, signed: Option<&str>) -> bool {
    match (holder.get(key), signed) {
        (None, None) => true,
        (Some(own), Some(signed)) => own.text() == Some(signed),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn metrics(entry: &Json) -> Result<Vec<MetricClaim>, Unverified> {
    let Json::List(items) = required(entry, "metrics", Field::Metrics)? else {
        return Err(wrong(Field::Metrics, "a list"));
    };
    let metrics: Vec<MetricClaim> = items.iter().map(metric).collect::<Result<_, _>>()?;
    if metrics.is_empty() {
        return Err(wrong(Field::Metrics, "a list with something in it"));
    }
    match repeated_metric(&metrics) {
        None => Ok(metrics),
        Some(twice) => {
            let detail = format!("{} has two values", quote(twice.metric_id.as_str()));
            Err(Unverified::new(Reason::DuplicateMetric, detail))
        }
    }
}

fn metric(item: &Json) -> Result<MetricClaim, Unverified> {
    Ok(MetricClaim {
        metric_id: parsed(item, "metric_id", Field::MetricId)?,
        value: number(item)?,
        slice: optional(item, "slice", Field::Slice)?,
    })
}

fn number(item: &Json) -> Result<Number, Unverified> {
    match required(item, "value", Field::Value)? {
        Json::Number(number) => Ok(*number),
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => {
            Err(wrong(Field::Value, "a number"))
        }
    }
}

fn revision(holder: &Json, key: &str, field: Field) -> Result<Revision, Unverified> {
    let text = text(holder, key, field)?;
    match text.parse::<Revision>() {
        Ok(revision) if revision.is_full() => Ok(revision),
        Ok(_) | Err(_) => {
            let detail = format!("`{field}` is {} and not a full commit hash", quote(text));
            Err(Unverified::new(Reason::RevisionNotFull(field), detail))
        }
    }
}

fn parsed<T: FromStr<Err: std::fmt::Display>>(
    holder: &Json,
    key: &str,
    field: Field,
) -> Result<T, Unverified> {
    let text = text(holder, key, field)?;
    text.parse().map_err(|error| {
        let detail = format!("`{field}` is {}: {error}", quote(text));
        Unverified::new(Reason::Type(field), detail)
    })
}

/// The text behind a key that may be absent. What is there must be text: absent, empty and null are
/// three things.
fn optional(holder: &Json, key: &str, field: Field) -> Result<Option<String>, Unverified> {
    if holder.get(key).is_none() {
        return Ok(None);
    }
    text(holder, key, field).map(|text| Some(text.to_owned()))
}

fn text<'j>(holder: &'j Json, key: &str, field: Field) -> Result<&'j str, Unverified> {
    required(holder, key, field)?
        .text()
        .ok_or_else(|| wrong(field, "text"))
}

fn map<'j>(holder: &'j Json, key: &str, field: Field) -> Result<&'j Json, Unverified> {
    match required(holder, key, field)? {
        map @ Json::Map(_) => Ok(map),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => {
            Err(wrong(field, "a mapping"))
        }
    }
}

fn required<'j>(holder: &'j Json, key: &str, field: Field) -> Result<&'j Json, Unverified> {
    holder.get(key).ok_or_else(|| {
        let detail = format!("`{field}` is missing, and a token is always about it");
        Unverified::new(Reason::Missing(field), detail)
    })
}

fn wrong(field: Field, words: &str) -> Unverified {
    Unverified::new(Reason::Type(field), format!("`{field}` is not {words}"))
}
