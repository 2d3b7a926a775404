use std::time::{SystemTime, UNIX_EPOCH};

use assay_model::Timestamp;

/// The time that this machine says it is.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock of the command line"
)]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}
