use std::collections::BTreeMap;
use std::path::Path;

use flate2::{Decompress, FlushDecompress, Status};
use gix::odb::pack::data::Entry;
use gix::odb::pack::data::entry::Header;
use gix::odb::pack::index;

/// Limits on what the objects of a pack become when they are unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackLimits {
    /// The largest object, in bytes.
    pub(super) object_bytes: u64,
    /// All objects together, in bytes. A small pack is allowed less: see [`RATIO`].
    pub(super) unpacked_bytes: u64,
    /// The most objects.
    pub(super) objects: u32,
    /// The longest chain of deltas.
    pub(super) delta_depth: u32,
}

/// Reads a pack as it arrives, from its first entry on, and refuses what would cost too much to
/// unpack.
///
/// The size of an object stands before its bytes, and that of a delta's result in the first bytes
/// of the delta. So a pack that is small on the wire and huge on the disk is refused before git has
/// seen it.
pub(super) struct Inspector {
    limits: PackLimits,
    /// Number of entries that are still to come.
    left: u32,
    /// Number of bytes that have been read, the header of the pack included.
    offset: u64,
    unpacked: u64,
    entries: Vec<Place>,
    /// The deltas that name their base by its hash, which is known when the pack has an index.
    by_hash: Vec<HashDelta>,
    inflate: Decompress,
    out: Vec<u8>,
    state: State,
}

/// The start of an entry, and the number of deltas below it.
struct Place {
    offset: u64,
    depth: u32,
    /// The delta at the bottom of them that names its base by its hash: an index of `by_hash`.
    root: Option<usize>,
}

struct HashDelta {
    base: gix::ObjectId,
    /// The longest chain on top of this delta, itself included.
    deepest: u32,
}

enum State {
    /// The header of an entry, as far as it has come.
    Header(Vec<u8>),
    /// The compressed bytes of an entry.
    Body {
        size: u64,
        inflated: u64,
        /// The first bytes of a delta, until the size of its result is known.
        delta: Option<Vec<u8>>,
    },
    /// All entries were read. The checksum that follows is git's to check.
    Done,
}

/// So many bytes may come out of any pack, however small.
const FREE_UNPACKED: u64 = 1 << 30;
/// Beyond that, so many bytes may come out of each byte that was sent. Histories of large folders
/// come close to it.
const RATIO: u64 = 1000;
/// The bytes of an entry's header: a size, and the hash of a base.
const MAX_HEADER: usize = 10 + 20;
/// The bytes that two sizes at the beginning of a delta may take.
const MAX_DELTA_HEADER: usize = 20;
/// Number of bytes that are inflated at a time.
const CHUNK: usize = 64 * 1024;
/// The bytes that a pack has before its first entry.
const PACK_HEADER: u64 = 12;

const BROKEN: &str = "the pack is broken";

impl Inspector {
    /// Begins after the header of a pack that announces so many objects.
    pub(super) fn new(count: u32, limits: PackLimits) -> Result<Self, String> {
        if count > limits.objects {
            return Err(format!(
                "the push has {count} objects; one push has at most {}: push fewer commits at once",
                limits.objects
            ));
        }
        Ok(Self {
            limits,
            left: count,
            offset: PACK_HEADER,
            unpacked: 0,
            entries: Vec::new(),
            by_hash: Vec::new(),
            inflate: Decompress::new(true),
            out: vec![0; CHUNK],
            state: if count == 0 {
                State::Done
            } else {
                State::Header(Vec::new())
            },
        })
    }

