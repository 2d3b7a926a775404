use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{VerifierKey, WitnessKey, is_name};

/// Maximum length of a note in bytes.
pub(crate) const MAX_NOTE: usize = 64 << 10;
/// Maximum number of signatures of a note.
const MAX_SIGNATURES: usize = 64;
/// Start of a line with a signature.
const DASH: &str = "— ";

/// A text with signatures below it, in the signed-note format. Nothing of it is believed until a
/// signature is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// One signature of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    /// The name of the key that is said to have made it.
    pub name: String,
    /// The first bytes of the hash of that key.
    pub key_hash: [u8; 4],
    /// The signature itself, in the form of its kind of key.
    pub bytes: Vec<u8>,
}

/// An error from reading or verifying a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It does not look like one.
    #[error("this is no signed note: a text, an empty line, and lines `— name signature`")]
    Form,
    /// It has more bytes or signatures than a note may have.
    #[error("a note has at most {MAX_NOTE} bytes and {MAX_SIGNATURES} signatures")]
    TooLarge,
    /// The key that was asked for did not sign it.
    #[error("the note is not signed by the expected key")]
    NotSigned,
    /// It is said to be signed by that key, and is not.
    #[error("the signature of the note does not fit its text")]
    BadSignature,
}

impl Note {
    /// A note without signatures. The text must end with a line end.
    pub(crate) fn new(text: String) -> Self {
        Self {
            text,
            signatures: Vec::new(),
        }
    }

    /// The text, which ends with a line end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signatures, checked or not.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Adds a signature. One of the same key that was there before gives way.
    pub(crate) fn add(&mut self, signature: NoteSignature) {
        let is_of =
            |own: &NoteSignature| own.name == signature.name && own.key_hash == signature.key_hash;
        self.signatures.retain(|own| !is_of(own));
        self.signatures.push(signature);
    }

    /// Checks that a key signed the text.
    pub fn verify(&self, key: &VerifierKey) -> Result<(), NoteError> {
        let signature = self.signatures.iter().find(|own| key.matches(own));
        key.verify(&self.text, signature.ok_or(NoteError::NotSigned)?)
    }

    /// Checks that a witness signed the text, and returns when, in seconds since 1970.
    pub fn witnessed(&self, key: &WitnessKey) -> Result<u64, NoteError> {
        let signature = self.signatures.iter().find(|own| key.matches(own));
        key.verify(&self.text, signature.ok_or(NoteError::NotSigned)?)
    }
}

impl FromStr for Note {
    type Err = NoteError;

    fn from_str(note: &str) -> Result<Self, NoteError> {
        if note.len() > MAX_NOTE {
            return Err(NoteError::TooLarge);
        }
        if note.contains(|c: char| c < ' ' && c != '\n') {
            return Err(NoteError::Form);
        }
        let end = note.rfind("\n\n").ok_or(NoteError::Form)?;
        let (text, rest) = note.split_at(end + 1);
        let lines = rest[1..].strip_suffix('\n').ok_or(NoteError::Form)?;
        if lines.split('\n').count() > MAX_SIGNATURES {
            return Err(NoteError::TooLarge);
        }
        let signatures: Option<Vec<_>> = lines.split('\n').map(signature).collect();
        Ok(Self {
            text: text.to_owned(),
            signatures: signatures.ok_or(NoteError::Form)?,
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        for signature in &self.signatures {
            writeln!(f, "{signature}")?;
        }
        Ok(())
    }
}

impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.key_hash.to_vec();
        bytes.extend_from_slice(&self.bytes);
        write!(f, "{DASH}{} {}", self.name, STANDARD.encode(bytes))
    }
}

/// Reads the line of a signature.
pub(crate) fn signature(line: &str) -> Option<NoteSignature> {
    let (name, base64) = line.strip_prefix(DASH)?.split_once(' ')?;
    let bytes = STANDARD.decode(base64).ok()?;
    let (key_hash, bytes) = bytes.split_first_chunk::<4>()?;
    (is_name(name) && !bytes.is_empty()).then(|| NoteSignature {
        name: name.to_owned(),
        key_hash: *key_hash,
        bytes: bytes.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::key::NoteKey;
    use super::*;

    fn signed(text: &str) -> Note {
        let key = NoteKey::from_seed("hub.example/log", &[9; 32]).unwrap();
        let mut note = Note::new(text.to_owned());
        note.add(key.sign(text));
        note
    }

    #[test]
    fn a_note_reads_as_it_was_written() {
        let note = signed("one\n\ntwo\n");

        assert_eq!(note.to_string().parse(), Ok(note));
    }

    #[test]
    fn a_changed_text_or_another_key_is_noticed() {
        let key = NoteKey::from_seed("hub.example/log", &[9; 32]).unwrap();
        let other = NoteKey::from_seed("hub.example/log", &[8; 32]).unwrap();
        let changed = signed("one\n").to_string().replace("one", "two");

        let changed: Note = changed.parse().unwrap();

        assert_eq!(signed("one\n").verify(&key.verifier()), Ok(()));
        assert_eq!(
            changed.verify(&key.verifier()),
            Err(NoteError::BadSignature)
        );
        assert_eq!(changed.verify(&other.verifier()), Err(NoteError::NotSigned));
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let note = signed("one\n").to_string();
        for broken in [
            "",
            "one\n",
            "one\n\n",
            "one\n\n— a\n",
            "one\n\n— a AAAA\n",
            note.trim_end(),
            &note.replace("— ", "- "),
            &note.replace("one", "o\rne"),
            &note.replace(" hub.example/log ", " hub+example "),
            &note.replace("=\n", "\n"),
        ] {
            assert_eq!(broken.parse::<Note>(), Err(NoteError::Form), "{broken:?}");
        }
    }

    #[test]
    fn a_note_of_any_size_is_not_read() {
        let long = "a".repeat(MAX_NOTE) + "\n";
        let line = signed("one\n").to_string()["one\n\n".len()..].to_owned();
        let many = format!("one\n\n{}", line.repeat(MAX_SIGNATURES + 1));

        assert_eq!(long.parse::<Note>(), Err(NoteError::TooLarge));
        assert_eq!(many.parse::<Note>(), Err(NoteError::TooLarge));
    }
}
