//! The current logs of a hub.

use assay_hub_api::client::Client;
use assay_tlog::{Bundle, LogPath, SignedCheckpoint, Tile, TreeHash};
use assay_trust::TrustState;
use assay_trust::proof::TrustNote;

use super::VerifyError;
use super::trust::{Control, Trusted, note};
use crate::commands::hub::connect;
use crate::config::Config;

/// The path of the trust note of a hub.
const NOTE: &str = "/.well-known/eval-trust";
/// The path of the files of the control log of a hub.
const CONTROL: &str = "/v1/log/control";
/// The most leaves of a control log that are followed: keys, policies and revocations of many
/// years.
const MAX_CONTROL: u64 = 1 << 16;

/// Asks a hub for its trust note, unless there is one, and for its control log.
pub(super) fn ask(
    address: &str,
    config: &Config,
    trusted: &mut Trusted,
) -> Result<(), VerifyError> {
    let client = connect(Some(address), config)?;
    if trusted.note.is_none() {
        let bytes = client.bytes(NOTE)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        trusted.note = Some(note(&text, client.origin().as_str())?);
    }
    if let Some(note) = &trusted.note {
        trusted.control = Some(fetch_control(&client, note)?);
    }
    Ok(())
}

/// The whole control log of a hub. Nothing that the hub says is believed but what hashes to a root
/// that the log's key signed.
fn fetch_control(client: &Client, note: &TrustNote) -> Result<Control, VerifyError> {
    let refuse = |why: String| {
        VerifyError::Trust(format!("the control log of `{}`: {why}", client.origin()))
    };
    let file = |path: LogPath| client.bytes(&format!("{CONTROL}/{path}"));
    let text = String::from_utf8_lossy(&file(LogPath::Checkpoint)?).into_owned();
    let checkpoint: SignedCheckpoint = text.parse().map_err(|error| refuse(format!("{error}")))?;
    let origin = &checkpoint.claimed().origin;
    if note.control.name() != origin {
        return Err(refuse(format!(
            "it is called `{origin}`, and the trust note that was given calls it `{}`: if the hub was renamed, fetch its \
             trust note again, over a way that you trust",
            note.control.name()
        )));
    }
    let signed = checkpoint
        .verify(&note.control)
        .map_err(|error| refuse(error.to_string()))?;
    if signed.size > MAX_CONTROL {
        return Err(refuse(format!("it has more than {MAX_CONTROL} leaves")));
    }
    let mut leaves: Vec<String> = Vec::new();
    let mut first = 0;
    while first < signed.size {
        let width = (signed.size - first).min(u64::from(Tile::WIDTH));
        let bundle = Bundle {
            index: first / u64::from(Tile::WIDTH),
            width: u16::try_from(width).unwrap_or(Tile::WIDTH),
        };
        let bytes = file(LogPath::Bundle(bundle))?;
        let read = bundle
            .read(&bytes)
            .map_err(|error| refuse(error.to_string()))?;
        for leaf in read {
            let leaf = std::str::from_utf8(leaf).map_err(|error| refuse(error.to_string()))?;
            leaves.push(leaf.to_owned());
        }
        first += width;
    }
    if TreeHash::of_leaves(&leaves) != signed.root {
        return Err(refuse(
            "its leaves are not those that its checkpoint is signed for".to_owned(),
        ));
    }
    let state = TrustState::replay(&leaves).map_err(|error| refuse(error.to_string()))?;
    Ok(Control {
        leaves,
        checkpoint,
        state,
    })
}
