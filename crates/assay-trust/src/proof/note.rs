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
    /// The names that the logs had before, oldest first: `NAME/log/results` and `NAME/log/control`.
    /// The keys are the same.
    pub formerly: Vec<String>,
}

impl TrustNote {
    /// Returns the key of the results log under its name, then under each former one.
    pub fn results_keys(&self) -> Vec<VerifierKey> {
        self.with_former(&self.results, "results")
    }

    /// Returns the key of the control log under its name, then under each former one.
    pub fn control_keys(&self) -> Vec<VerifierKey> {
        self.with_former(&self.control, "control")
    }

    /// Returns true when the older note is of the same hub under a name that its logs had before:
    /// the keys are those of this one. The address of the hub and its issuer were others then.
    pub fn succeeds(&self, older: &Self) -> bool {
        self.results_keys()[1..].contains(&older.results)
            && self.control_keys()[1..].contains(&older.control)
    }

    fn with_former(&self, key: &VerifierKey, log: &str) -> Vec<VerifierKey> {
        let public = key.public_bytes();
        let former = self
            .formerly
            .iter()
            .filter_map(|name| VerifierKey::from_public(&log_name(name, log), &public).ok());
        std::iter::once(key.clone()).chain(former).collect()
    }
}

/// Returns the name of a log of a hub whose logs go by this name.
pub fn log_name(name: &str, log: &str) -> String {
    format!("{name}/log/{log}")
}

/// A text is no trust note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a trust note is the line `{FIRST_LINE}`, then one line each of `hub`, `issuer`, `results` and `control`, with two keys, \
     and a line `formerly` for each former name of the logs"
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
            formerly: std::iter::from_fn(|| required("formerly").ok()).collect(),
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
        writeln!(f, "control {}", self.control)?;
        self.formerly
            .iter()
            .try_for_each(|name| writeln!(f, "formerly {name}"))
    }
}
