//! The `eval.yaml` of an imported benchmark.

use std::fmt::Write as _;

use assay_model::Direction;

use super::plan::BenchmarkPlan;

/// The definition: every task and metric that the records have. The metric that most results have is primary.
pub(super) fn eval_yaml(benchmark: &BenchmarkPlan) -> String {
    let primary = benchmark
        .metrics
        .iter()
        .max_by(|(a, (_, uses_a)), (b, (_, uses_b))| uses_a.cmp(uses_b).then(b.cmp(a)))
        .map(|(id, _)| id);
    let mut text = String::new();
    let description = format!(
        "Imported from Every Eval Ever records of `{}`.",
        benchmark.name
    );
    write!(
        text,
        "name: {}\ndescription: {}\nmetrics:\n",
        quoted(&benchmark.name),
        quoted(&description)
    )
    .expect("a text can always be written to");
    for (id, (direction, _)) in &benchmark.metrics {
        let higher = match direction {
            Direction::HigherIsBetter => true,
            Direction::LowerIsBetter => false,
        };
        write!(
            text,
            "  - id: {}\n    display_name: {}\n    higher_is_better: {higher}\n    primary: {}\n",
            quoted(id.as_str()),
            quoted(&id.as_str().replace('_', " ")),
            Some(id) == primary
        )
        .expect("a text can always be written to");
    }
    text.push_str("tasks:\n");
    for (id, name) in &benchmark.tasks {
        writeln!(text, "  - id: {}", quoted(id.as_str())).expect("a text can always be written to");
        if name != id.as_str() {
            writeln!(text, "    display_name: {}", quoted(name))
                .expect("a text can always be written to");
        }
    }
    text
}

/// A text in double quotes, spelled as JSON spells it, which YAML reads alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
