//! The benchmark definition `eval.yaml`: the target shape, its extensions, and the keys of the
//! dialect in use today.

mod read;

pub use read::read;

use crate::shape::{Field, Object, Shape, Unknown};

/// The shape of an `eval.yaml`.
pub static SHAPE: Shape = Shape::Object(&BENCHMARK);

/// The keys of a task without which Inspect cannot run it.
pub const INSPECT_NEEDS: [&str; 3] = ["field_spec", "solvers", "scorers"];

/// The name of the object that describes a task, by which a caller can tell its faults from others.
pub const TASK: &str = "task";

/// The kinds of number of a metric; the words of [`assay_model::ValueType`].
pub(crate) static VALUE_TYPE: Shape = Shape::Choice(&["float", "int", "percentage", "rank"]);

static ANY: Shape = Shape::Any;
static BOOL: Shape = Shape::Bool;
static STRING: Shape = Shape::String;
static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
static POSITIVE: Shape = Shape::Integer { min: Some(1) };
static STEPS: Shape = Shape::List {
    items: &ANY,
    min: 0,
};
static SHUFFLE: Shape = Shape::Either(&[&BOOL, &Shape::Integer { min: None }]);
static REDUCER: Shape = Shape::Either(&[
    &STRING,
    &Shape::List {
        items: &STRING,
        min: 0,
    },
]);
static METRICS: Shape = Shape::List {
    items: &Shape::Object(&METRIC),
    min: 1,
};
static TASKS: Shape = Shape::List {
    items: &Shape::Object(&TASK_OBJECT),
    min: 1,
};
static KEYS: Shape = Shape::List {
    items: &STRING,
    min: 0,
};
static AGGREGATION: Shape = Shape::Choice(&[
    "single",
    "macro",
    "micro",
    "weighted",
    "per_class",
    "per_language",
    "per_domain",
]);
static DATASET: Shape = Shape::Object(&DATASET_OBJECT);

static BENCHMARK: Object = Object::new(
    "benchmark",
    &[
        Field::required("name", &STRING, "The name of the benchmark for people."),
        Field::required(
            "description",
            &STRING,
            "What the benchmark measures, in a sentence.",
        ),
        Field::optional(
            "evaluation_framework",
            &STRING,
            "The framework that runs the benchmark, such as `inspect-ai`.",
        ),
        Field::optional(
            "metrics",
            &METRICS,
            "The metrics that results report. Without it the benchmark has one score without a name, and higher is better.",
        ),
        Field::required("tasks", &TASKS, "The tasks; each has its own leaderboard."),
        Field::optional(
            "comparable_by",
            &KEYS,
            "The setup keys that must be equal for two results to be ranked in one order, such as `shots`.",
        ),
    ],
    Unknown::Report,
    &[],
);

static METRIC: Object = Object::new(
    "metric",
    &[
        Field::required(
            "id",
            &STRING,
            "What results call the metric in `metric_id`, such as `accuracy`; unique in the file.",
        ),
        Field::required(
            "display_name",
            &STRING,
            "The label of the metric on the leaderboard.",
        ),
        Field::required(
            "higher_is_better",
            &BOOL,
            "Whether a higher value ranks first; `false` for an error rate or a cost.",
        ),
        Field::optional(
            "primary",
            &BOOL,
            "Whether leaderboards rank by this metric; `true` for exactly one when there are several.",
        ),
        Field::optional(
            "unit",
            &STRING,
            "The unit of the values, such as `percentage`, `usd` or `x`.",
        ),
        Field::optional(
            "aggregation",
            &AGGREGATION,
            "How the values of samples or classes become one.",
        ),
        Field::optional(
            "slice",
            &STRING,
            "The subset the metric applies to, such as `language=en`.",
        ),
        Field::optional(
            "value_type",
            &VALUE_TYPE,
            "What kind of number the values are.",
        ),
        Field::optional(
            "min",
            &NUMBER,
            "The least that a value can be, such as 0. It goes before what the unit says.",
        ),
        Field::optional(
            "max",
            &NUMBER,
            "The most that a value can be, such as 100; more than `min`. It goes before what the unit says.",
        ),
    ],
    Unknown::Report,
    &[],
);

