//! The environment of the process. Nothing else reads it.

use std::io::IsTerminal as _;
use std::num::NonZero;
use std::path::PathBuf;

use assay_lake::Storage;
use assay_lake::cluster::{ClusterToken, NoToken};

/// How wide findings are when they do not go to a terminal.
const WIDTH: usize = 120;
/// The directory of the lake when none is named.
const DEFAULT_LAKE: &str = "assay-lake";

/// What the environment says.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The lake to use when none is named.
    pub(crate) lake: PathBuf,
    /// How lakes in object storage are reached.
    pub(crate) storage: Storage,
    /// The token of the cluster, which only those need who are part of one or ask one.
    cluster_token: Result<ClusterToken, NoToken>,
    /// Whether standard input is a terminal.
    pub(crate) stdin_is_terminal: bool,
    /// True if standard error is a terminal.
    pub(crate) stderr_is_terminal: bool,
    /// Number of columns findings that may take.
    pub(crate) width: usize,
    /// Number of threads that this machine can run at once.
    pub(crate) cores: usize,
}

impl Config {
    /// Reads the environment.
    pub(crate) fn from_environment() -> Self {
        Self {
            lake: variable("ASSAY_LAKE").map_or_else(|| DEFAULT_LAKE.into(), PathBuf::from),
            storage: Storage::from_variables(variables()),
            cluster_token: ClusterToken::new(&variable("ASSAY_CLUSTER_TOKEN").unwrap_or_default()),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            width: WIDTH,
            cores: std::thread::available_parallelism().map_or(1, NonZero::get),
        }
    }

    /// Returns the token of the cluster.
    pub(crate) fn cluster_token(&self) -> Result<ClusterToken, NoToken> {
        self.cluster_token.clone()
    }
}

/// All variables that are text.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        Some((name, value))
    })
}

/// A variable that is set, is text and is not blank.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
fn variable(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
