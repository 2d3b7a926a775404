use std::io::{self, BufRead, Read as _, Seek, SeekFrom};

use lz4_flex::frame::FrameDecoder;

use crate::error::Error;
use crate::hash::{XetHash, chunk_hash, xorb_hash};

/// The most content of a chunk, in bytes.
pub const MAX_CHUNK_BYTES: u32 = 128 << 10;
/// The most content of a xorb, in bytes.
pub const MAX_XORB_BYTES: u64 = 64 << 20;
/// The most chunks of a xorb.
pub const MAX_XORB_CHUNKS: usize = 8 << 10;
/// The largest xorb as it is sent, in bytes: with a header for each chunk and room for the index
/// that some clients append.
pub const MAX_XORB_FILE_BYTES: u64 = MAX_XORB_BYTES + (MAX_XORB_CHUNKS as u64) * 64 + 4096;

/// The size of the header of a chunk.
const HEADER_BYTES: usize = 8;
/// The beginning of an index behind the chunks, which says nothing that the chunks do not.
const INDEX_MARK: &[u8; 7] = b"XETBLOB";

/// The compression of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Plain,
    Lz4,
    /// LZ4 of the first bytes of each group of four, then the second ones, and so on.
    Grouped,
}

/// The header of a chunk.
#[derive(Debug, Clone, Copy)]
struct Header {
    stored: u32,
    scheme: u8,
    size: u32,
}

/// The chunks of a xorb, one after the other.
#[derive(Debug)]
pub struct Chunks<R> {
    reader: R,
    next: usize,
    stored: Vec<u8>,
    content: Vec<u8>,
}

impl<R: BufRead> Chunks<R> {
    /// Reads chunks from the beginning of a xorb.
    pub fn new(reader: R) -> Self {
        Self::from_chunk(reader, 0)
    }

    /// Reads chunks from the one with this position, at which the reader stands.
    pub fn from_chunk(reader: R, next: usize) -> Self {
        Self {
            reader,
            next,
            stored: Vec::new(),
            content: Vec::new(),
        }
    }

    /// Returns the content of the next chunk; `None` behind the last one.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        let Some(header) = self.read_header()? else {
            return Ok(None);
        };
        let index = self.next;
        self.next += 1;
        let scheme = match header.scheme {
            0 => Scheme::Plain,
            1 => Scheme::Lz4,
            2 => Scheme::Grouped,
            scheme => return Err(Error::UnknownScheme { index, scheme }),
        };
        self.stored.resize(to_usize(header.stored), 0);
        read_exactly(&mut self.reader, &mut self.stored, "chunk")?;
        let wrong = || Error::WrongSize {
            index,
            expected: header.size,
        };
        match scheme {
            Scheme::Plain => std::mem::swap(&mut self.stored, &mut self.content),
            Scheme::Lz4 | Scheme::Grouped => {
                self.content.clear();
                // One byte more than stated is enough to know that the statement is wrong.
                let mut decoder =
                    FrameDecoder::new(self.stored.as_slice()).take(u64::from(header.size) + 1);
                decoder
                    .read_to_end(&mut self.content)
                    .map_err(|_| wrong())?;
            }
        }
        if self.content.len() != to_usize(header.size) {
            return Err(wrong());
        }
        if scheme == Scheme::Grouped {
            self.stored = regroup(&self.content);
            std::mem::swap(&mut self.stored, &mut self.content);
        }
        Ok(Some(&self.content))
    }

    fn read_header(&mut self) -> Result<Option<Header>, Error> {
        if self.reader.fill_buf().map_err(Error::Read)?.is_empty() {
            return Ok(None);
        }
        let mut bytes = [0; HEADER_BYTES];
        read_exactly(&mut self.reader, &mut bytes, "header of a chunk")?;
        if bytes.starts_with(INDEX_MARK) {
            return Ok(None);
        }
        let header = Header {
            stored: u32::from_le_bytes([bytes[1], bytes[2], bytes[3], 0]),
            scheme: bytes[4],
            size: u32::from_le_bytes([bytes[5], bytes[6], bytes[7], 0]),
        };
        check_limit("the version of a chunk", bytes[0].into(), 0)?;
        check_limit(
            "the size of a chunk",
            header.size.into(),
            MAX_CHUNK_BYTES.into(),
        )?;
        let most = u64::from(MAX_CHUNK_BYTES) * 2;
        check_limit("the stored size of a chunk", header.stored.into(), most)?;
        Ok(Some(header))
    }
}

impl<R: BufRead + Seek> Chunks<R> {
    /// Returns where each chunk begins, and where the last one ends, without reading their content.
    pub fn find_offsets(mut self) -> Result<Vec<u64>, Error> {
        let mut offsets = vec![0];
        let mut at = 0;
        while let Some(header) = self.read_header()? {
            at += HEADER_BYTES as u64 + u64::from(header.stored);
            self.reader.seek(SeekFrom::Start(at)).map_err(Error::Read)?;
            offsets.push(at);
        }
        Ok(offsets)
    }
}

