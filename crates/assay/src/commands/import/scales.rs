//! The metric and the scale of each result of a benchmark: records of one benchmark do not always
//! agree.

use std::collections::{BTreeMap, HashMap};

use assay_model::{Direction, MetricId, TaskId};

use super::reported::{Bounds, Reported};
use assay_formats::eee::repo_names as names;

/// The metric of results that do not name one.
const UNNAMED_METRIC: &str = "score";
/// The suffixes of the name of a metric that improves the other way in another evaluation of the
/// same benchmark.
const OTHER_WAY: [&str; 2] = ["_higher_is_better", "_lower_is_better"];
/// The longest description of a metric that serves as its name, in characters.
const MAX_NAME: usize = 24;

/// The metrics of a benchmark.
pub(super) struct Scales {
    /// The name of results that name no metric, by task; where the task has one named metric, that
    /// one.
    unnamed: HashMap<TaskId, String>,
    /// The scale of each task and metric.
    of_task: HashMap<(TaskId, MetricId), Option<Bounds>>,
    metrics: BTreeMap<MetricId, Scale>,
    remarks: Vec<String>,
}

/// A metric and its scale.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    pub(super) display_name: String,
    pub(super) direction: Direction,
    pub(super) bounds: Option<Bounds>,
}

impl Scales {
    /// Settles the metrics of a benchmark from all of its results.
    pub(super) fn new<'r>(results: impl Iterator<Item = &'r Reported> + Clone) -> Self {
        let mut scales = Self {
            unnamed: unnamed(results.clone()),
            of_task: HashMap::new(),
            metrics: BTreeMap::new(),
            remarks: Vec::new(),
        };
        let mut by_task: BTreeMap<(TaskId, String), Vec<&Reported>> = BTreeMap::new();
        for result in results {
            let name = scales.name(result);
            by_task
                .entry((result.task.clone(), name))
                .or_default()
                .push(result);
        }
        let common = most_common(by_task.values().flatten().filter_map(|own| own.bounds));
        for ((task, name), own) in by_task {
            let bounds = most_common(own.iter().filter_map(|result| result.bounds));
            for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
                let such: Vec<&&Reported> = own
                    .iter()
                    .filter(|result| result.direction == direction)
                    .collect();
                if !such.is_empty() {
                    scales.add(&task, &name, direction, bounds, common, &such);
                }
            }
        }
        scales
    }

    /// Returns the decisions, a sentence each.
    pub(super) fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// The scale of a metric that was settled.
    pub(super) fn of(&self, id: &MetricId) -> &Scale {
        &self.metrics[id]
    }

    /// A result on the scale of its metric; none when its metric can have no name.
    pub(super) fn settle(&self, mut result: Reported) -> Option<(MetricId, Reported)> {
        let name = self.name(&result);
        let named = self.metrics.iter().find(|(id, scale)| {
            let key = (result.task.clone(), (*id).clone());
            scale.direction == result.direction
                && self.of_task.contains_key(&key)
                && belongs(id, &name)
        });
        let (id, _) = named?;
        let id = id.clone();
        let to = self.of_task[&(result.task.clone(), id.clone())];
        if let (Some(from), Some(to)) = (result.bounds, to)
            && from != to
        {
            convert(&mut result, from, to)?;
        }
        Some((id, result))
    }

    fn name(&self, result: &Reported) -> String {
        match &result.metric {
            Some(name) => name.clone(),
            None => self.unnamed[&result.task].clone(),
        }
    }

    fn add(
        &mut self,
        task: &TaskId,
        name: &str,
        direction: Direction,
        bounds: Option<Bounds>,
        common: Option<Bounds>,
        results: &[&&Reported],
    ) {
        let Some(plain) = names::metric(name) else {
            return;
        };
        let same = |scale: &Scale| scale.direction == direction && scale.bounds == bounds;
        let is_free = |id: &MetricId| self.metrics.get(id).is_none_or(same);
        let by_bounds = bounds
            .filter(|own| Some(*own) != common)
            .and_then(|own| names::metric(&format!("{plain}_{}_to_{}", own.min, own.max)));
        let suffix = match direction {
            Direction::HigherIsBetter => OTHER_WAY[0],
            Direction::LowerIsBetter => OTHER_WAY[1],
        };
        let other_way = names::metric(&format!("{plain}{suffix}"));
        // The plain name is for the scale that most results of the benchmark have.
        let choices = [by_bounds, Some(plain.clone()), other_way];
        let Some(id) = choices.into_iter().flatten().find(is_free) else {
            self.remarks.push(format!(
                "`{task}`: the metric `{plain}` has more than one scale and direction; some results were left out"
            ));
            return;
        };
        if id.as_str().ends_with(suffix) && id != plain {
            self.remarks.push(format!(
                "`{task}`: {} of `{plain}` improve the other way; they are `{id}`",
                results.len()
            ));
        }
        let display_name = display_name(&plain, &id, bounds, results);
        let scale = self.metrics.entry(id.clone()).or_insert(Scale {
            display_name: display_name.clone(),
            direction,
            bounds,
        });
        if scale.display_name != display_name {
            scale.display_name = capitalised(&plain);
        }
        self.of_task.insert((task.clone(), id), bounds);
    }
}

