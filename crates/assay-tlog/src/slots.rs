use std::fs::File;
use std::path::{Path, PathBuf};

use crate::checkpoint::SignedCheckpoint;
use crate::error::LogError;
use crate::positional::FileExt as _;

/// Size of a slot in bytes. A page is written as a whole.
const SLOT: usize = 4096;
/// The first bytes of a slot, with the version of the format.
const MAGIC: &[u8; 8] = b"assaylg1";
/// Bytes before the note: magic, three numbers and the length of the note.
const HEAD: usize = 8 + 3 * 8 + 4;

/// The last checkpoint in a file that is overwritten in place.
///
/// Two slots are written in turn, so that a torn write leaves the one before it, which is the last
/// that anyone was told of.
pub(crate) struct Slots {
    path: PathBuf,
    file: File,
    sequence: u64,
}

/// The contents of a slot.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Bytes of `entries` that the checkpoint covers.
    pub(crate) end: u64,
    /// Up to which leaf everything that is derived is on disk as well.
    pub(crate) settled: u64,
    /// The checkpoint.
    pub(crate) checkpoint: SignedCheckpoint,
}

impl Slots {
    /// Opens the file, and makes it if it is not there. The record is the newer one of those that
    /// are whole.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<Record>), LogError> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(LogError::io("open", path))?;
        // It has its full size from the start: a full disk cannot keep a checkpoint from being
        // written.
        if file.metadata().map_err(LogError::io("open", path))?.len() < 2 * SLOT as u64 {
            file.write_all_at(&[0; 2 * SLOT], 0)
                .and_then(|()| file.sync_all())
                .map_err(LogError::io("write", path))?;
        }
        let newest = newest(&file).map_err(LogError::io("read", path))?;
        let sequence = newest.as_ref().map_or(0, |(sequence, _)| *sequence);
        let slots = Self {
            path: path.to_owned(),
            file,
            sequence,
        };
        Ok((slots, newest.map(|(_, record)| record)))
    }

    /// Reads the newest record without opening the file for writing; none when there is no file.
    pub(crate) fn read(path: &Path) -> Result<Option<Record>, LogError> {
        match File::open(path) {
            Ok(file) => Ok(newest(&file)
                .map_err(LogError::io("read", path))?
                .map(|(_, record)| record)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::io("read", path)(error)),
        }
    }

    /// Writes a record over the older of the two.
    pub(crate) fn write(&mut self, record: &Record) -> Result<(), LogError> {
        self.sequence += 1;
        let slot = encode(self.sequence, record)
            .expect("a checkpoint under a name of at most 255 bytes fits a slot");
        let at = (self.sequence % 2) * SLOT as u64;
        self.file
            .write_all_at(&slot, at)
            .map_err(LogError::io("write", &self.path))
    }

    /// Makes what was written durable.
    pub(crate) fn sync(&self) -> Result<(), LogError> {
        self.file
            .sync_data()
            .map_err(LogError::io("sync", &self.path))
    }
}

fn newest(file: &File) -> std::io::Result<Option<(u64, Record)>> {
    let mut newest: Option<(u64, Record)> = None;
    for number in 0..2 {
        let mut slot = [0; SLOT];
        match file.read_exact_at(&mut slot, number * SLOT as u64) {
            Ok(()) => {}
            // A file that ends early was never finished, or was cut off; what is whole still
            // counts.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => continue,
            Err(error) => return Err(error),
        }
        if let Some(found) = decode(&slot)
            && newest.as_ref().is_none_or(|(best, _)| found.0 > *best)
        {
            newest = Some(found);
        }
    }
    Ok(newest)
}

fn encode(sequence: u64, record: &Record) -> Option<[u8; SLOT]> {
    let note = record.checkpoint.to_string();
    let mut bytes = MAGIC.to_vec();
    for number in [sequence, record.end, record.settled] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    bytes.extend_from_slice(&u32::try_from(note.len()).ok()?.to_be_bytes());
    bytes.extend_from_slice(note.as_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    let mut slot = [0; SLOT];
    slot.get_mut(..bytes.len())?.copy_from_slice(&bytes);
    Some(slot)
}

fn decode(slot: &[u8; SLOT]) -> Option<(u64, Record)> {
    let number = |at: usize| slot[at..].first_chunk().map(|own| u64::from_be_bytes(*own));
    (slot.starts_with(MAGIC)).then_some(())?;
    let length = u32::from_be_bytes(*slot[HEAD - 4..].first_chunk()?);
    let end = HEAD.checked_add(usize::try_from(length).ok()?)?;
    let written = slot.get(..end)?;
    let crc = u32::from_be_bytes(*slot[end..].first_chunk()?);
    (crc32fast::hash(written) == crc).then_some(())?;
    let note = std::str::from_utf8(&written[HEAD..]).ok()?;
    let record = Record {
        end: number(16)?,
        settled: number(24)?,
        checkpoint: note.parse().ok()?,
    };
    Some((number(8)?, record))
}

#[cfg(test)]
mod tests {
    use super::super::hash::TreeHash;
    use super::super::key::NoteKey;
    use super::*;

    fn record(size: u64) -> Record {
        let key = NoteKey::from_seed("hub.example/log", &[1; 32]).unwrap();
        Record {
            end: size * 10,
            settled: 0,
            checkpoint: SignedCheckpoint::sign(size, TreeHash::of_nothing(), &key),
        }
    }

    #[test]
    fn the_newer_record_is_read_and_a_torn_one_leaves_the_older() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint.last");
        let (mut slots, none) = Slots::open(&path).unwrap();
        slots.write(&record(1)).unwrap();
        slots.write(&record(2)).unwrap();

        let whole = Slots::read(&path).unwrap().unwrap();
        // The second record went to the first slot.
        slots.file.write_all_at(b"torn", 40).unwrap();
        let torn = Slots::read(&path).unwrap().unwrap();

        assert!(none.is_none());
        assert_eq!((whole.end, torn.end), (20, 10));
    }

    #[test]
    fn any_changed_byte_of_a_slot_is_noticed() {
        let slot = encode(7, &record(3)).unwrap();
        let used = slot.iter().rposition(|byte| *byte != 0).unwrap();
        for at in 0..=used {
            let mut changed = slot;
            changed[at] ^= 1;

            assert!(decode(&changed).is_none(), "byte {at}");
        }
        assert!(decode(&slot).is_some());
    }
}
