/// How much the hub holds, for its metrics and its first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Users.
    pub users: u64,
    /// Organisations.
    pub organisations: u64,
    /// Model repositories.
    pub models: u64,
    /// Dataset repositories.
    pub datasets: u64,
    /// Valid benchmarks.
    pub benchmarks: u64,
    /// Discussions that are not pull requests.
    pub discussions: u64,
    /// Pull requests.
    pub pulls: u64,
    /// Current entries.
    pub entries: u64,
    /// Current entries whose token holds.
    pub verified: u64,
    /// Every Eval Ever records.
    pub records: u64,
}

questions! {
    /// How much there is of everything.
    fn counts() -> Counts;
}
