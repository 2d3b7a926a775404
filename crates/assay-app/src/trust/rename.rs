//! The right name for a hub that began under a wrong one.

use super::vault::Vault;
use super::{Names, Origin, Role, Trust, Which, hold};
use crate::config::{HubConfig, TrustConfig};
use crate::error::Error;

/// The new name of a hub whose logs were renamed, and the name before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedLogs {
    /// The name that the logs had.
    pub from: String,
    /// The name that they have.
    pub to: String,
    /// The issuer of the tokens that were signed so far.
    pub former_issuer: String,
    /// The issuer from now on.
    pub issuer: String,
    /// Number of leaves that the results log has.
    pub results: u64,
    /// Number of leaves that the control log has.
    pub control: u64,
}

/// Gives the hub in a data directory another address: its logs get a new name, and tokens are
/// issued and addressed under the new one from now on. No server may run there.
///
/// Nothing that was signed is changed. The trees stay what they are, and their keys too; only new
/// checkpoints have the new name, and the trust note lists the former one. The former issuer stays
/// trusted for what it has signed.
pub fn rename_logs(config: &HubConfig, url: &str, dry_run: bool) -> Result<RenamedLogs, Error> {
    let directory = config.data.join("trust");
    if !directory.join("origin").exists() {
        let text = format!(
            "there are no logs in `{}` that have a name: set `public_url` and start the server",
            directory.display()
        );
        return Err(Error::Operator(text));
    }
    let kept = TrustConfig {
        names_as_kept: true,
        ..config.trust.clone()
    };
    let vault = Vault::open(&directory, &kept)?;
    let lock = vault.lock()?;
    let before = Names::find(&vault, &kept, Role::Visitor)?;
    let origin = Origin::find(&vault, &before.issuer)?;
    let (_, to) = url.split_once("://").unwrap_or(("", url));
    let mut renamed = RenamedLogs {
        from: origin.name.clone(),
        to: to.to_owned(),
        former_issuer: before.issuer,
        issuer: url.to_owned(),
        results: 0,
        control: 0,
    };
    // Both logs are opened as a server would open them: who has them keeps this command out.
    let held = hold_both(&directory, &origin, &vault)?;
    [renamed.results, renamed.control] = held.each_ref().map(|held| held.log.size());
    drop(held);
    if dry_run {
        return Ok(renamed);
    }
    if origin.name != to {
        vault.rename_origin(to)?;
        // The last checkpoints are signed under the new name before anyone is told of it.
        hold_both(&directory, &Origin::find(&vault, url)?, &vault)?;
    }
    drop(lock);
    let named = HubConfig {
        trust: TrustConfig {
            issuer: Some(url.to_owned()),
            audience: None,
            names_as_kept: false,
            ..config.trust.clone()
        },
        ..config.clone()
    };
    // The control log says who the hub is now.
    let trust = Trust::open(&named, Role::Keeper)?;
    renamed.control = trust.control().size();
    Ok(renamed)
}

fn hold_both(
    directory: &std::path::Path,
    origin: &Origin,
    vault: &Vault,
) -> Result<[super::OpenLog; 2], Error> {
    let mut held = Vec::new();
    for which in [Which::Results, Which::Control] {
        let log = hold(directory, which, origin, vault, Role::Keeper)?;
        if !log.writes {
            return Err(Error::Operator(
                "a server works in this data directory: stop it, rename, and start it with the new name"
                    .to_owned(),
            ));
        }
        held.push(log);
    }
    let both: Result<[super::OpenLog; 2], _> = held.try_into();
    both.map_err(|_| Error::internal("there are two logs"))
}
