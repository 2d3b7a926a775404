use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use assay_store::NewIssuerEvent;
use assay_trust::ControlLeaf;
use assay_trust::issuer::Policy;

use super::Issuer;
use crate::access::Caller;
use crate::error::Error;

/// A policy as it was loaded.
pub(super) struct Loaded {
    /// The policy in force.
    pub(super) policy: Arc<Policy>,
    /// The text of the file that it was loaded from.
    text: Arc<str>,
    /// The file as it was when it was last looked at.
    stamp: Option<Stamp>,
    /// The fault of the current file, when the policy in force is an older one.
    pub(super) fault: Option<String>,
}

/// The policy, for whoever operates the issuer.
#[derive(Debug, Clone)]
pub struct PolicyView {
    /// The file that it is read from; without one nobody is given a token.
    pub file: Option<PathBuf>,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// The text of the file when it was loaded.
    pub text: Arc<str>,
    /// The fault of the current file, when the policy in force is an older one.
    pub fault: Option<String>,
}

/// A stamp that shows that a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

/// The outcome of a look at the policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyReport {
    /// It is as it was.
    Unchanged,
    /// A new one is in force.
    Loaded,
    /// It cannot be used, and why; the one before stays in force.
    Refused(String),
}

impl Loaded {
    /// The policy at a start.
    pub(super) fn first(file: Option<&Path>) -> Self {
        let nothing = |fault| Self {
            policy: Arc::new(Policy::nothing()),
            text: Arc::from(""),
            stamp: None,
            fault,
        };
        let Some(file) = file else {
            return nothing(None);
        };
        let stamp = stamp(file);
        match read(file) {
            Ok((policy, text)) => Self {
                policy: Arc::new(policy),
                text,
                stamp,
                fault: None,
            },
            Err(fault) => {
                tracing::error!("nobody is given a token: {fault}");
                Self {
                    stamp,
                    ..nothing(Some(fault))
                }
            }
        }
    }
}

impl Issuer {
    pub(super) fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.policy.read())
    }

    /// The policy as the operator sees it.
    pub fn policy_view(&self, caller: &Caller) -> Result<PolicyView, Error> {
        caller.check_operator()?;
        let loaded = self.loaded();
        Ok(PolicyView {
            file: self.policy_file.clone(),
            policy: Arc::clone(&loaded.policy),
            text: Arc::clone(&loaded.text),
            fault: loaded.fault.clone(),
        })
    }

    /// Returns the fault of the current policy file.
    pub fn policy_fault(&self) -> Option<String> {
        self.loaded().fault.clone()
    }

    /// Reads the policy file again when it has changed.
    pub async fn reload_if_changed(&self) -> PolicyReport {
        let Some(file) = &self.policy_file else {
            return PolicyReport::Unchanged;
        };
        if stamp(file) == self.loaded().stamp {
            return PolicyReport::Unchanged;
        }
        self.reload().await
    }

    /// Reads the policy file again. One that cannot be used changes nothing but what is told of it.
    pub async fn reload(&self) -> PolicyReport {
        let Some(file) = &self.policy_file else {
            return PolicyReport::Unchanged;
        };
        let stamp = stamp(file);
        let before = self.loaded();
        let read = read(file);
        let same = || (Arc::clone(&before.policy), Arc::clone(&before.text));
        let ((loaded, text), report) = match read {
            Ok((policy, _)) if policy.digest() == before.policy.digest() => {
                (same(), PolicyReport::Unchanged)
            }
            Ok((policy, text)) => ((Arc::new(policy), text), PolicyReport::Loaded),
            Err(fault) => (same(), PolicyReport::Refused(fault)),
        };
        let fault = match &report {
            PolicyReport::Refused(fault) => Some(fault.clone()),
            PolicyReport::Loaded | PolicyReport::Unchanged => None,
        };
        let next = Loaded {
            policy: loaded,
            text,
            stamp,
            fault,
        };
        *self.policy.write() = Arc::new(next);
        self.tell_policy(&report).await;
        report
    }

    async fn tell_policy(&self, report: &PolicyReport) {
        let (outcome, detail) = match report {
            PolicyReport::Unchanged => return,
            PolicyReport::Loaded => {
                let digest = self.policy().digest().to_string();
                tracing::info!(digest, "the policy of the issuer was loaded");
                ("done", digest)
            }
            PolicyReport::Refused(fault) => {
                tracing::error!("the policy of the issuer stays as it was: {fault}");
                ("refused", fault.clone())
            }
        };
        self.note(NewIssuerEvent {
            action: "policy".to_owned(),
            outcome: outcome.to_owned(),
            detail: Some(detail),
            ..NewIssuerEvent::default()
        })
        .await;
    }

    /// Says in the control log which policy is in force, unless it is the one that the log says
    /// last. Every token names its policy, so this comes before the first of them.
    pub(super) async fn publish_policy(&self, policy: &Policy) -> Result<(), Error> {
        let sha256 = policy.digest();
        if self.hub.trust.state().policies().last() == Some(&sha256) {
            return Ok(());
        }
        self.hub
            .evidence()
            .log_control(&self.hub.shell(), &ControlLeaf::Policy { sha256 })
            .await?;
        Ok(())
    }
}

/// Returns whether a policy file can be used; every fault with its place when not.
pub fn check_policy(file: &Path) -> Result<Policy, String> {
    read(file).map(|(policy, _)| policy)
}

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = fs_err::metadata(file).ok()?;
    Some(Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
    })
}

fn read(file: &Path) -> Result<(Policy, Arc<str>), String> {
    let text = fs_err::read_to_string(file).map_err(|error| error.to_string())?;
    let policy = Policy::read(&text).map_err(|faults| {
        let told: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}:{fault}", file.display()))
            .collect();
        told.join("; ")
    })?;
    Ok((policy, Arc::from(text)))
}
