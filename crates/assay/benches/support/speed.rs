//! The cost of work of this thread, in CPU seconds.

/// Megabytes per CPU second of this thread; the best of three.
pub(crate) fn speed(bytes: usize, work: impl Fn()) -> f64 {
    let best = (0..3)
        .map(|_| thread_seconds(&work))
        .fold(f64::INFINITY, f64::min);
    bytes as f64 / 1e6 / best
}

/// The CPU seconds that this thread spends on some work.
fn thread_seconds(work: impl Fn()) -> f64 {
    let before = thread_nanoseconds();
    work();
    (thread_nanoseconds() - before) as f64 / 1e9
}

fn thread_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}
