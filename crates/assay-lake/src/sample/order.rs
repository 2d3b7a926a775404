//! In which order samples are written.
//!
//! Rows of one sample stay together in both tables, so samples are sorted and not rows. Most samples of a file have one task and
//! one metric and differ in the first eight bytes of their hash: these are sorted as numbers, and only samples that agree there are
//! compared as a whole.

use std::ops::Range;

use super::lane::{Names, small};
use super::question::Questions;
use super::samples::Samples;
use crate::sheet::NONE;

/// How many bytes of a hash are compared as one number.
const PREFIX: usize = size_of::<u64>();

/// The numbers of some samples, the first of which is 0, sorted by task, by metric where it counts, by hash, and then as they came.
/// They came in the order of the lines of one record. What is empty comes first.
pub(super) fn order(
    samples: &Samples,
    range: Range<usize>,
    metric: Option<&Names>,
    questions: &Questions,
) -> Vec<u32> {
    let by_names = [Some(&samples.task), metric].map(|names| {
        let varied = names.filter(|names| names.same().is_none());
        varied.map(|names| (&names.places, names.ranks()))
    });
    let rank_of = |sample: u32| {
        let ranks = by_names.each_ref().map(|names| {
            let (places, ranks) = names.as_ref()?;
            let place = places.get(sample as usize).unwrap_or(NONE);
            ranks.get(place as usize).copied()
        });
        let [task, metric] = ranks.map(|rank| u64::from(rank.unwrap_or(0)));
        task << u32::BITS | metric
    };
    let prefixes = samples.prefixes[range.clone()].iter();
    let mut keys: Vec<(u64, u64, u32)> = (small(range.start)..)
        .zip(prefixes)
        .map(|(sample, prefix)| (rank_of(sample), *prefix, sample))
        .collect();
    keys.sort_unstable();
    for alike in keys.chunk_by_mut(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let whole = |key: &(u64, u64, u32)| (samples.hash_of(key.2, questions), key.2);
        if alike.len() > 1 && !alike.is_sorted_by_key(whole) {
            alike.sort_unstable_by(|one, other| whole(one).cmp(&whole(other)));
        }
    }
    let first = small(range.start);
    keys.into_iter()
        .map(|(.., sample)| sample - first)
        .collect()
}

/// A number that is never larger for a hash that comes first.
pub(super) fn prefix(hash: &[u8]) -> u64 {
    let mut padded = [0; PREFIX];
    let length = hash.len().min(PREFIX);
    padded[..length].copy_from_slice(&hash[..length]);
    u64::from_be_bytes(padded)
}
