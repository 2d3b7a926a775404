use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use datafusion::common::Result as EngineResult;
use datafusion::error::DataFusionError;
use datafusion_distributed::{GetWorkerInfoRequest, WorkerResolver};
use futures_util::future::join_all;
use tokio::net::lookup_host;
use tokio::time::{sleep, timeout};
use url::Url;

use super::channels::Channels;
use super::{Cluster, host_of};
use crate::error::{Error, Result};

/// The version that all machines of a cluster have to share: plans are sent in the format of the
/// engine.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The time that an executor has to answer when a query begins. One that does not is left out.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// How often the executors of a running query are asked whether they are there.
const WATCH_EVERY: Duration = Duration::from_secs(2);
/// The time that a busy executor has to answer before the query fails.
const WATCH_WITHIN: Duration = Duration::from_secs(5);

/// What an executor says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExecutorInfo {
    version: String,
    /// A random number of the process: one that was started again has lost what the first one had.
    process: u64,
    /// How many threads it works with.
    threads: usize,
}

/// An executor that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    url: Url,
    process: u64,
    threads: usize,
}

/// The executors of a cluster that answered when they were last asked.
pub(super) struct Roster {
    cluster: Cluster,
    channels: Channels,
    present: RwLock<Vec<Member>>,
}

impl ExecutorInfo {
    /// Describes this process.
    pub(super) fn new(threads: usize) -> std::io::Result<Self> {
        Ok(Self {
            version: VERSION.to_owned(),
            process: getrandom::u64().map_err(std::io::Error::other)?,
            threads: threads.max(1),
        })
    }

    /// Returns the text that the protocol carries as the version of an executor.
    pub(super) fn encode(&self) -> String {
        format!("{} {:016x} {}", self.version, self.process, self.threads)
    }

    fn decode(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let info = Self {
            version: words.next()?.to_owned(),
            process: u64::from_str_radix(words.next()?, 16).ok()?,
            threads: words.next()?.parse().ok()?,
        };
        words.next().is_none().then_some(info)
    }
}

impl Roster {
    /// Asks nobody yet.
    pub(super) fn new(cluster: Cluster, channels: Channels) -> Self {
        Self {
            cluster,
            channels,
            present: RwLock::default(),
        }
    }

    /// Asks every address of the cluster who is there, and keeps those who answered. An executor
    /// that is reached at several addresses counts once.
    pub(super) async fn refresh(&self) -> Result<Vec<Member>> {
        let mut silent = String::new();
        let mut urls = BTreeSet::new();
        for (host, port) in self.cluster.addresses() {
            let found = timeout(ANSWER_WITHIN, lookup_host((host, port))).await;
            match found.map_err(std::io::Error::from).flatten() {
                Ok(addresses) => urls.extend(addresses.filter_map(|address| {
                    let host = host_of(address.ip());
                    Url::parse(&format!("http://{host}:{}", address.port())).ok()
                })),
                // Writing to a text does not fail.
                Err(error) => _ = write!(silent, "; `{host}`: {error}"),
            }
        }
        let asked = urls.iter().map(|url| async {
            let answered = self.ask(url, ANSWER_WITHIN).await;
            (url.clone(), answered)
        });
        let mut members: BTreeMap<u64, Member> = BTreeMap::new();
        for (url, answered) in join_all(asked).await {
            match answered {
                Ok(info) if info.version != VERSION => {
                    return Err(Error::Cluster {
                        doing: "work with the executor at",
                        at: url.to_string(),
                        why: format!(
                            "it is version {} of this program, and this is {VERSION}",
                            info.version
                        ),
                    });
                }
                Ok(info) => {
                    members.entry(info.process).or_insert(Member {
                        url,
                        process: info.process,
                        threads: info.threads,
                    });
                }
                Err(why) if why.refuses_token => {
                    return Err(Error::Cluster {
                        doing: "work with the executor at",
                        at: url.to_string(),
                        why: "it has another token; ASSAY_CLUSTER_TOKEN has to be the same everywhere".to_owned(),
                    });
                }
                Err(why) => _ = write!(silent, "; `{url}`: {}", why.text),
            }
        }
        if members.is_empty() {
            return Err(Error::Cluster {
                doing: "reach an executor of the cluster",
                at: self.cluster.to_string(),
                why: silent.trim_start_matches("; ").to_owned(),
            });
        }
        let members: Vec<Member> = members.into_values().collect();
        let mut present = self.present.write().unwrap_or_else(PoisonError::into_inner);
        present.clone_from(&members);
        Ok(members)
    }

    /// Returns the largest number of threads that an executor works with.
    pub(super) fn threads(members: &[Member]) -> usize {
        members
            .iter()
            .map(|member| member.threads)
            .max()
            .unwrap_or(1)
            .max(2)
    }

    /// Returns `true` if one of these executors is gone or was started again.
    pub(super) async fn is_one_lost(&self, members: &[Member]) -> bool {
        let asked = members.iter().map(|member| async {
            let answered = self.ask(&member.url, WATCH_WITHIN).await;
            answered.is_ok_and(|info| info.process == member.process)
        });
        !join_all(asked).await.into_iter().all(|is_there| is_there)
    }

    /// Waits until one of these executors is lost.
    pub(super) async fn watch(self: Arc<Self>, members: Vec<Member>) {
        loop {
            sleep(WATCH_EVERY).await;
            if self.is_one_lost(&members).await {
                return;
            }
        }
    }

    async fn ask(&self, url: &Url, within: Duration) -> std::result::Result<ExecutorInfo, Silence> {
        let request = async {
            let mut client = self.channels.client(url)?;
            client.get_worker_info(GetWorkerInfoRequest {}).await
        };
        match timeout(within, request).await {
            Ok(Ok(response)) => ExecutorInfo::decode(&response.version)
                .ok_or_else(|| Silence::because("something else than an executor answers")),
            Ok(Err(error)) => Err(Silence::new(&error)),
            Err(_) => Err(Silence::because(&format!(
                "no answer within {} seconds",
                within.as_secs()
            ))),
        }
    }
}

impl WorkerResolver for Roster {
    fn get_urls(&self) -> EngineResult<Vec<Url>> {
        let present = self.present.read().unwrap_or_else(PoisonError::into_inner);
        Ok(present.iter().map(|member| member.url.clone()).collect())
    }
}

/// The reason why an executor did not answer.
struct Silence {
    text: String,
    refuses_token: bool,
}

impl Silence {
    fn because(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            refuses_token: false,
        }
    }

    fn new(error: &DataFusionError) -> Self {
        let text = error.strip_backtrace().replace('\n', " ");
        Self {
            refuses_token: text.contains("the token of the cluster"),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_executor_says_of_itself_can_be_read_again() {
        let info = ExecutorInfo::new(8).unwrap();

        assert_eq!(ExecutorInfo::decode(&info.encode()), Some(info));
        for other in ["", "0.1.0", "0.1.0 xyz 8", "0.1.0 ff 8 9"] {
            assert_eq!(ExecutorInfo::decode(other), None, "{other}");
        }
    }
}