/// Returns whether a metric was made for a name.
fn belongs(id: &MetricId, name: &str) -> bool {
    names::metric(name).is_some_and(|plain| {
        let rest = id.as_str().strip_prefix(plain.as_str());
        rest.is_some_and(|rest| rest.is_empty() || OTHER_WAY.contains(&rest) || is_range(rest))
    })
}

/// Returns whether a suffix is that of a metric with bounds of its own.
fn is_range(suffix: &str) -> bool {
    let numbers = suffix
        .strip_prefix('_')
        .and_then(|rest| rest.split_once("_to_"));
    numbers.is_some_and(|(min, max)| min.parse::<f64>().is_ok() && max.parse::<f64>().is_ok())
}

/// The name of results that name no metric, by task.
fn unnamed<'r>(results: impl Iterator<Item = &'r Reported> + Clone) -> HashMap<TaskId, String> {
    let nameless = results.clone().filter(|result| result.metric.is_none());
    let mut words = nameless.map(|result| leading_word(result.metric_words.as_deref()));
    let first = words.next().flatten();
    let common = first.filter(|first| words.all(|word| word.as_ref() == Some(first)));
    let mut names: HashMap<TaskId, Vec<&str>> = HashMap::new();
    for result in results {
        let named = names.entry(result.task.clone()).or_default();
        if let Some(name) = result.metric.as_deref()
            && !named.contains(&name)
        {
            named.push(name);
        }
    }
    names
        .into_iter()
        .map(|(task, named)| match named.as_slice() {
            [only] => (task, (*only).to_owned()),
            _ => (
                task,
                common.clone().unwrap_or_else(|| UNNAMED_METRIC.to_owned()),
            ),
        })
        .collect()
}

/// The metric that a description begins with: `Accuracy on IFEval` is of accuracy.
fn leading_word(description: Option<&str>) -> Option<String> {
    let (word, _) = description?.split_once(" on ")?;
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word.then(|| word.to_lowercase())
}

/// Returns the label of a metric: its description, where all results have the same; else its name.
fn display_name(
    plain: &MetricId,
    id: &MetricId,
    bounds: Option<Bounds>,
    results: &[&&Reported],
) -> String {
    let words = |result: &&&Reported| result.metric_words.clone();
    let first = results.first().and_then(words);
    let is_shared = results.iter().all(|result| words(result) == first);
    let described = first.filter(|words| {
        is_shared && plain.as_str() == UNNAMED_METRIC && words.chars().count() <= MAX_NAME
    });
    let name = described.map_or_else(
        || capitalised(plain),
        |words| words.trim_end_matches('.').to_owned(),
    );
    match bounds {
        Some(bounds) if id != plain && is_range(id.as_str().trim_start_matches(plain.as_str())) => {
            format!("{name} ({})", bounds.words())
        }
        Some(_) | None => name,
    }
}

