//! Work on several threads whose results come back in the order of the input.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex};

/// Number of pieces of that work may be under way or waiting to be consumed, for each thread.
const PIECES_PER_JOB: u64 = 2;

/// Takes pieces from `produce`, works on them on `jobs` threads, and hands the results to `consume`
/// in the order of the pieces. At most a few pieces for each thread are held at a time, so memory
/// does not grow with the input.
///
/// `produce` runs on the calling thread, which works like the others whenever enough pieces are
/// waiting: there are as many threads as jobs, and none of them is idle while another has too much
/// to do. `consume` runs on whichever thread finishes the next piece in turn. Each thread makes its
/// own `state` once, for buffers that are used again.
pub fn ordered<P, R, S, E>(
    jobs: usize,
    mut produce: impl FnMut() -> Result<Option<P>, E>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, P) -> R + Sync,
    mut consume: impl FnMut(R) + Send,
) -> Result<(), E>
where
    P: Send,
    R: Send,
{
    if jobs <= 1 {
        let mut state = state();
        while let Some(piece) = produce()? {
            consume(work(&mut state, piece));
        }
        return Ok(());
    }
    let line = Line::new(jobs, &mut consume);
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(|| {
                let _closing = Closing(&line);
                let mut state = state();
                while let Some((number, piece)) = line.take() {
                    line.finish(number, work(&mut state, piece));
                }
            });
        }
        let closing = Closing(&line);
        let mut state = state();
        let produced = loop {
            match line.turn() {
                Turn::Produce => match produce() {
                    Ok(Some(piece)) => line.put(piece),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                },
                Turn::Work(number, piece) => line.finish(number, work(&mut state, piece)),
                Turn::Stop => return Ok(()),
            }
        };
        drop(closing);
        while let Some((number, piece)) = line.take() {
            line.finish(number, work(&mut state, piece));
        }
        produced
    })
}

/// Works on every piece of a list on `jobs` threads and returns the results in its order.
///
/// Each thread takes the next piece that is free, so a slow one holds nobody up; all results are
/// held until the end.
pub fn each<P, R>(jobs: usize, pieces: &[P], work: impl Fn(&P) -> R + Sync) -> Vec<R>
where
    P: Sync,
    R: Send,
{
    each_with(jobs, pieces, || (), |(), piece| work(piece))
}

/// The same as [`each`], where each thread makes its own `state` once, for buffers that are used
/// again.
pub fn each_with<P, R, S>(
    jobs: usize,
    pieces: &[P],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &P) -> R + Sync,
) -> Vec<R>
where
    P: Sync,
    R: Send,
{
    let jobs = jobs.min(pieces.len());
    if jobs <= 1 {
        let mut state = state();
        return pieces.iter().map(|piece| work(&mut state, piece)).collect();
    }
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::with_capacity(pieces.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut state = state();
                let mut own = Vec::new();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(piece) = pieces.get(index) else {
                        break;
                    };
                    own.push((index, work(&mut state, piece)));
                }
                all.lock().append(&mut own);
            });
        }
    });
    let mut all = all.into_inner();
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

/// The pieces on their way, and the results that wait for their turn.
struct Line<'c, P, R> {
    room: u64,
    state: Mutex<LineState<P, R>>,
    changed: Condvar,
    /// Locked by the one thread that consumes, while the others go on working.
    consume: Mutex<&'c mut (dyn FnMut(R) + Send)>,
}

/// The next step of the calling thread.
enum Turn<P> {
    /// There is room for another piece.
    Produce,
    /// There is none, but a piece is waiting.
    Work(u64, P),
    /// A worker has died, and no one would take a piece.
    Stop,
}

struct LineState<P, R> {
    waiting: std::collections::VecDeque<(u64, P)>,
    /// Number of pieces that were put.
    put: u64,
    /// The piece whose result is consumed next.
    next: u64,
    early: BTreeMap<u64, R>,
    /// True if a thread consumes results at this moment.
    is_consumed: bool,
    closed: bool,
}

