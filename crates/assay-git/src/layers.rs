use std::sync::Arc;

use assay_model::ObjectId;
use gix::objs::{Find, Kind};
use gix::odb::Header as _;
use parking_lot::{Mutex, MutexGuard};

use crate::Error;
use crate::base::{Base, Handle};
use crate::id::{from_gix, to_gix};
use crate::shadow::Shadow;

/// Finds objects: first in quarantine, if there is one, then in the repository.
pub(crate) struct Layers {
    pub(crate) base: Arc<Base>,
    pub(crate) shadow: Option<Arc<Shadow>>,
    /// gix's handles keep what they have learnt, and cannot be shared while they learn.
    handles: Mutex<Handles>,
}

struct Handles {
    base: Handle,
    shadow: Option<Handle>,
}

/// An object that was found.
pub(crate) struct LoadedObject {
    pub(crate) kind: Kind,
    pub(crate) data: Vec<u8>,
}

impl Layers {
    pub(crate) fn new(base: Arc<Base>, shadow: Option<Arc<Shadow>>) -> Self {
        let handles = Handles {
            base: base.handle(),
            shadow: None,
        };
        Self {
            base,
            shadow,
            handles: Mutex::new(handles),
        }
    }

    /// An object, whole.
    pub(crate) fn find(&self, id: ObjectId) -> Result<Option<LoadedObject>, Error> {
        if let Some(found) = self.shadow.as_ref().and_then(|shadow| shadow.find(id)) {
            return Ok(Some(found));
        }
        self.ask(|handle| {
            let mut data = Vec::new();
            let kind = handle
                .try_find(&to_gix(id), &mut data)?
                .map(|found| found.kind);
            Ok(kind.map(|kind| LoadedObject { kind, data }))
        })
    }

    /// Returns the kind and size of an object, without reading it.
    pub(crate) fn header(&self, id: ObjectId) -> Result<Option<(Kind, u64)>, Error> {
        if let Some(found) = self.shadow.as_ref().and_then(|shadow| shadow.find(id)) {
            return Ok(Some((found.kind, found.data.len() as u64)));
        }
        self.ask(|handle| {
            let header = (**handle).try_header(&to_gix(id))?;
            Ok(header.map(|header| (header.kind(), header.size())))
        })
    }

    /// The objects of the repository whose hash begins so.
    pub(crate) fn with_prefix(&self, prefix: gix::hash::Prefix) -> Result<Vec<ObjectId>, Error> {
        let mut candidates = std::collections::HashSet::new();
        self.ask(|handle| {
            candidates.clear();
            handle.lookup_prefix(prefix, Some(&mut candidates))?;
            Ok(None::<()>)
        })?;
        let mut candidates: Vec<_> = candidates.iter().map(|id| from_gix(id)).collect();
        candidates.sort_unstable();
        Ok(candidates)
    }

    /// Asks the quarantine's files, then the repository's; and the latter again if its packs were
    /// replaced meanwhile.
    fn ask<T>(
        &self,
        mut question: impl FnMut(&Handle) -> gix::Result<Option<T>>,
    ) -> Result<Option<T>, Error> {
        let mut handles = self.handles();
        if handles.shadow.is_none() {
            handles.shadow = self.shadow.as_ref().and_then(|shadow| shadow.handle());
        }
        match handles.shadow.as_ref().map(&mut question) {
            Some(Ok(Some(answer))) => return Ok(Some(answer)),
            Some(Ok(None)) | None => {}
            // It has been admitted: its directory is gone, and the repository has what was in it.
            Some(Err(_)) => handles.shadow = None,
        }
        if let Ok(answer) = question(&handles.base) {
            return Ok(answer);
        }
        self.base.reopen()?;
        handles.base = self.base.handle();
        question(&handles.base).map_err(|error| Error::Objects {
            path: self.base.git_dir.clone(),
            source: Box::new(error),
        })
    }

    fn handles(&self) -> MutexGuard<'_, Handles> {
        self.handles.lock()
    }
}

/// gix's walks ask through this.
impl Find for Layers {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<gix::objs::Data<'a>>> {
        let found = self.find(from_gix(id)).map_err(gix::Error::from_error)?;
        Ok(found.map(|found| {
            *buffer = found.data;
            gix::objs::Data {
                kind: found.kind,
                object_hash: gix::hash::Kind::Sha1,
                data: buffer,
            }
        }))
    }
}

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layers")
            .field("base", &self.base.git_dir)
            .finish_non_exhaustive()
    }
}
