//! Result files, `.eval_results/*.yaml`: the target shape, its extensions, and the keys of the dialect in use today.

use std::borrow::Cow;
use std::str::FromStr;

use assay_model::{Entry, Framework, Score, Source};

use crate::Value;
use crate::eval_yaml::VALUE_TYPE;
use crate::shape::{Field, Object, Shape, Unknown};

/// What a result file looks like.
pub static SHAPE: Shape = Shape::List {
    items: &ENTRY,
    min: 1,
};

/// What one entry of a result file looks like.
pub static ENTRY: Shape = Shape::Object(&ENTRY_OBJECT);

/// The two spellings of the key behind which the token stands: that of the target shape, and that of clients today.
pub const TOKEN_KEYS: [&str; 2] = ["verify_token", "verifyToken"];

static ANY: Shape = Shape::Any;
static STRING: Shape = Shape::String;
static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
static INTEGER: Shape = Shape::Integer { min: None };
static POSITIVE: Shape = Shape::Integer { min: Some(1) };
static METRICS: Shape = Shape::List {
    items: &Shape::Object(&METRIC),
    min: 1,
};

const SAMPLE_SIZE: &str =
    "How many samples the scores were computed from, so that an interval can be checked.";
const NORMALIZATION: &str =
    "How texts were normalised before they were compared: punctuation, case, numbers.";

static ENTRY_OBJECT: Object = Object::new(
    "entry",
    &[
        Field::required(
            "dataset",
            &Shape::Object(&DATASET),
            "The benchmark and the task that were run.",
        ),
        Field::optional(
            "metrics",
            &METRICS,
            "The scores of the run, one item for each metric.",
        ),
        Field::optional(
            "value",
            &NUMBER,
            "The score, where the benchmark has one only; otherwise that of the primary metric.",
        ),
        Field::optional(
            "framework",
            &Shape::Object(&FRAMEWORK),
            "What ran the evaluation. Leave it out if it is not known.",
        ),
        Field::optional(
            "model_revision",
            &STRING,
            "The full commit hash of the model that was evaluated.",
        ),
        Field::optional(
            TOKEN_KEYS[0],
            &STRING,
            "The signed token that proves the run, as its issuer gave it.",
        ),
        Field::optional(
            TOKEN_KEYS[1],
            &STRING,
            "The same as `verify_token`, in the spelling of older clients.",
        ),
        Field::optional(
            "source",
            &Shape::Object(&SOURCE),
            "Where the scores were published, or the logs of the run.",
        ),
        Field::optional(
            "date",
            &STRING,
            "When the evaluation ran: an ISO 8601 date or date and time, in quotes.",
        ),
        Field::optional(
            "notes",
            &STRING,
            "The setup in words, such as `no-tools` or `chain-of-thought`.",
        ),
        Field::optional(
            "benchmark_subset",
            &STRING,
            "The subset, where one dataset holds several: public, private, held-out.",
        ),
        Field::optional("sample_size", &POSITIVE, SAMPLE_SIZE),
        Field::optional("normalization", &ANY, NORMALIZATION),
        Field::optional(
            "run",
            &Shape::Object(&RUN),
            "How the run can be repeated: versions, seed, sizes.",
        ),
        Field::optional(
            "artifacts",
            &ANY,
            "Predictions, logs or traces, with hashes or addresses.",
        ),
        Field::optional(
            "runtime_context",
            &Shape::Object(&RUNTIME),
            "The hardware and software of the run; throughput means nothing without it.",
        ),
    ],
    Unknown::Report,
    &[],
);

static DATASET: Object = Object::new(
    "dataset",
    &[
        Field::required(
            "id",
            &STRING,
            "The dataset id of the benchmark, such as `cais/hle`.",
        ),
        Field::required(
            "task_id",
            &STRING,
            "The task, as the benchmark's `eval.yaml` names it.",
        ),
        Field::optional(
            "revision",
            &STRING,
            "The full commit hash of the dataset that was used.",
        ),
    ],
    Unknown::Report,
    &[],
);

