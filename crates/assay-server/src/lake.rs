//! The lake behind the hub: a process of its own, asked over a socket of this machine.
//!
//! The hub decides what a caller may spend and what must stay hidden; the process holds to both. When it is not there, the
//! hub goes on without it.

mod budget;
mod client;
mod fill;
mod keeper;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;

use assay_app::{Error, Hub};
use assay_formats::lake_api::{
    Ask, AskCompare, AskIngest, Budget, Delivery, Format, Hidden, INSTALL, Ingested, PROGRAM,
};
use axum::http::Response;
use hyper::body::Incoming;
use serde::de::DeserializeOwned;

pub(crate) use self::budget::{ANONYMOUS, DOWNLOAD, PAGE, SIGNED_IN};
use self::client::Client;
#[cfg(feature = "testing")]
pub(crate) use self::fill::Filler;
pub(crate) use self::fill::fill;
pub(crate) use self::keeper::keep;
pub(crate) use self::turns::Turn;
use self::turns::Turns;
use crate::config::Config;
use crate::error::Failure;
use crate::extract::Whence;

/// The directory of what the hub hands to the lake, in the data directory.
const SOURCES: &str = "lake-sources";
/// The socket in the data directory.
const SOCKET: &str = "lake.sock";

/// The lake of a hub.
#[derive(Debug, Clone)]
pub(crate) struct Lake {
    client: Client,
    /// Who is asking at this moment.
    turns: Arc<Turns>,
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
    /// How many samples that differ are told.
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
    pub(crate) fn turn(&self, Whence(key): Whence) -> Result<Turn, Failure> {
        self.turns.take(key).ok_or_else(|| {
            let text = "two questions of yours are being answered; wait for one of them";
            Error::Unavailable(text.to_owned()).into()
        })
    }

    /// Answers a question in SQL, as it comes.
    pub(crate) async fn ask(
        &self,
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
            hidden: hidden(hub).await?,
            delivery,
        };
        self.client.post("/query", &ask).await
    }

    /// The rows of an answer, for a page.
    pub(crate) async fn rows<T: DeserializeOwned>(
        &self,
        hub: &Hub,
        sql: String,
    ) -> Result<Vec<T>, Failure> {
        /// The part of an answer that a page shows.
        #[derive(serde::Deserialize)]
        struct Rows<T> {
            rows: Vec<T>,
        }
        let answer = self
            .ask(hub, sql, Format::Json, PAGE, Delivery::Whole)
            .await?;
        let answer: Rows<T> = client::read(answer).await?;
        Ok(answer.rows)
    }

    /// Compares two models on the samples that both have answered.
    pub(crate) async fn compare<T: DeserializeOwned>(
        &self,
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
            hidden: hidden(hub).await?,
        };
        client::read(self.client.post("/compare", &ask).await?).await
    }

    /// Takes directories in, and forgets what is there no more.
    pub(crate) async fn ingest(&self, directories: Vec<PathBuf>) -> Result<Ingested, Failure> {
        let ask = AskIngest { directories };
        client::read(self.client.post("/ingest", &ask).await?).await
    }
}

/// The lake, or why there is none.
pub(crate) fn wanted(lake: Option<&Lake>) -> Result<&Lake, Failure> {
    lake.ok_or_else(|| {
        let text = format!(
            "this hub has no lake, so nothing can be asked about samples here; its operator adds one with \
             `assay serve --lake DIR` and the program `{PROGRAM}` (`{INSTALL}`)"
        );
        Error::NotOffered(text).into()
    })
}

/// Where the process answers, when there is to be one.
pub(crate) fn socket_of(config: &Config) -> Option<PathBuf> {
    let own = || {
        config.lake.directory.as_ref()?;
        let path = config.data.join(SOCKET);
        Some(std::path::absolute(&path).unwrap_or(path))
    };
    config.lake.socket.clone().or_else(own)
}

/// What no answer may show: what not everybody sees, by its name and by where it was taken in.
async fn hidden(hub: &Hub) -> Result<Hidden, Failure> {
    let unseen = hub.unseen().await?;
    let of = |kind: &'static str, names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("{kind}/{name}")).collect()
    };
    Ok(Hidden {
        sources: [
            of("models", &unseen.models),
            of("datasets", &unseen.datasets),
        ]
        .concat(),
        models: unseen.models,
        benchmarks: unseen.datasets,
    })
}
