//! The files of a log, over HTTP.

use std::time::Duration;

use assay_tlog::{LogPath, LogSource, SourceError};

use assay_hub_api::client::{Client, ClientError};

/// The times to wait before a request is repeated. An audit of millions of entries should not end
/// with one lost answer.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(5),
];

/// A log below an address.
pub(super) struct Remote {
    client: Client,
    prefix: String,
}

impl Remote {
    /// The log whose files lie below this address.
    pub(super) fn new(address: &str, prefix: &str) -> Result<Self, ClientError> {
        Ok(Self {
            client: Client::new(address, None)?,
            prefix: prefix.to_owned(),
        })
    }
}

impl LogSource for Remote {
    fn fetch(&mut self, path: &LogPath) -> Result<Option<Vec<u8>>, SourceError> {
        let address = format!("{}/{path}", self.prefix);
        let mut pauses = PAUSES.iter();
        loop {
            let error = match self.client.bytes(&address) {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(ClientError::Refused { status: 404, .. }) => return Ok(None),
                Err(error) => error,
            };
            match pauses.next().filter(|_| may_pass(&error)) {
                Some(pause) => std::thread::sleep(*pause),
                None => {
                    return Err(SourceError {
                        path: path.to_string(),
                        source: Box::new(error),
                    });
                }
            }
        }
    }
}

/// Returns whether it may go better the next time.
fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Transport { .. } | ClientError::Body { .. } => true,
        ClientError::Refused { status, .. } => matches!(status, 429 | 500..),
        ClientError::Address(_)
        | ClientError::TooLarge { .. }
        | ClientError::Shape { .. }
        | ClientError::Elsewhere { .. }
        | ClientError::Redirects { .. }
        | ClientError::File { .. } => false,
    }
}
