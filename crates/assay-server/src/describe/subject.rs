/// The subject of a route. The order is that of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Leaderboards,
    Evidence,
    Samples,
    Repositories,
    Files,
    Commits,
    Refs,
    Discussions,
    Accounts,
    Git,
    LargeFiles,
    Issuer,
    Operation,
    Courtesy,
}

impl Subject {
    /// Every subject.
    pub(crate) const ALL: [Self; 14] = [
        Self::Leaderboards,
        Self::Evidence,
        Self::Samples,
        Self::Repositories,
        Self::Files,
        Self::Commits,
        Self::Refs,
        Self::Discussions,
        Self::Accounts,
        Self::Git,
        Self::LargeFiles,
        Self::Issuer,
        Self::Operation,
        Self::Courtesy,
    ];

    /// The heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Leaderboards => "Leaderboards",
            Self::Evidence => "Signed evidence",
            Self::Samples => "Results and samples in SQL",
            Self::Repositories => "Repositories",
            Self::Files => "Files",
            Self::Commits => "Commits",
            Self::Refs => "Branches and tags",
            Self::Discussions => "Discussions and pull requests",
            Self::Accounts => "Accounts",
            Self::Git => "Git",
            Self::LargeFiles => "Large files",
            Self::Issuer => "Issuing tokens",
            Self::Operation => "Operation",
            Self::Courtesy => "Courtesy",
        }
    }

    /// Returns the text below the heading.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Leaderboards => "The ranked results of each task of a benchmark.",
            Self::Evidence => {
                "Whether a result is verified and why not, proofs of that, and the public logs behind them."
            }
            Self::Samples => {
                "Questions over every public result and every public sample, when the hub has a lake."
            }
            Self::Repositories => {
                "Models and datasets: create, find, rename, delete, and what is told of them."
            }
            Self::Files => "What is in a repository at a revision.",
            Self::Commits => "Changes by the API. They are validated by the same rules as a push.",
            Self::Refs => "Names for commits.",
            Self::Discussions => "Talk about a repository, and changes offered to it.",
            Self::Accounts => "Who there is, and who is asking.",
            Self::Git => "Git's smart protocol, for clone, fetch and push.",
            Self::LargeFiles => {
                "Files that git has only a pointer to, by the protocol of git-lfs with `basic` transfer."
            }
            Self::Issuer => {
                "Where machines prove who they are and get tokens that make results verified. Failures are RFC 9457 problems, below `/oauth` RFC 6749 errors."
            }
            Self::Operation => "What those who run the hub need.",
            Self::Courtesy => "What clients ask by the way.",
        }
    }
}
