#![doc = include_str!("../README.md")]

mod error;
mod hash;
mod shard;
mod xorb;

pub use error::Error;
pub use hash::{ParseHashError, XetHash, chunk_hash, file_hash, range_hash, xorb_hash};
pub use shard::{MAX_SHARD_BYTES, ShardFile, Term, parse_shard};
pub use xorb::{
    Chunks, MAX_CHUNK_BYTES, MAX_XORB_BYTES, MAX_XORB_CHUNKS, MAX_XORB_FILE_BYTES, verify_xorb,
};
