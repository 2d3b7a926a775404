//! A result file: `.eval_results/*.yaml`.

use std::collections::{BTreeSet, HashMap};

use assay_formats::eval_results;
use assay_formats::shape::{ShapeFault, ShapeFaultKind};
use assay_formats::{Kind, Value};
use assay_model::{Benchmark, Entry, RepoId};

use crate::context::{Context, Lookup};
use crate::document::Document;
use crate::sink::Sink;
use crate::yaml_shape;
use crate::{forensics, rules};

/// Judges a result file and returns its entries, as far as they could be read.
pub(crate) fn check(
    document: &Document<'_>,
    path: &str,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Option<Vec<Entry>> {
    let root = document.root();
    let is_list = rules::wrong_root::results(root, sink);
    let (shape, entries) = match root.kind() {
        Kind::List => (&eval_results::SHAPE, root.items().collect()),
        // The one entry that forgot its dash is judged all the same, so that its author need not come back.
        Kind::Map => (&eval_results::ENTRY, vec![root]),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => return None,
    };
    let mut refused = yaml_shape::check(shape, root, &mut declared_standing, sink);
    let mut benchmarks = Lookups::default();
    for &entry in &entries {
        let dataset = entry.get("dataset");
        let lookup = benchmarks.find(dataset, context);
        judge(entry, document, lookup, context, &mut refused, sink);
    }
    rules::ambiguous_scalar::check(root, &refused, sink);
    rules::hidden_text::check(root, sink);
    rules::repeated_run::check(&entries, sink);
    rules::misnamed_file::results(path, &entries, sink);
    is_list.then(|| eval_results::read(root)).flatten()
}

/// Takes a key that tries to set what the hub computes for the rule that says so.
fn declared_standing(fault: &ShapeFault<'_>, sink: &mut Sink<'_>) -> bool {
    let is_declared = matches!(fault.kind, ShapeFaultKind::StrangeKey { .. })
        && rules::declared_provenance::is_declared(fault.at);
    if is_declared {
        rules::declared_provenance::report(fault.at, sink);
    }
    is_declared
}

fn judge(
    entry: Value<'_>,
    document: &Document<'_>,
    lookup: Option<&(RepoId, Lookup)>,
    context: &Context<'_>,
    refused: &mut BTreeSet<usize>,
    sink: &mut Sink<'_>,
) {
    if entry.kind() != Kind::Map {
        return;
    }
    let dataset = entry.get("dataset");
    let within = |key: &str| dataset.and_then(|dataset| dataset.get(key));
    rules::bad_repo_id::check(within("id"), sink);
    rules::invalid_id::task(within("task_id"), sink);
    rules::bad_revision::check(within("revision"), sink);
    rules::bad_revision::check(entry.get("model_revision"), sink);
    let run = entry.get("run");
    rules::bad_revision::check(run.and_then(|run| run.get("dataset_revision")), sink);
    rules::run_disagrees::check(entry, sink);
    if rules::bad_date::check(entry, sink) {
        refused.extend(entry.get("date").map(|date| date.range().start));
    }
    rules::future_date::entry(entry, context.now, sink);
    rules::bad_url::check(entry, sink);
    rules::bad_token::check(entry, sink);
    rules::unverifiable::check(entry, document.constructs(), sink);

    let benchmark = known(entry, lookup, context, sink);
    rules::no_score::check(entry, sink);
    rules::repeated_metric::check(entry, sink);
    for item in entry.get("metrics").into_iter().flat_map(Value::items) {
        rules::invalid_id::metric(item.get("metric_id"), sink);
    }
    for value in scores(entry) {
        if rules::bad_number::check(value, sink) {
            refused.insert(value.range().start);
        }
    }
    rules::value_disagrees::check(entry, benchmark, sink);
    let impossible = forensics::entry(entry, benchmark, sink);
    rules::value_type_mismatch::check(entry, benchmark, &impossible, sink);
}

/// Judges an entry by its benchmark, and returns that if it is known.
fn known<'l>(
    entry: Value<'_>,
    lookup: Option<&'l (RepoId, Lookup)>,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Option<&'l Benchmark> {
    let (id, lookup) = lookup?;
    let dataset = entry.get("dataset")?;
    let at = dataset.get("id")?;
    match lookup {
        Lookup::NoList => None,
        Lookup::Unknown { similar } => {
            rules::unknown_benchmark::unknown(at, id, similar, context, sink);
            None
        }
        Lookup::Broken => {
            rules::unknown_benchmark::broken(at, id, context, sink);
            None
        }
        Lookup::Known(benchmark) => {
            rules::unknown_task::check(dataset, benchmark, context, sink);
            rules::unknown_metric::check(entry, benchmark, context, sink);
            Some(benchmark)
        }
    }
}

/// Every score of an entry, in either dialect.
fn scores(entry: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let listed = entry.get("metrics").into_iter().flat_map(Value::items);
    listed
        .filter_map(|item| item.get("value"))
        .chain(entry.get("value"))
}

/// The benchmarks that the entries of a file name, each looked up once.
#[derive(Default)]
struct Lookups(HashMap<String, Option<(RepoId, Lookup)>>);

impl Lookups {
    fn find(
        &mut self,
        dataset: Option<Value<'_>>,
        context: &Context<'_>,
    ) -> Option<&(RepoId, Lookup)> {
        let text = dataset?.text_of("id")?;
        let found = self.0.entry(text.into_owned()).or_insert_with_key(|text| {
            let id: RepoId = text.parse().ok()?;
            let lookup = context.benchmarks.find(&id);
            Some((id, lookup))
        });
        found.as_ref()
    }
}
