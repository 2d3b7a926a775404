use std::collections::BTreeSet;

use assay_formats::Value;
use assay_model::RepoId;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A benchmark definition is not called `eval.yaml`
    ///
    /// The hub makes a dataset a benchmark when its root holds a file `eval.yaml`, spelled so.
    /// `eval.yml` is a file like any other.
    ///
    /// ## What to do
    ///
    /// Rename the file. `assay validate --fix` renames `eval.yml`.
    MISNAMED_BENCHMARK = (212, "misnamed-benchmark", Warning)
}

rule! {
    /// A result file does not have the name of its benchmark
    ///
    /// Results for `namespace/Name-X` belong in `.eval_results/name_x.yaml`: the name of the
    /// dataset in lower case, with `_` for `-`. Tools that write results look for that name and
    /// would make a second file. What an entry is for is decided by its `dataset`, never by the
    /// name of the file, so two benchmarks with one name may share a file.
    ///
    /// ## What to do
    ///
    /// Rename the file; `assay validate --fix` does when all entries are for one benchmark. Where a
    /// file of that name is already there, move the entries into it.
    MISNAMED_RESULTS = (321, "misnamed-results", Warning)
}

pub(crate) fn benchmark(path: &str, sink: &mut Sink<'_>) {
    let Some(name) = yaml_name(path).filter(|name| *name != "eval.yaml") else {
        return;
    };
    sink.report_whole(&MISNAMED_BENCHMARK, || {
        let draft = Draft::new(format!(
            "a benchmark is defined in `eval.yaml`, not in {}",
            quote(name)
        ))
        .help("rename the file");
        // Of several definitions in one directory only one can take the name, so no other is
        // renamed unasked.
        if name == "eval.yml" {
            draft.rename("eval.yaml")
        } else {
            draft
        }
    });
}

pub(crate) fn results(path: &str, entries: &[Value<'_>], sink: &mut Sink<'_>) {
    let Some(name) = yaml_name(path) else { return };
    let names: Option<BTreeSet<String>> = entries.iter().map(|entry| wanted(*entry)).collect();
    let Some(names) = names.filter(|names| !names.contains(name)) else {
        return;
    };
    let mut names = names.into_iter();
    let wanted = match (names.next(), names.next()) {
        (Some(only), None) => only,
        // Entries for several benchmarks have no one name that is right, only a wrong ending.
        (Some(_), Some(_)) => match name.strip_suffix(".yml") {
            Some(stem) => format!("{stem}.yaml"),
            None => return,
        },
        (None, _) => return,
    };
    sink.report_whole(&MISNAMED_RESULTS, || {
        Draft::new(format!(
            "the file is called {}; its results belong in {}",
            quote(name),
            quote(&wanted)
        ))
        .help("rename the file, or move the entries if that one exists")
        .rename(wanted)
    });
}

/// The file that an entry belongs in; none when it does not say for what it is.
fn wanted(entry: Value<'_>) -> Option<String> {
    let id: RepoId = entry.get("dataset")?.text_of("id")?.parse().ok()?;
    Some(id.result_file_name())
}

/// The last part of a path, when it is that of a YAML file; text that was piped in has no name to
/// validate.
fn yaml_name(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (_, extension) = name.rsplit_once('.')?;
    ["yaml", "yml"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
        .then_some(name)
}
