/// What a rebuild of the index went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reindexed {
    /// Repositories.
    pub repositories: u64,
    /// Entries.
    pub entries: u64,
    /// Benchmarks.
    pub benchmarks: u64,
}

/// One line in which the live index and a rebuilt one differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDifference {
    /// The row that only the live index has, or that differs.
    pub live: Option<String>,
    /// The row that only the rebuilt index has.
    pub rebuilt: Option<String>,
}
