use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};

use assay_git::LargeFileId;
use assay_xet::{Chunks, ShardFile, Term, XetHash, chunk_hash, file_hash, range_hash};

use super::refuse;
use super::staged::{StagedXorbs, StagingPlace};
use crate::error::Error;
use crate::large_storage::{LargeStorage, LargeUpload};

/// The most xorbs that are open for one file. Each has at most 64 MiB on the disk.
const MAX_OPEN: usize = 8;

/// A file that is being made of the chunks of xorbs.
struct Assembly<'a> {
    xorbs: &'a StagedXorbs,
    place: StagingPlace,
    upload: LargeUpload,
    /// The offsets of the chunks of a xorb. A file may name one xorb a million times.
    offsets: HashMap<XetHash, Vec<u64>>,
    /// The xorbs that were used last, the latest at the end. In a bucket each opening is a
    /// download.
    open: VecDeque<(XetHash, File)>,
    chunks: Vec<(XetHash, u64)>,
}

/// Makes a large file of the chunks that a shard names. Every hash that the shard states is
/// compared with the content.
pub(super) fn assemble(
    xorbs: &StagedXorbs,
    large_files: &LargeStorage,
    place: StagingPlace,
    file: &ShardFile,
    oid: LargeFileId,
) -> Result<(), Error> {
    let mut assembly = Assembly {
        xorbs,
        place,
        upload: large_files.begin(oid, file.size())?,
        offsets: HashMap::new(),
        open: VecDeque::new(),
        chunks: Vec::new(),
    };
    for term in &file.terms {
        assembly.add_term(term)?;
    }
    if file_hash(&assembly.chunks) != file.hash {
        return Err(Error::Invalid(format!(
            "the chunks of the file {} have another hash",
            file.hash
        )));
    }
    assembly.upload.finish()
}

impl Assembly<'_> {
    fn add_term(&mut self, term: &Term) -> Result<(), Error> {
        let wrong = |what: &str| {
            Error::Invalid(format!(
                "chunks {} to {} of xorb {} {what}",
                term.start, term.end, term.xorb
            ))
        };
        let known = self.open.iter().position(|(hash, _)| *hash == term.xorb);
        let known = known.and_then(|at| self.open.remove(at));
        let (_, mut file) = match known {
            Some(known) => known,
            None => (term.xorb, self.xorbs.open(self.place, term.xorb)?),
        };
        let offsets = match self.offsets.entry(term.xorb) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let found = Chunks::new(BufReader::new(&mut file)).find_offsets();
                place.insert(found.map_err(refuse)?)
            }
        };
        if term.start >= term.end || term.end >= offsets.len() {
            return Err(wrong("are not there"));
        }
        let start = SeekFrom::Start(offsets[term.start]);
        file.seek(start).map_err(Error::internal)?;
        let mut chunks = Chunks::from_chunk(BufReader::new(&file), term.start);
        let first = self.chunks.len();
        let mut bytes = 0;
        for _ in term.start..term.end {
            let content = chunks.next_chunk().map_err(refuse)?;
            let content = content.ok_or_else(|| wrong("are not there"))?;
            let size = content.len() as u64;
            bytes += size;
            self.chunks.push((chunk_hash(content), size));
            self.upload.write(content)?;
        }
        if bytes != u64::from(term.bytes) {
            return Err(wrong("have another size"));
        }
        self.open.push_back((term.xorb, file));
        if self.open.len() > MAX_OPEN {
            self.open.pop_front();
        }
        let hashes = self.chunks[first..].iter().map(|(hash, _)| hash);
        if term
            .verification
            .is_some_and(|stated| stated != range_hash(hashes))
        {
            return Err(wrong("have another hash"));
        }
        Ok(())
    }
}
