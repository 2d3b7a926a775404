use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use assay_formats::rows::Block;

/// Blocks on their way to the workers, and empty ones on their way back.
pub(crate) struct Queue {
    full: Mutex<Option<SyncSender<(u64, Block)>>>,
    waiting: Mutex<Receiver<(u64, Block)>>,
    empty: Mutex<Vec<Block>>,
}

impl Queue {
    pub(crate) fn new(jobs: usize) -> Self {
        let (sender, receiver) = sync_channel(jobs);
        Self {
            full: Mutex::new(Some(sender)),
            waiting: Mutex::new(receiver),
            empty: Mutex::default(),
        }
    }

    pub(crate) fn empty_block(&self) -> Block {
        lock(&self.empty).pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, block: Block) {
        lock(&self.empty).push(block);
    }

    pub(crate) fn put(&self, number: u64, block: Block) {
        let sender = lock(&self.full).clone();
        // Sending fails only when every worker is gone; then nothing is lost that anyone would read.
        if let Some(sender) = sender {
            let _ = sender.send((number, block));
        }
    }

    pub(crate) fn take(&self) -> Option<(u64, Block)> {
        lock(&self.waiting).recv().ok()
    }

    pub(crate) fn close(&self) {
        lock(&self.full).take();
    }
}

/// Takes a lock; a worker that panicked leaves nothing half-done behind it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
