use std::fmt;
use std::str::FromStr;

use crate::hash::TreeHash;
use crate::key::{NoteKey, VerifierKey, WitnessKey};
use crate::note::{Note, NoteError, signature};

/// Maximum number of lines read from the response of a witness.
const MAX_ANSWER: usize = 16;

/// The state of a log at some size: the text that a log signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    /// Number of leaves.
    pub size: u64,
    /// The root of the tree over them.
    pub root: TreeHash,
}

/// A checkpoint with its signatures. What it says is believed only after
/// [`SignedCheckpoint::verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    note: Note,
    checkpoint: Checkpoint,
}

/// An error from reading or verifying a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The note is broken or not signed.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The note is no checkpoint.
    #[error("the text of a checkpoint is an origin, a size and a root hash, a line each")]
    Form,
    /// It is that of another log.
    #[error("this is a checkpoint of `{found}`, not of `{expected}`")]
    Origin {
        /// The origin in the checkpoint.
        found: String,
        /// The origin of the expected log.
        expected: String,
    },
}

impl Checkpoint {
    /// No log has as many leaves as this: its tiles would have more levels than there are.
    pub const MAX_SIZE: u64 = 1 << 48;

    /// The text that is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, self.root)
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let origin = lines.next().filter(|origin| !origin.is_empty())?;
        let size = decimal(lines.next()?).filter(|size| *size < Self::MAX_SIZE)?;
        let root = TreeHash::from_base64(lines.next()?)?;
        // Lines of extensions may follow. They are signed, and mean nothing here.
        lines.all(|line| !line.is_empty()).then(|| Self {
            origin: origin.to_owned(),
            size,
            root,
        })
    }
}

impl SignedCheckpoint {
    /// Signs a checkpoint. Its origin is the name of the key.
    pub(crate) fn sign(size: u64, root: TreeHash, key: &NoteKey) -> Self {
        let checkpoint = Checkpoint {
            origin: key.name().to_owned(),
            size,
            root,
        };
        let mut note = Note::new(checkpoint.text());
        note.add(key.sign(note.text()));
        Self { note, checkpoint }
    }

    /// Returns the checkpoint if the log signed it: the key and the origin must both be those of
    /// the log.
    pub fn verify(&self, key: &VerifierKey) -> Result<&Checkpoint, CheckpointError> {
        if self.checkpoint.origin != key.name() {
            return Err(CheckpointError::Origin {
                found: self.checkpoint.origin.clone(),
                expected: key.name().to_owned(),
            });
        }
        self.note.verify(key)?;
        Ok(&self.checkpoint)
    }

    /// Returns the checkpoint without verifying it.
    pub fn claimed(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns when each of these witnesses signed it, in seconds since 1970, in the order of the
    /// keys. Others are left out.
    pub fn witnesses<'k>(&self, keys: &'k [WitnessKey]) -> Vec<(&'k WitnessKey, u64)> {
        let time = |key: &'k WitnessKey| Some((key, self.note.witnessed(key).ok()?));
        keys.iter().filter_map(time).collect()
    }

    /// Takes in what a witness answered, as far as it is its signature over this very checkpoint,
    /// and says when that was made.
    pub fn add_cosignature(&mut self, answer: &str, key: &WitnessKey) -> Result<u64, NoteError> {
        let mut lines = answer.lines().take(MAX_ANSWER).filter_map(signature);
        let own = lines.find(|line| key.matches(line));
        let own = own.ok_or(NoteError::NotSigned)?;
        let time = key.verify(self.note.text(), &own)?;
        self.note.add(own);
        Ok(time)
    }

    /// The note.
    pub fn note(&self) -> &Note {
        &self.note
    }
}

impl FromStr for SignedCheckpoint {
    type Err = CheckpointError;

    fn from_str(text: &str) -> Result<Self, CheckpointError> {
        let note: Note = text.parse()?;
        let checkpoint = Checkpoint::read(note.text()).ok_or(CheckpointError::Form)?;
        Ok(Self { note, checkpoint })
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(f)
    }
}

/// Reads a number in the one spelling that it has: digits, no sign, no zero in front.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> NoteKey {
        NoteKey::from_seed("hub.example/log", &[3; 32]).unwrap()
    }

    #[test]
    fn a_checkpoint_says_what_was_signed() {
        let signed = SignedCheckpoint::sign(7, TreeHash::of_leaf(b"x"), &key());

        let read: SignedCheckpoint = signed.to_string().parse().unwrap();

        assert_eq!(read, signed);
        assert_eq!(read.verify(&key().verifier()).unwrap().size, 7);
    }

    #[test]
    fn a_checkpoint_of_another_log_under_our_key_is_refused() {
        let text = format!("other.example/log\n7\n{}\n", TreeHash::of_leaf(b"x"));
        let mut note = Note::new(text);
        note.add(key().sign(note.text()));

        let read: SignedCheckpoint = note.to_string().parse().unwrap();

        assert!(matches!(
            read.verify(&key().verifier()),
            Err(CheckpointError::Origin { .. })
        ));
    }

    #[test]
    fn sizes_and_hashes_have_one_spelling() {
        let good = SignedCheckpoint::sign(7, TreeHash::of_leaf(b"x"), &key()).to_string();
        for (from, to) in [
            ("\n7\n", "\n07\n"),
            ("\n7\n", "\n+7\n"),
            ("\n7\n", "\n18446744073709551616\n"),
            ("\n7\n", "\n281474976710656\n"),
            ("=\n\n", "\n\n"),
            ("=\n\n", "==\n\n"),
            ("hub.example/log\n", "\n"),
        ] {
            let changed = good.replacen(from, to, 1);
            assert_ne!(changed, good);
            let read: Result<SignedCheckpoint, _> = changed.parse();
            assert_eq!(read, Err(CheckpointError::Form), "{changed}");
        }
    }
}
