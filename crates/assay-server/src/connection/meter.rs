use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Version;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::limits::ConnectionLimits;
use super::pace::Pace;

/// Writes of at most so many bytes are no part of an answer: HTTP/2 answers a ping with 17.
const CONTROL_BYTES: usize = 64;

/// The watch over one connection: what the client does, and how long it may go on like that.
#[derive(Debug)]
pub(super) struct Meter {
    limits: ConnectionLimits,
    state: Mutex<State>,
}

/// The reason why a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    /// The headers of a request did not come in time.
    Head,
    /// No request came in time.
    Idle,
    /// The client reads its answer too slowly.
    Unread,
}

/// A request that is being answered, until the last of its answer is handed over.
#[derive(Debug)]
pub(super) struct InFlight {
    meter: Arc<Meter>,
    number: u64,
}

#[derive(Debug)]
struct State {
    /// The requests that are being answered, with the pace at which each answer is taken.
    in_flight: BTreeMap<u64, Pace>,
    next_number: u64,
    is_http2: bool,
    /// The time since which the client owes a request: since it connected, or began to send one.
    head_since: Option<Instant>,
    /// The time at which the last answer was finished, or moved on.
    quiet_since: Instant,
    /// The pace at which the system takes what is written.
    written: Pace,
    is_broken_off: bool,
}

impl Meter {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Self {
            limits,
            state: Mutex::new(State {
                in_flight: BTreeMap::new(),
                next_number: 0,
                is_http2: false,
                head_since: Some(now),
                quiet_since: now,
                written: Pace::new(limits.pace()),
                is_broken_off: false,
            }),
        })
    }

    /// Waits until the client has kept the server waiting for too long.
    pub(super) async fn overdue(&self) -> Overdue {
        loop {
            match self.look(Instant::now()) {
                Ok(left) => tokio::time::sleep(left).await,
                Err(overdue) => return overdue,
            }
        }
    }

    /// Returns when to look again, unless something is overdue. No deadline that begins meanwhile
    /// can pass before that.
    fn look(&self, now: Instant) -> Result<Duration, Overdue> {
        let limits = &self.limits;
        let state = self.state();
        let mut next = limits
            .header_time
            .min(limits.idle_time)
            .min(limits.stall_time);
        let paces = state.in_flight.values().chain([&state.written]);
        for left in paces.filter_map(|pace| pace.left(now)) {
            if left.is_zero() {
                return Err(Overdue::Unread);
            }
            next = next.min(left);
        }
        if !state.in_flight.is_empty() {
            return Ok(next);
        }
        let (since, time, overdue) = match state.head_since {
            Some(since) => (since, limits.header_time, Overdue::Head),
            None => (state.quiet_since, limits.idle_time, Overdue::Idle),
        };
        let left = time.saturating_sub(now.saturating_duration_since(since));
        if left.is_zero() {
            return Err(overdue);
        }
        Ok(next.min(left))
    }

    /// Notes that the headers of a request have arrived.
    pub(super) fn begin(self: &Arc<Self>, version: Version) -> InFlight {
        let mut state = self.state();
        let number = state.next_number;
        state.next_number += 1;
        state.is_http2 = version == Version::HTTP_2;
        state.head_since = None;
        state
            .in_flight
            .insert(number, Pace::new(self.limits.pace()));
        InFlight {
            meter: Arc::clone(self),
            number,
        }
    }

    /// Notes that the client sent something. In HTTP/2 it may be anything, so there only the time
    /// between requests counts.
    pub(super) fn read(&self) {
        let mut state = self.state();
        if state.in_flight.is_empty() && !state.is_http2 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// Notes that something was written.
    pub(super) fn wrote(&self, bytes: usize) {
        let now = Instant::now();
        let mut state = self.state();
        state.written.moved(now, bytes as u64);
        if bytes > CONTROL_BYTES {
            state.quiet_since = now;
        }
    }

    /// Notes that something is to be written which the client does not take.
    pub(super) fn cannot_write(&self) {
        self.state().written.wait(Instant::now());
    }

    /// Notes that whatever has been written to the connection is not to be delivered any more.
    pub(super) fn break_off(&self) {
        self.state().is_broken_off = true;
    }

    pub(super) fn is_broken_off(&self) -> bool {
        self.state().is_broken_off
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl InFlight {
    /// Notes that a piece of the answer was handed over: until the next one is asked for, the
    /// client is waited for.
    pub(super) fn handed_over(&self) {
        let mut state = self.meter.state();
        if let Some(pace) = state.in_flight.get_mut(&self.number) {
            pace.wait(Instant::now());
        }
    }

    /// Notes that the next piece is asked for, after one of so many bytes.
    pub(super) fn asked_for(&self, bytes: u64) {
        let mut state = self.meter.state();
        if let Some(pace) = state.in_flight.get_mut(&self.number) {
            pace.moved(Instant::now(), bytes);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.meter.state();
        state.in_flight.remove(&self.number);
        state.quiet_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ConnectionLimits {
        ConnectionLimits {
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_mins(1),
            stall_time: Duration::from_secs(30),
            ..ConnectionLimits::default()
        }
    }

    fn in_seconds(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn a_new_connection_owes_a_request_within_the_time_for_headers() {
        let meter = Meter::new(limits());

        meter.read();

        assert!(meter.look(in_seconds(9)).is_ok());
        assert_eq!(meter.look(in_seconds(10)), Err(Overdue::Head));
    }

    #[test]
    fn a_request_that_is_being_answered_may_take_any_time() {
        let meter = Meter::new(limits());
        let request = meter.begin(Version::HTTP_11);

        request.asked_for(0);

        assert!(meter.look(in_seconds(100_000)).is_ok());
    }

    #[test]
    fn an_answer_that_is_not_taken_ends_the_connection() {
        let meter = Meter::new(limits());
        let request = meter.begin(Version::HTTP_2);

        request.handed_over();

        assert!(meter.look(in_seconds(29)).is_ok());
        assert_eq!(meter.look(in_seconds(30)), Err(Overdue::Unread));
        request.asked_for(100_000);
        assert!(meter.look(in_seconds(100)).is_ok());
    }

    #[test]
    fn a_connection_that_takes_nothing_ends_although_its_answer_is_handed_over() {
        let meter = Meter::new(limits());
        drop(meter.begin(Version::HTTP_11));

        meter.cannot_write();

        assert_eq!(meter.look(in_seconds(30)), Err(Overdue::Unread));
    }

    #[test]
    fn between_requests_there_is_time_until_the_next_one_begins() {
        let meter = Meter::new(limits());
        drop(meter.begin(Version::HTTP_11));

        let idle = [59, 60].map(|seconds| meter.look(in_seconds(seconds)));
        meter.read();
        let begun = [9, 10].map(|seconds| meter.look(in_seconds(seconds)));

        assert!(idle[0].is_ok() && begun[0].is_ok());
        assert_eq!(idle[1], Err(Overdue::Idle));
        assert_eq!(begun[1], Err(Overdue::Head));
    }

    #[test]
    fn pings_keep_no_connection_open() {
        let meter = Meter::new(limits());
        drop(meter.begin(Version::HTTP_2));

        meter.read();
        meter.wrote(17);

        assert!(meter.look(in_seconds(59)).is_ok());
        assert_eq!(meter.look(in_seconds(61)), Err(Overdue::Idle));
    }
}