static METRIC: Object = Object::new(
    "metric value",
    &[
        Field::required(
            "metric_id",
            &STRING,
            "The metric, as the benchmark's `eval.yaml` names it.",
        ),
        Field::required("value", &NUMBER, "The score."),
        Field::optional(
            "value_type",
            &VALUE_TYPE,
            "What kind of number the value is.",
        ),
        Field::optional(
            "slice",
            &STRING,
            "The subset the value applies to, such as `language=en`.",
        ),
        Field::optional("sample_size", &POSITIVE, SAMPLE_SIZE),
        Field::optional(
            "metric_context",
            &ANY,
            "The parameters of the metric, such as a range of thresholds.",
        ),
        Field::optional("normalization", &ANY, NORMALIZATION),
    ],
    Unknown::Report,
    &[],
);

static FRAMEWORK: Object = Object::new(
    "framework",
    &[
        Field::optional(
            "name",
            &STRING,
            "The name of the framework, such as `inspect-ai` or `lighteval`.",
        ),
        Field::optional(
            "version",
            &STRING,
            "The version of the framework, in quotes: `\"1.10\"` is not the number 1.1.",
        ),
        Field::optional(
            "command",
            &STRING,
            "The exact command line that ran the evaluation.",
        ),
    ],
    Unknown::Report,
    &[],
);

static SOURCE: Object = Object::new(
    "source",
    &[
        Field::required(
            "url",
            &STRING,
            "The address of the logs, the paper or the page.",
        ),
        Field::optional("name", &STRING, "The name of the source for people."),
        Field::optional("user", &STRING, "The user who is credited with the result."),
        Field::optional(
            "org",
            &STRING,
            "The organisation that is credited with the result.",
        ),
    ],
    Unknown::Report,
    &[],
);

static RUN: Object = Object::new(
    "run",
    &[
        Field::optional(
            "framework_version",
            &STRING,
            "The version of the framework; the same as `framework.version`.",
        ),
        Field::optional(
            "adapter_version",
            &STRING,
            "The version of an adapter or plugin on top of the framework.",
        ),
        Field::optional(
            "dataset_revision",
            &STRING,
            "The commit hash of the dataset; the same as `dataset.revision`.",
        ),
        Field::optional(
            "code_revision",
            &STRING,
            "The commit hash of the evaluation code.",
        ),
        Field::optional("seed", &INTEGER, "The seed of the random numbers."),
        Field::optional("num_samples", &POSITIVE, "How many samples were evaluated."),
        Field::optional(
            "batch_size",
            &POSITIVE,
            "How many samples were evaluated at once.",
        ),
    ],
    Unknown::Report,
    &[],
);

static RUNTIME: Object = Object::new(
    "runtime context",
    &[
        Field::optional(
            "compute",
            &ANY,
            "The hardware, such as type and number of GPUs.",
        ),
        Field::optional("latency", &ANY, "How long the evaluation took."),
        Field::optional(
            "budget",
            &ANY,
            "What the run was allowed to cost, in money or tokens.",
        ),
        Field::optional(
            "environment",
            &ANY,
            "The software, in words or as a mapping.",
        ),
        Field::optional("gpu", &ANY, "The GPU."),
        Field::optional("driver", &ANY, "The version of the GPU driver."),
        Field::optional("cuda", &ANY, "The version of CUDA."),
        Field::optional("torch", &ANY, "The version of PyTorch."),
    ],
    Unknown::Report,
    &[],
);

/// Reads the entries of a result file; `None` unless it has the shape and every id, number and date in it is one.
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
    })
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

/// What stands behind a key that may be absent; an error when it is there and cannot be read.
fn parsed<T: FromStr>(value: Value<'_>, key: &str) -> Result<Option<T>, Unreadable> {
    let Some(held) = value.present(key) else {
        return Ok(None);
    };
    let text = held.text().ok_or(Unreadable)?;
    text.parse().map(Some).map_err(|_| Unreadable)
}

/// What stands behind a key is not what it should be; the judge says how.
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
