use std::io::{self, Write};
use std::path::PathBuf;

use assay_app::FileSource;
use tempfile::NamedTempFile;

/// The most that is kept in memory of one file, in bytes.
const MAX_MEMORY: usize = 64 << 10;

/// The store of an uploaded file: memory while it is small, a temporary file when it is larger.
#[derive(Debug)]
pub(super) struct Spool {
    directory: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    Disk(NamedTempFile),
}

impl Spool {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            place: Place::Memory(Vec::new()),
        }
    }

    /// The content, for the commit to take over.
    pub(super) fn into_source(self) -> FileSource {
        match self.place {
            Place::Memory(bytes) => FileSource::Memory(bytes),
            Place::Disk(file) => FileSource::Disk(file.into_temp_path()),
        }
    }

    fn spill(&mut self, bytes: &[u8]) -> io::Result<()> {
        fs_err::create_dir_all(&self.directory)?;
        let mut file = NamedTempFile::with_prefix_in("upload-", &self.directory)?;
        if let Place::Memory(held) = &self.place {
            file.write_all(held)?;
        }
        file.write_all(bytes)?;
        self.place = Place::Disk(file);
        Ok(())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Memory(held) if held.len() + bytes.len() <= MAX_MEMORY => {
                held.extend_from_slice(bytes);
            }
            Place::Memory(_) => self.spill(bytes)?,
            Place::Disk(file) => file.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Memory(_) => Ok(()),
            Place::Disk(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &FileSource) -> Vec<u8> {
        match source {
            FileSource::Memory(bytes) => bytes.clone(),
            FileSource::Disk(path) => fs_err::read(path).unwrap(),
        }
    }

    #[test]
    fn a_little_stays_in_memory_and_more_goes_to_disk_whole() {
        let directory = tempfile::tempdir().unwrap();
        let spool = |pieces: usize| {
            let mut spool = Spool::new(directory.path().join("tmp"));
            for piece in 0..pieces {
                let letter = u8::try_from(piece % 251).unwrap();
                spool.write_all(&[letter; 1000]).unwrap();
            }
            spool.into_source()
        };

        let (small, large) = (spool(3), spool(1000));

        assert!(matches!(small, FileSource::Memory(_)));
        assert!(matches!(large, FileSource::Disk(_)));
        assert_eq!(read(&small).len(), 3000);
        let content = read(&large);
        assert_eq!(content.len(), 1_000_000);
        assert!(content.chunks(1000).zip(0..).all(|(chunk, piece)| {
            let letter = u8::try_from(piece % 251).unwrap();
            chunk.iter().all(|byte| *byte == letter)
        }));
    }

    #[test]
    fn an_upload_that_is_given_up_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(directory.path().to_owned());
        spool.write_all(&vec![0; MAX_MEMORY + 1]).unwrap();

        drop(spool);

        assert_eq!(fs_err::read_dir(directory.path()).unwrap().count(), 0);
    }
}
