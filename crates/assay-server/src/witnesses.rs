//! Brings checkpoints to the witnesses of this hub, as C2SP tlog-witness has it. Their addresses
//! come from the operator alone.

use std::error::Error as _;
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use assay_app::{AskWitness, Hub, WitnessAddress, WitnessAnswer, Witnesses};
use ureq::Agent;

use crate::outbound::{self, Reach, Scheme};

/// The interval at which the logs are looked at.
const EVERY: Duration = Duration::from_secs(1);
/// Maximum duration of a witness to answer, all in all.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer that is read, in bytes.
const MAX_ANSWER: u64 = 4096;

/// Has every new checkpoint signed, for as long as the server runs.
pub(crate) async fn ask_for_ever(hub: Arc<Hub>, addresses: Vec<WitnessAddress>) {
    if addresses.is_empty() {
        return;
    }
    let mut witnesses = Witnesses::new(hub, addresses);
    let ask = Arc::new(Http(outbound::agent(TIMEOUT, Scheme::Any, Reach::Anywhere)));
    loop {
        let ask = Arc::clone(&ask);
        let round = tokio::task::spawn_blocking(move || {
            let outcome = witnesses.round(&*ask);
            (witnesses, outcome)
        });
        let Ok((back, outcome)) = round.await else {
            tracing::error!("witnesses are asked no more: a thread came to its end");
            return;
        };
        witnesses = back;
        if let Err(error) = outcome {
            let cause = error.source().map(ToString::to_string);
            tracing::warn!(%error, cause, "witnesses cannot be asked");
        }
        tokio::time::sleep(EVERY).await;
    }
}

struct Http(Agent);

impl AskWitness for Http {
    fn add_checkpoint(&self, url: &str, request: &str) -> Result<WitnessAnswer, String> {
        let answer = self
            .0
            .post(format!("{url}/add-checkpoint"))
            .header("content-type", "text/plain; charset=utf-8")
            .send(request);
        let mut answer = answer.map_err(|error| error.to_string())?;
        let status = answer.status().as_u16();
        let mut text = String::new();
        let mut body = answer.body_mut().as_reader().take(MAX_ANSWER);
        body.read_to_string(&mut text)
            .map_err(|error| error.to_string())?;
        Ok(match (status, text.trim_end().parse()) {
            (200, _) => WitnessAnswer::Signed(text),
            (409, Ok(size)) => WitnessAnswer::Knows(size),
            (_, _) => WitnessAnswer::Refused(format!("it answered {status}: {}", text.trim_end())),
        })
    }
}
