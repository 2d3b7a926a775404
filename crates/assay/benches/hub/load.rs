//! A crowd of readers.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::http::Connection;
use crate::process::cpu_seconds;

/// How many read at once.
const READERS: usize = 8;

/// What came of it.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    /// Requests that were answered in a second.
    pub(crate) per_second: f64,
    /// CPU seconds of the server for one of them.
    pub(crate) cpu: f64,
}

/// How long readers go on.
#[derive(Clone, Copy)]
pub(crate) enum Until {
    /// For so long, over and over again.
    Time(Duration),
    /// Until everything was asked for once.
    Once,
}

/// Asks a server, over connections that are kept. The requests are taken in turn.
pub(crate) fn ask(address: SocketAddr, server: u32, requests: &[Vec<u8>], until: Until) -> Rate {
    let answered = AtomicU64::new(0);
    let before = cpu_seconds(server);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let answered = &answered;
            scope.spawn(move || {
                let mut connection = Connection::open(address);
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
                    connection.drain(request);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let answered = answered.into_inner() as f64;
    Rate {
        per_second: answered / start.elapsed().as_secs_f64(),
        cpu: (cpu_seconds(server) - before) / answered,
    }
}
