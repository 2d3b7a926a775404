use std::fmt;

/// Number of reasons that are kept of one record or samples file; a broken file repeats itself.
pub(crate) const MAX_REASONS: usize = 50;

/// The reasons why a record cannot be upgraded: everything that was found, not only the first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .reasons.first().map_or("refused without a reason", |reason| reason.message.as_str()))]
pub struct Refusal {
    /// The reasons, at least one.
    pub reasons: Vec<Reason>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The kind of reason.
    pub kind: ReasonKind,
    /// The place in the document; empty when it is about the file.
    pub path: String,
    /// The line of the samples file, when it is about a row.
    pub line: Option<u64>,
    /// The reason in a sentence: lower case, no full stop, backticks round what the author wrote.
    pub message: String,
}

/// A kind of reason. Their slugs are stable: scripts count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonKind {
    /// The text is not JSON, or JSON that tools read differently.
    NotJson,
    /// The document or row is not an object.
    NotAnObject,
    /// The schema version is missing or was never published.
    UnknownVersion,
    /// The path does not have five parts.
    PathDepth,
    /// The path has empty parts, dots or backslashes.
    PathUnclean,
    /// The path does not begin at `data`.
    PathRoot,
    /// A directory below `data` is called `data`.
    PathReserved,
    /// Some file systems cannot hold a directory of the path.
    PathNotPortable,
    /// The file is not named by a version 4 UUID.
    FileName,
    /// A continuous metric does not say its bounds.
    BoundsMissing,
    /// The lower bound lies above the upper one.
    BoundsReversed,
    /// A score lies outside the bounds of its metric.
    ScoreOutOfBounds,
    /// Something else that 0.3.0 does not allow and that cannot be restated.
    Shape,
    /// The record names a samples file that was not given.
    SamplesMissing,
    /// The samples file has no rows.
    SamplesEmpty,
    /// A row is larger than any reader takes.
    RowTooLarge,
}

impl ReasonKind {
    /// The stable name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::NotJson => "not-json",
            Self::NotAnObject => "not-an-object",
            Self::UnknownVersion => "unknown-version",
            Self::PathDepth => "path-depth",
            Self::PathUnclean => "path-unclean",
            Self::PathRoot => "path-root",
            Self::PathReserved => "path-reserved",
            Self::PathNotPortable => "path-not-portable",
            Self::FileName => "file-name",
            Self::BoundsMissing => "bounds-missing",
            Self::BoundsReversed => "bounds-reversed",
            Self::ScoreOutOfBounds => "score-out-of-bounds",
            Self::Shape => "shape",
            Self::SamplesMissing => "samples-missing",
            Self::SamplesEmpty => "samples-empty",
            Self::RowTooLarge => "row-too-large",
        }
    }
}

impl fmt::Display for ReasonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.slug())
    }
}

impl Reason {
    /// A reason that is about the file as a whole.
    pub(crate) fn whole(kind: ReasonKind, message: impl Into<String>) -> Self {
        Self::at(kind, String::new(), message)
    }

    /// A reason that is about one value.
    pub(crate) fn at(kind: ReasonKind, path: String, message: impl Into<String>) -> Self {
        Self {
            kind,
            path,
            line: None,
            message: message.into(),
        }
    }
}

impl Refusal {
    /// A refusal for one reason.
    pub(crate) fn because(reason: Reason) -> Self {
        Self {
            reasons: vec![reason],
        }
    }

    /// Refuses when there are reasons.
    pub(crate) fn unless_empty(mut reasons: Vec<Reason>) -> Result<(), Self> {
        reasons.truncate(MAX_REASONS);
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(Self { reasons })
        }
    }
}
