//! Proofs of a large log: made from its tiles, checked from their text.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use assay_tlog::{Log, LogOptions, NoteKey, Receipt};

use crate::cost::{memory_mib, quantile};

/// Maximum duration of a proof to make and check.
const BAR: Duration = Duration::from_millis(5);
/// Number of leaves that are proven.
const PROOFS: u64 = 1_000;
/// The number of tries of each; the least time counts, so that other programs do not.
const TRIES: usize = 5;
/// Number of leaves that wait at once while the log is made.
const IN_FLIGHT: usize = 32_768;

pub(crate) fn run(leaves: u64) {
    let directory = tempfile::tempdir_in(".").unwrap();
    let key = NoteKey::from_seed("hub.example/log/results", &[2; 32]).unwrap();
    let open = || Log::open(directory.path(), key.clone(), &LogOptions::default()).unwrap();
    let start = Instant::now();
    let log = open();
    fill(&log, leaves);
    println!(
        "a log of {leaves} leaves: made in {:.0?}, {} MiB of memory",
        start.elapsed(),
        memory_mib()
    );
    drop(log);
    let start = Instant::now();
    let log = open();
    println!("  opened again in {:.1?}", start.elapsed());
    receipts(&log, leaves);
    consistency(&log, leaves);
}

fn fill(log: &Log, leaves: u64) {
    let mut waiting = VecDeque::new();
    for number in 0..leaves {
        if waiting.len() == IN_FLIGHT {
            let oldest: assay_tlog::Pending = waiting.pop_front().unwrap();
            oldest.wait().unwrap();
        }
        waiting.push_back(log.append(format!("{{\"n\":{number},\"t\":\"generated\"}}").into()));
    }
    for own in waiting {
        own.wait().unwrap();
    }
}

fn receipts(log: &Log, leaves: u64) {
    let (mut firsts, mut made, mut checked, mut both) = (vec![], vec![], vec![], vec![]);
    let mut length = 0;
    for number in 0..PROOFS {
        let index = scattered(number, leaves);
        let tries: Vec<[Duration; 2]> = (0..TRIES)
            .map(|_| receipt(log, index, &mut length))
            .collect();
        firsts.push(tries[0][0] + tries[0][1]);
        made.push(tries.iter().map(|own| own[0]).min().unwrap());
        checked.push(tries.iter().map(|own| own[1]).min().unwrap());
        both.push(tries.iter().map(|own| own[0] + own[1]).min().unwrap());
    }
    let shown = [
        ("made", &mut made),
        ("checked", &mut checked),
        ("both", &mut both),
        ("both, the first time", &mut firsts),
    ];
    for (name, times) in shown {
        let (middle, slow) = (quantile(times, 0.5), quantile(times, 0.99));
        println!(
            "  receipt {name:<21} {middle:>9.1?} in the middle, {slow:>9.1?} at the 99th percentile"
        );
    }
    let slow = quantile(&mut both, 0.99);
    let ratio = slow.as_secs_f64() / BAR.as_secs_f64();
    let verdict = if slow <= BAR { "holds" } else { "MISSED" };
    println!(
        "  {ratio:.3} of the bar of {BAR:?} at the 99th percentile: {verdict}; {length} bytes"
    );
}

/// Returns the time it takes to make a receipt and to check it.
fn receipt(log: &Log, index: u64, length: &mut usize) -> [Duration; 2] {
    let start = Instant::now();
    let text = log.receipt(index).unwrap().to_string();
    let made = start.elapsed();
    *length = text.len().max(*length);
    let start = Instant::now();
    let receipt: Receipt = text.parse().unwrap();
    let checkpoint = receipt.verify(log.key()).unwrap();
    assert_eq!((checkpoint.size, receipt.index()), (log.size(), index));
    [made, start.elapsed()]
}

fn consistency(log: &Log, leaves: u64) {
    let mut times = Vec::new();
    for number in 0..PROOFS {
        let old = 1 + scattered(number, leaves);
        let start = Instant::now();
        let proof = log.consistency(old, leaves).unwrap();
        times.push(start.elapsed());
        let roots = (log.root(old).unwrap(), log.checkpoint().claimed().root);
        assert_eq!(proof.verify(roots.0, roots.1), Ok(()));
    }
    let (middle, slow) = (quantile(&mut times, 0.5), quantile(&mut times, 0.99));
    println!(
        "  consistency made {middle:>9.1?} in the middle, {slow:>9.1?} at the 99th percentile"
    );
}

/// Places all over the log, the same every time.
fn scattered(number: u64, below: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % below
}
