//! Work on all cores.

use std::num::NonZero;

use parking_lot::Mutex;

/// Works off the items on all cores, each with a state of its own, and returns the states. Which
/// core gets which item is not determined.
pub(super) fn fold<T: Send, S: Send>(
    items: impl Iterator<Item = T> + Send,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) -> Vec<S> {
    let queue = Mutex::new(items);
    let take = || queue.lock().next();
    let states = Mutex::new(Vec::new());
    let work_off = || {
        let mut state = start();
        while let Some(item) = take() {
            work(&mut state, item);
        }
        let mut states = states.lock();
        states.push(state);
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 1..cores {
            scope.spawn(work_off);
        }
        work_off();
    });
    states.into_inner()
}