/// The name of a metric in words.
fn capitalised(id: &MetricId) -> String {
    let name = id.as_str().replace('_', " ");
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The bounds that most results have; of equally common ones the smaller.
fn most_common(bounds: impl Iterator<Item = Bounds>) -> Option<Bounds> {
    let mut counts: Vec<(Bounds, u64)> = Vec::new();
    for own in bounds {
        match counts.iter_mut().find(|(known, _)| *known == own) {
            Some((_, count)) => *count += 1,
            None => counts.push((own, 1)),
        }
    }
    let order = |(left, left_count): &(Bounds, u64), (right, right_count): &(Bounds, u64)| {
        left_count
            .cmp(right_count)
            .then(right.max.total_cmp(&left.max))
            .then(right.min.total_cmp(&left.min))
    };
    counts.into_iter().max_by(order).map(|(own, _)| own)
}

/// Puts a result on another scale, and says so in its notes.
fn convert(result: &mut Reported, from: Bounds, to: Bounds) -> Option<()> {
    let value = from.convert(result.value, to)?;
    result.notes.push(format!(
        "{} on a scale of {} was put on {}",
        result.literal,
        from.words(),
        to.words()
    ));
    result.value = value;
    result.literal = value.to_literal();
    let stated = &mut result.uncertainty;
    if let Some(error) = stated.standard_error {
        stated.standard_error = from.convert_distance(error, to);
    }
    if let Some(interval) = &mut stated.interval {
        interval.low = from.convert(interval.low, to)?;
        interval.high = from.convert(interval.high, to)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::commands::import::reported::results;

    fn record(score: f64, max: f64, name: Option<&str>) -> Json {
        let mut config = json!({"lower_is_better": false, "min_score": 0, "max_score": max});
        if let Some(name) = name {
            config["metric_name"] = json!(name);
        }
        json!({"evaluation_results": [{
            "evaluation_name": "sums",
            "metric_config": config,
            "score_details": {
                "score": score,
                "uncertainty": {"standard_error": {"value": max / 100.0}},
            },
        }]})
    }

    fn settled(records: &[Json]) -> Vec<(String, String, Option<f64>, Vec<String>)> {
        let all: Vec<Reported> = records.iter().flat_map(results).collect();
        let scales = Scales::new(all.iter());
        all.into_iter()
            .filter_map(|result| scales.settle(result))
            .map(|(metric, result)| {
                let error = result.uncertainty.standard_error;
                let error = error.map(assay_model::Number::get);
                (metric.to_string(), result.literal, error, result.notes)
            })
            .collect()
    }

    #[test]
    fn scores_of_one_task_are_put_on_one_scale_and_say_so() {
        let records = [
            record(0.95, 1.0, None),
            record(0.5, 1.0, None),
            record(61.0, 100.0, None),
        ];

        let settled = settled(&records);

        assert_eq!(settled[2].0, "score");
        assert_eq!(settled[2].1, "0.61");
        assert_eq!(settled[2].2, Some(0.01));
        assert_eq!(
            settled[2].3,
            ["61.0 on a scale of 0 to 100 was put on 0 to 1"]
        );
        assert_eq!(settled[0].3, Vec::<String>::new());
    }

    #[test]
    fn a_metric_that_only_some_records_name_is_one_metric() {
        let records = [record(0.95, 1.0, Some("accuracy")), record(0.5, 1.0, None)];

        let names: Vec<String> = settled(&records).into_iter().map(|one| one.0).collect();

        assert_eq!(names, ["accuracy", "accuracy"]);
    }

    #[test]
    fn a_task_with_a_scale_of_its_own_has_a_metric_of_its_own() {
        let mut levels = record(4.2, 5.0, None);
        levels["evaluation_results"][0]["evaluation_name"] = json!("harmlessness");
        let records = [record(0.5, 1.0, None), record(0.6, 1.0, None), levels];

        let settled = settled(&records);

        assert_eq!(settled[2].0, "score_0_to_5");
        assert_eq!(settled[2].1, "4.2");
    }
}
