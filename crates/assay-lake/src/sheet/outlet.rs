//! The way from a file in the making to the disk.
//!
//! A system keeps what is written in memory until the disk has it, and longer. That costs a copy of every byte, and memory that
//! others need more: whoever takes in many samples writes more than fits there. So a large file is written past it, by a thread of
//! its own that waits for the disk.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::draft::Hashed;

/// How much is written at a time.
const WRITTEN_AT_ONCE: usize = 1 << 20;
/// Where memory must begin that a disk reads by itself.
const ALIGNED_TO: usize = 1 << 12;
/// How many buffers there are for a large file at most. Columns that are only copied come faster than a disk takes them.
const BUFFERS: usize = 8;
/// How many are kept for the next files.
const SPARE_BUFFERS: usize = 32;

/// Memory that other files were written from.
#[derive(Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Buffer>>>);

/// Bytes on their way to a file.
pub(super) struct Outlet {
    /// What is being filled.
    buffer: Buffer,
    buffers: Buffers,
    way: Way,
}

/// Who writes.
enum Way {
    /// Whoever fills the buffer, when it is the only one.
    Here(Hashed),
    /// Another thread.
    Beside(Beside),
    /// Nobody any more: it has failed, and that was told.
    Nobody,
}

struct Beside {
    full: SyncSender<Buffer>,
    empty: Receiver<Buffer>,
    /// How many buffers there are.
    count: usize,
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
    pub(super) fn new(file: Hashed, buffers: Buffers) -> Self {
        Self {
            buffer: buffers.take(),
            buffers,
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

    /// Hands the buffer on, to another thread now that the file is large.
    fn hand_on(&mut self) -> io::Result<()> {
        let mut beside = match std::mem::replace(&mut self.way, Way::Nobody) {
            Way::Here(file) => Beside::begin(file),
            Way::Beside(beside) => beside,
            Way::Nobody => return Err(has_failed()),
        };
        if beside.exchange(&mut self.buffer, &self.buffers).is_none() {
            let failure = beside.finish(&self.buffers).err();
            return Err(failure.unwrap_or_else(has_failed));
        }
        self.way = Way::Beside(beside);
        Ok(())
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
    fn begin(mut file: Hashed) -> Self {
        let (full, to_write) = sync_channel::<Buffer>(BUFFERS);
        let (written, empty) = sync_channel(BUFFERS);
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
            count: 1,
            writer,
        }
    }

    /// Hands a full buffer on for an empty one, unless the writer has stopped.
    fn exchange(&mut self, buffer: &mut Buffer, buffers: &Buffers) -> Option<()> {
        let empty = match self.empty.try_recv() {
            Ok(empty) => empty,
            Err(TryRecvError::Empty) if self.count < BUFFERS => {
                self.count += 1;
                buffers.take()
            }
            Err(TryRecvError::Empty) => self.empty.recv().ok()?,
            Err(TryRecvError::Disconnected) => return None,
        };
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
        fn a_file_has_what_was_written_however_large_it_is(
            pieces in prop::collection::vec(prop_oneof![1_usize..5_000, 500_000_usize..1_500_000], 0..9),
        ) {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("file");
            let buffers = Buffers::default();
            // Buffers that were used for another file are used again.
            for round in 0..2_u8 {
                let mut outlet = Outlet::new(Hashed::new(File::create(&path).unwrap()), buffers.clone());
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
        // A file that is open for reading alone refuses every byte.
        let file = Hashed::new(File::open(&path).unwrap());
        let mut outlet = Outlet::new(file, Buffers::default());
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
