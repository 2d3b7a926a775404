//! The evidence of an entry, as the index keeps it: enough to compute its standing again without
//! opening git.

use std::collections::HashSet;

use assay_formats::Value;
use assay_store::Evidence;
use assay_trust::{Canonical, Reason, Unverified, UnverifiedToken};

/// Returns the evidence of an entry of a file that has a token.
pub(crate) fn evidence_of(written: Value<'_>, token: &str) -> Evidence {
    let form = match Canonical::of(written) {
        Ok(canonical) => canonical.as_json().to_owned(),
        Err(unverified) => format!("{}\n{}", unverified.reason.code(), unverified.detail),
    };
    let claims = UnverifiedToken::read(token).and_then(|token| token.unverified_claims());
    Evidence {
        jti: claims.ok().map(|claims| claims.jti.to_string()),
        form,
        repeated: false,
    }
}

/// Marks each entry of a file that says again what one before it has said: the same token for the
/// same content. It does what [`Canonical::repeats`] does.
pub(crate) fn mark_repeats<'e>(entries: impl Iterator<Item = (&'e str, &'e mut Evidence)>) {
    let mut seen = HashSet::new();
    for (token, evidence) in entries {
        if is_canonical(evidence) {
            evidence.repeated = !seen.insert((token, evidence.form.clone()));
        }
    }
}

fn is_canonical(evidence: &Evidence) -> bool {
    evidence.form.starts_with('{')
}

/// The canonical form of an entry as the index keeps it, or why it has none.
pub(super) fn form(evidence: &Evidence, token: Option<&str>) -> Result<Canonical, Unverified> {
    if is_canonical(evidence) {
        return Canonical::restore(&evidence.form, token)
            .ok_or_else(|| unreadable("the index has a form that is not canonical"));
    }
    let (code, detail) = evidence.form.split_once('\n').unwrap_or_default();
    Err(match Reason::from_code(code) {
        Some(reason) => Unverified::new(reason, detail),
        None => unreadable("the index has a reason that is not known"),
    })
}

/// The index is not as this program writes it; it can be made again.
fn unreadable(detail: &str) -> Unverified {
    Unverified::new(Reason::NotAdmitted, detail)
}
