//! What the reader trusts: a note from a file, or what a hub says now.

use std::path::Path;

use assay_hub_api::client::Client;
use assay_trust::log::{Bundle, LogPath, SignedCheckpoint, Tile, TreeHash};
use assay_trust::proof::TrustNote;
use assay_trust::{Json, PublicKey, TrustState};
use serde_json::Value;

use super::VerifyError;
use super::args::VerifyArgs;
use crate::commands::hub::connect;
use crate::config::Config;

/// Where a hub has its trust note.
const NOTE: &str = "/.well-known/eval-trust";
/// Where a hub has the files of its control log.
const CONTROL: &str = "/v1/log/control";
/// The most leaves of a control log that are followed: keys, policies and revocations of many years.
const MAX_CONTROL: u64 = 1 << 16;

/// What is known beside the thing that is verified.
#[derive(Default)]
pub(super) struct Trusted {
    /// The keys of the hub's logs.
    pub(super) note: Option<TrustNote>,
    /// The control log as the hub has it now.
    pub(super) control: Option<Control>,
    /// Keys of an issuer.
    pub(super) keys: Vec<PublicKey>,
}

/// A whole control log.
pub(super) struct Control {
    pub(super) leaves: Vec<String>,
    pub(super) checkpoint: SignedCheckpoint,
    pub(super) state: TrustState,
}

impl Trusted {
    /// Reads the files that were named and asks the hub that was.
    pub(super) fn gather(args: &VerifyArgs, config: &Config) -> Result<Self, VerifyError> {
        let mut trusted = Self::default();
        if let Some(path) = &args.trust {
            trusted.note = Some(note(&read(path)?, &path.display().to_string())?);
        }
        if let Some(path) = &args.keys {
            trusted.keys = keys(&read(path)?, path)?;
        }
        if args.hub.is_some() {
            let client = connect(args.hub.as_deref(), config)?;
            if trusted.note.is_none() {
                let bytes = client.bytes(NOTE)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                trusted.note = Some(note(&text, client.origin().as_str())?);
            }
            if let Some(note) = &trusted.note {
                trusted.control = Some(fetch_control(&client, note)?);
            }
        }
        Ok(trusted)
    }
}

fn note(text: &str, shown: &str) -> Result<TrustNote, VerifyError> {
    text.parse().map_err(|error| {
        VerifyError::Trust(format!(
            "the trust note of `{shown}` cannot be read: {error}"
        ))
    })
}

fn read(path: &Path) -> Result<String, VerifyError> {
    fs_err::read_to_string(path).map_err(|error| VerifyError::Trust(error.to_string()))
}

/// The Ed25519 keys of a JWK set; keys of other kinds sign something else.
fn keys(text: &str, path: &Path) -> Result<Vec<PublicKey>, VerifyError> {
    let refuse =
        |why: &str| VerifyError::Trust(format!("`{}` is no JWK set: {why}", path.display()));
    let set: Value = serde_json::from_str(text).map_err(|error| refuse(&error.to_string()))?;
    let list = set["keys"]
        .as_array()
        .ok_or_else(|| refuse("it has no `keys`"))?;
    let mut keys = Vec::new();
    for key in list.iter().filter(|key| key["crv"] == "Ed25519") {
        let member = |name: &str| Json::Text(key[name].as_str().unwrap_or_default().to_owned());
        let jwk = Json::map([
            ("crv", member("crv")),
            ("kty", member("kty")),
            ("x", member("x")),
        ]);
        keys.push(PublicKey::from_jwk(jwk).map_err(|error| refuse(&error.to_string()))?);
    }
    Ok(keys)
}

/// The whole control log of a hub. Nothing that the hub says is believed but what hashes to a root that the log's key signed.
fn fetch_control(client: &Client, note: &TrustNote) -> Result<Control, VerifyError> {
    let refuse = |why: String| {
        VerifyError::Trust(format!("the control log of `{}`: {why}", client.origin()))
    };
    let file = |path: LogPath| client.bytes(&format!("{CONTROL}/{path}"));
    let text = String::from_utf8_lossy(&file(LogPath::Checkpoint)?).into_owned();
    let checkpoint: SignedCheckpoint = text.parse().map_err(|error| refuse(format!("{error}")))?;
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
