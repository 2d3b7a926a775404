use std::time::Duration;

use super::pace::PaceRule;

/// The connections that one client may take of the server, and the time that it may keep the server
/// waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Connections at once.
    pub total: usize,
    /// Connections at once from one address; 0 is no limit.
    pub per_address: usize,
    /// Time from the first byte of a request, or from the beginning of the connection, to the end
    /// of its headers. The TLS handshake is part of it.
    pub header_time: Duration,
    /// Time that a connection may stay open between two requests.
    pub idle_time: Duration,
    /// Time that the client may be waited for while it moves too little.
    pub stall_time: Duration,
    /// Bytes a second that count as too little, in either direction.
    pub least_rate: u64,
}

impl ConnectionLimits {
    /// The pace that a body must keep.
    pub(super) fn pace(&self) -> PaceRule {
        let millis = u64::try_from(self.stall_time.as_millis()).unwrap_or(u64::MAX);
        PaceRule {
            window: self.stall_time,
            bytes: (self.least_rate.saturating_mul(millis) / 1000).max(1),
        }
    }
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            total: 4096,
            per_address: 256,
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_mins(1),
            stall_time: Duration::from_mins(1),
            least_rate: 1024,
        }
    }
}
