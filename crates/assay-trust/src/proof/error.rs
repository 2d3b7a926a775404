use assay_tlog::{CheckpointError, ReceiptError};

use super::note::TrustNoteError;
use crate::{ControlError, JsonError, LeafError, Malformed, Unverified};

/// The reason why a proof proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// It is too large.
    #[error("a proof has at most {} bytes", super::MAX_PROOF)]
    TooLarge,
    /// It is not JSON in its canonical spelling.
    #[error("this is not a proof: {0}")]
    Json(#[source] JsonError),
    /// It does not have the shape of a proof.
    #[error("this is not a proof: {0}")]
    Shape(#[source] Malformed),
    /// It was changed since it was made.
    #[error("the digest of the proof does not fit: it was changed or cut")]
    Changed,
    /// The trust note in it cannot be read.
    #[error("the trust note in the proof cannot be read: {0}")]
    Note(#[from] TrustNoteError),
    /// The reader trusts other logs.
    #[error("the proof is about `{found}`, and the trust note that was given is about `{given}`")]
    OtherHub {
        /// The hub that the proof names.
        found: String,
        /// The hub that the reader trusts.
        given: String,
    },
    /// The hub was renamed after the reader's trust note was fetched.
    #[error(
        "the proof is about `{found}`, which says that its logs were those of `{given}` before: fetch its trust note again, \
         over a way that you trust"
    )]
    Renamed {
        /// The hub that the proof names.
        found: String,
        /// The hub that the reader trusts, as it was called.
        given: String,
    },
    /// The way from the file to the commit is broken.
    #[error("the file is not in the commit: {0}")]
    Git(&'static str),
    /// A receipt does not hold.
    #[error("the receipt of the {which} does not hold: {source}")]
    Receipt {
        /// The name of the log.
        which: &'static str,
        /// The fault of the receipt.
        #[source]
        source: ReceiptError,
    },
    /// A receipt is about something that is no leaf.
    #[error("the receipt of the {which} is about something else: {source}")]
    Leaf {
        /// The name of the log.
        which: &'static str,
        /// The fault of the leaf.
        #[source]
        source: LeafError,
    },
    /// A receipt is about another kind of leaf.
    #[error("the receipt of the {0} is about something else")]
    WrongLeaf(&'static str),
    /// The checkpoint of the control log does not hold.
    #[error("the checkpoint of the control log does not hold: {0}")]
    Checkpoint(#[source] CheckpointError),
    /// The control log in the proof is not the one that was signed.
    #[error("the control log in the proof is not the one that its checkpoint is about")]
    ControlRoot,
    /// The control log cannot be followed.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// No entry of the file is the one that was decided on.
    #[error("the file has no entry with the token that the receipt is about")]
    NoEntry,
    /// The token of the entry cannot be read.
    #[error("the token of the entry cannot be read: {0}")]
    Token(#[source] Unverified),
}
