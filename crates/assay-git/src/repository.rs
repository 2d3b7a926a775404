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

    /// Returns the key of the repository.
    pub fn key(&self) -> RepoKey {
        self.base.key
    }

    /// Returns the path of the repository.
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

    /// The commit that a text means: a full hash, `HEAD`, a full ref name, a branch, a tag, or at
    /// least [`Repository::MIN_ABBREVIATION`] digits of a hash that fit no other commit. The first
    /// that fits, in this order.
    ///
    /// A full hash is never a branch, and `refs/..` never a branch of that short name: who pins a
    /// commit gets that commit.
    pub fn resolve(&self, text: &str) -> Result<Option<ObjectId>, Error> {
        let lower = text.to_ascii_lowercase();
        if let Ok(id) = lower.parse() {
            return self.objects().commit_behind(id);
        }
        let named = match text {
            "HEAD" => vec![Ok(RefName::main())],
            text if text.starts_with("refs/") => vec![text.parse()],
            text => vec![RefName::branch(text), RefName::tag(text)],
        };
        for name in named.into_iter().flatten() {
            if let Some(found) = self.find_ref(&name)? {
                return Ok(Some(found.target));
            }
        }
        self.resolve_abbreviated(&lower)
    }

    fn resolve_abbreviated(&self, text: &str) -> Result<Option<ObjectId>, Error> {
        let objects = self.objects();
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
