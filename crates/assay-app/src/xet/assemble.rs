use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufReader, Seek as _, SeekFrom};

use assay_git::{LargeFileId, LargeFiles, Upload};
use assay_xet::{Chunks, ShardFile, Term, XetHash, chunk_hash, file_hash, range_hash};

use super::refuse;
use super::staged::{StagedXorbs, StagingPlace};
use crate::error::Error;

/// A file that is being made of the chunks of xorbs.
struct Assembly<'a> {
    xorbs: &'a StagedXorbs,
    place: StagingPlace,
    upload: Upload,
    /// Where the chunks of a xorb begin. A file may name one xorb a million times.
    offsets: HashMap<XetHash, Vec<u64>>,
    chunks: Vec<(XetHash, u64)>,
}

/// Makes a large file of the chunks that a shard names. Every hash that the shard states is compared with the content.
pub(super) fn assemble(
    xorbs: &StagedXorbs,
    large_files: &LargeFiles,
    place: StagingPlace,
    file: &ShardFile,
    oid: LargeFileId,
) -> Result<(), Error> {
    let mut assembly = Assembly {
        xorbs,
        place,
        upload: large_files.begin(oid, file.size())?,
        offsets: HashMap::new(),
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
    Ok(assembly.upload.finish()?)
}

impl Assembly<'_> {
    fn add_term(&mut self, term: &Term) -> Result<(), Error> {
        let wrong = |what: &str| {
            Error::Invalid(format!(
                "chunks {} to {} of xorb {} {what}",
                term.start, term.end, term.xorb
            ))
        };
        let mut file = self.xorbs.open(self.place, term.xorb)?;
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
        let mut chunks = Chunks::from_chunk(BufReader::new(file), term.start);
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
