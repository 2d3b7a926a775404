use assay_formats::json::StreamError;

/// The reason why a log could not be converted, in a sentence for the person who has it.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A file of the log could not be read.
    #[error("`{path}` cannot be read")]
    Read {
        /// The file.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The output could not be written.
    #[error("the output cannot be written")]
    Write(#[source] std::io::Error),
    /// A file of the log is not what it should be.
    #[error("`{path}` is damaged: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// The fault in words.
        what: String,
    },
    /// The log holds nothing that could become a record.
    #[error("{0}")]
    Nothing(String),
}

impl Refusal {
    /// A stable word for scripts.
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Read { .. } => "unreadable",
            Self::Write(_) => "unwritable",
            Self::Damaged { .. } => "damaged",
            Self::Nothing(_) => "nothing-to-convert",
        }
    }

    /// A file that is not what it should be.
    pub fn damaged(path: &str, what: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// A file that could not be walked through.
    pub fn stream(path: &str, error: StreamError) -> Self {
        match error {
            StreamError::Io(source) => Self::Read {
                path: path.to_owned(),
                source,
            },
            StreamError::Syntax { .. }
            | StreamError::Truncated { .. }
            | StreamError::TooLarge { .. } => Self::damaged(path, error.to_string()),
        }
    }
}

/// Something about a log that was converted and that a person should know: what was left out, and
/// why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The warning, a sentence without a full stop.
    pub message: String,
    /// The number of times.
    pub count: u64,
}
