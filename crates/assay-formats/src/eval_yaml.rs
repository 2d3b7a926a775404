//! The benchmark definition `eval.yaml`: the target shape, its extensions, and the keys of the dialect in use today.

use std::borrow::Cow;

use assay_model::{Benchmark, Direction, Metric, MetricId, Task, TaskDataset};

use crate::Value;
use crate::shape::{Field, Object, Shape, Unknown};

/// What an `eval.yaml` looks like.
pub static SHAPE: Shape = Shape::Object(&BENCHMARK);

/// The keys of a task that Inspect knows. Its task model refuses a file with any other.
pub const INSPECT_TASK_KEYS: [&str; 9] = [
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

/// The keys of a task without which Inspect cannot run it.
pub const INSPECT_NEEDS: [&str; 3] = ["field_spec", "solvers", "scorers"];

/// The name of the object that describes a task, by which a caller can tell its faults from others.
pub const TASK: &str = "task";

/// What kinds of number a metric can have; the words of [`assay_model::ValueType`].
pub(crate) static VALUE_TYPE: Shape = Shape::Choice(&["float", "int", "percentage", "rank"]);

static ANY: Shape = Shape::Any;
static BOOL: Shape = Shape::Bool;
static STRING: Shape = Shape::String;
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

/// Reads what an `eval.yaml` defines; `None` unless it has the shape and every id in it is one.
///
/// Without `metrics` the benchmark has one score without a name, as the dialect in use today has it.
pub fn read(root: Value<'_>) -> Option<Benchmark> {
    let mut metrics = match root.present("metrics") {
        Some(list) => list.items().map(metric).collect::<Option<Vec<_>>>()?,
        None => vec![anonymous_metric()?],
    };
    if let [only] = metrics.as_mut_slice() {
        only.primary = true;
    }
    let tasks: Vec<Task> = root
        .get("tasks")?
        .items()
        .map(task)
        .collect::<Option<_>>()?;
    let has_parts = !metrics.is_empty() && !tasks.is_empty();
    has_parts.then_some(Benchmark {
        name: text(root, "name")?,
        description: text(root, "description")?,
        framework: text(root, "evaluation_framework"),
        metrics,
        tasks,
    })
}

fn anonymous_metric() -> Option<Metric> {
    Some(Metric {
        id: Benchmark::ANONYMOUS_METRIC.parse().ok()?,
        display_name: "Score".to_owned(),
        direction: Direction::HigherIsBetter,
        primary: true,
        unit: None,
        aggregation: None,
        slice: None,
        value_type: None,
    })
}

fn metric(value: Value<'_>) -> Option<Metric> {
    let id: MetricId = value.text_of("id")?.parse().ok()?;
    Some(Metric {
        id,
        display_name: text(value, "display_name")?,
        direction: Direction::from_higher_is_better(value.get("higher_is_better")?.truth()?),
        primary: value.get("primary").and_then(Value::truth) == Some(true),
        unit: text(value, "unit"),
        aggregation: text(value, "aggregation"),
        slice: text(value, "slice"),
        value_type: value
            .text_of("value_type")
            .and_then(|text| text.parse().ok()),
    })
}

fn task(value: Value<'_>) -> Option<Task> {
    let dataset = match value.present("dataset") {
        Some(dataset) => Some(TaskDataset {
            id: dataset.text_of("id")?.parse().ok()?,
            revision: dataset
                .text_of("revision")
                .and_then(|text| text.parse().ok()),
        }),
        None => None,
    };
    Some(Task {
        id: value.text_of("id")?.parse().ok()?,
        display_name: text(value, "display_name"),
        config: text(value, "config"),
        split: text(value, "split"),
        dataset,
    })
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.text_of(key).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use assay_model::ValueType;

    use super::*;
    use crate::shape::{ShapeFault, evaluate, json_schema};
    use crate::{Tape, yaml};

    fn benchmark(source: &str) -> Option<Benchmark> {
        let mut tape = Tape::new();
        yaml::parse(source, &mut tape);
        read(tape.root(source).expect("the test writes YAML"))
    }

    #[test]
    fn a_benchmark_is_read_with_every_extension() {
        let source = "\
name: Speech
description: Words heard.
evaluation_framework: lighteval
metrics:
  - {id: wer, display_name: WER, higher_is_better: false, primary: true, unit: percentage}
  - {id: rtfx, display_name: Speed, higher_is_better: true, value_type: float, slice: language=en, aggregation: macro}
tasks:
  - id: clean
    display_name: Clean speech
    config: librispeech
    split: test.clean
    dataset: {id: esb/datasets, revision: 5503434ddd753f426f4b38109466949a1217c2bb}
";

        let read = benchmark(source).expect("the file is whole");

        assert_eq!(read.primary().map(|metric| metric.id.as_str()), Some("wer"));
        assert_eq!(read.metrics[0].direction, Direction::LowerIsBetter);
        assert_eq!(read.metrics[1].value_type, Some(ValueType::Float));
        assert_eq!(read.metrics[1].slice.as_deref(), Some("language=en"));
        assert_eq!(read.metrics[1].aggregation.as_deref(), Some("macro"));
        assert_eq!(read.framework.as_deref(), Some("lighteval"));
        assert_eq!(read.tasks[0].split.as_deref(), Some("test.clean"));
        let dataset = read.tasks[0].dataset.as_ref().expect("the task names it");
        assert_eq!(dataset.id.as_str(), "esb/datasets");
        assert!(
            dataset
                .revision
                .as_ref()
                .is_some_and(|revision| revision.is_full())
        );
    }

    #[test]
    fn without_metrics_there_is_one_score_without_a_name() {
        let read =
            benchmark("name: A\ndescription: B\ntasks: [{id: main}]\n").expect("the file is whole");

        let [metric] = read.metrics.as_slice() else {
            panic!("one metric is made up, not {}", read.metrics.len());
        };
        assert_eq!((metric.id.as_str(), metric.primary), ("value", true));
        assert_eq!(metric.direction, Direction::HigherIsBetter);
    }

    #[test]
    fn the_only_metric_is_primary_without_saying_so() {
        let read = benchmark(
            "name: A\ndescription: B\nmetrics: [{id: x, display_name: X, higher_is_better: true}]\ntasks: [{id: t}]\n",
        )
        .expect("the file is whole");

        assert!(read.metrics[0].primary);
    }

    #[test]
    fn what_lacks_a_part_is_not_read() {
        for source in [
            "",
            "[]",
            "name: A\ndescription: B\n",
            "name: A\ndescription: B\ntasks: []\n",
            "name: A\ndescription: B\ntasks: [{id: a b}]\n",
            "name: A\ndescription: B\nmetrics: []\ntasks: [{id: a}]\n",
        ] {
            assert_eq!(benchmark(source), None, "{source}");
        }
    }

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
            source.push_str(&format!("    {key}: {value}\n"));
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
