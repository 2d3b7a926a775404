use crate::error::Error;
use crate::hash::XetHash;

/// The largest shard, in bytes. Clients divide what they have to say at 64 MiB.
pub const MAX_SHARD_BYTES: u64 = 72 << 20;

/// The size of every record of a shard.
const RECORD: usize = 48;
/// The beginning of a shard.
const TAG: [u8; 32] = [
    b'H', b'F', b'R', b'e', b'p', b'o', b'M', b'e', b't', b'a', b'D', b'a', b't', b'a', 0, 85, 105,
    103, 69, 106, 123, 129, 87, 131, 165, 189, 217, 92, 205, 209, 74, 169,
];
/// The only version of a shard.
const VERSION: u64 = 2;
/// The mark of a file whose terms are followed by a hash each.
const HAS_VERIFICATION: u32 = 1 << 31;
/// The mark of a file that is followed by its SHA-256.
const HAS_METADATA: u32 = 1 << 30;
/// The hash that ends a list.
const END: [u8; 32] = [0xff; 32];

/// A file, as a shard describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardFile {
    /// The hash of its chunks.
    pub hash: XetHash,
    /// The SHA-256 of its bytes in hexadecimal digits, if the client states it.
    pub sha256: Option<String>,
    /// The parts that it is made of, in order.
    pub terms: Vec<Term>,
}

/// Successive chunks of a xorb that are a part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The xorb.
    pub xorb: XetHash,
    /// The size of the content in bytes.
    pub bytes: u32,
    /// The position of the first chunk.
    pub start: usize,
    /// The position behind the last chunk.
    pub end: usize,
    /// The hash that shows that the client has the chunks, if it states one.
    pub verification: Option<XetHash>,
}

impl ShardFile {
    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.terms.iter().map(|term| u64::from(term.bytes)).sum()
    }
}

/// Reads the files of a shard. What a shard says of xorbs is passed over: the xorbs themselves say
/// it.
pub fn parse_shard(bytes: &[u8]) -> Result<Vec<ShardFile>, Error> {
    let (head, mut rest) = bytes.split_at_checked(RECORD).ok_or(Error::NoShard)?;
    if head[..32] != TAG || head[32..40] != VERSION.to_le_bytes() {
        return Err(Error::NoShard);
    }
    let mut files = Vec::new();
    loop {
        let head = take(&mut rest)?;
        if head[..32] == END {
            return Ok(files);
        }
        files.push(read_file(head, &mut rest)?);
    }
}

fn read_file(head: &[u8; RECORD], rest: &mut &[u8]) -> Result<ShardFile, Error> {
    let (flags, count) = (number(head, 32), number(head, 36));
    // Memory is taken for records that are there, whatever the count says.
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > rest.len() / RECORD {
        return Err(Error::CutOff { what: "shard" });
    }
    let mut terms = Vec::with_capacity(count);
    for _ in 0..count {
        let record = take(rest)?;
        terms.push(Term {
            xorb: hash(record),
            bytes: number(record, 36),
            start: index(record, 40),
            end: index(record, 44),
            verification: None,
        });
    }
    if flags & HAS_VERIFICATION != 0 {
        for term in &mut terms {
            term.verification = Some(hash(take(rest)?));
        }
    }
    let sha256 = if flags & HAS_METADATA != 0 {
        // The digest is written as if it were a hash of Xet, so the text of one is the text of the
        // other.
        Some(hash(take(rest)?).to_string())
    } else {
        None
    };
    Ok(ShardFile {
        hash: hash(head),
        sha256,
        terms,
    })
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8; RECORD], Error> {
    let (record, others) = rest
        .split_first_chunk()
        .ok_or(Error::CutOff { what: "shard" })?;
    *rest = others;
    Ok(record)
}

fn hash(record: &[u8; RECORD]) -> XetHash {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&record[..32]);
    XetHash::from_bytes(bytes)
}

fn number(record: &[u8; RECORD], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&record[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn index(record: &[u8; RECORD], at: usize) -> usize {
    usize::try_from(number(record, at)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head() -> Vec<u8> {
        let mut bytes = TAG.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 8]);
        bytes
    }

    fn record(hash: [u8; 32], numbers: [u32; 4]) -> Vec<u8> {
        let mut bytes = hash.to_vec();
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes
    }

    #[test]
    fn files_come_with_their_terms_and_digests() {
        let mut bytes = head();
        bytes.extend(record([1; 32], [HAS_VERIFICATION | HAS_METADATA, 2, 0, 0]));
        bytes.extend(record([2; 32], [0, 300, 0, 3]));
        bytes.extend(record([3; 32], [0, 100, 4, 5]));
        bytes.extend(record([4; 32], [0; 4]));
        bytes.extend(record([5; 32], [0; 4]));
        bytes.extend(record([0xab; 32], [0; 4]));
        bytes.extend(record([6; 32], [0, 0, 0, 0]));
        bytes.extend(record(END, [0; 4]));

        let files = parse_shard(&bytes).unwrap();

        let [file, empty] = &files[..] else {
            panic!("there are two files");
        };
        assert_eq!(file.size(), 400);
        assert_eq!(file.sha256.as_deref(), Some("ab".repeat(32).as_str()));
        assert_eq!(file.terms[1].xorb, XetHash::from_bytes([3; 32]));
        assert_eq!((file.terms[1].start, file.terms[1].end), (4, 5));
        let verification = Some(XetHash::from_bytes([5; 32]));
        assert_eq!(file.terms[1].verification, verification);
        assert_eq!((empty.terms.len(), &empty.sha256), (0, &None));
    }

    #[test]
    fn a_count_that_is_not_true_takes_no_memory() {
        let mut bytes = head();
        bytes.extend(record([1; 32], [0, u32::MAX, 0, 0]));

        assert!(matches!(parse_shard(&bytes), Err(Error::CutOff { .. })));
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        let mut other_version = head();
        other_version[32] = 3;
        for bytes in [&b""[..], &[0; 47], &[0; 100], &other_version] {
            assert!(matches!(parse_shard(bytes), Err(Error::NoShard)));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(rest in prop::collection::vec(any::<u8>(), 0..1000)) {
            let mut bytes = head();
            bytes.extend(rest);
            let _ = parse_shard(&bytes);
        }
    }
}
