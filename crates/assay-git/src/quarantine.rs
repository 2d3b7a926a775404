use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use assay_model::ObjectId;
use gix::objs::Kind;

use crate::base::Base;
use crate::command::Git;
use crate::layers::Layers;
use crate::shadow::Shadow;
use crate::tree::{Draft, tree_of};
use crate::{Blob, CommitPlan, EntryKind, Error, FileMode, Objects, Repository, TagPlan, TreeEdit};

/// Time limit for copying the objects of a repository.
const COPY_LIMIT: Duration = Duration::from_mins(10);
/// Room for what `git pack-objects` prints: the hash of the pack.
const MAX_OUTPUT: usize = 256;

/// Objects that are not yet part of a repository: they can be read, and seen by nobody else.
///
/// Dropped without being admitted, they are gone.
#[derive(Debug)]
pub struct Quarantine {
    pub(crate) shadow: Arc<Shadow>,
    pub(crate) layers: Arc<Layers>,
    /// True if everything in here was checked by git.
    pub(crate) is_checked: bool,
}

impl Quarantine {
    pub(crate) fn new(base: Arc<Base>) -> Self {
        let shadow = Arc::new(Shadow::new(Arc::clone(&base)));
        let layers = Arc::new(Layers::new(base, Some(Arc::clone(&shadow))));
        Self {
            shadow,
            layers,
            is_checked: false,
        }
    }

    /// Reads what is in quarantine and what is in the repository alike.
    pub fn objects(&self) -> Objects {
        Objects::new(Arc::clone(&self.layers))
    }

    /// Writes a commit, with what it needs. It is written even when it changes nothing.
    pub fn write(&self, plan: &CommitPlan) -> Result<ObjectId, Error> {
        let mut draft = match plan.base {
            Some(base) => Draft::of(&self.layers, tree_of(&self.layers, base)?)?,
            None => Draft::default(),
        };
        for operation in &plan.operations {
            self.apply(operation, &mut draft)?;
        }
        let tree = draft.write(&self.shadow)?;
        self.shadow.insert(Kind::Commit, plan.encode(tree))
    }

    /// Writes a tag with a message, which a ref below `refs/tags/` can point at.
    pub fn write_tag(&self, plan: &TagPlan) -> Result<ObjectId, Error> {
        self.shadow.insert(Kind::Tag, plan.encode())
    }

    /// Takes in everything that commits and tags of another repository lead to.
    pub fn copy_from(&self, source: &Repository, tips: &[ObjectId]) -> Result<(), Error> {
        let objects = self.shadow.on_disk()?;
        let packs = objects.join("pack");
        std::fs::create_dir_all(&packs).map_err(Error::disk("make", &packs))?;
        let listed = || -> io::Result<File> {
            let mut list = tempfile::tempfile_in(&objects)?;
            for tip in tips {
                writeln!(list, "{tip}")?;
            }
            list.rewind()?;
            Ok(list)
        };
        let list = listed().map_err(Error::disk("write to", &objects))?;
        Git::new("pack-objects")
            .within(source.path())
            .args(["--revs", "--delta-base-offset", "-q"])
            .arg(packs.join("pack"))
            .input(list)
            .time_limit(COPY_LIMIT)
            .run(MAX_OUTPUT)?
            .require("pack-objects")?;
        Ok(())
    }

    /// Makes everything part of the repository. Move the refs after this, never before.
    pub fn admit(self) -> Result<(), Error> {
        self.shadow.admit()
    }

    fn apply(&self, operation: &TreeEdit, draft: &mut Draft) -> Result<(), Error> {
        let layers = &self.layers;
        match operation {
            TreeEdit::Put { path, blob, mode } => {
                let id = self.blob(blob)?;
                draft.put(layers, path, EntryKind::File(*mode), id)
            }
            TreeEdit::PutPointer { path, file } => {
                let id = self
                    .shadow
                    .insert(Kind::Blob, file.pointer().into_bytes())?;
                draft.put(layers, path, EntryKind::File(FileMode::Regular), id)
            }
            TreeEdit::Delete(path) => draft.remove(layers, path, false),
            TreeEdit::DeleteFolder(path) => draft.remove(layers, path, true),
        }
    }

    fn blob(&self, blob: &Blob) -> Result<ObjectId, Error> {
        match blob {
            Blob::Bytes(bytes) => self.shadow.insert(Kind::Blob, bytes.clone()),
            Blob::File(path) => self.shadow.insert_file(path),
            Blob::Existing(id) => match self.layers.header(*id)? {
                Some((Kind::Blob, _)) => Ok(*id),
                Some((Kind::Tree | Kind::Commit | Kind::Tag, _)) => Err(Error::BadObject {
                    id: *id,
                    wanted: "blob",
                }),
                None => Err(Error::NoObject(*id)),
            },
        }
    }
}
