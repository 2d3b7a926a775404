//! Benchmarks looked up on a hub.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use assay_check::{
    Benchmarks, Context, FileKind, Files, Item, Lookup, Options, Validated, validate,
};
use assay_model::RepoId;
use ureq::http::HeaderMap;

use crate::benchmarks::lookup;
use crate::client::{AddressError, Origin, agent};

/// How long one question may take.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 3;
/// How large an `eval.yaml` may be, in bytes.
const MAX_BODY: u64 = 1 << 20;
/// What a hub answers when there is no such repository, or no such file in it.
const NOT_FOUND_CODES: [&str; 2] = ["RepoNotFound", "EntryNotFound"];

/// Why a hub cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HubError {
    /// The address makes no sense.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The request failed on the way.
    #[error("the hub cannot be reached at `{url}`: {source}")]
    Transport {
        url: String,
        source: Box<ureq::Error>,
    },
    /// The body could not be read to its end.
    #[error("the answer from `{url}` broke off: {source}")]
    Body { url: String, source: io::Error },
    /// The body is larger than an `eval.yaml` may be.
    #[error("the answer from `{url}` is larger than {} MiB", MAX_BODY >> 20)]
    TooLarge { url: String },
    /// An answer that says neither yes nor no.
    #[error("the hub answered {status} at `{url}`")]
    Status { url: String, status: u16 },
    /// A redirect that the token must not follow.
    #[error("`{url}` redirects to another host, `{target}`")]
    Elsewhere { url: String, target: String },
    /// Redirects without end.
    #[error("`{url}` redirects more than {MAX_REDIRECTS} times")]
    Redirects { url: String },
}

/// A hub, and what it has answered in this run.
pub(crate) struct Hub {
    origin: Origin,
    token: Option<String>,
    agent: ureq::Agent,
    answers: Mutex<BTreeMap<RepoId, Arc<OnceLock<Lookup>>>>,
    failures: Mutex<Vec<HubError>>,
}

/// What a hub says about one benchmark.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Definition(Vec<u8>),
    Missing,
    Redirect(String),
}

impl Hub {
    /// A hub at an address.
    pub(crate) fn new(
        address: &str,
        token: Option<&str>,
        timeout: Duration,
    ) -> Result<Self, HubError> {
        let origin: Origin = address.parse()?;
        let token = token.filter(|_| origin.is_private()).map(str::to_owned);
        Ok(Self {
            agent: agent(timeout),
            origin,
            token,
            answers: Mutex::default(),
            failures: Mutex::default(),
        })
    }

    /// What could not be asked, in a sentence each.
    pub(crate) fn failures(&self) -> Vec<String> {
        lock(&self.failures)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn ask(&self, id: &RepoId) -> Lookup {
        // A hub that is down stays down for this run: waiting for every benchmark in turn would take minutes.
        if !lock(&self.failures).is_empty() {
            return Lookup::NoList;
        }
        match self.fetch(id) {
            Ok(Some(text)) => judged(text),
            Ok(None) => Lookup::Unknown {
                similar: Vec::new(),
            },
            Err(error) => {
                lock(&self.failures).push(error);
                Lookup::NoList
            }
        }
    }

    /// The `eval.yaml` of a benchmark; `None` when there is none.
    fn fetch(&self, id: &RepoId) -> Result<Option<Vec<u8>>, HubError> {
        let mut url = format!("{}/datasets/{id}/resolve/main/eval.yaml", self.origin);
        for _ in 0..=MAX_REDIRECTS {
            match self.get(&url)? {
                Answer::Definition(text) => return Ok(Some(text)),
                Answer::Missing => return Ok(None),
                Answer::Redirect(target) => url = self.same_host(url, &target)?,
            }
        }
        Err(HubError::Redirects { url })
    }

    fn get(&self, url: &str) -> Result<Answer, HubError> {
        let mut request = self.agent.get(url);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut response = request.call().map_err(|source| HubError::Transport {
            url: url.to_owned(),
            source: Box::new(source),
        })?;
        let status = response.status().as_u16();
        match status {
            200 => read(url, &mut response.body_mut().as_reader()).map(Answer::Definition),
            301 | 302 | 303 | 307 | 308 => match header(response.headers(), "location") {
                Some(target) => Ok(Answer::Redirect(target.to_owned())),
                None => Err(HubError::Status {
                    url: url.to_owned(),
                    status,
                }),
            },
            401 | 404 if says_not_found(response.headers()) => Ok(Answer::Missing),
            _ => Err(HubError::Status {
                url: url.to_owned(),
                status,
            }),
        }
    }

    /// The address that a redirect leads to, when it stays on the same host.
    fn same_host(&self, url: String, target: &str) -> Result<String, HubError> {
        let root = root_of(self.origin.as_str());
        if target.starts_with('/') && !target.starts_with("//") {
            return Ok(format!("{root}{target}"));
        }
        let rest = target.strip_prefix(root);
        if rest.is_some_and(|rest| rest.starts_with('/')) {
            return Ok(target.to_owned());
        }
        Err(HubError::Elsewhere {
            url,
            target: target.to_owned(),
        })
    }
}

impl Benchmarks for Hub {
    fn find(&self, id: &RepoId) -> Lookup {
        let answer = Arc::clone(lock(&self.answers).entry(id.clone()).or_default());
        answer.get_or_init(|| self.ask(id)).clone()
    }
}

/// The scheme and host of an address, without its path.
fn root_of(address: &str) -> &str {
    let host = address.find("://").map_or(0, |at| at + 3);
    let end = address[host..]
        .find('/')
        .map_or(address.len(), |at| host + at);
    &address[..end]
}

fn read(url: &str, reader: &mut dyn Read) -> Result<Vec<u8>, HubError> {
    let mut text = Vec::new();
    reader
        .take(MAX_BODY + 1)
        .read_to_end(&mut text)
        .map_err(|source| HubError::Body {
            url: url.to_owned(),
            source,
        })?;
    if text.len() as u64 > MAX_BODY {
        return Err(HubError::TooLarge {
            url: url.to_owned(),
        });
    }
    Ok(text)
}

fn says_not_found(headers: &HeaderMap) -> bool {
    header(headers, "x-error-code").is_some_and(|code| NOT_FOUND_CODES.contains(&code))
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// What an `eval.yaml` defines, if the judge has nothing against it.
pub(crate) fn judged(text: Vec<u8>) -> Lookup {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
