//! The names under which a hub signs, and to which tokens are addressed.

use super::Role;
use super::vault::Vault;
use crate::config::TrustConfig;
use crate::error::Error;

/// The file with the names under which the last server here ran: the issuer, then the audience, a
/// line each.
const FILE: &str = "names";

/// The names under which the hub signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) issuer: String,
    pub(super) audience: String,
}

impl Names {
    /// The names of this process. A server goes by its configuration and keeps that; a command goes
    /// by what a server kept, because it may be started without the flags of the server and would
    /// then take the keys of the hub for those of somebody else.
    pub(super) fn find(vault: &Vault, config: &TrustConfig, role: Role) -> Result<Self, Error> {
        let given = Self::of(config);
        if config.names_as_kept {
            let kept = vault.kept(FILE)?;
            return Ok(kept.as_deref().and_then(Self::read).unwrap_or(given));
        }
        if role == Role::Keeper {
            vault.replace(FILE, &format!("{}\n{}\n", given.issuer, given.audience))?;
        }
        Ok(given)
    }

    fn of(config: &TrustConfig) -> Self {
        let issuer = config.issuer.as_deref();
        let issuer = issuer.unwrap_or(TrustConfig::DEFAULT_NAME).to_owned();
        let audience = config.audience.clone();
        Self {
            audience: audience.unwrap_or_else(|| issuer.clone()),
            issuer,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.trim().to_owned());
        Some(Self {
            issuer: lines.next().filter(|line| !line.is_empty())?,
            audience: lines.next().filter(|line| !line.is_empty())?,
        })
    }
}
