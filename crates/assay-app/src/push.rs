use bytes::Bytes;

/// The answer to a push, in git's own words: which refs moved, and what the person reads after `remote:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushReply(pub Bytes);
