use assay_formats::Value;
use assay_formats::eee::record::MetricConfig;

use super::results::Task;
use crate::convert::known_metric;
use crate::convert::metric::{MetricFacts, mark};

/// A metric as a record describes it: from what is known of its name, and from what the log says.
pub(super) fn config(task: &Task<'_>, name: &str, score: f64) -> MetricConfig {
    // Parameters stand behind a colon: `pass@k:k=1`.
    let base = name.split(':').next().unwrap_or(name);
    let said = described(task, name).or_else(|| described(task, base));
    let facts = MetricFacts {
        library: "lighteval",
        name,
        base: Some(base),
        score,
        higher_is_better: said.and_then(|said| is_higher_better(said, name)),
    };
    let mut config = facts.config();
    for key in ["category", "corpus_level_fn"] {
        if let Some(text) = said.and_then(|said| said.text_of(key)) {
            mark(&mut config, key, &text);
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

/// Whether a metric counts right answers.
pub(super) fn counts_right_answers(name: &str) -> bool {
    let base = name.split(':').next().unwrap_or(name);
    let known = known_metric(name).or_else(|| known_metric(base));
    known.is_some_and(|known| known.counts_right_answers)
}

/// Which way a metric improves: said for it alone, or for each metric of its group.
fn is_higher_better(said: Value<'_>, metric: &str) -> Option<bool> {
    let higher = said.get("higher_is_better")?;
    higher.truth().or_else(|| higher.get(metric)?.truth())
}
