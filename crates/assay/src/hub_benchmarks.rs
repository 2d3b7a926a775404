//! Benchmarks looked up on a hub.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use assay_check::{
    Benchmarks, Context, FileKind, Files, Item, Lookup, Options, Validated, validate,
};
use assay_hub_api::client::{Client, ClientError};
use assay_model::{RepoId, RepoKind};
use parking_lot::Mutex;

use crate::benchmarks::lookup;
use crate::config::Config;

/// Maximum duration of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest `eval.yaml`, in bytes.
const MAX_BODY: u64 = 1 << 20;
/// The codes with which a hub answers that there is no such repository, or no such file in it.
const NOT_FOUND_CODES: [&str; 2] = ["RepoNotFound", "EntryNotFound"];

/// The benchmarks of a hub, each asked for once in a run.
pub(crate) struct HubBenchmarks {
    client: Client,
    answers: Mutex<BTreeMap<RepoId, Arc<OnceLock<Lookup>>>>,
    failures: Mutex<Vec<ClientError>>,
}

impl HubBenchmarks {
    /// Creates a look-up on the hub at an address, with the token of the environment.
    pub(crate) fn new(address: &str, config: &Config) -> Result<Self, ClientError> {
        let token = config.token.as_ref().map(|token| token.secret.as_str());
        Self::with_token(address, token)
    }

    fn with_token(address: &str, token: Option<&str>) -> Result<Self, ClientError> {
        Ok(Self {
            client: Client::new(address, token)?.with_limits(TIMEOUT, MAX_BODY),
            answers: Mutex::default(),
            failures: Mutex::default(),
        })
    }

    /// The failures of requests, in a sentence each.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures
            .lock()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn ask(&self, id: &RepoId) -> Lookup {
        // A hub that is down stays down for this run: waiting for every benchmark in turn would
        // take minutes.
        if !self.failures.lock().is_empty() {
            return Lookup::NoList;
        }
        match self.fetch(id) {
            Ok(Some(text)) => definition(text),
            Ok(None) => Lookup::Unknown {
                similar: Vec::new(),
            },
            Err(error) => {
                self.failures.lock().push(error);
                Lookup::NoList
            }
        }
    }

    /// The `eval.yaml` of a benchmark; `None` when the hub says in its own words that there is
    /// none.
    fn fetch(&self, id: &RepoId) -> Result<Option<Vec<u8>>, ClientError> {
        let path = format!(
            "/{}/{id}/resolve/main/eval.yaml",
            RepoKind::Dataset.plural()
        );
        match self.client.bytes(&path) {
            Ok(text) => Ok(Some(text)),
            Err(ClientError::Refused {
                status: 401 | 404,
                code: Some(code),
                ..
            }) if NOT_FOUND_CODES.contains(&code.as_str()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Benchmarks for HubBenchmarks {
    fn find(&self, id: &RepoId) -> Lookup {
        let answer = Arc::clone(self.answers.lock().entry(id.clone()).or_default());
        answer.get_or_init(|| self.ask(id)).clone()
    }
}

/// Reads the text of an `eval.yaml`: the benchmark if it is valid.
pub(crate) fn definition(text: Vec<u8>) -> Lookup {
    let items = [Item {
        path: "eval.yaml".into(),
        kind: Some(FileKind::EvalYaml),
    }];
    let reports = validate(
        &OneFile(text),
        &items,
        &Context::default(),
        &Options::default(),
    );
    let content = reports.first().and_then(|report| report.validated.as_ref());
    lookup(content.map(Validated::get))
}

struct OneFile(Vec<u8>);

impl Files for OneFile {
    fn open(&self, _path: &str) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0.as_slice()))
    }

    fn size(&self, _path: &str) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

#[cfg(test)]
mod tests;
