//! Files that are read and written at a position, on every operating system.

use std::fs::File;
use std::io;

/// Reads and writes at a position. Only the process that holds the lock of a log writes, so a
/// position that the operating system moves along the way, as Windows does, is nobody else's.
pub(crate) trait Positioned {
    /// Fills the buffer from a position on.
    fn read_whole_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all bytes from a position on.
    fn write_whole_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

#[cfg(unix)]
impl Positioned for File {
    fn read_whole_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    fn write_whole_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }
}

#[cfg(windows)]
impl Positioned for File {
    fn read_whole_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(self, buffer, offset)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let rest = buffer;
            buffer = &mut rest[read..];
            offset += read as u64;
        }
        Ok(())
    }

    fn write_whole_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(self, bytes, offset)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[written..];
            offset += written as u64;
        }
        Ok(())
    }
}

/// In a browser proofs are verified and no log is kept, so each of these fails.
#[cfg(not(any(unix, windows)))]
impl Positioned for File {
    fn read_whole_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn write_whole_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
