use std::fmt;

use assay_formats::eee::Version;

/// The version that a record was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// 0.1.0, which was never published as a schema document of its own.
    V0_1_0,
    /// A published version.
    Published(Version),
}

impl Origin {
    /// The version as records write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_1_0 => "0.1.0",
            Self::Published(version) => version.as_str(),
        }
    }

    /// The version of this name, when it is known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if name == Self::V0_1_0.as_str() {
            return Some(Self::V0_1_0);
        }
        name.parse().ok().map(Self::Published)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The changes of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The version it was written in.
    pub from: Origin,
    /// Every change, in the order it was made. The version number itself is not among them.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The place in the record as it was: `model_info.additional_details.deployment_type`.
    pub path: String,
    /// The change in words, without the value itself, so that equal changes of many records can be
    /// told once.
    pub detail: String,
}

impl Change {
    /// The path with the positions in lists left out, so that equal changes of many items can be
    /// told once.
    pub fn pattern(&self) -> String {
        without_positions(&self.path)
    }
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// A required value was not there, and now says that it is unknown or what follows from the
    /// rest.
    Filled,
    /// A value stands elsewhere now.
    Moved,
    /// A key or a word of a closed list has another name now.
    Renamed,
    /// The same value in the form that the new version asks for.
    Restated,
    /// A value is no longer there.
    Lost,
}

impl ChangeKind {
    /// The word for a report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Filled => "filled",
            Self::Moved => "moved",
            Self::Renamed => "renamed",
            Self::Restated => "restated",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The position in a document, and the changes so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    here: String,
    pub(crate) changes: Vec<Change>,
}

impl Ledger {
    /// Does some work below a key.
    pub(crate) fn at_key<R>(&mut self, key: &str, work: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.here.len();
        if length > 0 {
            self.here.push('.');
        }
        self.here.push_str(key);
        let result = work(self);
        self.here.truncate(length);
        result
    }

    /// Does some work below an item of a list.
    pub(crate) fn at_index<R>(&mut self, index: usize, work: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.here.len();
        self.here.push('[');
        self.here.push_str(&index.to_string());
        self.here.push(']');
        let result = work(self);
        self.here.truncate(length);
        result
    }

    /// Notes a change of the value at hand.
    pub(crate) fn note(&mut self, kind: ChangeKind, detail: impl Into<String>) {
        self.changes.push(Change {
            kind,
            path: self.here.clone(),
            detail: detail.into(),
        });
    }

    /// Notes a change of the value behind a key of the map at hand.
    pub(crate) fn note_at(&mut self, key: &str, kind: ChangeKind, detail: impl Into<String>) {
        self.at_key(key, |ledger| ledger.note(kind, detail));
    }
}

/// A path with every `[3]` written as `[]`.
fn without_positions(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        let digits = rest[open + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        text.push_str(&rest[..=open]);
        rest = &rest[open + 1..];
        if rest[digits..].starts_with(']') {
            rest = &rest[digits..];
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_left_out_of_paths() {
        assert_eq!(without_positions("a[12].b[0][3].c"), "a[].b[][].c");
        assert_eq!(without_positions("a[x].b[1"), "a[x].b[1");
    }
}
