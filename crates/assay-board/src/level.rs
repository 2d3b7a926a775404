use std::fmt;

/// The part of a task that a score covers. A score of the whole already contains those of its
/// parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// All that the metric is defined over.
    #[default]
    Whole,
    /// The named slice.
    Part(String),
}

impl Level {
    /// Returns whether a score of this slice is of this level, by a metric that is itself defined
    /// over a slice or over all.
    ///
    /// ```
    /// # use assay_board::Level;
    /// assert!(Level::Whole.has(None, None));
    /// assert!(Level::Whole.has(Some("small"), Some("small")));
    /// assert!(Level::Part("small".to_owned()).has(Some("small"), None));
    /// ```
    pub fn has(&self, slice: Option<&str>, slice_of_metric: Option<&str>) -> bool {
        let part = slice.filter(|slice| slice_of_metric != Some(slice));
        match self {
            Self::Whole => part.is_none(),
            Self::Part(own) => part == Some(own),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("of the whole"),
            Self::Part(slice) => write!(f, "of the part `{slice}`"),
        }
    }
}
