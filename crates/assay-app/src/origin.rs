use std::net::IpAddr;
use std::sync::Arc;

/// The place that a request came from, as the audit log records it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The address of the client: that of the connection, or the one that a trusted proxy names.
    pub address: Option<IpAddr>,
    /// The id of the request, as in the answer and the request log.
    pub request_id: Option<Arc<str>>,
}
