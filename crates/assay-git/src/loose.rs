//! Objects as single files, the way git writes them.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use assay_model::ObjectId;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::objs::Kind;
use tempfile::{NamedTempFile, TempPath};

use crate::Error;
use crate::id::from_gix;

/// Number of bytes that are read at a time from what is not held in memory.
const CHUNK: usize = 64 * 1024;

/// The hash of an object.
pub(crate) fn hash(kind: Kind, data: &[u8]) -> Result<ObjectId, Error> {
    let mut hasher = Hasher::new(kind, data.len() as u64);
    hasher.update(data);
    hasher.finish()
}

/// Returns the path of an object as a file of its own.
pub(crate) fn path(objects: &Path, id: ObjectId) -> PathBuf {
    let name = id.to_string();
    objects.join(&name[..2]).join(&name[2..])
}

/// An object in a file that has not got its name yet. The file is closed: a commit may have
/// thousands of them.
#[derive(Debug)]
pub(crate) struct Unnamed {
    file: TempPath,
    path: PathBuf,
}

impl Unnamed {
    /// Returns its current path.
    pub(crate) fn path(&self) -> &Path {
        &self.file
    }

    /// Gives it its name, and tells it.
    pub(crate) fn settle(self) -> Result<PathBuf, Error> {
        settle(self.file, &self.path)?;
        Ok(self.path)
    }
}

/// Writes an object that is not there yet. It appears whole or not at all.
pub(crate) fn write(objects: &Path, id: ObjectId, kind: Kind, data: &[u8]) -> Result<(), Error> {
    match prepare(objects, id, kind, data)? {
        Some(unnamed) => unnamed.settle().map(|_| ()),
        None => Ok(()),
    }
}

/// Writes an object without giving it its name; none when there is one of this name.
pub(crate) fn prepare(
    objects: &Path,
    id: ObjectId,
    kind: Kind,
    data: &[u8],
) -> Result<Option<Unnamed>, Error> {
    let path = path(objects, id);
    if path.exists() {
        return Ok(None);
    }
    let failed = || Error::disk("write an object to", objects);
    let file = temporary(objects).map_err(failed())?;
    let mut encoder = ZlibEncoder::new(file, Compression::fast());
    let written = encoder
        .write_all(&header(kind, data.len() as u64))
        .and_then(|()| encoder.write_all(data));
    written.map_err(failed())?;
    let file = encoder.finish().map_err(failed())?;
    Ok(Some(Unnamed {
        file: file.into_temp_path(),
        path,
    }))
}

/// Writes a blob that is not held in memory. The size must be right.
pub(crate) fn write_stream(
    objects: &Path,
    size: u64,
    mut reader: impl Read,
) -> Result<ObjectId, Error> {
    let failed = || Error::disk("write an object to", objects);
    let file = temporary(objects).map_err(failed())?;
    let mut encoder = ZlibEncoder::new(file, Compression::fast());
    encoder
        .write_all(&header(Kind::Blob, size))
        .map_err(failed())?;
    let mut hasher = Hasher::new(Kind::Blob, size);
    let mut left = size;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = reader.read(&mut chunk).map_err(failed())?;
        let Some(rest) = left.checked_sub(read as u64) else {
            break;
        };
        left = rest;
        if read == 0 {
            break;
        }
        hasher.update(&chunk[..read]);
        encoder.write_all(&chunk[..read]).map_err(failed())?;
    }
    if left > 0 || reader.read(&mut chunk[..1]).map_err(failed())? > 0 {
        let source = io::Error::other("it changed while it was read");
        return Err(failed()(source));
    }
    let id = hasher.finish()?;
    let file = encoder.finish().map_err(failed())?;
    settle(file.into_temp_path(), &path(objects, id))?;
    Ok(id)
}

/// A file in the directory of objects, of which git knows by its name that it may be thrown away.
fn temporary(objects: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("tmp_obj_");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o444));
    }
    builder.tempfile_in(objects)
}

/// Moves a file to its place. Somebody else may have put the same bytes there: that is no matter.
fn settle(file: TempPath, path: &Path) -> Result<(), Error> {
    let failed = || Error::disk("write", path);
    let file = match file.persist(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::NotFound => error.path,
        Err(error) => return Err(failed()(error.error)),
    };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed())?;
    }
    file.persist(path).map_err(|error| failed()(error.error))?;
    Ok(())
}

fn header(kind: Kind, size: u64) -> Vec<u8> {
    let mut header = kind.as_bytes().to_vec();
    header.extend_from_slice(format!(" {size}\0").as_bytes());
    header
}

struct Hasher(gix::hash::Hasher);

impl Hasher {
    fn new(kind: Kind, size: u64) -> Self {
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
        hasher.update(&header(kind, size));
        Self(hasher)
    }

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Bytes that were made to have the hash of others are told apart from honest ones, as git
    /// does.
    fn finish(self) -> Result<ObjectId, Error> {
        match self.0.try_finalize() {
            Ok(id) => Ok(from_gix(&id)),
            Err(_) => Err(Error::Collision),
        }
    }
}
