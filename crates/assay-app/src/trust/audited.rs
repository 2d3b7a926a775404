//! Changes of trust as the audit log records them.

use assay_store::{AuditAction, AuditSubject, AuditSubjectKind};
use assay_trust::{ControlLeaf, Scope};

/// The action and the subject of a leaf of the control log; none for a policy, which its file and
/// the log itself record.
pub(super) fn audited(leaf: &ControlLeaf) -> Option<(AuditAction, AuditSubject)> {
    let evidence = |name: &str| AuditSubject::new(AuditSubjectKind::Evidence, name);
    match leaf {
        ControlLeaf::Key {
            issuer,
            key,
            purpose,
            state,
        } => {
            let subject = AuditSubject::new(AuditSubjectKind::Key, &key.kid().to_string());
            let words = format!("{purpose} key of {issuer} is {state}");
            Some((AuditAction::KeyChanged, subject.with(words)))
        }
        ControlLeaf::Issuer(trust) => {
            let action = if trust.is_trusted {
                AuditAction::IssuerTrusted
            } else {
                AuditAction::IssuerDistrusted
            };
            Some((action, evidence(&trust.issuer)))
        }
        ControlLeaf::Policy { .. } => None,
        ControlLeaf::Revoke {
            scope,
            from_index,
            reason,
            actor,
        } => {
            let words = format!("by {actor}, from index {from_index}: {reason}");
            let subject = evidence(&scope_words(scope)).with(words);
            Some((AuditAction::EvidenceRevoked, subject))
        }
        ControlLeaf::Unrevoke {
            revocation,
            reason,
            actor,
        } => {
            let subject = evidence(&format!("leaf {revocation}"));
            let words = format!("by {actor}: {reason}");
            Some((AuditAction::EvidenceUnrevoked, subject.with(words)))
        }
    }
}

fn scope_words(scope: &Scope) -> String {
    match scope {
        Scope::Kid(kid) => format!("key {kid}"),
        Scope::Issuer(issuer) => format!("issuer {issuer}"),
        Scope::Integration(integration) => format!("integration {integration}"),
        Scope::Identity(identity) => format!("identity {identity}"),
        Scope::Jti(jti) => format!("token {jti}"),
        Scope::Framework { name, versions } => format!("framework {name} {versions}"),
        Scope::BenchmarkRevision(revision) => format!("benchmark revision {revision}"),
    }
}
