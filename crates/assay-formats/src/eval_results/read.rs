use std::borrow::Cow;
use std::str::FromStr;

use assay_model::{
    Cost, Entry, Evaluator, Framework, MetricContext, Number, Provenance, Score, Setup, Source,
    StatedInterval, StatedUncertainty,
};

use serde_json::Value as Json;

use super::TOKEN_KEYS;
use crate::{JsonConverter, Kind, Value};

/// The most that `run`, `runtime_context`, `artifacts` or `metric_context` of one entry may take,
/// in bytes. Rows of boards carry them, so that a longer one is left to the page of the result.
const MAX_DETAIL: usize = 16 << 10;

/// Reads the entries of a result file; `None` unless it has the shape and every id, number and date
/// in it is one.
pub fn read(root: Value<'_>) -> Option<Vec<Entry>> {
    let entries: Vec<Entry> = root.items().map(entry).collect::<Option<_>>()?;
    (!entries.is_empty()).then_some(entries)
}

/// The token of an entry, whichever way its key is spelled, and the value that holds it.
pub fn token(entry: Value<'_>) -> Option<(Value<'_>, Cow<'_, str>)> {
    TOKEN_KEYS
        .iter()
        .filter_map(|key| entry.get(key))
        .find_map(|value| Some((value, value.text()?)))
}

fn entry(value: Value<'_>) -> Option<Entry> {
    let dataset = value.get("dataset")?;
    Some(Entry {
        dataset: dataset.text_of("id")?.parse().ok()?,
        task: dataset.text_of("task_id")?.parse().ok()?,
        dataset_revision: parsed(dataset, "revision").ok()?,
        model_revision: parsed(value, "model_revision").ok()?,
        scores: scores(value)?,
        framework: value.present("framework").map(framework),
        token: token(value).map(|(_, text)| text.into_owned()),
        source: match value.present("source") {
            Some(source) => Some(source_of(source)?),
            None => None,
        },
        date: parsed(value, "date").ok()?,
        notes: text(value, "notes"),
        subset: text(value, "benchmark_subset"),
        sample_size: count(value, "sample_size")
            .or_else(|| count(value.present("run")?, "num_samples")),
        normalization: value.present("normalization").map(in_words),
        setup: value.present("setup").map(setup).unwrap_or_default(),
        provenance: provenance(value)?,
    })
}

/// Returns the items under `setup`, up to the largest number of keys that is kept.
fn setup(value: Value<'_>) -> Setup {
    let settings = value.entries().take(Setup::MAX_KEYS);
    let text = |value: Value<'_>| in_words(value);
    settings
        .map(|(key, value)| (text(key), text(value)))
        .collect()
}

/// A value as one text of limited length: a scalar as it is, a list and a map with commas.
fn in_words(value: Value<'_>) -> String {
    let mut words = String::new();
    say(value, &mut words);
    words.truncate(words.floor_char_boundary(Setup::MAX_TEXT));
    words
}

/// Appends a value, and stops where there is enough: aliases can make a short file stand for a very
/// long text.
fn say(value: Value<'_>, words: &mut String) {
    match value.kind() {
        Kind::Map => {
            for (position, (key, value)) in value.entries().enumerate() {
                if words.len() >= Setup::MAX_TEXT {
                    return;
                }
                words.push_str(if position == 0 { "" } else { ", " });
                say(key, words);
                words.push('=');
                say(value, words);
            }
        }
        Kind::List => {
            for (position, item) in value.items().enumerate() {
                if words.len() >= Setup::MAX_TEXT {
                    return;
                }
                words.push_str(if position == 0 { "" } else { ", " });
                say(item, words);
            }
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
            words.push_str(&value.text().unwrap_or(Cow::Borrowed(value.raw())));
        }
    }
}

fn provenance(value: Value<'_>) -> Option<Provenance> {
    let evaluator = match value.present("evaluator") {
        Some(evaluator) => Some(Evaluator {
            name: text(evaluator, "name"),
            relationship: evaluator.text_of("relationship")?.parse().ok()?,
        }),
        None => None,
    };
    let cost = value.present("cost");
    Some(Provenance {
        evaluator,
        published: parsed(value, "published").ok()?,
        retrieved: parsed(value, "retrieved").ok()?,
        cost: cost.map_or_else(Cost::default, |cost| Cost {
            usd: number(cost, "usd"),
            tokens: count(cost, "tokens"),
            seconds: number(cost, "seconds"),
            hardware: text(cost, "hardware"),
        }),
        run: detail(value, "run"),
        runtime_context: detail(value, "runtime_context"),
        artifacts: detail(value, "artifacts"),
    })
}

/// A value of any kind as JSON; none when it is longer than a row of a board may carry.
fn detail(value: Value<'_>, key: &str) -> Option<Json> {
    JsonConverter::with_budget(MAX_DETAIL).json(value.present(key)?)
}

fn metric_context(item: Value<'_>) -> Option<Box<MetricContext>> {
    let context = MetricContext {
        parameters: detail(item, "metric_context"),
        normalization: item.present("normalization").map(in_words),
    };
    (context != MetricContext::default()).then(|| Box::new(context))
}

