//! The proof of a row, checked on its own.

use std::fmt::Write as _;

use assay_cli::Exit;
use assay_model::Timestamp;
use assay_render::visible;
use assay_trust::proof::{Anchor, Proof, ProofError, Proven};
use assay_trust::{Attestation, Unverified, Verdict};
use serde_json::{Value as Json, json};

use super::args::VerifyArgs;
use super::trust::Trusted;
use super::{
    Report, VERSION, VerifyError, claims_document, claims_in_words, reason_document,
    reason_in_words,
};
use crate::clock;

/// Checks a proof with what is trusted; with the control log of a hub, as of now.
pub(super) fn verify(
    args: &VerifyArgs,
    text: &str,
    trusted: &Trusted,
) -> Result<Report, VerifyError> {
    let at_least = args.witnesses.at_least()?;
    let proof: Proof = match text.parse() {
        Ok(proof) => proof,
        Err(error) => return broken(&error),
    };
    // What is in the proof has to hold before anything newer is put in its place.
    let own = match proof.verify(trusted.note.as_ref()) {
        Ok(own) => own,
        Err(error) => return broken(&error),
    };
    let mut doubts = Vec::new();
    let proven = match &trusted.control {
        None => own,
        Some(control) => {
            if !control.leaves.starts_with(&proof.control) {
                return Err(VerifyError::Trust(
                    "the hub's control log does not go on from the one in the proof: one of them was forked or cut".to_owned(),
                ));
            }
            let newer = Proof {
                control: control.leaves.clone(),
                control_checkpoint: control.checkpoint.clone(),
                ..proof.clone()
            };
            match newer.verify(trusted.note.as_ref()) {
                Ok(newer) => newer,
                Err(error) => return broken(&error),
            }
        }
    };
    if proven.anchor == Anchor::Own {
        doubts.push(
            "the keys of the logs come from the proof itself, so anyone could have made it: give the trust note of the \
             hub with `--trust`, or the hub with `--hub`"
                .to_owned(),
        );
    }
    doubts.extend(quorum_doubts(args, at_least, &proof, trusted));
    doubts.extend(age_doubt(args, at_least.max(1), &proof, trusted));
    Ok(report(&proven, doubts))
}

/// Returns the logs of the proof that may be histories that others are not shown: too few witnesses
/// have signed them.
fn quorum_doubts(
    args: &VerifyArgs,
    at_least: usize,
    proof: &Proof,
    trusted: &Trusted,
) -> Vec<String> {
    let control = trusted.control.as_ref().map(|own| &own.checkpoint);
    let control = control.unwrap_or(&proof.control_checkpoint);
    let receipts = proof.issue.iter().chain([&proof.decide]);
    let results = receipts.map(|receipt| args.witnesses.count(receipt.checkpoint()));
    let counts = [
        ("results", results.min().unwrap_or(0)),
        ("control", args.witnesses.count(control)),
    ];
    let few = counts.into_iter().filter(|(_, count)| *count < at_least);
    few.map(|(log, count)| {
        format!(
            "the {log} log may be a history that others are not shown: {count} of the witnesses that were given have signed \
             its checkpoint, and {at_least} are asked for"
        )
    })
    .collect()
}

/// Returns the reason why the known revocations may be too old.
fn age_doubt(
    args: &VerifyArgs,
    at_least: usize,
    proof: &Proof,
    trusted: &Trusted,
) -> Option<String> {
    let age = args.max_trust_age?;
    if trusted.control.is_some() {
        return None;
    }
    let signed = &proof.control_checkpoint;
    let newest = args.witnesses.signed_since(signed, at_least);
    let newest = newest.and_then(|seconds| i64::try_from(seconds).ok());
    let Some(newest) = newest else {
        return Some(
            "how old the control log of the proof is cannot be told: too few of the witnesses that were given (`--witness`) \
             have signed it, and no hub was asked (`--hub`)"
                .to_owned(),
        );
    };
    let is_old = clock::now().seconds() - newest > age.seconds;
    is_old.then(|| {
        let when = Timestamp::from_seconds(newest);
        format!("what is known of revocations is of {when}, which is older than `--max-trust-age` allows")
    })
}

