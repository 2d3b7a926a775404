//! Samples out of the members of an archive, into memory that is used again.
//!
//! An archive can hold hundreds of thousands of samples of a few kilobytes. Making a decompressor
//! for each would cost more than all that is done with what comes out of it.

use std::io::{self, Read};

use assay_formats::json::{Stream, StreamError};
use flate2::{Decompress, FlushDecompress, Status};
use zip::CompressionMethod;
use zstd::bulk::Decompressor;

use super::archive::{Archive, Place, member};
use super::chunked;
use super::excerpt::{self, Excerpt, MAX_VALUE_BYTES};
use super::sample::METADATA;

/// The largest member that is unpacked at once, in bytes; larger ones are unpacked while they are
/// read.
const MAX_WHOLE: u64 = 16 << 20;

/// An archive and what it takes to unpack its members.
pub(super) struct Unpacker<'a> {
    archive: Archive<'a>,
    packed: Vec<u8>,
    text: Vec<u8>,
    zstd: Option<Decompressor<'static>>,
    inflate: Decompress,
    wants_calls: bool,
}

impl<'a> Unpacker<'a> {
    /// Unpacks the members of an archive, and of samples their calls where those are asked for.
    pub(super) fn new(archive: Archive<'a>, wants_calls: bool) -> Self {
        Self {
            wants_calls,
            archive,
            packed: Vec::new(),
            text: Vec::new(),
            zstd: Decompressor::new().ok(),
            inflate: Decompress::new(false),
        }
    }

    /// Reads what a row needs of a sample. Its checksum is judged too.
    pub(super) fn sample(
        &mut self,
        place: &Place,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Excerpt, StreamError> {
        let mut excerpt = if self.unpack(place.main, progress) {
            let mut stream = Stream::of(std::mem::take(&mut self.text));
            let excerpt = excerpt::sample(&mut stream, self.wants_calls);
            self.text = stream.into_memory();
            excerpt?
        } else {
            // Too large for that, or damaged, which shows again here.
            let mut member = member(&mut self.archive, place.main)?;
            let mut stream = Stream::new(&mut member, MAX_VALUE_BYTES);
            let excerpt = excerpt::sample(&mut stream, self.wants_calls)?;
            io::copy(&mut member, &mut io::sink())?;
            excerpt
        };
        if !place.messages.is_empty() {
            chunked::complete(&mut self.archive, place, &mut excerpt)?;
        }
        if let Some(index) = place.metadata {
            chunked::add(&mut self.archive, index, METADATA, &mut excerpt)?;
        }
        Ok(excerpt)
    }

    /// Unpacks a member at once; `false` when it is too large for that, or anything is wrong with
    /// it.
    fn unpack(&mut self, index: usize, progress: &(dyn Fn(u64) + Sync)) -> bool {
        let Ok(mut member) = self.archive.by_index_raw(index) else {
            return false;
        };
        progress(member.compressed_size());
        let size = match usize::try_from(member.size()) {
            Ok(size) if member.size().max(member.compressed_size()) <= MAX_WHOLE => size,
            Ok(_) | Err(_) => return false,
        };
        self.packed.clear();
        if member.encrypted() || member.read_to_end(&mut self.packed).is_err() {
            return false;
        }
        self.text.clear();
        self.text.reserve_exact(size);
        let (method, checksum) = (member.compression(), member.crc32());
        drop(member);
        let unpacked = match method {
            CompressionMethod::Zstd => self.unzstd(),
            CompressionMethod::Deflated => self.inflate(),
            _ => false,
        };
        unpacked && self.text.len() == size && crc32fast::hash(&self.text) == checksum
    }

    fn unzstd(&mut self) -> bool {
        self.zstd.as_mut().is_some_and(|zstd| {
            let unpacked = zstd.decompress_to_buffer(&self.packed, &mut self.text);
            unpacked.is_ok()
        })
    }

    fn inflate(&mut self) -> bool {
        self.inflate.reset(false);
        let unpacked =
            self.inflate
                .decompress_vec(&self.packed, &mut self.text, FlushDecompress::Finish);
        matches!(unpacked, Ok(Status::StreamEnd))
    }
}
