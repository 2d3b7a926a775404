use std::borrow::Cow;

use assay_model::{Benchmark, Direction, Metric, MetricId, Number, Task, TaskDataset};

use crate::Value;

/// Reads what an `eval.yaml` defines; `None` unless it has the shape and every id in it is one.
///
/// Without `metrics` the benchmark has one score without a name, as the dialect in use today has
/// it.
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
        comparable_by: keys(root),
    })
}

/// The setup keys that separate results; without repetition, in their order.
fn keys(root: Value<'_>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let listed = root.present("comparable_by").into_iter();
    for key in listed.flat_map(Value::items).filter_map(Value::text) {
        if !keys.iter().any(|known| **known == *key) {
            keys.push(key.into_owned());
        }
    }
    keys
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
        min: None,
        max: None,
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
        min: bound(value, "min"),
        max: bound(value, "max"),
    })
}

/// Reads a bound; the validator reports one that is not a plain number.
fn bound(value: Value<'_>, key: &str) -> Option<Number> {
    value.get(key)?.raw().parse().ok()
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
  - {id: wer, display_name: WER, higher_is_better: false, primary: true, unit: percentage, min: 0, max: 400.50}
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
        let bounds = |metric: &Metric| (metric.min, metric.max);
        assert_eq!(
            bounds(&read.metrics[0]),
            (Number::new(0.0), Number::new(400.5))
        );
        assert_eq!(bounds(&read.metrics[1]), (None, None));
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
                .is_some_and(assay_model::Revision::is_full)
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
}