/// A proof that is none, or that does not hold.
fn broken(error: &ProofError) -> Result<Report, VerifyError> {
    let is_no_proof = matches!(
        error,
        ProofError::TooLarge | ProofError::Json(_) | ProofError::Shape(_) | ProofError::Note(_)
    );
    if is_no_proof {
        return Err(VerifyError::Trust(error.to_string()));
    }
    Ok(Report {
        text: format!("the proof does not hold: {}\n", visible(&error.to_string())),
        json: json!({
            "version": VERSION, "kind": "proof", "state": "broken", "detail": error.to_string(),
        }),
        exit: Exit::Errors,
        doubts: Vec::new(),
    })
}

fn report(proven: &Proven, doubts: Vec<String>) -> Report {
    let (word, why): (&str, Option<&Unverified>) = match (&proven.verdict, proven.anchor) {
        (Verdict::Verified(_), Anchor::Given) => ("verified", None),
        // Anyone can make a proof that agrees with itself.
        (Verdict::Verified(_), Anchor::Own) => ("consistent", None),
        (Verdict::Unverified(unverified), _) => ("unverified", Some(unverified)),
        (Verdict::Revoked(unverified), _) => ("revoked", Some(unverified)),
    };
    let attestation = match &proven.verdict {
        Verdict::Verified(attestation) => Some(&**attestation),
        Verdict::Unverified(_) | Verdict::Revoked(_) => None,
    };
    let mut text = match (why, proven.anchor) {
        (None, Anchor::Own) => {
            "consistent, but not verified: nothing says that these are the keys of a hub\n"
                .to_owned()
        }
        (Some(_), _) | (None, Anchor::Given) => format!("{word}\n"),
    };
    if let Some(unverified) = why {
        let _ = writeln!(text, "  {}", reason_in_words(unverified));
    }
    if let Some(attestation) = attestation {
        text.push_str(&claims_in_words(&attestation.claims));
    }
    for (key, value) in places(proven, attestation) {
        let _ = writeln!(text, "  {key:<12} {}", visible(&value));
    }
    Report {
        text,
        json: document(proven, word, attestation, why),
        exit: match (why, doubts.is_empty()) {
            (Some(_), _) => Exit::Errors,
            (None, false) => Exit::Warnings,
            (None, true) => Exit::Clean,
        },
        doubts,
    }
}

fn places(proven: &Proven, attestation: Option<&Attestation>) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(attestation) = attestation {
        lines.push(("signed with", format!("key {}", attestation.kid)));
        lines.push((
            "first seen",
            format!("{} by {}", attestation.received_at, proven.note.hub),
        ));
        let issued = match attestation.issue_index {
            Some(index) => format!("issued at {index}, "),
            None => String::new(),
        };
        lines.push((
            "in the log",
            format!("{issued}admitted at {}", attestation.decide_index),
        ));
    }
    lines.extend([
        (
            "file",
            format!("{}, entry {}", proven.path, proven.position + 1),
        ),
        ("commit", proven.commit.to_string()),
        (
            "as of",
            format!(
                "{} leaves of the results log and {} of the control log",
                proven.results_size, proven.control_size
            ),
        ),
    ]);
    lines
}

fn document(
    proven: &Proven,
    word: &str,
    attestation: Option<&Attestation>,
    why: Option<&Unverified>,
) -> Json {
    json!({
        "version": VERSION,
        "kind": "proof",
        "state": word,
        "why": why.map(reason_document),
        "claims": attestation.map(|own| claims_document(&own.claims)),
        "kid": attestation.map(|own| own.kid.to_string()),
        "first_seen": attestation.map(|own| own.received_at.to_string()),
        "issue_index": attestation.and_then(|own| own.issue_index),
        "decide_index": attestation.map(|own| own.decide_index),
        "entry": proven.entry.to_string(),
        "path": proven.path.to_string(),
        "position": proven.position + 1,
        "commit": proven.commit.to_string(),
        "hub": proven.note.hub,
        "as_of": { "results": proven.results_size, "control": proven.control_size },
        "anchor": match proven.anchor {
            Anchor::Given => "given",
            Anchor::Own => "own",
        },
    })
}