/// Reads a whole xorb and compares it with its hash and with every limit. Returns the hash and size
/// of each chunk.
pub fn verify_xorb(reader: impl BufRead, expected: XetHash) -> Result<Vec<(XetHash, u64)>, Error> {
    let mut chunks = Chunks::new(reader);
    let mut found = Vec::new();
    let mut bytes = 0;
    while let Some(content) = chunks.next_chunk()? {
        let size = content.len() as u64;
        bytes += size;
        found.push((chunk_hash(content), size));
        check_limit("the content of a xorb", bytes, MAX_XORB_BYTES)?;
        let most = MAX_XORB_CHUNKS as u64;
        check_limit("the number of chunks of a xorb", found.len() as u64, most)?;
    }
    if found.is_empty() {
        return Err(Error::Empty);
    }
    let actual = xorb_hash(&found);
    if actual != expected {
        return Err(Error::WrongHash { expected, actual });
    }
    Ok(found)
}

/// Puts bytes that were grouped by their position in four back in their order.
fn regroup(grouped: &[u8]) -> Vec<u8> {
    let size = grouped.len();
    let mut content = vec![0; size];
    let mut rest = grouped;
    for group in 0..4 {
        let length = size / 4 + usize::from(size % 4 > group);
        let (own, others) = rest.split_at(length);
        rest = others;
        for (place, byte) in content.iter_mut().skip(group).step_by(4).zip(own) {
            *place = *byte;
        }
    }
    content
}

fn check_limit(what: &'static str, found: u64, limit: u64) -> Result<(), Error> {
    if found > limit {
        return Err(Error::TooLarge { what, found, limit });
    }
    Ok(())
}

fn read_exactly(
    reader: &mut impl BufRead,
    bytes: &mut [u8],
    what: &'static str,
) -> Result<(), Error> {
    reader
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::CutOff { what },
            _ => Error::Read(error),
        })
}

fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use lz4_flex::frame::FrameEncoder;
    use proptest::prelude::*;

    use super::*;

    fn lz4(content: &[u8]) -> Vec<u8> {
        let mut encoder = FrameEncoder::new(Vec::new());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn group(content: &[u8]) -> Vec<u8> {
        let groups = (0..4).flat_map(|group| content.iter().skip(group).step_by(4).copied());
        groups.collect()
    }

    fn chunk(scheme: u8, stored: &[u8], size: usize) -> Vec<u8> {
        let three = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let (length, size) = (three(stored.len()), three(size));
        let mut bytes = vec![0, length[0], length[1], length[2], scheme];
        bytes.extend([size[0], size[1], size[2]]);
        bytes.extend(stored);
        bytes
    }

    fn xorb(contents: &[&[u8]]) -> (XetHash, Vec<u8>) {
        let facts: Vec<(XetHash, u64)> = contents
            .iter()
            .map(|content| (chunk_hash(content), content.len() as u64))
            .collect();
        let chunks = contents.iter().zip([0_u8, 1, 2].into_iter().cycle());
        let bytes = chunks.flat_map(|(content, scheme)| match scheme {
            0 => chunk(0, content, content.len()),
            1 => chunk(1, &lz4(content), content.len()),
            _ => chunk(2, &lz4(&group(content)), content.len()),
        });
        (xorb_hash(&facts), bytes.collect())
    }

    #[test]
    fn chunks_of_every_scheme_come_back_and_have_their_places() {
        let contents: [&[u8]; 4] = [b"first", &[7; 1000], b"0123456789a", b"last"];
        let (hash, mut bytes) = xorb(&contents);
        let end = bytes.len() as u64;
        bytes.extend(b"XETBLOB\x01 an index that nobody needs");

        let facts = verify_xorb(bytes.as_slice(), hash).unwrap();
        let offsets = Chunks::new(Cursor::new(&bytes)).find_offsets().unwrap();

        assert_eq!(facts.len(), 4);
        assert_eq!((offsets.len(), offsets.last()), (5, Some(&end)));
        for (index, content) in contents.iter().enumerate() {
            let start = usize::try_from(offsets[index]).unwrap();
            let mut chunks = Chunks::from_chunk(&bytes[start..], index);
            assert_eq!(chunks.next_chunk().unwrap(), Some(*content));
        }
    }

    #[test]
    fn what_a_xorb_must_not_be_is_refused() {
        let (hash, bytes) = xorb(&[b"content"]);
        let bomb = chunk(1, &lz4(&vec![0; 100_000]), 10);
        let cases: [(&str, Vec<u8>); 8] = [
            ("nothing", Vec::new()),
            ("half a header", bytes[..4].to_vec()),
            ("half a chunk", bytes[..bytes.len() - 1].to_vec()),
            ("other content", xorb(&[b"kontent"]).1),
            ("an unknown scheme", chunk(9, b"content", 7)),
            ("another version", {
                let mut other = bytes.clone();
                other[0] = 1;
                other
            }),
            ("a chunk that grows", bomb),
            ("a chunk beyond the limit", chunk(0, b"content", 200 << 10)),
        ];
        for (what, bytes) in cases {
            assert!(verify_xorb(bytes.as_slice(), hash).is_err(), "{what}");
        }
        assert!(verify_xorb(bytes.as_slice(), hash).is_ok());
    }

    proptest! {
        #[test]
        fn grouping_is_undone(content in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(regroup(&group(&content)), content);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = verify_xorb(bytes.as_slice(), chunk_hash(b""));
            let _ = Chunks::new(Cursor::new(&bytes)).find_offsets();
        }
    }
}
