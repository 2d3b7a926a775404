//! Samples files cut into blocks of whole rows, hashed on the way, in memory that the largest row
//! bounds.

use std::io::{self, Read};

use md5::{Digest as _, Md5};
use sha2::Sha256;

use crate::syntax::limits;

/// The number of bytes that are read before a block is handed on.
const BLOCK_BYTES: usize = 1 << 20;
/// The number of bytes that are read at a time for hashing.
const CHUNK: usize = 1 << 18;
/// The number of bytes of an oversized row that are kept for the excerpt of the finding.
const KEPT_OF_OVERSIZED: usize = 1 << 12;

/// Some rows of a file, each with its line end.
#[derive(Debug, Default)]
pub struct Block {
    /// The bytes of the rows.
    pub bytes: Vec<u8>,
    /// The byte of the file at which they begin.
    pub offset: u64,
    /// The line of the file on which they begin, from 1.
    pub line: u64,
    /// True if this is the beginning of one row that is larger than the limit; the rest of it was
    /// passed over.
    pub oversized: bool,
}

/// The digest algorithms that records name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// SHA-256.
    Sha256,
    /// MD5, which tells accidents apart but not attacks.
    Md5,
}

impl Algorithm {
    /// The name in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Md5 => "md5",
        }
    }

    /// The algorithm of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Sha256, Self::Md5]
            .into_iter()
            .find(|algorithm| algorithm.as_str() == name)
    }

    /// Returns the number of hexadecimal digits of its digests.
    pub fn digits(self) -> usize {
        match self {
            Self::Sha256 => 64,
            Self::Md5 => 32,
        }
    }
}

/// A digest in the making.
#[derive(Debug, Clone)]
pub struct Hasher(State);

#[derive(Debug, Clone)]
enum State {
    Sha256(Sha256),
    Md5(Md5),
}

impl Hasher {
    /// The digest of nothing yet.
    pub fn new(algorithm: Algorithm) -> Self {
        Self(match algorithm {
            Algorithm::Sha256 => State::Sha256(Sha256::new()),
            Algorithm::Md5 => State::Md5(Md5::new()),
        })
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha256(hasher) => hasher.update(bytes),
            State::Md5(hasher) => hasher.update(bytes),
        }
    }

    /// The digest in hexadecimal.
    pub fn hex(self) -> String {
        let digest: Vec<u8> = match self.0 {
            State::Sha256(hasher) => hasher.finalize().to_vec(),
            State::Md5(hasher) => hasher.finalize().to_vec(),
        };
        hex(&digest)
    }
}

/// The SHA-256 of everything a reader gives, in hexadecimal digits, and how many bytes that is;
/// none of it is kept.
pub fn sha256_of(mut reader: impl Read) -> io::Result<(String, u64)> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        let count = reader.read(&mut chunk)?;
        if count == 0 {
            return Ok((hasher.hex(), size));
        }
        hasher.update(&chunk[..count]);
        size += count as u64;
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Reads a samples file block by block.
pub struct Blocks<R> {
    reader: R,
    hasher: Option<Hasher>,
    /// The bytes read past the last whole row.
    carry: Vec<u8>,
    offset: u64,
    line: u64,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Begins at the front of a file.
    pub fn new(reader: R, algorithm: Algorithm) -> Self {
        Self {
            hasher: Some(Hasher::new(algorithm)),
            ..Self::unhashed(reader)
        }
    }

    /// Begins at the front of a file whose digest nobody asks for; computing it would cost more
    /// than the cutting.
    pub fn unhashed(reader: R) -> Self {
        Self {
            reader,
            hasher: None,
            carry: Vec::new(),
            offset: 0,
            line: 1,
            ended: false,
        }
    }

