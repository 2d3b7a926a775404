use assay_model::ObjectId;

use crate::{CommitPlan, Error, Objects};

/// Objects that are not yet part of a repository: they can be read, and seen by nobody else.
///
/// Dropped without being admitted, they are gone.
#[derive(Debug)]
pub struct Quarantine {
    _private: (),
}

impl Quarantine {
    /// Reads what is in quarantine and what is in the repository alike.
    pub fn objects(&self) -> Objects {
        todo!()
    }

    /// Writes a commit, with what it needs.
    pub fn write(&self, _plan: &CommitPlan) -> Result<ObjectId, Error> {
        todo!()
    }

    /// Makes everything part of the repository. Move the refs after this, never before.
    pub fn admit(self) -> Result<(), Error> {
        todo!()
    }
}
