//! Groups of rows that cannot be told from their leader.

/// Returns the tier of each row by its merit, from 1. Tier 1 are the leader and the rows that are
/// not separated from it, tier 2 those of the rest that are not separated from the leader of the
/// rest, and so on. Rows that share the highest merit lead together.
pub(crate) fn tiers(merits: &[f64], are_separated: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut rest: Vec<usize> = (0..merits.len()).collect();
    rest.sort_by(|left, right| merits[*right].total_cmp(&merits[*left]));
    let mut tiers = vec![0; merits.len()];
    let mut tier = 0;
    while let Some(leader) = rest.first() {
        tier += 1;
        let highest = merits[*leader];
        let leaders = rest.partition_point(|row| merits[*row] >= highest);
        let leaders = rest[..leaders].to_vec();
        rest.retain(|row| {
            let is_apart = leaders.iter().all(|leader| are_separated(*leader, *row));
            if !is_apart {
                tiers[*row] = tier;
            }
            is_apart
        });
    }
    tiers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_cannot_be_told_from_the_leader_is_of_its_tier_wherever_it_stands() {
        // The third is so uncertain that nothing is told from it; the last is apart from all.
        let merits = [90.0, 80.0, 70.0, 10.0];
        let reaches = [3.0, 3.0, 40.0, 3.0];
        let found = tiers(&merits, |one, other| {
            merits[one] - merits[other] > reaches[one] + reaches[other]
        });

        assert_eq!(found, [1, 2, 1, 3]);
    }

    #[test]
    fn rows_of_equal_merit_lead_together() {
        let merits = [5.0, 5.0, 4.0];
        // Only the second leader is told from the third row.
        let found = tiers(&merits, |one, other| (one, other) == (1, 2));

        assert_eq!(found, [1, 1, 1]);
    }
}
