//! Result files, `.eval_results/*.yaml`: the target shape, its extensions, and the keys of the
//! dialect in use today.

pub mod entries;
mod read;
mod write;

pub use read::{read, token};
pub use write::{quoted, write};

use crate::eval_yaml::VALUE_TYPE;
use crate::shape::{Field, Object, Shape, Unknown};

/// The shape of a result file.
pub static SHAPE: Shape = Shape::List {
    items: &ENTRY,
    min: 1,
};

/// The shape of one entry of a result file.
pub static ENTRY: Shape = Shape::Object(&ENTRY_OBJECT);

/// The two spellings of the key behind which the token stands: that of the target shape, and that
/// of clients today.
pub const TOKEN_KEYS: [&str; 2] = ["verify_token", "verifyToken"];

static ANY: Shape = Shape::Any;
static STRING: Shape = Shape::String;
static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
static INTEGER: Shape = Shape::Integer { min: None };
static POSITIVE: Shape = Shape::Integer { min: Some(1) };
static NATURAL: Shape = Shape::Integer { min: Some(0) };
static AMOUNT: Shape = Shape::Number {
    min: Some(0.0),
    max: None,
};
static SETTING: Shape = Shape::Either(&[&STRING, &NUMBER, &Shape::Bool]);
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
        Field::optional(
            "setup",
            &Shape::Map(&SETTING),
            "What must be equal for two scores to be comparable: `agent`, `effort`, `shots`, `prompt`, `tools`, `judge`, `attempts`, `precision` and other keys.",
        ),
        Field::optional(
            "uncertainty",
            &Shape::Object(&UNCERTAINTY),
            "How uncertain the single `value` is.",
        ),
        Field::optional(
            "evaluator",
            &Shape::Object(&EVALUATOR),
            "Who ran the evaluation, when that is not who brings the result.",
        ),
        Field::optional(
            "published",
            &STRING,
            "When the result was published: an ISO 8601 date or date and time, in quotes.",
        ),
        Field::optional(
            "retrieved",
            &STRING,
            "When the result was copied from its source: an ISO 8601 date or date and time, in quotes.",
        ),
        Field::optional(
            "cost",
            &Shape::Object(&COST),
            "What the run cost: money, tokens, time, hardware.",
        ),
    ],
    Unknown::Report,
    &[],
);

static EVALUATOR: Object = Object::new(
    "evaluator",
    &[
        Field::optional("name", &STRING, "The organisation or person."),
        Field::required(
            "relationship",
            &Shape::Choice(&["first_party", "third_party", "collaborative", "other"]),
            "How it is related to the developer of the model.",
        ),
    ],
    Unknown::Report,
    &[],
);

static COST: Object = Object::new(
    "cost",
    &[
        Field::optional("usd", &AMOUNT, "US dollars."),
        Field::optional("tokens", &NATURAL, "Tokens, prompts and answers together."),
        Field::optional("seconds", &AMOUNT, "Wall time in seconds."),
        Field::optional("hardware", &STRING, "The hardware, such as `8 x H100`."),
    ],
    Unknown::Report,
    &[],
);

static UNCERTAINTY: Object = Object::new(
    "uncertainty",
    &[
        Field::optional(
            "standard_error",
            &AMOUNT,
            "The standard error, in the unit of the value.",
        ),
        Field::optional(
            "interval",
            &Shape::Object(&INTERVAL),
            "An interval around the value.",
        ),
        Field::optional(
            "method",
            &STRING,
            "How it was made, such as `bootstrap` or `clustered`.",
        ),
    ],
    Unknown::Report,
    &[],
);

static INTERVAL: Object = Object::new(
    "interval",
    &[
        Field::required("low", &NUMBER, "The lower end, in the unit of the value."),
        Field::required("high", &NUMBER, "The upper end, in the unit of the value."),
        Field::optional(
            "level",
            &Shape::Number {
                min: Some(0.0),
                max: Some(1.0),
            },
            "The confidence; 0.95 when it is not given.",
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
        Field::optional(
            "uncertainty",
            &Shape::Object(&UNCERTAINTY),
            "How uncertain the value is.",
        ),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::json_schema;

    #[test]
    fn every_key_has_a_description_in_the_schema() {
        let schema = json_schema("result file", &SHAPE);
        let entry = "/items/properties";
        let parts = [
            "dataset",
            "framework",
            "source",
            "run",
            "runtime_context",
            "evaluator",
            "cost",
        ];
        let inner = parts.map(|part| format!("{entry}/{part}/properties"));
        let metric = format!("{entry}/metrics/items/properties");

        for part in inner.into_iter().chain([entry.to_owned(), metric]) {
            let properties = schema
                .pointer(&part)
                .and_then(serde_json::Value::as_object)
                .expect("the part is an object");
            for (key, property) in properties {
                assert!(property["description"].is_string(), "{part}/{key}");
            }
        }
    }
}
