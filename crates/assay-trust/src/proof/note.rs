use std::fmt;
use std::str::FromStr;

use assay_tlog::VerifierKey;

/// The first line of every trust note.
const FIRST_LINE: &str = "assay trust note v1";

/// The facts of a hub that a reader needs to check its proofs: the keys of its two logs. Everything
/// else follows from them.
///
/// It is fetched once, over a way that the reader trusts, and kept.
///
/// ```
/// # use assay_trust::proof::TrustNote;
/// let text = "assay trust note v1\n\
///     hub https://hub.example\n\
///     issuer https://hub.example\n\
///     results hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU\n\
///     control hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU\n";
/// assert!(text.parse::<TrustNote>().is_err(), "each log has a key of its own");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustNote {
    /// The address of the hub.
    pub hub: String,
    /// The issuer that the hub itself runs.
    pub issuer: String,
    /// The key of the results log; its name is the origin of the log.
    pub results: VerifierKey,
    /// The key of the control log.
    pub control: VerifierKey,
}

/// A text is no trust note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a trust note is the line `{FIRST_LINE}`, then one line each of `hub`, `issuer`, `results` and `control`, with two keys"
)]
pub struct TrustNoteError;

impl FromStr for TrustNote {
    type Err = TrustNoteError;

    fn from_str(text: &str) -> Result<Self, TrustNoteError> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return Err(TrustNoteError);
        }
        let mut line = |key: &str| {
            let value = lines.next()?.strip_prefix(key)?.strip_prefix(' ')?;
            let is_word = !value.is_empty() && !value.contains(char::is_whitespace);
            is_word.then(|| value.to_owned())
        };
        let mut required = |key| line(key).ok_or(TrustNoteError);
        let note = Self {
            hub: required("hub")?,
            issuer: required("issuer")?,
            results: required("results")?.parse().map_err(|_| TrustNoteError)?,
            control: required("control")?.parse().map_err(|_| TrustNoteError)?,
        };
        // A log that could pass for the other would let one replace the other.
        let are_two = note.results.name() != note.control.name()
            && note.results.public_bytes() != note.control.public_bytes();
        if are_two && note.to_string() == text {
            Ok(note)
        } else {
            Err(TrustNoteError)
        }
    }
}

impl fmt::Display for TrustNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        writeln!(f, "hub {}", self.hub)?;
        writeln!(f, "issuer {}", self.issuer)?;
        writeln!(f, "results {}", self.results)?;
        writeln!(f, "control {}", self.control)
    }
}
