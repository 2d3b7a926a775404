use assay_formats::Value;
use assay_formats::eee::record::{Bound, MetricConfig};

use super::record::HARNESS;
use super::results::Task;
use crate::convert::known_metric;

/// A metric as a record describes it: from what is known of its name, and from what the log says.
pub(super) fn config(task: &Task<'_>, name: &str, score: f64) -> MetricConfig {
    // Parameters stand behind a colon: `pass@k:k=1`.
    let base = name.split(':').next().unwrap_or(name);
    let known = known_metric(name).or_else(|| known_metric(base));
    let mut config = match known {
        Some(known) => known.config(),
        None => unregistered(name),
    };
    // A score outside the bounds is that of another metric of the same name.
    if known.is_none() || !is_within(config.min_score, config.max_score, score) {
        (config.score_type, config.min_score, config.max_score) = (None, None, None);
        tell(&mut config, "bounds_status", "unknown");
    }
    config.metric_name = Some(name.to_owned());
    let said = described(task, name).or_else(|| described(task, base));
    match said.and_then(|said| is_higher_better(said, name)) {
        Some(higher) => config.lower_is_better = !higher,
        None if known.is_none() => tell(&mut config, "polarity", "assumed"),
        None => {}
    }
    for key in ["category", "corpus_level_fn"] {
        if let Some(text) = said.and_then(|said| said.text_of(key)) {
            tell(&mut config, key, &text);
        }
    }
    config
}

/// The entry in the task's configuration that describes a metric, or the group of metrics it belongs to.
pub(super) fn described<'d>(task: &Task<'d>, metric: &str) -> Option<Value<'d>> {
    let config = task.config?;
    let metrics = config.present("metrics").or(config.present("metric"))?;
    metrics.items().find(|item| {
        item.get("metric_name").is_some_and(|name| {
            name.is_text(metric) || name.items().any(|name| name.is_text(metric))
        })
    })
}

/// A metric of which nothing is known but its name.
fn unregistered(name: &str) -> MetricConfig {
    let mut config = MetricConfig {
        metric_id: Some(format!("{HARNESS}.{name}")),
        ..MetricConfig::default()
    };
    tell(&mut config, "metric_id_status", "unregistered");
    config
}

/// Whether a score lies within bounds, as far as there are any.
pub(super) fn is_within(min: Option<Bound>, max: Option<Bound>, score: f64) -> bool {
    let above = match min {
        Some(Bound::At(min)) => score >= min,
        Some(Bound::Infinity) => false,
        Some(Bound::NegativeInfinity) | None => true,
    };
    let below = match max {
        Some(Bound::At(max)) => score <= max,
        Some(Bound::NegativeInfinity) => false,
        Some(Bound::Infinity) | None => true,
    };
    above && below
}

/// Which way a metric improves: said for it alone, or for each metric of its group.
fn is_higher_better(said: Value<'_>, metric: &str) -> Option<bool> {
    let higher = said.get("higher_is_better")?;
    higher.truth().or_else(|| higher.get(metric)?.truth())
}

fn tell(config: &mut MetricConfig, key: &str, value: &str) {
    config
        .additional_details
        .insert(key.to_owned(), value.to_owned());
}