static TASK_OBJECT: Object = Object::new(
    TASK,
    &[
        Field::required(
            "id",
            &STRING,
            "What results call the task in `dataset.task_id`, such as `gpqa_diamond`; unique in the file.",
        ),
        Field::optional(
            "config",
            &STRING,
            "The configuration of the dataset, such as `default`.",
        ),
        Field::optional(
            "split",
            &STRING,
            "The split of the dataset to evaluate on, such as `test`.",
        ),
        Field::optional(
            "display_name",
            &STRING,
            "The label of the task on the leaderboard. Inspect refuses a task with this key.",
        ),
        Field::optional(
            "dataset",
            &DATASET,
            "The dataset that holds the data. Inspect refuses a task with this key.",
        ),
        Field::optional(
            "field_spec",
            &ANY,
            "For Inspect: which columns of the dataset are the input, the target and the choices.",
        ),
        Field::optional(
            "shuffle_choices",
            &SHUFFLE,
            "For Inspect: whether the choices are shuffled, or the seed to do it with.",
        ),
        Field::optional(
            "epochs",
            &POSITIVE,
            "For Inspect: how often each sample is run.",
        ),
        Field::optional(
            "epoch_reducer",
            &REDUCER,
            "For Inspect: how the scores of the epochs become one.",
        ),
        Field::optional(
            "solvers",
            &STEPS,
            "For Inspect: what is done to get an answer, in order.",
        ),
        Field::optional(
            "scorers",
            &STEPS,
            "For Inspect: what turns an answer into a score.",
        ),
    ],
    Unknown::Report,
    &[],
);

static DATASET_OBJECT: Object = Object::new(
    "dataset of the task",
    &[
        Field::required(
            "id",
            &STRING,
            "The dataset that holds the evaluation data, such as `cais/hle`.",
        ),
        Field::optional(
            "revision",
            &STRING,
            "The full commit hash of the dataset to evaluate on.",
        ),
    ],
    Unknown::Report,
    &[],
);

#[cfg(test)]
mod tests {
    use assay_model::ValueType;

    use super::*;
    use crate::shape::{ShapeFault, evaluate, json_schema};
    use crate::{Tape, yaml};

    #[test]
    fn the_words_for_value_types_are_those_of_the_model() {
        let words: Vec<&str> = ValueType::ALL.into_iter().map(ValueType::as_str).collect();

        let Shape::Choice(options) = &VALUE_TYPE else {
            panic!("value types are a choice");
        };

        assert_eq!(*options, words);
    }

    #[test]
    fn every_key_has_a_description_in_the_schema() {
        let schema = json_schema("eval.yaml", &SHAPE);

        for part in ["", "/properties/metrics/items", "/properties/tasks/items"] {
            let properties = schema
                .pointer(&format!("{part}/properties"))
                .and_then(serde_json::Value::as_object)
                .expect("the part is an object");
            for (key, property) in properties {
                assert!(property["description"].is_string(), "{part}/{key}");
            }
        }
    }

    /// The keys of a task that Inspect knows. Its task model refuses a file with any other.
    const INSPECT_TASK_KEYS: [&str; 9] = [
        "id",
        "config",
        "split",
        "field_spec",
        "shuffle_choices",
        "epochs",
        "epoch_reducer",
        "solvers",
        "scorers",
    ];

    #[test]
    fn the_keys_of_inspect_are_keys_of_a_task() {
        let mut source = "name: A\ndescription: B\ntasks:\n  - id: t\n".to_owned();
        for key in INSPECT_TASK_KEYS.iter().filter(|key| **key != "id") {
            let value = match *key {
                "solvers" | "scorers" => "[{name: generate}]",
                "shuffle_choices" => "true",
                "epochs" => "4",
                _ => "text",
            };
            source = format!("{source}    {key}: {value}\n");
        }
        let mut tape = Tape::new();
        yaml::parse(&source, &mut tape);
        let mut faults: Vec<String> = Vec::new();

        evaluate(
            &SHAPE,
            tape.root(&source).expect("the test writes YAML"),
            &mut |fault: ShapeFault<'_>| faults.push(format!("{fault:?}")),
        );

        assert_eq!(faults, Vec::<String>::new());
    }
}
