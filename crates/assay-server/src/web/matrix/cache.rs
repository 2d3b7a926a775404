//! Aggregates that were computed before.

use std::sync::Arc;

use assay_board::{Aggregate, AggregateRule, ColumnScale, aggregate_rows};
use assay_model::Direction;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};

/// Number of matrices that have their aggregates kept.
const MATRICES: u64 = 64;

/// The aggregates of matrices, by a digest of everything that they are computed from. Whoever sees
/// the same numbers gets the same aggregates, and nobody else.
#[derive(Debug)]
pub(crate) struct AggregateCache(Cache<[u8; 32], Arc<Vec<Option<Aggregate>>>>);

impl Default for AggregateCache {
    fn default() -> Self {
        Self(Cache::new(MATRICES))
    }
}

impl AggregateCache {
    /// Returns the aggregate of every row.
    pub(super) fn aggregate_rows(
        &self,
        rows: &[Vec<Option<f64>>],
        scales: &[ColumnScale],
        rule: AggregateRule,
        least: usize,
    ) -> Arc<Vec<Option<Aggregate>>> {
        let digest = digest(rows, scales, rule, least);
        self.0.get_with(digest, || {
            Arc::new(aggregate_rows(rows, scales, rule, least))
        })
    }
}

/// A digest of all that aggregates depend on.
fn digest(
    rows: &[Vec<Option<f64>>],
    scales: &[ColumnScale],
    rule: AggregateRule,
    least: usize,
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut number = |value: Option<f64>| {
        hasher.update([u8::from(value.is_some())]);
        hasher.update(value.unwrap_or_default().to_bits().to_le_bytes());
    };
    for scale in scales {
        number(scale.bounds.map(|bounds| bounds.0));
        number(scale.bounds.map(|bounds| bounds.1));
        number((scale.direction == Direction::HigherIsBetter).then_some(1.0));
    }
    for row in rows {
        row.iter().copied().for_each(&mut number);
    }
    hasher.update(rule.as_str());
    hasher.update(least.to_le_bytes());
    hasher.update(scales.len().to_le_bytes());
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(direction: Direction) -> ColumnScale {
        ColumnScale {
            direction,
            bounds: None,
        }
    }

    #[test]
    fn what_changes_an_aggregate_changes_the_digest() {
        let higher = [scale(Direction::HigherIsBetter)];
        let rows = [vec![Some(1.0)], vec![None]];
        let usual = digest(&rows, &higher, AggregateRule::WinRate, 1);

        let others = [
            digest(
                &rows,
                &[scale(Direction::LowerIsBetter)],
                AggregateRule::WinRate,
                1,
            ),
            digest(&rows, &higher, AggregateRule::Mean, 1),
            digest(&rows, &higher, AggregateRule::WinRate, 2),
            digest(
                &[vec![Some(1.0)], vec![Some(0.0)]],
                &higher,
                AggregateRule::WinRate,
                1,
            ),
        ];

        assert!(others.iter().all(|other| *other != usual));
        assert_eq!(usual, digest(&rows, &higher, AggregateRule::WinRate, 1));
    }
}