impl<'c, P, R> Line<'c, P, R> {
    fn new(jobs: usize, consume: &'c mut (dyn FnMut(R) + Send)) -> Self {
        let state = LineState {
            waiting: std::collections::VecDeque::new(),
            put: 0,
            next: 0,
            early: BTreeMap::new(),
            is_consumed: false,
            closed: false,
        };
        Self {
            room: jobs as u64 * PIECES_PER_JOB,
            state: Mutex::new(state),
            changed: Condvar::new(),
            consume: Mutex::new(consume),
        }
    }

    fn is_full(&self, state: &LineState<P, R>) -> bool {
        state.put - state.next >= self.room
    }

    /// Returns the next step of the calling thread; it waits only when there is neither room nor
    /// work.
    fn turn(&self) -> Turn<P> {
        let idle = |state: &mut LineState<P, R>| {
            !state.closed && self.is_full(state) && state.waiting.is_empty()
        };
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, idle);
        if state.closed {
            return Turn::Stop;
        }
        if !self.is_full(&state) {
            return Turn::Produce;
        }
        state
            .waiting
            .pop_front()
            .map_or(Turn::Stop, |(number, piece)| Turn::Work(number, piece))
    }

    /// Adds a piece.
    fn put(&self, piece: P) {
        let mut state = self.state.lock();
        let number = state.put;
        state.put += 1;
        state.waiting.push_back((number, piece));
        drop(state);
        self.changed.notify_all();
    }

    /// The next piece; `None` once the line is closed and empty.
    fn take(&self) -> Option<(u64, P)> {
        let idle = |state: &mut LineState<P, R>| !state.closed && state.waiting.is_empty();
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, idle);
        state.waiting.pop_front()
    }

    /// Keeps a result, and consumes all whose turn has come, unless another thread is at it and
    /// will find this one too.
    fn finish(&self, number: u64, result: R) {
        let mut state = self.state.lock();
        state.early.insert(number, result);
        if state.is_consumed {
            return;
        }
        state.is_consumed = true;
        loop {
            let next = state.next;
            let Some(result) = state.early.remove(&next) else {
                break;
            };
            drop(state);
            let mut consume = self.consume.lock();
            (*consume)(result);
            drop(consume);
            state = self.state.lock();
            state.next += 1;
            // There is room for another piece.
            self.changed.notify_all();
        }
        state.is_consumed = false;
        drop(state);
        self.changed.notify_all();
    }
}

/// Closes the line when its owner is done or panics, so that nobody waits for ever.
struct Closing<'l, 'c, P, R>(&'l Line<'c, P, R>);

impl<P, R> Drop for Closing<'_, '_, P, R> {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(jobs: usize, count: u64) -> Vec<u64> {
        let mut numbers = 0..count;
        let mut squares = Vec::new();
        let produced: Result<(), ()> = ordered(
            jobs,
            || Ok(numbers.next()),
            || (),
            |(), number| {
                // Later pieces are quicker, so they overtake the earlier ones.
                (0..(count - number) * 50).fold(0, |sum: u64, step| {
                    std::hint::black_box(sum.wrapping_add(step))
                });
                number * number
            },
            |square| squares.push(square),
        );
        assert_eq!(produced, Ok(()));
        squares
    }

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let expected: Vec<u64> = (0..500).map(|number| number * number).collect();
        for jobs in [1, 2, 3, 8] {
            assert_eq!(squares(jobs, 500), expected, "{jobs} jobs");
        }
    }

    #[test]
    fn nothing_in_gives_nothing_out() {
        assert_eq!(squares(4, 0), Vec::<u64>::new());
        assert_eq!(each(4, &[], |number: &u64| *number), Vec::<u64>::new());
    }

    #[test]
    fn results_of_a_list_come_in_its_order() {
        let numbers: Vec<u64> = (0..500).collect();
        let expected: Vec<u64> = numbers.iter().map(|number| number * 2).collect();

        for jobs in [0, 1, 2, 3, 8] {
            assert_eq!(each(jobs, &numbers, |number| number * 2), expected);
        }
    }

    #[test]
    fn a_fault_of_the_producer_ends_the_work_and_is_returned() {
        let mut calls = 0;
        let mut consumed = 0;

        let result = ordered(
            2,
            || {
                calls += 1;
                if calls > 10 {
                    Err("broken")
                } else {
                    Ok(Some(calls))
                }
            },
            || (),
            |(), number| number,
            |_| consumed += 1,
        );

        assert_eq!((result, consumed), (Err("broken"), 10));
    }
}
