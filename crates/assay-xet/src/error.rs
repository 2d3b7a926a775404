use std::io;

use crate::hash::XetHash;

/// The reason why a xorb or a shard is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes cannot be read.
    #[error("the bytes cannot be read")]
    Read(#[source] io::Error),
    /// The bytes end within a structure.
    #[error("the {what} ends too early")]
    CutOff {
        /// The structure.
        what: &'static str,
    },
    /// The bytes are no shard of the known version.
    #[error("this is no shard of version 2")]
    NoShard,
    /// A number is beyond what the format allows.
    #[error("{what} is {found} and may be {limit} at most")]
    TooLarge {
        /// The number.
        what: &'static str,
        /// Its value.
        found: u64,
        /// Its limit.
        limit: u64,
    },
    /// A chunk is compressed in a way that is not known.
    #[error("chunk {index} is compressed by scheme {scheme}, which is not known")]
    UnknownScheme {
        /// The position of the chunk in its xorb.
        index: usize,
        /// The number of the scheme.
        scheme: u8,
    },
    /// A chunk does not decompress to the size that it states.
    #[error("chunk {index} does not decompress to the {expected} bytes that it states")]
    WrongSize {
        /// The position of the chunk in its xorb.
        index: usize,
        /// The stated size in bytes.
        expected: u32,
    },
    /// A xorb has no chunk.
    #[error("a xorb has one chunk at least")]
    Empty,
    /// The content has another hash than the one it was sent under.
    #[error("the content has the hash {actual} and not {expected}")]
    WrongHash {
        /// The stated hash.
        expected: XetHash,
        /// The hash of the content.
        actual: XetHash,
    },
}
