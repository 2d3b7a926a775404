//! The end of a file, which says where everything lies.

use std::io::{self, Write};

use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataWriter};
use parquet::file::writer::TrackedWrite;

/// How many bytes are passed over at a time.
const STRIDE: usize = 1 << 16;

/// Passes over bytes that lie in the file already, and keeps what follows.
struct Tail {
    passed: u64,
    kept: Vec<u8>,
}

/// The end of a file that has so many bytes before it.
///
/// Whoever writes it counts the bytes before it, and does not give back the file that it writes to.
pub(super) fn end_of(metadata: &ParquetMetaData, before: u64) -> Result<Vec<u8>> {
    let mut tail = Tail {
        passed: before,
        kept: Vec::new(),
    };
    let mut counted = TrackedWrite::new(&mut tail);
    let nothing = vec![0; STRIDE];
    let mut left = before;
    while left > 0 {
        let stride = usize::try_from(left).unwrap_or(STRIDE).min(STRIDE);
        counted.write_all(&nothing[..stride])?;
        left -= stride as u64;
    }
    ParquetMetaDataWriter::new_with_tracked(counted, metadata).finish()?;
    Ok(tail.kept)
}

impl Write for Tail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let passed = usize::try_from(self.passed)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        self.passed -= passed as u64;
        self.kept.extend_from_slice(&bytes[passed..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
