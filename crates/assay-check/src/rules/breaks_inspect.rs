use assay_formats::Value;
use assay_formats::eval_yaml::INSPECT_NEEDS;
use assay_formats::shape::one_of;
use assay_model::Severity;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A key of a task that makes Inspect refuse the benchmark
    ///
    /// `inspect eval hf/namespace/name` reads `eval.yaml` with a task model that allows no keys but
    /// its own: `id`, `config`, `split`, `field_spec`, `shuffle_choices`, `epochs`,
    /// `epoch_reducer`, `solvers` and `scorers`. One other key in one task, even a useful one such
    /// as `display_name` or `dataset`, and it runs none of them. At the top level other keys do no
    /// harm.
    ///
    /// It is only a note where `evaluation_framework` names another framework.
    ///
    /// ## What to do
    ///
    /// Leave the key out of the task, or move it to the top level.
    BREAKS_INSPECT = (208, "breaks-inspect", Warning)
}

rule! {
    /// A task lacks what Inspect needs to run it
    ///
    /// The benchmark names `inspect-ai` as its framework. Inspect runs a task only if it says which
    /// columns to read (`field_spec`), what to do with them (`solvers`) and how to score the
    /// answers (`scorers`).
    ///
    /// ## What to do
    ///
    /// Add the keys, or remove `evaluation_framework: inspect-ai` if the benchmark is not run by
    /// Inspect.
    INSPECT_INCOMPLETE = (209, "inspect-incomplete", Warning)
}

/// The name of the framework that is so strict.
const INSPECT: &str = "inspect-ai";

/// The keys of a task that the format knows and Inspect does not.
const FOREIGN_KEYS: [&str; 2] = ["display_name", "dataset"];

/// Reports a key of a task that no format knows.
pub(crate) fn strange_key(key: Value<'_>, severity: Severity, sink: &mut Sink<'_>) {
    sink.report_as(severity, &BREAKS_INSPECT, key, || {
        let text = key.text().unwrap_or_default();
        Draft::new(format!(
            "{} is not a key of a task; Inspect refuses the file because of it",
            quote(&text)
        ))
        .help("leave it out, or move it to the top level")
    });
}

/// Reports the keys of tasks that the format knows and Inspect does not, and those that Inspect
/// misses.
pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    let severity = severity(root);
    let is_inspect = root
        .get("evaluation_framework")
        .is_some_and(|name| name.is_text(INSPECT));
    for task in root.get("tasks").into_iter().flat_map(Value::items) {
        for key in FOREIGN_KEYS {
            let Some((key, _)) = task.entry(key) else {
                continue;
            };
            sink.report_as(severity, &BREAKS_INSPECT, key, || {
                let text = key.text().unwrap_or_default();
                Draft::new(format!(
                    "Inspect refuses a task with the key {}",
                    quote(&text)
                ))
                .help("leave it out if the benchmark shall run with `inspect eval hf/…`")
            });
        }
        let missing: Vec<&str> = INSPECT_NEEDS
            .into_iter()
            .filter(|key| task.present(key).is_none())
            .collect();
        if is_inspect && !missing.is_empty() && task.entries().next().is_some() {
            sink.report(&INSPECT_INCOMPLETE, task.head(), || {
                Draft::new(format!(
                    "Inspect cannot run the task without {}",
                    one_of(&missing).replace(" or ", " and ")
                ))
                .help("add what is missing, or remove `evaluation_framework`")
                .path_of(task)
            });
        }
    }
}

/// Returns the severity of a file that Inspect refuses: low only where another framework is named
/// to run it.
pub(crate) fn severity(root: Value<'_>) -> Severity {
    match root.text_of("evaluation_framework").as_deref() {
        None | Some(INSPECT) => Severity::Warning,
        Some(_) => Severity::Note,
    }
}
