//! A result file: `.eval_results/*.yaml`.

use std::collections::{BTreeSet, HashMap};

use assay_formats::eval_results;
use assay_formats::shape::{Shape, ShapeFault, ShapeFaultKind};
use assay_formats::{Kind, Value};
use assay_model::{Benchmark, Entry, Finding, RepoId};

use crate::context::{Context, Lookup};
use crate::document::Document;
use crate::kept::Kept;
use crate::sink::{Findings, Sink};
use crate::yaml_shape;
use crate::{forensics, rules};

/// Number of findings that are held until it is known whether the benchmark of their entry is. Of
/// more, only their number is held.
const MAX_HELD: usize = 4096;

/// The outcome of validating a result file alone.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// The entries, as far as they could be read.
    pub(crate) entries: Option<Vec<Entry>>,
    /// The findings in each entry, without a benchmark, of rules that a benchmark can overrule.
    pub(crate) without_benchmark: Vec<Findings>,
    /// The warnings that stay with each entry.
    pub(crate) kept: Vec<Vec<Finding>>,
}

impl Alone {
    /// Returns whether a rule that a benchmark can overrule refuses an entry.
    pub(crate) fn has_errors(&self) -> bool {
        self.without_benchmark.iter().any(Findings::has_errors)
    }
}

/// Validates a result file by the rules that need to know nothing else: no benchmark, no clock, no
/// path.
pub(crate) fn check_alone(document: &Document<'_>, sink: &mut Sink<'_>) -> Alone {
    let root = document.root();
    let is_list = rules::wrong_root::results(root, sink);
    let Some((shape, entries)) = entries_of(root) else {
        return Alone::default();
    };
    let mut refused = yaml_shape::check(shape, root, &mut declared_standing, sink);
    let mut without_benchmark = Vec::with_capacity(entries.len());
    let mut kept = Kept::of(&entries);
    let mut held = 0;
    for (place, &entry) in entries.iter().enumerate() {
        let found = sink.collect_apart(|sink| check_entry(entry, document, &mut refused, sink));
        kept.add(place, found.diagnostics());
        sink.append(found);
        let mut found = sink.collect_apart(|sink| check_scores(entry, None, sink));
        kept.add(place, found.diagnostics());
        held += found.diagnostics().len();
        if held > MAX_HELD {
            found.drop_diagnostics();
        }
        without_benchmark.push(found);
    }
    rules::ambiguous_scalar::check(root, &refused, sink);
    rules::hidden_text::check(root, sink);
    rules::repeated_run::check(&entries, sink);
    kept.add_by_place(sink.diagnostics());
    Alone {
        entries: is_list.then(|| eval_results::read(root)).flatten(),
        without_benchmark,
        kept: kept.findings,
    }
}

/// Validates a result file that was validated alone by what else is known: benchmarks, the clock,
/// its path.
pub(crate) fn check_in_context(
    document: &Document<'_>,
    alone: &Alone,
    path: &str,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) {
    let Some((_, entries)) = entries_of(document.root()) else {
        return;
    };
    let mut benchmarks = Lookups::default();
    for (&entry, without_benchmark) in entries.iter().zip(&alone.without_benchmark) {
        let lookup = benchmarks.find(entry.get("dataset"), context);
        let is_map = entry.kind() == Kind::Map;
        if is_map {
            rules::future_date::entry(entry, context.now, sink);
        }
        match known(entry, lookup, context, sink).filter(|_| is_map) {
            Some(benchmark) => {
                check_scores(entry, Some(benchmark), sink);
                // A file that contradicts itself could never be indexed, whatever the benchmark
                // says.
                sink.append_errors(without_benchmark);
            }
            None => sink.append(without_benchmark.clone()),
        }
    }
    rules::misnamed_file::results(path, &entries, sink);
    rules::nested_results::check(path, sink);
}

/// The entries of a document, and the shape that it has to have.
fn entries_of(root: Value<'_>) -> Option<(&'static Shape, Vec<Value<'_>>)> {
    match root.kind() {
        Kind::List => Some((&eval_results::SHAPE, root.items().collect())),
        // The one entry that forgot its dash is validated all the same, so that its author need not
        // come back.
        Kind::Map => Some((&eval_results::ENTRY, vec![root])),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => None,
    }
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

/// Validates an entry by the rules that no benchmark changes.
fn check_entry(
    entry: Value<'_>,
    document: &Document<'_>,
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
    rules::bad_url::check(entry, sink);
    rules::bad_token::check(entry, sink);
    rules::unverifiable::check(entry, document.constructs(), sink);
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
}

/// Validates the scores of an entry by what it says of them itself, and by what its benchmark says.
fn check_scores(entry: Value<'_>, benchmark: Option<&Benchmark>, sink: &mut Sink<'_>) {
    if entry.kind() != Kind::Map {
        return;
    }
    rules::value_disagrees::check(entry, benchmark, sink);
    let impossible = forensics::entry(entry, benchmark, sink);
    rules::value_type_mismatch::check(entry, benchmark, &impossible, sink);
}

/// Validates an entry by its benchmark, and returns that if it is known.
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