fn uncertainty(value: Value<'_>) -> StatedUncertainty {
    let interval = value.present("interval").and_then(|interval| {
        Some(StatedInterval {
            low: number(interval, "low")?,
            high: number(interval, "high")?,
            level: number(interval, "level"),
        })
    });
    StatedUncertainty {
        standard_error: number(value, "standard_error"),
        interval,
        method: text(value, "method"),
    }
}

fn number(value: Value<'_>, key: &str) -> Option<Number> {
    value.get(key)?.number().and_then(Number::new)
}

/// The metrics as listed; the single `value` only where nothing is listed.
fn scores(entry: Value<'_>) -> Option<Vec<Score>> {
    if let Some(metrics) = entry.present("metrics") {
        return metrics
            .items()
            .map(|metric| {
                let id = metric.text_of("metric_id")?.parse().ok()?;
                score(metric, Some(id))
            })
            .collect();
    }
    Some(vec![score(entry, None)?])
}

fn score(value: Value<'_>, metric: Option<assay_model::MetricId>) -> Option<Score> {
    let literal = value.get("value")?.raw();
    let is_item = metric.is_some();
    Some(Score {
        metric,
        value: literal.parse().ok()?,
        literal: literal.to_owned(),
        slice: text(value, "slice"),
        value_type: value
            .text_of("value_type")
            .and_then(|text| text.parse().ok()),
        // The size that stands beside a single `value` is that of the entry.
        sample_size: is_item.then(|| count(value, "sample_size")).flatten(),
        uncertainty: value
            .present("uncertainty")
            .map(uncertainty)
            .unwrap_or_default(),
        context: is_item.then(|| metric_context(value)).flatten(),
    })
}

fn framework(value: Value<'_>) -> Framework {
    Framework {
        name: text(value, "name"),
        version: text(value, "version"),
        command: text(value, "command"),
    }
}

fn source_of(value: Value<'_>) -> Option<Source> {
    Some(Source {
        url: text(value, "url")?,
        name: text(value, "name"),
        user: text(value, "user"),
        org: text(value, "org"),
    })
}

/// Returns the value of a key that may be absent; an error when it is there and cannot be read.
fn parsed<T: FromStr>(value: Value<'_>, key: &str) -> Result<Option<T>, Unreadable> {
    let Some(held) = value.present(key) else {
        return Ok(None);
    };
    let text = held.text().ok_or(Unreadable)?;
    text.parse().map(Some).map_err(|_| Unreadable)
}

/// A value that is not what its key should have; validation reports the reason.
struct Unreadable;

fn count(value: Value<'_>, key: &str) -> Option<u64> {
    value
        .get(key)?
        .integer()
        .and_then(|count| u64::try_from(count).ok())
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.text_of(key).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tape, yaml};

    fn entries(source: &str) -> Option<Vec<Entry>> {
        let mut tape = Tape::new();
        yaml::parse(source, &mut tape);
        read(tape.root(source).expect("the test writes YAML"))
    }

    #[test]
    fn both_dialects_are_read_into_one_entry() {
        let target = "- dataset: {id: cais/hle, task_id: hle}\n  metrics: [{metric_id: accuracy, value: 20.90}]\n  verify_token: a.b.c\n";
        let live = "- dataset: {id: cais/hle, task_id: hle}\n  value: 20.9\n  verifyToken: a.b.c\n  source: {url: https://x.org, user: ann, org: x}\n";

        let target = entries(target).expect("the target shape is read");
        let live = entries(live).expect("the live dialect is read");

        assert_eq!(target[0].scores[0].value, live[0].scores[0].value);
        assert_eq!(target[0].scores[0].literal, "20.90");
        assert_eq!(target[0].token, live[0].token);
        assert_eq!(live[0].scores[0].metric, None);
        let source = live[0].source.as_ref().expect("the entry has a source");
        assert_eq!(
            (source.user.as_deref(), source.org.as_deref()),
            (Some("ann"), Some("x"))
        );
    }

    #[test]
    fn sizes_are_those_of_the_metric_the_entry_and_the_run() {
        let read = entries(
            "- dataset: {id: a/b, task_id: t}\n  sample_size: 7\n  metrics:\n    - {metric_id: m, value: 1, sample_size: 5}\n    - {metric_id: n, value: 1, slice: s}\n- dataset: {id: a/b, task_id: t}\n  value: 2\n  run: {num_samples: 9}\n",
        )
        .expect("the file is whole");

        assert_eq!(read[0].sample_size, Some(7));
        assert_eq!(read[0].scores[0].sample_size, Some(5));
        assert_eq!(read[0].scores[1].sample_size, None);
        assert_eq!(read[0].scores[1].slice.as_deref(), Some("s"));
        assert_eq!(read[1].sample_size, Some(9));
    }

    #[test]
    fn what_cannot_be_believed_is_not_read() {
        for source in [
            "",
            "[]",
            "- dataset: {id: a/b, task_id: t}\n",
            "- dataset: {id: a/b/c, task_id: t}\n  value: 1\n",
            "- dataset: {id: a/b, task_id: t}\n  value: 1e3\n",
            "- dataset: {id: a/b, task_id: t}\n  value: 1\n  date: soon\n",
            "- dataset: {id: a/b, task_id: t, revision: HEAD}\n  value: 1\n",
            "- dataset: {id: a/b, task_id: t}\n  value: 1\n  source: {name: x}\n",
        ] {
            assert_eq!(entries(source), None, "{source}");
        }
    }
}