    /// Reads on. An error is a sentence for whoever pushed.
    pub(super) fn inspect(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let used = match std::mem::replace(&mut self.state, State::Done) {
                State::Header(header) => self.header(header, bytes[0])?,
                State::Body {
                    size,
                    inflated,
                    delta,
                } => self.body(size, inflated, delta, bytes)?,
                State::Done => return Ok(()),
            };
            self.offset += used as u64;
            bytes = &bytes[used..];
        }
        Ok(())
    }

    /// Checks the chains of deltas that name their bases by hash, with the index that git has made
    /// of the pack.
    pub(super) fn check_chains(&self, pack_index: &Path) -> Result<(), String> {
        if self.by_hash.is_empty() {
            return Ok(());
        }
        let index = index::File::at(pack_index, gix::hash::Kind::Sha1)
            .map_err(|_| "the pack has no index".to_owned())?;
        let mut below: BTreeMap<gix::ObjectId, Option<&Place>> = BTreeMap::new();
        for delta in &self.by_hash {
            let mut depth = delta.deepest;
            let mut base = Some(delta.base);
            // Each step adds at least one, so the limit ends this.
            while let Some(id) = base.take() {
                self.check_depth(depth)?;
                // A base that was not in the pack was added by git as it is.
                let place = *below
                    .entry(id)
                    .or_insert_with(|| self.place(index.pack_offset_at_index(index.lookup(id)?)));
                if let Some(place) = place {
                    depth += place.depth;
                    base = place.root.map(|root| self.by_hash[root].base);
                }
            }
            self.check_depth(depth)?;
        }
        Ok(())
    }

    fn header(&mut self, mut header: Vec<u8>, byte: u8) -> Result<usize, String> {
        header.push(byte);
        if !is_whole(&header) {
            if header.len() >= MAX_HEADER {
                return Err(BROKEN.to_owned());
            }
            self.state = State::Header(header);
            return Ok(1);
        }
        let offset = (self.offset + 1).saturating_sub(header.len() as u64);
        let entry = Entry::from_bytes(&header, offset, gix::hash::Kind::Sha1)
            .map_err(|_| BROKEN.to_owned())?;
        let size = entry.decompressed_size;
        self.add(size)?;
        let (depth, root) = match entry.header {
            Header::Commit | Header::Tree | Header::Blob | Header::Tag => (0, None),
            Header::OfsDelta { base_distance } => {
                let base = offset.checked_sub(base_distance);
                let base = base.and_then(|base| self.place(base));
                let base = base.ok_or_else(|| BROKEN.to_owned())?;
                (base.depth + 1, base.root)
            }
            Header::RefDelta { base_id } => {
                self.by_hash.push(HashDelta {
                    base: base_id,
                    deepest: 1,
                });
                (1, Some(self.by_hash.len() - 1))
            }
        };
        self.check_depth(depth)?;
        if let Some(root) = root {
            let delta = &mut self.by_hash[root];
            delta.deepest = delta.deepest.max(depth);
        }
        self.entries.push(Place {
            offset,
            depth,
            root,
        });
        self.inflate.reset(true);
        self.state = State::Body {
            size,
            inflated: 0,
            delta: (depth > 0).then(Vec::new),
        };
        Ok(1)
    }

    /// Inflates some bytes of an entry, and says how many were used.
    fn body(
        &mut self,
        size: u64,
        mut inflated: u64,
        mut delta: Option<Vec<u8>>,
        bytes: &[u8],
    ) -> Result<usize, String> {
        let (before, produced) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(bytes, &mut self.out, FlushDecompress::None)
            .map_err(|_| BROKEN.to_owned())?;
        let difference = |now: u64, before: u64| usize::try_from(now - before).unwrap_or_default();
        let used = difference(self.inflate.total_in(), before);
        let made = difference(self.inflate.total_out(), produced);
        inflated += made as u64;
        let is_end = status == Status::StreamEnd;
        if inflated > size || (is_end && inflated < size) || (used + made == 0 && !is_end) {
            return Err(BROKEN.to_owned());
        }
        if let Some(mut beginning) = delta.take() {
            let room = MAX_DELTA_HEADER - beginning.len();
            beginning.extend_from_slice(&self.out[..made.min(room)]);
            match result_size(&beginning) {
                Some(result) => self.add(result)?,
                None if is_end || beginning.len() == MAX_DELTA_HEADER => {
                    return Err(BROKEN.to_owned());
                }
                None => delta = Some(beginning),
            }
        }
        self.state = if !is_end {
            State::Body {
                size,
                inflated,
                delta,
            }
        } else if self.left == 1 {
            State::Done
        } else {
            self.left -= 1;
            State::Header(Vec::new())
        };
        Ok(used)
    }

    /// Counts the bytes of something that will be unpacked.
    fn add(&mut self, size: u64) -> Result<(), String> {
        let max = self.limits.object_bytes;
        if size > max {
            return Err(format!(
                "the push has a file of {size} bytes; a file in git has at most {max}: `git lfs migrate import \
                 --above={max}b` moves it, and every other one that is too large, to git-lfs"
            ));
        }
        self.unpacked = self.unpacked.saturating_add(size);
        let allowed = self.offset.saturating_mul(RATIO).max(FREE_UNPACKED);
        let allowed = allowed.min(self.limits.unpacked_bytes);
        if self.unpacked > allowed {
            return Err(format!(
                "the objects of the push have more than {allowed} bytes when they are unpacked, which is the most for a push \
                 of this size: push fewer commits at once"
            ));
        }
        Ok(())
    }

    fn check_depth(&self, depth: u32) -> Result<(), String> {
        let max = self.limits.delta_depth;
        if depth > max {
            return Err(format!(
                "the push has a chain of {depth} deltas; a chain has at most {max}: run `git repack -adf --depth={max}` and push \
                 again"
            ));
        }
        Ok(())
    }

    fn place(&self, offset: u64) -> Option<&Place> {
        let found = self
            .entries
            .binary_search_by_key(&offset, |place| place.offset);
        found.ok().and_then(|index| self.entries.get(index))
    }
}

/// Returns whether the header of an entry is all there: its size, and for a delta where its base
/// is.
fn is_whole(header: &[u8]) -> bool {
    let ends = |bytes: &[u8]| bytes.iter().position(|byte| byte & 0x80 == 0);
    let (Some(end), Some(first)) = (ends(header), header.first()) else {
        return false;
    };
    let rest = &header[end + 1..];
    match first >> 4 & 0b111 {
        6 => ends(rest).is_some(),
        7 => rest.len() == gix::hash::Kind::Sha1.len_in_bytes(),
        _ => true,
    }
}

/// Reads the size of the result from the first bytes of a delta; `None` when more of them are
/// needed.
fn result_size(delta: &[u8]) -> Option<u64> {
    let end = delta.iter().position(|byte| byte & 0x80 == 0)?;
    let mut size = 0_u64;
    for (number, byte) in delta[end + 1..].iter().enumerate() {
        // More than 64 bits are more than any limit.
        let bits = u64::from(byte & 0x7f);
        let shift = u32::try_from(number * 7).unwrap_or(u32::MAX);
        let part = bits.checked_shl(shift).filter(|part| part >> shift == bits);
        size = part.map_or(u64::MAX, |part| size | part);
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
    None
}
