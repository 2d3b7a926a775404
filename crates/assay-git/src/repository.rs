use std::path::Path;
use std::sync::Arc;

use assay_model::{ObjectId, RepoKey};

use crate::base::Base;
use crate::layers::Layers;
use crate::{Error, Objects, Quarantine, RefName};

/// A bare repository. Cloning it costs nothing.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) base: Arc<Base>,
}

impl Repository {
    /// The fewest digits of a hash that are taken for one.
    pub const MIN_ABBREVIATION: usize = 5;

    /// What it is known by.
    pub fn key(&self) -> RepoKey {
        self.base.key
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.base.git_dir
    }

    /// Reads the objects.
    pub fn objects(&self) -> Objects {
        Objects::new(Arc::new(Layers::new(Arc::clone(&self.base), None)))
    }

    /// A place for new objects.
    pub fn quarantine(&self) -> Quarantine {
        Quarantine::new(Arc::clone(&self.base))
    }

    /// The commit that a text means: `HEAD`, a branch, a tag, a full ref name, a full hash, or at least
    /// [`Repository::MIN_ABBREVIATION`] digits of one that fit no other commit. The first that fits, in this order.
    pub fn resolve(&self, text: &str) -> Result<Option<ObjectId>, Error> {
        let named = match text {
            "HEAD" => vec![Ok(RefName::main())],
            text => vec![RefName::branch(text), RefName::tag(text), text.parse()],
        };
        for name in named.into_iter().flatten() {
            if let Some(found) = self.find_ref(&name)? {
                return Ok(Some(found.target));
            }
        }
        self.resolve_hash(&text.to_ascii_lowercase())
    }

    fn resolve_hash(&self, text: &str) -> Result<Option<ObjectId>, Error> {
        let objects = self.objects();
        if let Ok(id) = text.parse() {
            return objects.commit_behind(id);
        }
        let lengths = Self::MIN_ABBREVIATION..ObjectId::DIGITS;
        if !lengths.contains(&text.len()) {
            return Ok(None);
        }
        let Ok(prefix) = gix::hash::Prefix::from_hex(text) else {
            return Ok(None);
        };
        let mut only = None;
        for candidate in objects.layers.with_prefix(prefix)? {
            let is_commit = objects.is_commit(candidate)?;
            if is_commit && only.replace(candidate).is_some() {
                return Ok(None);
            }
        }
        Ok(only)
    }
}
