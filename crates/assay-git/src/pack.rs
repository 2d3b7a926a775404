//! Many objects in one file, the way git writes them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::objs::Kind;

use crate::Error;
use crate::command::Git;
use crate::error::disk_complaint;

/// The version of packs that every git reads.
const VERSION: u32 = 2;
/// Room for what `git index-pack` prints: the hash of the pack.
const MAX_OUTPUT: usize = 256;

/// Writes objects as one pack with its index into a directory of objects. One file is synced in
/// place of one for each object, and no more than one descriptor is open at a time.
pub(crate) fn write(
    git_dir: &Path,
    objects: &Path,
    entries: &[(Kind, &[u8])],
) -> Result<(), Error> {
    let pack = write_file(&objects.join("pack"), entries)?;
    // Git reads the whole pack for its index, and checks every hash.
    Git::new("index-pack")
        .within(git_dir)
        .arg(pack)
        .run(MAX_OUTPUT)?
        .require("index-pack")?;
    Ok(())
}

/// Checks objects by git's own rules, as those of a push are checked, and writes them to `objects`.
/// Returns the first complaint of git, or `None` when it has none.
pub(crate) fn check(
    git_dir: &Path,
    objects: &Path,
    entries: &[(Kind, &[u8])],
) -> Result<Option<String>, Error> {
    let pack = write_file(&objects.join("pack"), entries)?;
    let output = Git::new("index-pack")
        .within(git_dir)
        .arg("--strict")
        .arg(pack)
        .run(MAX_OUTPUT)?;
    if output.code == Some(0) {
        return Ok(None);
    }
    // A disk without space or a signal says nothing of the objects.
    if output.code.is_none() || disk_complaint(&output.stderr).is_some() {
        return Err(Error::Git {
            subcommand: "index-pack",
            output: output.stderr,
        });
    }
    let complaint = output
        .stderr
        .lines()
        .find(|line| line.starts_with("error:"));
    Ok(Some(complaint.unwrap_or(output.stderr.trim()).to_owned()))
}

fn write_file(directory: &Path, entries: &[(Kind, &[u8])]) -> Result<PathBuf, Error> {
    let failed = || Error::disk("write a pack to", directory);
    std::fs::create_dir_all(directory).map_err(failed())?;
    let mut builder = tempfile::Builder::new();
    builder.prefix("tmp_pack_");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o444));
    }
    let file = builder.tempfile_in(directory).map_err(failed())?;
    let checksum = encode(file.as_file(), entries).map_err(failed())?;
    let path = directory.join(format!("pack-{checksum}.pack"));
    file.persist(&path).map_err(|error| failed()(error.error))?;
    Ok(path)
}

/// Writes a pack without deltas and returns its checksum.
fn encode(file: &File, entries: &[(Kind, &[u8])]) -> io::Result<gix::hash::ObjectId> {
    let count = u32::try_from(entries.len()).map_err(io::Error::other)?;
    let mut out = Hashed {
        out: BufWriter::new(file),
        hasher: gix::hash::hasher(gix::hash::Kind::Sha1),
    };
    out.write_all(b"PACK")?;
    out.write_all(&VERSION.to_be_bytes())?;
    out.write_all(&count.to_be_bytes())?;
    for (kind, data) in entries {
        out.write_all(&entry_header(*kind, data.len() as u64))?;
        let mut encoder = ZlibEncoder::new(&mut out, Compression::fast());
        encoder.write_all(data)?;
        encoder.finish()?;
    }
    let checksum = out.hasher.try_finalize().map_err(io::Error::other)?;
    out.out.write_all(checksum.as_slice())?;
    out.out.flush()?;
    Ok(checksum)
}

/// The kind and the size of an entry: four bits of the size, then seven at a time, the lowest
/// first.
fn entry_header(kind: Kind, size: u64) -> Vec<u8> {
    let kind: u8 = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let low = |size: u64, bits: u32| u8::try_from(size & ((1 << bits) - 1)).unwrap_or_default();
    let mut bytes = vec![kind << 4 | low(size, 4)];
    let mut rest = size >> 4;
    while rest > 0 {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push(low(rest, 7));
        rest >>= 7;
    }
    bytes
}

/// Hashes what is written.
struct Hashed<W> {
    out: W,
    hasher: gix::hash::Hasher,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
