//! `assay log audit`: a log checked from outside.

use std::path::Path;

use assay_cli::{Exit, Printer};
use assay_tlog::{AuditFault, AuditOptions, Depth, Quorum, audit};

use super::address::{Target, TargetError, targets};
use super::args::AuditArgs;
use super::saved::{Saved, SavedError, SavedLog};
use super::show::{Outcome, json, text};
use crate::args::ShowFormat;
use crate::clock;
use crate::config::Config;
use crate::progress::Progress;
use crate::witnesses::QuorumError;

/// The reason why nothing was audited, or the outcome could not be kept.
#[derive(Debug, thiserror::Error)]
enum AuditError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Saved(#[from] SavedError),
    #[error(transparent)]
    Quorum(#[from] QuorumError),
}

/// Audits the logs that are named, and says what is wrong with them.
pub(super) fn run(action: &AuditArgs, config: &Config, printer: &mut Printer) -> Exit {
    match audit_all(action, config) {
        Ok(outcomes) => {
            match action.format {
                ShowFormat::Text => printer.data(&text(&outcomes)),
                ShowFormat::Json => printer.json(&json(&outcomes)),
            }
            exit_of(&outcomes)
        }
        Err(error) => {
            printer.error(&error.to_string());
            Exit::Failed
        }
    }
}

fn audit_all(action: &AuditArgs, config: &Config) -> Result<Vec<Outcome>, AuditError> {
    let quorum = quorum(action)?;
    let since = earlier(action)?;
    let targets = targets(action, since.as_ref())?;
    let outcomes: Vec<Outcome> = targets
        .into_iter()
        .map(|target| audit_one(target, action, quorum, config))
        .collect();
    if let Some(path) = &action.save {
        keep(path, since, &outcomes)?;
    }
    Ok(outcomes)
}

/// Returns the file of the earlier audit; none at the first one.
fn earlier(action: &AuditArgs) -> Result<Option<Saved>, SavedError> {
    let Some(path) = &action.since else {
        return Ok(None);
    };
    if action.save.as_ref() == Some(path) {
        Saved::load_if_there(path)
    } else {
        Saved::load(path).map(Some)
    }
}

/// Returns the witnesses that must have signed, and the greatest age; none when none is given.
fn quorum(action: &AuditArgs) -> Result<Option<Quorum<'_>>, QuorumError> {
    let at_least = action.witnesses.at_least()?;
    let oldest = clock::now().seconds() - action.witness_age.seconds;
    let quorum = Quorum {
        keys: &action.witnesses.witness,
        at_least,
        not_before: u64::try_from(oldest).unwrap_or(0),
    };
    Ok((at_least > 0).then_some(quorum))
}

fn audit_one(
    mut target: Target,
    action: &AuditArgs,
    quorum: Option<Quorum<'_>>,
    config: &Config,
) -> Outcome {
    let shown = config.shows_progress(action.no_progress);
    let progress = Progress::counting(shown, 0, "entries");
    let tell = |done, total| progress.at(done, total);
    let options = AuditOptions {
        since: target.since.as_ref(),
        former: target.former.as_slice(),
        depth: if action.quick {
            Depth::Tiles
        } else {
            Depth::Entries
        },
        progress: Some(&tell),
        quorum,
    };
    let found = audit(target.source.as_mut(), &target.key, &options);
    Outcome {
        name: target.name,
        address: target.address,
        key: target.key,
        key_from: target.key_from,
        former: target.former,
        found,
    }
}

/// Keeps the checkpoints of logs that passed. Those of the others stay what they were.
fn keep(path: &Path, since: Option<Saved>, outcomes: &[Outcome]) -> Result<(), SavedError> {
    let mut saved = match Saved::load_if_there(path)? {
        Some(saved) => saved,
        None => since.unwrap_or_default(),
    };
    for outcome in outcomes {
        if let Ok(audited) = &outcome.found {
            saved.put(SavedLog {
                address: outcome.address.clone(),
                key: outcome.key.clone(),
                checkpoint: audited.checkpoint.clone(),
            });
        }
    }
    saved.store(path)
}

/// A lie outweighs a log that could not be reached.
fn exit_of(outcomes: &[Outcome]) -> Exit {
    let faults = || outcomes.iter().filter_map(|own| own.found.as_ref().err());
    if faults().any(AuditFault::is_about_the_log) {
        Exit::Errors
    } else if faults().next().is_some() {
        Exit::Failed
    } else {
        Exit::Clean
    }
}
