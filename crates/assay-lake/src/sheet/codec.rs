//! How pages are packed.

use std::io;

use parquet::basic::{Compression, ZstdLevel};
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

/// How hard the compression tries. Level 3 packed words 5 % smaller and took twice as long over digests.
const LEVEL: i32 = 1;
/// How many places are remembered where nothing comes twice. A search in a small table is over soon.
const UNLIKE_PLACES_LOG: u32 = 6;
/// How long something must be that is looked for there. Shorter matches cost more time than they save bytes.
const UNLIKE_MATCH: u32 = 7;

/// How the pages of a column are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    /// Not at all: there is nearly nothing.
    Bare,
    /// Small, for what is read by every question.
    Small,
    /// The same for values of which no two are alike: digests, numbers of lines. Only the bytes themselves can be packed, and that
    /// twice as fast.
    Unlike,
    /// Fast, for long texts.
    Fast,
}

/// What packs pages, and the memory that it needs.
pub(crate) struct Press {
    small: Compressor<'static>,
    unlike: Compressor<'static>,
    fast: snap::raw::Encoder,
    packed: Vec<u8>,
}

impl Codec {
    /// What a file says of it.
    pub(super) fn named(self) -> Compression {
        match self {
            Self::Bare => Compression::UNCOMPRESSED,
            Self::Small | Self::Unlike => {
                Compression::ZSTD(ZstdLevel::try_new(LEVEL).unwrap_or_default())
            }
            Self::Fast => Compression::SNAPPY,
        }
    }
}

impl Press {
    /// Nothing packed yet.
    pub(crate) fn new() -> io::Result<Self> {
        let mut unlike = Compressor::new(LEVEL)?;
        unlike.set_parameter(CParameter::HashLog(UNLIKE_PLACES_LOG))?;
        unlike.set_parameter(CParameter::MinMatch(UNLIKE_MATCH))?;
        Ok(Self {
            small: Compressor::new(LEVEL)?,
            unlike,
            fast: snap::raw::Encoder::new(),
            packed: Vec::new(),
        })
    }

    /// A page, packed.
    pub(super) fn pack<'p>(&'p mut self, codec: Codec, page: &'p [u8]) -> io::Result<&'p [u8]> {
        let (packed, bytes) = (&mut self.packed, page.len());
        let size = match codec {
            Codec::Bare => return Ok(page),
            Codec::Small => self
                .small
                .compress_to_buffer(page, for_zstd(bytes, packed))?,
            Codec::Unlike => self
                .unlike
                .compress_to_buffer(page, for_zstd(bytes, packed))?,
            Codec::Fast => {
                let room = with_room(snap::raw::max_compress_len(bytes), packed);
                self.fast.compress(page, room).map_err(io::Error::other)?
            }
        };
        Ok(&self.packed[..size])
    }
}

/// Room for what so many bytes may become.
fn for_zstd(bytes: usize, packed: &mut Vec<u8>) -> &mut [u8] {
    with_room(zstd::zstd_safe::compress_bound(bytes), packed)
}

fn with_room(room: usize, packed: &mut Vec<u8>) -> &mut [u8] {
    if packed.len() < room {
        packed.resize(room, 0);
    }
    packed
}
