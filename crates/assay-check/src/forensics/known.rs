//! Metrics that are known by their names.

use assay_model::Direction;

use super::tables;

/// The longest name of a known metric, in words.
const LONGEST_PHRASE: usize = 4;

/// A family of metrics whose scores are computed alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Right answers counted, divided by all: accuracy, exact match, success rate.
    Count,
    /// A share from 0 to 1, or 0 to 100 per cent, but not a plain count: F1, recall.
    Share,
    /// Anything else.
    Other,
}

/// A metric that is known by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    /// Its usual name.
    pub(crate) name: &'static str,
    /// The direction in which it improves.
    pub(crate) direction: Direction,
    /// The family of the metric.
    pub(crate) family: Family,
}

/// The longest known phrase that the words end in, and its length.
pub(super) fn longest(words: &[String]) -> Option<(usize, Known)> {
    (1..=words.len().min(LONGEST_PHRASE))
        .rev()
        .find_map(|length| {
            let (before, own) = words.split_at(words.len() - length);
            Some((length, lookup(&own.join(" "), before)?))
        })
}

fn lookup(phrase: &str, before: &[String]) -> Option<Known> {
    let alone = tables::ONLY_ALONE.iter().find(|(name, _)| *name == phrase);
    if let Some(&(name, direction)) = alone {
        return before.is_empty().then_some(Known {
            name,
            direction,
            family: Family::Other,
        });
    }
    let position = tables::METRICS
        .binary_search_by(|(name, _, _)| (*name).cmp(phrase))
        .ok()?;
    let (name, direction, family) = tables::METRICS[position];
    let fits = phrase != "loss"
        || before
            .iter()
            .all(|word| tables::GOES_WITH_LOSS.contains(&word.as_str()));
    fits.then_some(Known {
        name,
        direction,
        family,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_alphabet() {
        assert!(tables::METRICS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(
            tables::METRICS
                .iter()
                .all(|(name, _, _)| name.split(' ').count() <= LONGEST_PHRASE)
        );
    }
}
