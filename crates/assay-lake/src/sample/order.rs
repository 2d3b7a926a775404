//! In which order samples are written.
//!
//! Rows of one sample stay together in both tables, so samples are sorted and not rows. Most samples of a file have one task and
//! one metric and differ in the first eight bytes of their hash: these are sorted as numbers, and only samples that agree there are
//! compared as a whole.

use super::block::Samples;
use super::lane::Names;
use crate::sheet::NONE;

/// How many bytes of a hash are compared as one number.
const PREFIX: usize = size_of::<u64>();

/// The numbers of the samples, sorted by task, by metric where it counts, by hash, and then as they came. They came in
/// the order of the lines of one record. What is empty comes first.
pub(super) fn order(samples: &Samples, metric: Option<&Names>) -> Vec<u32> {
    let by_names = [Some(&samples.task), metric].map(|names| {
        let varied = names.filter(|names| names.same().is_none());
        varied.map(|names| (&names.places, names.ranks()))
    });
    let rank_of = |row: u32| {
        let ranks = by_names.each_ref().map(|names| {
            let (places, ranks) = names.as_ref()?;
            let place = places.get(row as usize).unwrap_or(NONE);
            ranks.get(place as usize).copied()
        });
        let [task, metric] = ranks.map(|rank| u64::from(rank.unwrap_or(0)));
        task << u32::BITS | metric
    };
    let rows = 0..super::lane::small(samples.len());
    let mut keys: Vec<(u64, u64, u32)> = rows
        .map(|row| (rank_of(row), prefix(samples.hash_of(row)), row))
        .collect();
    keys.sort_unstable();
    for alike in keys.chunk_by_mut(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let whole = |key: &(u64, u64, u32)| (samples.hash_of(key.2), key.2);
        if !alike.is_sorted_by_key(whole) {
            alike.sort_unstable_by(|one, other| whole(one).cmp(&whole(other)));
        }
    }
    keys.into_iter().map(|(.., row)| row).collect()
}

/// A number that is never larger for a hash that comes first.
fn prefix(hash: Option<&[u8]>) -> u64 {
    let hash = hash.unwrap_or_default();
    let mut padded = [0; PREFIX];
    let length = hash.len().min(PREFIX);
    padded[..length].copy_from_slice(&hash[..length]);
    u64::from_be_bytes(padded)
}
