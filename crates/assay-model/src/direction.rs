use serde::Serialize;

/// The direction in which a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// A larger value is better, as for accuracy.
    HigherIsBetter,
    /// A smaller value is better, as for an error rate.
    LowerIsBetter,
}

impl Direction {
    /// The direction that `higher_is_better: value` means.
    pub fn from_higher_is_better(value: bool) -> Self {
        if value {
            Self::HigherIsBetter
        } else {
            Self::LowerIsBetter
        }
    }

    /// The words for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::HigherIsBetter => "higher is better",
            Self::LowerIsBetter => "lower is better",
        }
    }
}
