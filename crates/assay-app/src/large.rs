use std::path::PathBuf;

/// A large file that the hub has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeObject {
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Its size.
    pub size: u64,
    /// Where it lies.
    pub path: PathBuf,
}
