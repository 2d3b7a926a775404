//! A crowd of readers.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::figures::percentile;
use crate::http::Connection;
use crate::process::cpu_seconds;

/// The number of concurrent readers.
const READERS: usize = 8;

/// The outcome of a load.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    /// Requests that were answered in a second.
    pub(crate) per_second: f64,
    /// CPU seconds of the server for one of them.
    pub(crate) cpu: f64,
    /// The 99th percentile, in seconds.
    pub(crate) slow: f64,
}

/// The end of the readers.
#[derive(Clone, Copy)]
pub(crate) enum Until {
    /// For so long, over and over again.
    Time(Duration),
    /// Until everything was asked for once.
    Once,
}

/// Asks a server, over connections that are kept. The requests are taken in turn.
pub(crate) fn ask(address: SocketAddr, server: u32, requests: &[Vec<u8>], until: Until) -> Rate {
    let took = Mutex::new(Vec::new());
    let before = cpu_seconds(server);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let took = &took;
            scope.spawn(move || {
                let mut connection = Connection::open(address);
                let mut own: Vec<f64> = Vec::new();
                // Each begins elsewhere, so that together they go through all of them.
                let first = reader * requests.len() / READERS;
                let next = (reader + 1) * requests.len() / READERS;
                for (count, request) in requests.iter().cycle().skip(first).enumerate() {
                    let is_done = match until {
                        Until::Time(time) => start.elapsed() >= time,
                        Until::Once => count >= next - first,
                    };
                    if is_done {
                        break;
                    }
                    let asked = Instant::now();
                    connection.drain(request);
                    own.push(asked.elapsed().as_secs_f64());
                }
                took.lock().unwrap().append(&mut own);
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let took = took.into_inner().unwrap();
    let answered = took.len() as f64;
    Rate {
        per_second: answered / seconds,
        cpu: (cpu_seconds(server) - before) / answered,
        slow: percentile(took, 99),
    }
}
