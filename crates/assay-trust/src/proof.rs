//! The proof of one row: a small file that a stranger can check on a machine without a network.
//!
//! It holds the result file with the way from it to a commit, the receipts of the results log, and
//! the whole control log. Nothing in it is believed by itself. The keys of the two logs come from a
//! trust note that the reader brings; without one, the proof only shows that everything in it
//! agrees with the keys that it names.

use assay_model::{ObjectId, RepoPath};
use assay_tlog::{Receipt, SignedCheckpoint};

use crate::{Digest, Json, RepoUid, Verdict};

mod error;
mod git;
mod note;
mod read;
mod verify;

pub use error::ProofError;
pub use git::GitProof;
pub use note::{TrustNote, TrustNoteError, log_name};

/// The largest that a proof may be, in bytes. A usual one has a tenth of it.
pub const MAX_PROOF: usize = 1 << 20;

const VERSION: i64 = 1;
const DOMAIN: &str = "assay-proof/v1";

/// Everything that a proof is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The keys of the logs, as the hub names them.
    pub note: TrustNote,
    /// The result file and the way from it to a commit.
    pub git: GitProof,
    /// That the token was issued; none for an issuer that keeps its own log.
    pub issue: Option<Receipt>,
    /// The decision when the token was first seen.
    pub decide: Receipt,
    /// The whole control log.
    pub control: Vec<String>,
    /// The checkpoint of the control log with all these leaves and no others.
    pub control_checkpoint: SignedCheckpoint,
}

/// The facts that a proof proves.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    /// The verdict on the row.
    pub verdict: Verdict,
    /// The digest of the entry.
    pub entry: Digest,
    /// The repository.
    pub repo: RepoUid,
    /// The commit that has the file.
    pub commit: ObjectId,
    /// The file.
    pub path: RepoPath,
    /// The index of the entry in the file, from 0.
    pub position: usize,
    /// The length of the results log.
    pub results_size: u64,
    /// The size of the control log: revocations after that are not known here.
    pub control_size: u64,
    /// The keys that were used.
    pub note: TrustNote,
    /// The source of the keys.
    pub anchor: Anchor,
}

/// A source of the keys of the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// From the reader.
    Given,
    /// From the proof itself: it is only shown to agree with the log keys that it names.
    Own,
}

impl Proof {
    /// The proof as one line of canonical JSON.
    pub fn to_json(&self) -> String {
        let mut json = self.body();
        let digest = Digest::in_domain(DOMAIN, json.to_jcs().as_bytes());
        json.set("sha256", Some(Json::shown(&digest)));
        json.to_jcs()
    }

    /// Everything but the digest of everything.
    fn body(&self) -> Json {
        let leaf = |leaf: &String| Json::read(leaf).unwrap_or(Json::Null);
        let control = Json::map([
            ("checkpoint", Json::shown(&self.control_checkpoint)),
            (
                "leaves",
                Json::List(self.control.iter().map(leaf).collect()),
            ),
        ]);
        let mut json = Json::map([
            ("v", Json::integer(VERSION)),
            ("trust", Json::shown(&self.note)),
            ("git", self.git.to_json()),
            ("decide", Json::shown(&self.decide)),
            ("control", control),
        ]);
        json.set("issue", self.issue.as_ref().map(Json::shown));
        json
    }
}
