//! The lake behind the hub: a process of its own, asked over a socket of this machine.
//!
//! The hub decides what a caller may spend and what must stay hidden; the process holds to both.
//! When it is not there, the hub goes on without it.

mod budget;
mod client;
mod fill;
mod keeper;
mod turns;

use axum::http::StatusCode;
use std::path::PathBuf;
use std::sync::Arc;

use assay_app::{Error, Hub};
use assay_formats::lake_api::{
    Ask, AskCompare, AskIngest, Budget, CallerClass, Delivery, Format, INSTALL, Ingested, PROGRAM,
    RefusalKind, SourceFilter,
};
use axum::http::Response;
use hyper::body::Incoming;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use self::budget::{ANONYMOUS, DOWNLOAD, PAGE, SIGNED_IN};
use self::client::{Client, Unanswered};
#[cfg(feature = "testing")]
pub(crate) use self::fill::Filler;
pub(crate) use self::fill::fill;
pub(crate) use self::keeper::keep;
pub(crate) use self::turns::Turn;
use self::turns::{CallerBudgets, NotNow};
use crate::config::Config;
use crate::error::Failure;
use crate::extract::RateLimitKey;

/// The directory of what the hub hands to the lake, in the data directory.
const SOURCES: &str = "lake-sources";
/// The directories in it: everything that the hub hands over lies below one of them.
const ROOTS: [&str; 2] = ["models", "datasets"];
/// The socket in the data directory.
const SOCKET: &str = "lake.sock";

/// The lake of a hub.
#[derive(Debug, Clone)]
pub(crate) struct Lake {
    client: Client,
    /// The budgets of callers.
    turns: Arc<CallerBudgets>,
}

/// A question about two models.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pair {
    /// The one model.
    pub(crate) a: String,
    /// The other.
    pub(crate) b: String,
    /// Only samples of this task.
    pub(crate) task: Option<String>,
    /// Only samples of this benchmark.
    pub(crate) benchmark: Option<String>,
    /// The number of differing samples that are listed.
    pub(crate) flips: usize,
}

impl Lake {
    /// The lake that is configured.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        socket_of(config).map(|socket| Self {
            client: Client::new(socket),
            turns: Arc::default(),
        })
    }

    /// Lets a caller ask, unless they are asking too much already.
    pub(crate) fn turn(
        &self,
        RateLimitKey(key): RateLimitKey,
        class: CallerClass,
    ) -> Result<Turn, Failure> {
        self.turns.take(key, class).map_err(|not_now| {
            let text = match not_now {
                NotNow::Asking(1) => {
                    "a question of yours is being answered; wait for it, or use a token to ask two at once".to_owned()
                }
                NotNow::Asking(many) => {
                    format!("{many} questions of yours are being answered; wait for one of them")
                }
                NotNow::Spent { wait } => {
                    return Error::RateLimited {
                        after_seconds: wait.as_secs() + 1,
                    }
                    .into();
                }
                NotNow::Paused { wait } => format!(
                    "a question of yours needed more memory than it may use and ended its process; ask again in {} seconds",
                    wait.as_secs() + 1
                ),
            };
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, text)
        })
    }

    /// Answers a question in SQL, as it comes.
    pub(crate) async fn ask(
        &self,
        turn: &Turn,
        hub: &Hub,
        sql: String,
        format: Format,
        budget: Budget,
        delivery: Delivery,
    ) -> Result<Response<Incoming>, Failure> {
        let ask = Ask {
            sql,
            format,
            budget,
            class: turn.class(),
            sources: public_sources(hub).await?,
            delivery,
        };
        self.post(turn, "/query", &ask).await
    }

    /// The rows of an answer, for a page.
    pub(crate) async fn rows<T: DeserializeOwned>(
        &self,
        turn: &Turn,
        hub: &Hub,
        sql: String,
    ) -> Result<Vec<T>, Failure> {
        /// The part of an answer that a page shows.
        #[derive(serde::Deserialize)]
        struct Rows<T> {
            rows: Vec<T>,
        }
        let answer = self
            .ask(turn, hub, sql, Format::Json, PAGE, Delivery::Whole)
            .await?;
        let answer: Rows<T> = client::read(answer).await?;
        Ok(answer.rows)
    }

    /// Compares two models on the samples that both have answered.
    pub(crate) async fn compare<T: DeserializeOwned>(
        &self,
        turn: &Turn,
        hub: &Hub,
        pair: Pair,
    ) -> Result<T, Failure> {
        let ask = AskCompare {
            model_a: pair.a,
            model_b: pair.b,
            task: pair.task,
            benchmark: pair.benchmark,
            metric: None,
            flips: pair.flips,
            budget: PAGE,
            sources: public_sources(hub).await?,
        };
        client::read(self.post(turn, "/compare", &ask).await?).await
    }

    /// Asks for a caller, and counts what that costs.
    async fn post(
        &self,
        turn: &Turn,
        path: &'static str,
        ask: &impl Serialize,
    ) -> Result<Response<Incoming>, Failure> {
        match self.client.post(path, ask).await {
            Ok(response) => {
                turn.spend(client::engine_time(&response));
                Ok(response)
            }
            Err(unanswered) => {
                if let Unanswered::Refused { kind, engine, .. } = &unanswered {
                    turn.spend(*engine);
                    if *kind == RefusalKind::Fatal {
                        turn.note_fatal();
                    }
                }
                Err(unanswered.into())
            }
        }
    }

    /// Takes directories in, and forgets what is there no more.
    async fn ingest(&self, directories: Vec<PathBuf>) -> Result<Ingested, Unanswered> {
        let ask = AskIngest { directories };
        let response = self.client.post("/ingest", &ask).await?;
        client::read(response).await.map_err(Unanswered::Broken)
    }
}

/// The lake, or why there is none.
pub(crate) fn wanted(lake: Option<&Lake>) -> Result<&Lake, Failure> {
    lake.ok_or_else(|| {
        let text = format!(
            "this hub has no lake, so nothing can be asked about samples here; its operator adds one with \
             `assay serve --lake DIR` and the program `{PROGRAM}` (`{INSTALL}`)"
        );
        Failure::new(StatusCode::NOT_IMPLEMENTED, text)
    })
}

/// Returns the socket of the process, when there is to be one.
pub(crate) fn socket_of(config: &Config) -> Option<PathBuf> {
    let own = || {
        config.lake.directory.as_ref()?;
        let path = config.data.join(SOCKET);
        Some(std::path::absolute(&path).unwrap_or(path))
    };
    config.lake.socket.clone().or_else(own)
}

/// The files whose rows everybody may see: of all that the hub hands over, those of repositories
/// that are public now. What the operator took in by hand lies elsewhere and is visible.
async fn public_sources(hub: &Hub) -> Result<SourceFilter, Failure> {
    Ok(SourceFilter {
        restricted: ROOTS.map(str::to_owned).into(),
        visible: hub.lake().public_directories().await?,
    })
}
