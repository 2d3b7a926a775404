//! Proofs of a large log: made from its tiles, checked from their text.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use assay_trust::log::{Log, LogOptions, NoteKey, Receipt};

use crate::cost::{memory_mib, quantile};

/// How long a proof may take to make and check.
const BAR: Duration = Duration::from_millis(5);
/// How many proofs are made.
const PROOFS: u64 = 2_000;
/// How many leaves wait at once while the log is made.
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
            let oldest: assay_trust::log::Pending = waiting.pop_front().unwrap();
            oldest.wait().unwrap();
        }
        waiting.push_back(log.append(format!("{{\"n\":{number},\"t\":\"generated\"}}").into()));
    }
    for own in waiting {
        own.wait().unwrap();
    }
}

fn receipts(log: &Log, leaves: u64) {
    let (mut made, mut checked, mut both) = (Vec::new(), Vec::new(), Vec::new());
    let mut length = 0;
    for number in 0..PROOFS {
        let index = scattered(number, leaves);
        let start = Instant::now();
        let text = log.receipt(index).unwrap().to_string();
        made.push(start.elapsed());
        length = length.max(text.len());
        let between = Instant::now();
        let receipt: Receipt = text.parse().unwrap();
        let checkpoint = receipt.verify(log.key()).unwrap();
        assert_eq!((checkpoint.size, receipt.index()), (leaves, index));
        checked.push(between.elapsed());
        both.push(start.elapsed());
    }
    for (name, times) in [("made", &mut made), ("checked", &mut checked)] {
        let (middle, slow) = (quantile(times, 0.5), quantile(times, 0.99));
        println!(
            "  receipt {name:<8} {middle:>9.1?} in the middle, {slow:>9.1?} at the 99th percentile"
        );
    }
    let (middle, slow) = (quantile(&mut both, 0.5), quantile(&mut both, 0.99));
    let ratio = slow.as_secs_f64() / BAR.as_secs_f64();
    let verdict = if slow <= BAR { "holds" } else { "MISSED" };
    println!(
        "  receipt both     {middle:>9.1?} in the middle, {slow:>9.1?} at the 99th percentile, {length} bytes"
    );
    println!("  {ratio:.3} of the bar of {BAR:?} at the 99th percentile: {verdict}");
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
