use std::fmt;

/// What a repository is known by inside the hub, whatever its name is at the moment: it is given once, never given
/// again, and names the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoKey(pub i64);

impl fmt::Display for RepoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