    /// Fills `block` with the next rows; `false` at the end of the file. The block's buffer is used
    /// again.
    pub fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        block.bytes.clear();
        block.bytes.append(&mut self.carry);
        block.oversized = false;
        let mut wanted = BLOCK_BYTES;
        let end = loop {
            self.fill(&mut block.bytes, wanted)?;
            if let Some(newline) = memchr::memrchr(b'\n', &block.bytes) {
                break newline + 1;
            }
            if self.ended {
                break block.bytes.len();
            }
            if block.bytes.len() > limits::MAX_ROW_BYTES {
                return self.pass_over(block).map(|()| true);
            }
            wanted = block.bytes.len() + BLOCK_BYTES;
        };
        self.carry.extend_from_slice(&block.bytes[end..]);
        block.bytes.truncate(end);
        block.offset = self.offset;
        block.line = self.line;
        self.offset += block.bytes.len() as u64;
        self.line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        Ok(!block.bytes.is_empty())
    }

    /// The digest of everything that was read, in hexadecimal (empty when none was asked for), and
    /// how many bytes that was.
    pub fn finish(self) -> (String, u64) {
        (
            self.hasher.map(Hasher::hex).unwrap_or_default(),
            self.offset,
        )
    }

    /// Reads until the buffer holds `wanted` bytes or the file ends, so that blocks do not depend
    /// on the reader's mood.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
        let start = bytes.len();
        if start >= wanted || self.ended {
            return Ok(());
        }
        let missing = (wanted - start) as u64;
        let read = (&mut self.reader).take(missing).read_to_end(bytes)?;
        self.ended = (read as u64) < missing;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&bytes[start..]);
        }
        Ok(())
    }

    /// Passes over the rest of a row that is too large.
    fn pass_over(&mut self, block: &mut Block) -> io::Result<()> {
        block.oversized = true;
        block.offset = self.offset;
        block.line = self.line;
        let mut length = block.bytes.len() as u64;
        block.bytes.truncate(KEPT_OF_OVERSIZED);
        block.bytes.shrink_to(BLOCK_BYTES);
        let mut buffer = Vec::with_capacity(BLOCK_BYTES);
        while !self.ended {
            buffer.clear();
            self.fill(&mut buffer, BLOCK_BYTES)?;
            if let Some(newline) = memchr::memchr(b'\n', &buffer) {
                length += newline as u64 + 1;
                self.carry.extend_from_slice(&buffer[newline + 1..]);
                self.line += 1;
                break;
            }
            length += buffer.len() as u64;
        }
        self.offset += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(bytes: &[u8]) -> (Vec<u8>, String) {
        let mut blocks = Blocks::new(bytes, Algorithm::Sha256);
        let (mut block, mut all) = (Block::default(), Vec::new());
        while blocks.next(&mut block).unwrap() {
            assert_eq!(block.offset, all.len() as u64);
            all.extend_from_slice(&block.bytes);
        }
        (all, blocks.finish().0)
    }

    proptest! {
        #[test]
        fn blocks_joined_are_the_file(rows in proptest::collection::vec("[a-z]{0,40}", 0..50)) {
            let text = rows.join("\n");

            let (all, digest) = read_all(text.as_bytes());

            prop_assert_eq!(all, text.as_bytes());
            prop_assert_eq!(digest, hex(&Sha256::digest(text.as_bytes())));
        }
    }

    #[test]
    fn a_row_over_the_limit_is_passed_over_and_the_next_one_is_read() {
        let mut text = vec![b'x'; limits::MAX_ROW_BYTES + 3 * BLOCK_BYTES + 17];
        text.extend_from_slice(b"\n{\"next\": 1}\n");
        let mut blocks = Blocks::new(text.as_slice(), Algorithm::Sha256);
        let mut block = Block::default();

        assert!(blocks.next(&mut block).unwrap());
        assert!(block.oversized && block.line == 1);
        assert!(blocks.next(&mut block).unwrap());

        assert_eq!(
            (block.bytes.as_slice(), block.line),
            (b"{\"next\": 1}\n".as_slice(), 2)
        );
        assert_eq!(block.offset, (text.len() - 12) as u64);
        assert!(!blocks.next(&mut block).unwrap());
        assert_eq!(blocks.finish().1, text.len() as u64);
    }

    #[test]
    fn a_large_file_comes_in_blocks_of_whole_rows() {
        let row = format!("{}\n", "y".repeat(999));
        let text = row.repeat(5000);

        let mut blocks = Blocks::new(text.as_bytes(), Algorithm::Sha256);
        let (mut block, mut count) = (Block::default(), 0);
        while blocks.next(&mut block).unwrap() {
            assert_eq!(block.bytes.len() % row.len(), 0);
            assert_eq!(block.line, 1 + block.offset / row.len() as u64);
            count += 1;
        }

        assert_eq!(count, 5);
    }
}
