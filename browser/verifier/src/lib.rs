//! The verifier of proofs for browsers: `assay-trust` as WebAssembly, with an interface of four
//! functions.
//!
//! The page asks for room with [`room_for`], writes the proof and the trust note into it, and calls
//! [`verify`]. The answer is JSON in UTF-8 at [`answer`]. A page calls them one after the other on
//! one thread.

use std::cell::RefCell;

use assay_trust::Verdict;
use assay_trust::proof::{Anchor, Proof, Proven, TrustNote};
use serde_json::{Value, json};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for so many bytes of input and returns its address.
#[expect(unsafe_code, reason = "the page finds the function by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn room_for(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; bytes];
        input.as_mut_ptr()
    })
}

/// Verifies the proof in the first bytes of the input, by the trust note in the rest; without one,
/// by the keys that the proof names itself. Returns the length of the answer.
#[expect(unsafe_code, reason = "the page finds the function by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn verify(proof_bytes: usize) -> usize {
    let said = INPUT.with_borrow(|input| {
        let (proof, note) = input.split_at(proof_bytes.min(input.len()));
        judge(proof, note).to_string()
    });
    let length = said.len();
    ANSWER.set(said);
    length
}

/// Returns the address of the last answer.
#[expect(unsafe_code, reason = "the page finds the function by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Returns what is to be thought of a proof, as JSON.
pub fn judge(proof: &[u8], note: &[u8]) -> Value {
    match proven(proof, note) {
        Ok(proven) => document(&proven),
        Err(detail) => json!({ "state": "broken", "detail": detail }),
    }
}

fn proven(proof: &[u8], note: &[u8]) -> Result<Proven, String> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let proof: Proof = text(proof)?.parse().map_err(in_words)?;
    let note = match text(note)? {
        "" => None,
        note => {
            let note = note.parse::<TrustNote>();
            Some(note.map_err(|error| format!("the trust note cannot be read: {error}"))?)
        }
    };
    proof.verify(note.as_ref()).map_err(in_words)
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn document(proven: &Proven) -> Value {
    let (state, detail, attestation) = match (&proven.verdict, proven.anchor) {
        (Verdict::Verified(own), Anchor::Given) => ("verified", None, Some(own)),
        // Anyone can make a proof that agrees with itself.
        (Verdict::Verified(own), Anchor::Own) => ("consistent", None, Some(own)),
        (Verdict::Unverified(why), _) => (
            "unverified",
            Some(format!("{}: {}", why.reason, why.detail)),
            None,
        ),
        (Verdict::Revoked(why), _) => (
            "revoked",
            Some(format!("{}: {}", why.reason, why.detail)),
            None,
        ),
    };
    let subject = attestation.map(|own| &own.claims.subject);
    json!({
        "state": state,
        "detail": detail,
        "model": subject.map(|own| own.model_repo.to_string()),
        "task": subject.map(|own| own.task_id.to_string()),
        "entry": proven.entry.to_string(),
        "commit": proven.commit.to_string(),
        "path": proven.path.to_string(),
        "hub": proven.note.hub,
        "results": proven.results_size,
        "control": proven.control_size,
    })
}
