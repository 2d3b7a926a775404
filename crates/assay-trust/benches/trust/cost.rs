//! The cost of work: processor seconds and memory of this whole process.

use std::time::Duration;

/// User and system time of all threads so far.
pub(crate) fn cpu_time() -> Duration {
    // A thread that has ended takes its own account with it, so the process is asked.
    const TICKS_PER_SECOND: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11..13]
        .iter()
        .map(|own| own.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// The memory of this process that is in use, in MiB.
pub(crate) fn memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: u64 = line
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    kib / 1024
}

/// The time below which this share of the times lies.
pub(crate) fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "it is a place in a list"
    )]
    let at = ((times.len() - 1) as f64 * share) as usize;
    times[at]
}
