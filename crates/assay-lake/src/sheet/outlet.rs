//! The way from a file in the making to the disk.
//!
//! A system keeps what is written in memory until the disk has it, and longer. That costs a third copy of every byte, and memory that
//! others need more: texts are many and seldom read soon. So a large file of texts is written past it, by a thread of its own that
//! waits for the disk.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::draft::Hashed;

/// How much is written at a time.
const WRITTEN_AT_ONCE: usize = 1 << 20;
/// Where memory must begin that a disk reads by itself.
const ALIGNED_TO: usize = 1 << 12;
/// How many buffers there are for a large file: one is filled, one is written, and one is on the way.
const BUFFERS: usize = 3;
/// How many are kept for the next files.
const SPARE_BUFFERS: usize = 16;

/// Memory that other files were written from.
#[derive(Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Buffer>>>);

/// Bytes on their way to a file.
pub(super) struct Outlet {
    /// What is being filled.
    buffer: Buffer,
    buffers: Buffers,
    /// Whether the file is written past the memory of the system once it is large.
    may_pass: bool,
    way: Way,
}

/// Who writes.
enum Way {
    /// Whoever fills the buffer.
    Here(Hashed),
    /// Another thread.
    Beside(Beside),
    /// Nobody any more: it has failed, and that was told.
    Nobody,
}

struct Beside {
    full: SyncSender<Buffer>,
    empty: Receiver<Buffer>,
    writer: JoinHandle<io::Result<Hashed>>,
}

/// Memory that begins where a disk can read it.
struct Buffer {
    bytes: Vec<u8>,
    from: usize,
    filled: usize,
}

impl Outlet {
    /// Nothing written yet.
    pub(super) fn new(file: Hashed, may_pass: bool, buffers: Buffers) -> Self {
        Self {
            buffer: buffers.take(),
            buffers,
            may_pass,
            way: Way::Here(file),
        }
    }

    /// Writes what is left, and gives the file back.
    pub(super) fn finish(self) -> io::Result<Hashed> {
        let mut file = match self.way {
            Way::Here(file) => file,
            Way::Beside(beside) => {
                let mut file = beside.finish(&self.buffers)?;
                // What is left does not fill a block of the disk.
                file.keep_in_memory();
                file
            }
            Way::Nobody => return Err(has_failed()),
        };
        file.write_all(self.buffer.filled())?;
        self.buffers.give_back(self.buffer);
        Ok(file)
    }

    /// Hands the buffer on.
    fn hand_on(&mut self) -> io::Result<()> {
        if self.may_pass
            && let Way::Here(_) = self.way
            && let Way::Here(file) = std::mem::replace(&mut self.way, Way::Nobody)
        {
            self.way = Way::Beside(Beside::begin(file, &self.buffers));
        }
        match &mut self.way {
            Way::Here(file) => {
                file.write_all(self.buffer.filled())?;
                self.buffer.filled = 0;
                Ok(())
            }
            Way::Beside(beside) => match beside.exchange(&mut self.buffer) {
                Some(()) => Ok(()),
                None => Err(self.failure()),
            },
            Way::Nobody => Err(has_failed()),
        }
    }

    /// Why the other thread has stopped.
    fn failure(&mut self) -> io::Error {
        match std::mem::replace(&mut self.way, Way::Nobody) {
            Way::Beside(beside) => beside
                .finish(&self.buffers)
                .err()
                .unwrap_or_else(has_failed),
            Way::Here(_) | Way::Nobody => has_failed(),
        }
    }
}

impl Buffers {
    fn take(&self) -> Buffer {
        self.held().pop().unwrap_or_else(Buffer::new)
    }

    fn give_back(&self, mut buffer: Buffer) {
        buffer.filled = 0;
        let mut spare = self.held();
        if spare.len() < SPARE_BUFFERS {
            spare.push(buffer);
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<Buffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.room().is_empty() {
            self.hand_on()?;
        }
        let room = self.buffer.room();
        let count = room.len().min(bytes.len());
        room[..count].copy_from_slice(&bytes[..count]);
        self.buffer.filled += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Beside {
    fn begin(mut file: Hashed, buffers: &Buffers) -> Self {
        let (full, to_write) = sync_channel::<Buffer>(1);
        let (written, empty) = sync_channel(BUFFERS);
        // All but the one that is being filled.
        for _ in 1..BUFFERS {
            written.send(buffers.take()).ok();
        }
        let writer = thread::spawn(move || {
            file.pass_by_memory();
            for mut buffer in to_write {
                file.write_all(buffer.filled())?;
                buffer.filled = 0;
                // Whoever filled it may have ended.
                written.send(buffer).ok();
            }
            Ok(file)
        });
        Self {
            full,
            empty,
            writer,
        }
    }

    /// Hands a full buffer on for an empty one, unless the writer has stopped.
    fn exchange(&self, buffer: &mut Buffer) -> Option<()> {
        let empty = self.empty.recv().ok()?;
        self.full.send(std::mem::replace(buffer, empty)).ok()
    }

    /// Waits until all is written.
    fn finish(self, buffers: &Buffers) -> io::Result<Hashed> {
        drop(self.full);
        let written = self.writer.join();
        for buffer in self.empty {
            buffers.give_back(buffer);
        }
        written.unwrap_or_else(|_| Err(has_failed()))
    }
}

impl Buffer {
    fn new() -> Self {
        let bytes = vec![0; WRITTEN_AT_ONCE + ALIGNED_TO];
        let from = bytes.as_ptr().align_offset(ALIGNED_TO);
        Self {
            from: from.min(ALIGNED_TO),
            bytes,
            filled: 0,
        }
    }

    fn filled(&self) -> &[u8] {
        &self.bytes[self.from..self.from + self.filled]
    }

    fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.from + self.filled..self.from + WRITTEN_AT_ONCE]
    }
}

fn has_failed() -> io::Error {
    io::Error::other("the file could not be written before")
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_file_has_what_was_written_whichever_way_it_went(
            pieces in prop::collection::vec(prop_oneof![1_usize..5_000, 500_000_usize..1_500_000], 0..9),
            may_pass in any::<bool>(),
        ) {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("file");
            let buffers = Buffers::default();
            // Buffers that were used for another file are used again.
            for round in 0..2_u8 {
                let mut outlet = Outlet::new(Hashed::new(File::create(&path).unwrap()), may_pass, buffers.clone());
                let mut expected = Vec::new();
                for (number, length) in (round..).zip(&pieces) {
                    let piece = vec![number; *length];
                    outlet.write_all(&piece).unwrap();
                    expected.extend(piece);
                }
                outlet.finish().unwrap();

                prop_assert!(std::fs::read(&path).unwrap() == expected);
            }
            prop_assert!(buffers.held().len() <= BUFFERS);
        }
    }

    #[test]
    fn a_disk_that_refuses_is_told_of_by_a_later_write_or_the_end() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        std::fs::write(&path, "").unwrap();
        for may_pass in [false, true] {
            // A file that is open for reading alone refuses every byte.
            let file = Hashed::new(File::open(&path).unwrap());
            let mut outlet = Outlet::new(file, may_pass, Buffers::default());
            let piece = vec![0; WRITTEN_AT_ONCE];

            let written = (0..2 * BUFFERS).try_for_each(|_| outlet.write_all(&piece));

            assert_eq!(
                written.unwrap_err().raw_os_error(),
                Some(9),
                "bad file descriptor"
            );
            assert!(outlet.finish().is_err());
        }
    }
}
