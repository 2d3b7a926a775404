use std::sync::Arc;

use assay_model::{Benchmark, RepoId, Severity};

/// What the judge knows beside the file itself.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The benchmarks that results may name.
    pub benchmarks: &'a dyn Benchmarks,
    /// How much it weighs when a result names a benchmark, task or metric that does not exist: a person who names a
    /// list wants an error, a hub keeps the result as pending.
    pub unknown_benchmark: Severity,
    /// Whether records must lie in the layout of the datastore.
    pub layout: LayoutPolicy,
    /// How many findings of one code are kept of one file.
    pub limit: u64,
}

impl Context<'_> {
    /// How many findings of one code are kept of one file, unless told otherwise.
    pub const DEFAULT_LIMIT: u64 = 50;
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            benchmarks: &NoBenchmarks,
            unknown_benchmark: Severity::Error,
            layout: LayoutPolicy::Auto,
            limit: Self::DEFAULT_LIMIT,
        }
    }
}

/// Whether records must lie in the layout of the datastore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutPolicy {
    /// Below a directory `data` they must; elsewhere it is only a warning.
    Auto,
    /// They must.
    Strict,
    /// Paths are not judged.
    Off,
}

/// The benchmarks that someone keeps.
pub trait Benchmarks: Sync {
    /// Looks a benchmark up by the id that a result names.
    fn find(&self, id: &RepoId) -> Lookup;
}

/// The answer to a look-up.
#[derive(Debug, Clone)]
pub enum Lookup {
    /// This is it.
    Known(Arc<Benchmark>),
    /// There is none of that name; these names come close.
    Unknown {
        /// Names that come close.
        similar: Vec<String>,
    },
    /// It is there, but its `eval.yaml` is not valid.
    Broken,
    /// There is no list to look in.
    NoList,
}

/// No list of benchmarks: results are judged by themselves.
#[derive(Debug, Clone, Copy)]
pub struct NoBenchmarks;

impl Benchmarks for NoBenchmarks {
    fn find(&self, _id: &RepoId) -> Lookup {
        Lookup::NoList
    }
}
