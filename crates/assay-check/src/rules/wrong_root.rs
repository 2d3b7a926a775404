use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A benchmark definition is not a mapping
    ///
    /// `eval.yaml` is one mapping with the keys `name`, `description`, `metrics` and `tasks`. A
    /// list, a single word or an empty file defines no benchmark.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// name: "Humanity's Last Exam"
    /// description: "Questions at the frontier of human knowledge."
    /// metrics:
    ///   - {id: accuracy, display_name: Accuracy, higher_is_better: true}
    /// tasks:
    ///   - {id: hle}
    /// ```
    ///
    /// ## What to do
    ///
    /// Begin the file with `name:`. Results belong in the model's repository, under
    /// `.eval_results/`.
    NOT_A_MAPPING = (201, "not-a-mapping", Error)
}

rule! {
    /// A result file is not a list
    ///
    /// A result file is a list of entries, one for each run, even when there is only one. Clients
    /// of the hub read a list and fail on anything else.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// - dataset:
    ///     id: cais/hle
    ///     task_id: hle
    ///   metrics:
    ///     - metric_id: accuracy
    ///       value: 20.9
    /// ```
    ///
    /// ## What to do
    ///
    /// Put `- ` before the first key and indent the other lines by two spaces.
    NOT_A_LIST = (301, "not-a-list", Error)
}

/// Reports the root of an `eval.yaml` that is no mapping; returns whether it is one.
pub(crate) fn benchmark(root: Value<'_>, sink: &mut Sink<'_>) -> bool {
    if root.kind() == Kind::Map {
        return true;
    }
    sink.report(&NOT_A_MAPPING, root.head(), || {
        let draft = Draft::new(format!(
            "a benchmark definition is a mapping, not {}",
            found(root)
        ));
        if root.kind() == Kind::List && root.items().any(|entry| entry.get("dataset").is_some()) {
            draft.help("results belong under `.eval_results/` in the model's repository")
        } else {
            draft.help("begin with `name:`, then `description:`, `metrics:` and `tasks:`")
        }
    });
    false
}

/// Reports the root of a result file that is no list; returns whether it is one.
pub(crate) fn results(root: Value<'_>, sink: &mut Sink<'_>) -> bool {
    if root.kind() == Kind::List {
        return true;
    }
    sink.report(&NOT_A_LIST, root.head(), || {
        let draft = Draft::new(format!(
            "a result file is a list of entries, not {}",
            found(root)
        ));
        match root.kind() {
            Kind::Map => {
                draft.help("put `- ` before the first key and indent the other lines by two spaces")
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::List => {
                draft.help("begin with `- dataset:`")
            }
        }
    });
    false
}

fn found(root: Value<'_>) -> &'static str {
    match root.kind() {
        Kind::Null => "nothing",
        Kind::Map => "a single mapping",
        kind @ (Kind::Bool | Kind::Number | Kind::String | Kind::List) => kind.words(),
    }
}
