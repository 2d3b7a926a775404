//! The hub of a build without the client: it cannot be asked.

use super::VerifyError;
use super::trust::Trusted;
use crate::config::Config;
use crate::left_out::LeftOut;

/// Refuses: this build has no client.
pub(super) fn ask(
    _address: &str,
    _config: &Config,
    _trusted: &mut Trusted,
) -> Result<(), VerifyError> {
    Err(LeftOut::HUB.into())
}
