use crate::error::Error;

/// The outcome of a push, for monitoring: git itself is answered with 200 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PushOutcome {
    /// Every ref moved, or nothing was asked for.
    Accepted,
    /// Some or all refs did not move.
    Rejected(PushRejection),
}

/// The class of reasons why a push was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PushRejection {
    /// The pack was malformed or beyond a limit.
    Pack,
    /// A ref may not be moved like that, or not by this caller.
    Ref,
    /// Files have errors.
    Files,
    /// Somebody else moved a ref first.
    Stale,
    /// Something is too large.
    TooLarge,
    /// Another reason.
    Other,
}

impl PushRejection {
    /// Every class.
    pub const ALL: [Self; 6] = [
        Self::Pack,
        Self::Ref,
        Self::Files,
        Self::Stale,
        Self::TooLarge,
        Self::Other,
    ];

    /// The class in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Ref => "ref",
            Self::Files => "files",
            Self::Stale => "stale",
            Self::TooLarge => "too_large",
            Self::Other => "other",
        }
    }

    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::Refused(_) => Self::Files,
            Error::Stale => Self::Stale,
            Error::TooLarge(_) => Self::TooLarge,
            _ => Self::Other,
        }
    }
}
