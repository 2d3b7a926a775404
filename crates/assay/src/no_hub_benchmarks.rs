//! The look-up on a hub of a build without the client: there is none.

use assay_check::{Benchmarks, Lookup};
use assay_model::RepoId;

use crate::config::Config;
use crate::left_out::LeftOut;

/// The benchmarks of a hub, which this build cannot ask.
pub(crate) enum HubBenchmarks {}

impl HubBenchmarks {
    /// Refuses: this build has no client.
    pub(crate) fn new(_address: &str, _config: &Config) -> Result<Self, LeftOut> {
        Err(LeftOut::HUB)
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        match *self {}
    }
}

impl Benchmarks for HubBenchmarks {
    fn find(&self, _id: &RepoId) -> Lookup {
        match *self {}
    }
}
