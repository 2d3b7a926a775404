//! The trust of the reader: a note from a file, or the current answer of a hub.

use std::path::Path;

use assay_tlog::SignedCheckpoint;
use assay_trust::proof::TrustNote;
use assay_trust::{Json, PublicKey, TrustState};
use serde_json::Value;

use super::VerifyError;
use super::args::VerifyArgs;
use super::hub;
use crate::config::Config;

/// The facts beside the thing that is verified.
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
        if let Some(address) = &args.hub {
            hub::ask(address, config, &mut trusted)?;
        }
        Ok(trusted)
    }
}

pub(super) fn note(text: &str, shown: &str) -> Result<TrustNote, VerifyError> {
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
