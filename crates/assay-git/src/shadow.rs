use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_model::{Durability, ObjectId};
use gix::objs::Kind;
use parking_lot::{Mutex, MutexGuard};

use crate::base::{Base, Handle, Store};
use crate::id::to_gix;
use crate::layers::LoadedObject;
use crate::loose;
use crate::pack;
use crate::scratch::Scratch;
use crate::sync::{self, Directories};
use crate::{Error, ObjectSize};

/// The objects in quarantine: small ones in memory, others in a directory that is made when the
/// first of them comes.
///
/// A commit through the API is a handful of small objects. They never touch a second directory, so
/// nothing is written twice and nothing needs to be moved. Many small objects are written as one
/// pack.
#[derive(Debug)]
pub(crate) struct Shadow {
    base: Arc<Base>,
    state: Mutex<State>,
}

/// Objects in memory, by their hash.
type Memory = BTreeMap<ObjectId, (Kind, Arc<[u8]>)>;

#[derive(Debug, Default)]
struct State {
    memory: Memory,
    bytes: usize,
    disk: Option<Disk>,
}

#[derive(Debug)]
struct Disk {
    objects: PathBuf,
    /// Keeps the directory alive, and removes it.
    _scratch: Scratch,
}

/// Number of bytes of objects that are held in memory.
const MAX_MEMORY: usize = 8 << 20;
/// The largest object that is held in memory.
const MAX_IN_MEMORY: usize = 1 << 20;
/// So many objects are written as a pack; fewer are files of their own, which need no process.
const MIN_PACKED: usize = 128;

impl Shadow {
    pub(crate) fn new(base: Arc<Base>) -> Self {
        Self {
            base,
            state: Mutex::default(),
        }
    }

    /// An object that is in memory.
    pub(crate) fn find(&self, id: ObjectId) -> Option<LoadedObject> {
        let state = self.state();
        let (kind, data) = state.memory.get(&id)?;
        Some(LoadedObject {
            kind: *kind,
            data: data.to_vec(),
        })
    }

    /// Returns the objects on disk, if there are any.
    pub(crate) fn handle(&self) -> Option<Handle> {
        let state = self.state();
        let disk = state.disk.as_ref()?;
        Some(Store::open(&disk.objects).ok()?.handle())
    }

    /// Takes an object in.
    pub(crate) fn insert(&self, kind: Kind, data: Vec<u8>) -> Result<ObjectId, Error> {
        let id = loose::hash(kind, &data)?;
        // A miss of one that came a moment ago costs only that it is written twice.
        if self.base.handle().exists_without_refresh(&to_gix(id)) {
            return Ok(id);
        }
        let mut state = self.state();
        if data.len() > MAX_IN_MEMORY {
            let objects = self.directory(&mut state)?;
            loose::write(&objects, id, kind, &data)?;
            return Ok(id);
        }
        if state.bytes + data.len() > MAX_MEMORY {
            self.spill(&mut state)?;
        }
        state.bytes += data.len();
        state.memory.insert(id, (kind, data.into()));
        Ok(id)
    }

    /// Takes the blob of a file in, which is not held in memory if it is large.
    pub(crate) fn insert_file(&self, path: &Path) -> Result<ObjectId, Error> {
        let failed = || Error::disk("read", path);
        let size = std::fs::metadata(path).map_err(failed())?.len();
        if size <= MAX_IN_MEMORY as u64 {
            let data = std::fs::read(path).map_err(failed())?;
            return self.insert(Kind::Blob, data);
        }
        let file = File::open(path).map_err(failed())?;
        let objects = self.directory(&mut self.state())?;
        loose::write_stream(&objects, size, file)
    }

    /// The directory of objects, with everything in it, for a `git` that is to see it.
    pub(crate) fn on_disk(&self) -> Result<PathBuf, Error> {
        self.spill(&mut self.state())
    }

    /// Returns the size of the objects in memory, and the directory of those on disk.
    pub(crate) fn waiting(&self) -> (ObjectSize, Option<PathBuf>) {
        let state = self.state();
        let size = ObjectSize {
            bytes: state.bytes as u64,
            objects: state.memory.len() as u64,
        };
        (size, state.disk.as_ref().map(|disk| disk.objects.clone()))
    }

