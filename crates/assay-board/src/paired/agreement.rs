use crate::estimate::{Z95, of_ends};
use crate::special::{MOST_SUMMED, as_float, lower_tail_of_fair_coins};
use crate::{Estimate, Method, Test};

/// Counts of two models on the same samples, each of which is right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Both are right.
    pub both: u64,
    /// Only the first is.
    pub only_a: u64,
    /// Only the second is.
    pub only_b: u64,
    /// Both are wrong.
    pub neither: u64,
}

impl Agreement {
    /// Counts pairs: whether the first is right, and whether the second is.
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counted = Self::default();
        for pair in pairs {
            match pair {
                (true, true) => counted.both += 1,
                (true, false) => counted.only_a += 1,
                (false, true) => counted.only_b += 1,
                (false, false) => counted.neither += 1,
            }
        }
        counted
    }

    /// Returns the number of samples.
    pub fn total(&self) -> u64 {
        self.both
            .saturating_add(self.only_a)
            .saturating_add(self.only_b)
            .saturating_add(self.neither)
    }

    /// On how many samples they differ.
    pub fn discordant(&self) -> u64 {
        self.only_a.saturating_add(self.only_b)
    }

    /// The same with the models exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            only_a: self.only_b,
            only_b: self.only_a,
            ..self
        }
    }

    /// `McNemar`'s exact test, on both sides: whether the samples on which the models differ could
    /// as well have fallen by the toss of a fair coin.
    pub fn mcnemar(&self) -> Test {
        let discordant = self.discordant();
        let method = if discordant <= MOST_SUMMED {
            Method::McNemarExact
        } else {
            Method::McNemarNormal
        };
        let p_value = if self.only_a == self.only_b {
            // Half of the coins or fewer fall so always, counted from either side.
            1.0
        } else {
            2.0 * lower_tail_of_fair_coins(self.only_a.min(self.only_b), discordant)
        };
        Test {
            p_value: p_value.clamp(0.0, 1.0),
            method,
        }
    }

    /// By how much the share of the first is above that of the second, with the 95 % interval of
    /// Bonett and Price (2012); none when there is no sample.
    ///
    /// It is Wald's interval after one imaginary sample on each side of the disagreement. Wald's
    /// own covers the truth far too rarely when the models differ on few samples; this one, over
    /// the cases that the tests go through, in more than 95 of 100.
    pub fn difference(&self) -> Option<Estimate> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let (a, b, n) = (
            as_float(self.only_a),
            as_float(self.only_b),
            as_float(total),
        );
        let value = (a - b) / n;
        let (more, less) = ((a + 1.0) / (n + 2.0), (b + 1.0) / (n + 2.0));
        let middle = more - less;
        let half = Z95 * ((more + less - middle * middle).max(0.0) / (n + 2.0)).sqrt();
        let low = (middle - half).clamp(-1.0, value);
        let high = (middle + half).clamp(value, 1.0);
        Some(Estimate {
            value,
            interval: of_ends(low, high),
            method: Method::BonettPrice,
        })
    }
}
