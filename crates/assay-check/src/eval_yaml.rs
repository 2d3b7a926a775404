//! A benchmark definition: `eval.yaml`.

use assay_formats::Value;
use assay_formats::eval_yaml::{self, TASK};
use assay_formats::shape::{ShapeFault, ShapeFaultKind};
use assay_model::{Benchmark, Severity};

use crate::document::Document;
use crate::rules;
use crate::sink::Sink;
use crate::suggest::closest;
use crate::yaml_shape;

/// Validates a benchmark definition and returns what it defines, as far as it could be read.
pub(crate) fn check(document: &Document<'_>, path: &str, sink: &mut Sink<'_>) -> Option<Benchmark> {
    let root = document.root();
    rules::misnamed_file::benchmark(path, sink);
    if !rules::wrong_root::benchmark(root, sink) {
        return None;
    }
    let severity = rules::breaks_inspect::severity(root);
    let mut refused = yaml_shape::check(
        &eval_yaml::SHAPE,
        root,
        &mut |fault, sink| foreign_key(fault, severity, sink),
        sink,
    );
    for bound in items(root, "metrics").flat_map(|metric| [metric.get("min"), metric.get("max")]) {
        if let Some(bound) = bound.filter(|bound| rules::bad_number::check(*bound, sink)) {
            refused.insert(bound.range().start);
        }
    }
    rules::ambiguous_scalar::check(root, &refused, sink);
    rules::hidden_text::check(root, sink);
    rules::blank_name::benchmark(root, sink);
    rules::no_metrics::check(root, sink);
    rules::repeated_id::check(root, sink);
    rules::primary_metric::check(root, sink);
    rules::breaks_inspect::check(root, sink);
    rules::unknown_framework::check(root, sink);
    for metric in items(root, "metrics") {
        rules::invalid_id::metric(metric.get("id"), sink);
        rules::contradicted_direction::benchmark(metric, sink);
        rules::bounds_reversed::benchmark(metric, sink);
    }
    for task in items(root, "tasks") {
        rules::invalid_id::task(task.get("id"), sink);
        let dataset = task.get("dataset");
        rules::bad_repo_id::check(dataset.and_then(|dataset| dataset.get("id")), sink);
        rules::bad_revision::check(dataset.and_then(|dataset| dataset.get("revision")), sink);
    }
    eval_yaml::read(root)
}

/// Takes a key of a task that resembles none for the rule that knows what it breaks; a misspelt one
/// only needs spelling.
fn foreign_key(fault: &ShapeFault<'_>, severity: Severity, sink: &mut Sink<'_>) -> bool {
    let ShapeFaultKind::StrangeKey { object } = fault.kind else {
        return false;
    };
    let text = fault.at.text().unwrap_or_default();
    let names = object.fields.iter().map(|field| field.name);
    let is_foreign = object.name == TASK && closest(&text, names).is_none();
    if is_foreign {
        rules::breaks_inspect::strange_key(fault.at, severity, sink);
    }
    is_foreign
}

fn items<'d>(root: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> {
    root.get(key).into_iter().flat_map(Value::items)
}
