//! The `eval.yaml` of an imported benchmark.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use assay_formats::eval_results::quoted;
use assay_model::{Direction, TaskId};

use super::plan::{BenchmarkPlan, MetricPlan};

/// Words of directory names that are written in capitals.
const ACRONYMS: [&str; 16] = [
    "ai", "arc", "bbh", "gaia", "gpqa", "gsm", "hal", "helm", "hf", "llm", "math", "mmlu", "mt",
    "qa", "swe", "usaco",
];
/// Words by which the task is known that sums a benchmark up.
const SUMMARIES: [&str; 8] = [
    "overall",
    "average",
    "mean win rate",
    "mean score",
    "score",
    "total",
    "aggregate",
    "all",
];

/// The definition: every task and metric that the records have. The metric that most results have
/// is primary, and the task that sums the benchmark up is the first.
pub(super) fn eval_yaml(benchmark: &BenchmarkPlan) -> String {
    let primary = benchmark
        .metrics
        .iter()
        .max_by(|(a, of_a), (b, of_b)| of_a.uses.cmp(&of_b.uses).then(b.cmp(a)))
        .map(|(id, _)| id);
    let mut text = format!(
        "name: {}\ndescription: {}\nmetrics:\n",
        quoted(&title(benchmark)),
        quoted(&description(benchmark))
    );
    for (id, metric) in &benchmark.metrics {
        let higher = match metric.direction {
            Direction::HigherIsBetter => true,
            Direction::LowerIsBetter => false,
        };
        write!(
            text,
            "  - id: {}\n    display_name: {}\n    higher_is_better: {higher}\n    primary: {}\n",
            quoted(id.as_str()),
            quoted(&metric.display_name),
            Some(id) == primary
        )
        .expect("a text can always be written to");
        text.push_str(&scale(metric));
    }
    text.push_str("tasks:\n");
    for (id, name) in tasks(benchmark) {
        writeln!(text, "  - id: {}", quoted(id.as_str())).expect("a text can always be written to");
        if name != id.as_str() {
            writeln!(text, "    display_name: {}", quoted(name))
                .expect("a text can always be written to");
        }
    }
    text
}

fn scale(metric: &MetricPlan) -> String {
    match metric.bounds.map(|bounds| (bounds.min, bounds.max)) {
        Some((0.0, 1.0)) => "    unit: \"proportion\"\n".to_owned(),
        Some((0.0, 100.0)) => "    unit: \"percentage\"\n".to_owned(),
        Some((min, max)) => format!("    min: {min}\n    max: {max}\n"),
        None => String::new(),
    }
}

/// The tasks, the one that sums the benchmark up first; the others in the order of the records.
fn tasks(benchmark: &BenchmarkPlan) -> Vec<(&TaskId, &str)> {
    let mut tasks: Vec<(&TaskId, &str)> = benchmark
        .tasks
        .iter()
        .map(|(id, name)| (id, name.as_str()))
        .collect();
    let title = title(benchmark).to_lowercase();
    let sums_up = |name: &str| {
        let name = name.to_lowercase();
        SUMMARIES.contains(&name.as_str()) || title.ends_with(&name)
    };
    tasks.sort_by_key(|(_, name)| !sums_up(name));
    tasks
}

/// Returns the title of a benchmark: its name in the source, else its directory in words.
fn title(benchmark: &BenchmarkPlan) -> String {
    let common = most_common(&benchmark.titles);
    match common.filter(|title| *title != benchmark.name) {
        Some(title) => title.to_owned(),
        None => in_words(&benchmark.name),
    }
}

/// Returns the description: the measure, the publishers and the place of the data, as far as all
/// records agree.
fn description(benchmark: &BenchmarkPlan) -> String {
    let mut sentences = Vec::new();
    if let [only] = benchmark.measures.keys().collect::<Vec<_>>().as_slice() {
        sentences.push(format!("{}.", only.trim_end_matches('.')));
    }
    let title = title(benchmark);
    sentences.push(match most_common(&benchmark.publishers) {
        Some(publisher) => format!("Results of {title}, published by {publisher}."),
        None => format!("Results of {title}."),
    });
    if let [only] = benchmark.data.keys().collect::<Vec<_>>().as_slice() {
        sentences.push(format!("Data: {only}"));
    }
    sentences.join(" ")
}

fn most_common(counts: &BTreeMap<String, u64>) -> Option<&str> {
    let most = counts
        .iter()
        .max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then(b.cmp(a)));
    most.map(|(text, _)| text.as_str())
}

/// The name of a directory as a title.
fn in_words(name: &str) -> String {
    let words = name.split(['_', '-', ' ']).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let lower = word.to_lowercase();
        if ACRONYMS.contains(&lower.as_str()) {
            return word.to_uppercase();
        }
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_becomes_a_title() {
        assert_eq!(in_words("helm_classic"), "HELM Classic");
        assert_eq!(in_words("reward-bench-2"), "Reward Bench 2");
    }
}
