//! The benchmark and model of a source, and the bounds of both in a file.

use serde::{Deserialize, Serialize};

/// The benchmark and model that a source belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Partition {
    /// The benchmark.
    pub benchmark: String,
    /// The model.
    pub model: String,
}

/// The least and the greatest benchmark and model among the rows of a file. Queries leave files out
/// by them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bounds {
    /// The least and the greatest benchmark.
    pub benchmark: [String; 2],
    /// The least and the greatest model.
    pub model: [String; 2],
}

impl Bounds {
    /// The bounds of rows that all have the same benchmark and model.
    pub fn from_partition(partition: &Partition) -> Self {
        let twice = |text: &String| [text.clone(), text.clone()];
        Self {
            benchmark: twice(&partition.benchmark),
            model: twice(&partition.model),
        }
    }

    /// Returns the benchmark and model of all rows, when they have the same.
    pub(crate) fn single(&self) -> Option<Partition> {
        let [[benchmark, last_benchmark], [model, last_model]] = [&self.benchmark, &self.model];
        (benchmark == last_benchmark && model == last_model).then(|| Partition {
            benchmark: benchmark.clone(),
            model: model.clone(),
        })
    }

    /// Returns `true` if rows of this benchmark and model may be among them.
    pub(crate) fn may_hold(&self, partition: &Partition) -> bool {
        contains(&self.benchmark, &partition.benchmark) && contains(&self.model, &partition.model)
    }

    /// Returns the bounds of both together.
    pub(crate) fn union(self, other: Self) -> Self {
        let widest = |[low, high]: [String; 2], [other_low, other_high]: [String; 2]| {
            [low.min(other_low), high.max(other_high)]
        };
        Self {
            benchmark: widest(self.benchmark, other.benchmark),
            model: widest(self.model, other.model),
        }
    }
}

/// Returns `true` if a text lies between two others, or is one of them.
pub(crate) fn contains([low, high]: &[String; 2], text: &str) -> bool {
    low.as_str() <= text && text <= high.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(benchmark: &str, model: &str) -> Partition {
        Partition {
            benchmark: benchmark.to_owned(),
            model: model.to_owned(),
        }
    }

    #[test]
    fn the_bounds_of_two_files_hold_what_both_hold() {
        let one = Bounds::from_partition(&partition("a", "x"));
        let other = Bounds::from_partition(&partition("c", "b"));

        let both = one.clone().union(other);

        assert_eq!(one.single(), Some(partition("a", "x")));
        assert_eq!(both.single(), None);
        assert!(both.may_hold(&partition("a", "x")) && both.may_hold(&partition("c", "b")));
        assert!(!both.may_hold(&partition("d", "b")) && !both.may_hold(&partition("a", "y")));
    }
}
