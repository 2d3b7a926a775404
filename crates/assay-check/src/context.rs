use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use assay_model::{Benchmark, RepoId, Severity, Timestamp};

/// Context of validation beside the file itself.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The benchmarks that results may name.
    pub benchmarks: &'a dyn Benchmarks,
    /// The severity of a benchmark, task or metric that does not exist: a person who validates a
    /// file wants an error, a hub keeps the result as pending.
    pub unknown_benchmark: Severity,
    /// True if records must lie in the layout of the datastore.
    pub layout: LayoutPolicy,
    /// Number of findings of one code that are kept of one file.
    pub limit: u64,
    /// The moment it is: dates that lie ahead of it by more than a day are refused. With
    /// [`Timestamp::MAX`] none is.
    pub now: Timestamp,
}

impl Context<'_> {
    /// Number of findings of one code that are kept of one file, unless told otherwise.
    pub const DEFAULT_LIMIT: u64 = 50;
}

/// The time that this machine says it is.
#[expect(
    clippy::disallowed_methods,
    reason = "the default of a field that whoever has a clock sets"
)]
fn system_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            benchmarks: &NoBenchmarks,
            unknown_benchmark: Severity::Error,
            layout: LayoutPolicy::Auto,
            limit: Self::DEFAULT_LIMIT,
            now: system_time(),
        }
    }
}

/// A choice whether records must have the layout of the datastore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutPolicy {
    /// Below a directory `data` they must; elsewhere it is only a warning.
    Auto,
    /// They must.
    Strict,
    /// Paths are not validated.
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

/// No list of benchmarks: results are validated by themselves.
#[derive(Debug, Clone, Copy)]
pub struct NoBenchmarks;

impl Benchmarks for NoBenchmarks {
    fn find(&self, _id: &RepoId) -> Lookup {
        Lookup::NoList
    }
}
