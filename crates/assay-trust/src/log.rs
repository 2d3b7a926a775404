//! The transparency log: append-only, provable, and checked from outside by anyone.
//!
//! Hashing is that of RFC 6962, files are those of C2SP tlog-tiles, checkpoints are C2SP signed notes, and a receipt is a
//! C2SP `tlog-proof@v1`. [`Log`] is the one that writes; [`audit()`] believes nothing but what it has hashed itself.

mod audit;
mod checkpoint;
mod cosigner;
mod disk;
mod durable;
mod error;
mod frontier;
mod growth;
mod hash;
mod key;
mod leaves;
mod mirror;
mod note;
mod open;
mod pending;
mod proof;
mod queue;
mod receipt;
mod recover;
mod shared;
mod slots;
mod source;
mod tile;
mod tree;
mod witness;
mod writer;

pub use audit::{AuditFault, AuditOptions, Audited, Depth, Quorum, Seen, audit};
pub use checkpoint::{Checkpoint, CheckpointError, SignedCheckpoint};
pub use cosigner::Cosigner;
pub use durable::{Log, LogOptions};
pub use error::LogError;
pub use hash::TreeHash;
pub use key::{KeyError, NoteKey, VerifierKey, WitnessKey};
pub use leaves::Leaves;
pub use note::{Note, NoteError, NoteSignature};
pub use pending::Pending;
pub use proof::{ConsistencyProof, InclusionProof, ProofError};
pub use receipt::{Receipt, ReceiptError};
pub use source::{Directory, LogSource, SourceError};
pub use tile::{Bundle, LogPath, Tile, TileError};
pub use witness::{AddCheckpoint, Refusal, Witness, WitnessError};