    /// Makes everything part of the repository.
    pub(crate) fn admit(&self) -> Result<(), Error> {
        let mut state = self.state();
        let objects = self.base.objects_dir();
        let mut moved = Moved::new(self.base.durability);
        if state.memory.len() >= MIN_PACKED {
            self.spill(&mut state)?;
        }
        if let Some(disk) = state.disk.take() {
            let packs = moved.packs(&disk.objects, &objects)?;
            moved.loose(&disk.objects, &objects)?;
            if packs > 0 {
                self.base.reopen()?;
            }
        }
        let mut unnamed = Vec::new();
        for (id, (kind, data)) in std::mem::take(&mut state.memory) {
            unnamed.extend(loose::prepare(&objects, id, kind, &data)?);
        }
        let paths: Vec<PathBuf> = unnamed.iter().map(|one| one.path().to_owned()).collect();
        sync::files(self.base.durability, &paths)?;
        for object in unnamed {
            moved.note(&object.settle()?);
        }
        moved.directories.sync()
    }

    /// Moves what is in memory to the directory of objects, and returns that.
    fn spill(&self, state: &mut State) -> Result<PathBuf, Error> {
        let objects = self.directory(state)?;
        let memory = std::mem::take(&mut state.memory);
        state.bytes = 0;
        if memory.len() >= MIN_PACKED {
            let entries: Vec<(Kind, &[u8])> = memory
                .values()
                .map(|(kind, data)| (*kind, &**data))
                .collect();
            pack::write(&self.base.git_dir, &objects, &entries)?;
            return Ok(objects);
        }
        for (id, (kind, data)) in &memory {
            loose::write(&objects, *id, *kind, data)?;
        }
        Ok(objects)
    }

    fn directory(&self, state: &mut State) -> Result<PathBuf, Error> {
        if let Some(disk) = &state.disk {
            return Ok(disk.objects.clone());
        }
        let scratch = Scratch::new(&self.base.scratch)?;
        let objects = scratch.path().join("objects");
        std::fs::create_dir(&objects).map_err(Error::disk("make", &objects))?;
        state.disk = Some(Disk {
            objects: objects.clone(),
            _scratch: scratch,
        });
        Ok(objects)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// The files that were moved into a repository, and must be on the disk before its refs move.
struct Moved {
    durability: Durability,
    directories: Directories,
}

impl Moved {
    fn new(durability: Durability) -> Self {
        Self {
            durability,
            directories: Directories::new(durability),
        }
    }

    /// Notes a new name, and that of the directory which may be new as well.
    fn note(&mut self, path: &Path) {
        self.directories.of(path);
        if let Some(directory) = path.parent() {
            self.directories.of(directory);
        }
    }

    /// Moves packs, and says how many. A pack is seen by its index, which therefore comes last.
    fn packs(&mut self, from: &Path, to: &Path) -> Result<usize, Error> {
        let (from, to) = (from.join("pack"), to.join("pack"));
        let mut names = list(&from)?;
        names.retain(|name| name.starts_with("pack-"));
        if names.is_empty() {
            return Ok(0);
        }
        names.sort_by_key(|name| is_index(name));
        let paths: Vec<PathBuf> = names.iter().map(|name| from.join(name)).collect();
        sync::files(self.durability, &paths)?;
        std::fs::create_dir_all(&to).map_err(Error::disk("make", &to))?;
        for name in &names {
            self.rename(&from.join(name), &to.join(name))?;
        }
        Ok(names.iter().filter(|name| is_index(name)).count())
    }

    fn loose(&mut self, from: &Path, to: &Path) -> Result<(), Error> {
        let hexadecimal = |name: &String| name.len() == 2 && name != "..";
        let mut paths = Vec::new();
        for fan in list(from)?.into_iter().filter(hexadecimal) {
            let names = list(&from.join(&fan))?.into_iter();
            let objects = names.filter(|name| name.len() + fan.len() == ObjectId::DIGITS);
            paths.extend(objects.map(|name| Path::new(&fan).join(name)));
        }
        let whole: Vec<PathBuf> = paths.iter().map(|path| from.join(path)).collect();
        sync::files(self.durability, &whole)?;
        for (path, whole) in paths.iter().zip(&whole) {
            let place = to.join(path);
            if let Some(folder) = place.parent() {
                std::fs::create_dir_all(folder).map_err(Error::disk("make", folder))?;
            }
            self.rename(whole, &place)?;
        }
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Error> {
        std::fs::rename(from, to).map_err(Error::disk("move an object to", to))?;
        self.note(to);
        Ok(())
    }
}

fn is_index(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "idx")
}

/// The names in a directory that may not be there.
fn list(directory: &Path) -> Result<Vec<String>, Error> {
    let failed = || Error::disk("list", directory);
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed())?.file_name();
        names.extend(name.into_string());
    }
    Ok(names)
}
