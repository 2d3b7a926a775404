use assay_model::{ObjectId, RepoKey};
use tokio::io::AsyncRead;

use crate::{
    Error, Objects, Quarantine, ReceiveLimits, Received, RefChange, RefName, Reference, Service,
    UploadPack,
};

/// A bare repository. Cloning it costs nothing.
#[derive(Debug, Clone)]
pub struct Repository {
    key: RepoKey,
}

impl Repository {
    /// What it is known by.
    pub fn key(&self) -> RepoKey {
        self.key
    }

    /// Its refs, in the order of their names. What points at no commit is left out.
    pub fn refs(&self) -> Result<Vec<Reference>, Error> {
        todo!()
    }

    /// One of its refs.
    pub fn find_ref(&self, _name: &RefName) -> Result<Option<Reference>, Error> {
        todo!()
    }

    /// The object that a ref points at, which is the tag itself for an annotated tag: what [`Expected::At`] compares.
    ///
    /// [`Expected::At`]: crate::Expected::At
    pub fn ref_value(&self, _name: &RefName) -> Result<Option<ObjectId>, Error> {
        todo!()
    }

    /// The commit that a text means: a branch, a tag, a full ref name, a full hash, or at least
    /// [`Repository::MIN_ABBREVIATION`] digits of one that fit no other commit. The first that fits, in this order.
    pub fn resolve(&self, _text: &str) -> Result<Option<ObjectId>, Error> {
        todo!()
    }

    /// Moves refs, all or none: a ref that is not where it is expected to be is [`Error::RefMoved`].
    pub fn update_refs(&self, _changes: &[RefChange]) -> Result<(), Error> {
        todo!()
    }

    /// Reads the objects.
    pub fn objects(&self) -> Objects {
        todo!()
    }

    /// A place for new objects.
    pub fn quarantine(&self) -> Result<Quarantine, Error> {
        todo!()
    }

    /// The first answer to a git client, with the service line that smart HTTP puts before it.
    ///
    /// `protocol` is what the client sent as `Git-Protocol`.
    pub async fn advertise(
        &self,
        _service: Service,
        _protocol: Option<&str>,
    ) -> Result<Vec<u8>, Error> {
        todo!()
    }

    /// Answers `git fetch`: the body goes to `git upload-pack`, its output is read from what is returned. Dropping that
    /// ends it.
    pub async fn upload_pack(
        &self,
        _body: impl AsyncRead + Send + Unpin + 'static,
        _protocol: Option<&str>,
    ) -> Result<UploadPack, Error> {
        todo!()
    }

    /// Takes in what `git push` sends: the objects are in quarantine, complete and sound, and no ref has moved.
    pub async fn receive(
        &self,
        _body: impl AsyncRead + Send + Unpin,
        _limits: &ReceiveLimits,
    ) -> Result<Received, Error> {
        todo!()
    }

    /// The fewest digits of a hash that are taken for one.
    pub const MIN_ABBREVIATION: usize = 5;
}
