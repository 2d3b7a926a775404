//! Our hashes are gix's hashes.

use assay_model::ObjectId;

/// For gix.
pub(crate) fn to_gix(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::Sha1(*id.as_bytes())
}

/// From gix.
pub(crate) fn from_gix(id: &gix::oid) -> ObjectId {
    let bytes = id.as_bytes().try_into();
    ObjectId::from_bytes(bytes.expect("only SHA-1 is compiled in"))
}
