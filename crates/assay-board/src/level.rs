use std::fmt;

/// How much of a task a score covers. A score of the whole already contains those of its parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// All that the metric is defined over.
    #[default]
    Whole,
    /// The named slice.
    Part(String),
}

impl Level {
    /// The level of a score of this slice, by a metric that is itself defined over a slice or over all.
    ///
    /// ```
    /// # use assay_board::Level;
    /// assert_eq!(Level::of(None, None), Level::Whole);
    /// assert_eq!(Level::of(Some("small"), Some("small")), Level::Whole);
    /// assert_eq!(Level::of(Some("small"), None), Level::Part("small".to_owned()));
    /// ```
    pub fn of(slice: Option<&str>, slice_of_metric: Option<&str>) -> Self {
        match slice {
            Some(slice) if slice_of_metric != Some(slice) => Self::Part(slice.to_owned()),
            Some(_) | None => Self::Whole,
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
