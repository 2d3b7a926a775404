use std::str::FromStr;

use assay_tlog::{Receipt, ReceiptError};

use super::{DOMAIN, GitProof, MAX_PROOF, Proof, ProofError, VERSION};
use crate::exact::Exact;
use crate::members::Members;
use crate::{Digest, Malformed};

impl FromStr for Proof {
    type Err = ProofError;

    /// Reads a proof in its one spelling. What it says is for [`Proof::verify`].
    fn from_str(text: &str) -> Result<Self, ProofError> {
        if text.len() > MAX_PROOF {
            return Err(ProofError::TooLarge);
        }
        let exact = Exact::read(text).map_err(ProofError::Json)?;
        let mut members = Members::of(exact.root())?;
        let digest: Digest = members.parsed("sha256")?;
        let proof = take(members)?;
        // Signatures bind what decides; the digest also covers what a reader passes over, such as a
        // witness that nobody knows. So a byte that was changed on the way is always noticed.
        if Digest::in_domain(DOMAIN, proof.body().to_jcs().as_bytes()) == digest {
            Ok(proof)
        } else {
            Err(ProofError::Changed)
        }
    }
}

fn take(mut members: Members<'_>) -> Result<Proof, ProofError> {
    members.version("v", VERSION)?;
    let issue = members.optional_text("issue")?;
    let mut control = members.members("control")?;
    let checkpoint = control.text("checkpoint")?;
    let proof = Proof {
        note: members.text("trust")?.parse()?,
        git: GitProof::take(members.members("git")?)?,
        issue: issue.map(|text| receipt("issuance", &text)).transpose()?,
        decide: receipt("decision", &members.text("decide")?)?,
        // The whole is canonical, so the text of a leaf in it is the leaf.
        control: control
            .list("leaves")?
            .map(|leaf| leaf.raw().to_owned())
            .collect(),
        control_checkpoint: checkpoint.parse().map_err(ProofError::Checkpoint)?,
    };
    control.finish()?;
    members.finish()?;
    Ok(proof)
}

/// A receipt in its one spelling.
fn receipt(which: &'static str, text: &str) -> Result<Receipt, ProofError> {
    let fault = |source| ProofError::Receipt { which, source };
    let receipt: Receipt = text.parse().map_err(fault)?;
    if receipt.to_string() == text {
        Ok(receipt)
    } else {
        Err(fault(ReceiptError::Form))
    }
}

impl From<Malformed> for ProofError {
    fn from(fault: Malformed) -> Self {
        Self::Shape(fault)
    }
}
