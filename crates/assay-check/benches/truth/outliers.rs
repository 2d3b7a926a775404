//! Scores that no other number of the record speaks for.

use crate::case::{Kind, Step, as_it_is, round, score};

const fn kind(name: &'static str, plant: Step) -> Kind {
    Kind {
        family: "outliers",
        name,
        prepare: as_it_is,
        plant,
    }
}

/// So many results in a record at least: others have to predict the score.
const RESULTS: usize = 5;

pub(crate) const KINDS: &[Kind] = &[
    kind("a weak model's score set to 0.98 of the scale", |d| {
        d.results().len() >= RESULTS && d.share() < 0.4 && {
            let top = d.top();
            d.set_score(round(0.98 * top, 4));
            true
        }
    }),
    kind("a good model's score set to 0", |d| {
        d.results().len() >= RESULTS && d.share() > 0.7 && {
            d.set_score(0.0);
            true
        }
    }),
    kind("a share of wrong answers for one of right ones", |d| {
        let share = d.share();
        d.results().len() >= RESULTS && !(0.2..=0.8).contains(&share) && share > 0.01 && {
            let top = d.top();
            d.set_score(round((1.0 - share) * top, 4));
            true
        }
    }),
    kind("two scores of a record swapped", |d| {
        let count = d.results().len();
        let other = (d.at + 1) % count;
        let (one, two) = (score(&d.value, d.at), score(&d.value, other));
        count >= RESULTS && (one - two).abs() > 0.4 * d.top() && {
            d.set_score(two);
            let at = d.at;
            d.at = other;
            d.set_score(one);
            d.at = at;
            true
        }
    }),
];
