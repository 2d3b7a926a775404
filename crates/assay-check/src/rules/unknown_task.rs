use assay_formats::Value;
use assay_model::Benchmark;

use super::listed;
use crate::context::Context;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{closest, quote};

rule! {
    /// A result names a task that its benchmark does not define
    ///
    /// `dataset.task_id` must be the id of a task in the benchmark's `eval.yaml`; each task is a
    /// board of its own. The name of a configuration or of a subset is not a task, though for some
    /// benchmarks one is easily taken for the other.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// dataset:
    ///   id: cais/hle
    ///   task_id: default     # the configuration; the task is `hle`
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the id of the task as `eval.yaml` has it; it is case-sensitive.
    UNKNOWN_TASK = (324, "unknown-task", Error)
}

/// Names under which one board is known in different places: the task, and the configuration it is
/// taken for.
const OTHER_NAMES: [(&str, &str); 4] = [
    ("hle", "default"),
    ("gpqa_diamond", "diamond"),
    ("gsm8k", "main"),
    ("aime_2026", "MathArena/aime_2026"),
];

pub(crate) fn check(
    dataset: Value<'_>,
    benchmark: &Benchmark,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) {
    let Some((at, text)) = dataset
        .get("task_id")
        .and_then(|task| Some((task, task.text()?)))
    else {
        return;
    };
    if benchmark.task(&text).is_some() {
        return;
    }
    sink.report_as(context.unknown_benchmark, &UNKNOWN_TASK, at, || {
        let id = dataset.text_of("id").unwrap_or_default();
        let draft = Draft::new(format!(
            "task {} is not defined by {}",
            quote(&text),
            quote(&id)
        ));
        let tasks = || benchmark.tasks.iter().map(|task| task.id.as_str());
        match (other_name(&text, benchmark), closest(&text, tasks())) {
            (Some(name), _) => draft.help(format!(
                "did you mean {}? It is the same board under another name",
                quote(name)
            )),
            (None, Some(name)) => draft.help(format!("did you mean {}?", quote(name))),
            (None, None) => draft.help(format!("its tasks are {}", listed(tasks()))),
        }
    });
}

/// The task of the benchmark that goes by this name elsewhere.
fn other_name<'b>(text: &str, benchmark: &'b Benchmark) -> Option<&'b str> {
    let pairs = OTHER_NAMES.into_iter();
    let known = pairs.flat_map(|(one, other)| [(one, other), (other, one)]);
    let named = known
        .filter(|(own, _)| *own == text)
        .map(|(_, other)| other);
    named
        .filter_map(|other| benchmark.task(other))
        .map(|task| task.id.as_str())
        .next()
        .or_else(|| same_last_part(text, benchmark))
}

/// The only task that differs from a name in its namespace alone: `aime_2026` and
/// `MathArena/aime_2026`.
fn same_last_part<'b>(text: &str, benchmark: &'b Benchmark) -> Option<&'b str> {
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let mut alike = benchmark
        .tasks
        .iter()
        .map(|task| task.id.as_str())
        .filter(|id| last(id) == last(text));
    let first = alike.next()?;
    alike.next().is_none().then_some(first)
}
