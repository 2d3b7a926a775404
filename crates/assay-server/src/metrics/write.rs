use axum::http::{Method, StatusCode};

/// A kind of request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    /// A commit through the API.
    Commit,
    /// A git push.
    Push,
    /// A large file.
    LargeFile,
    /// A repository: created, renamed, deleted, settings.
    Repository,
    /// A branch or tag through the API.
    Reference,
    /// A discussion, pull request or comment.
    Discussion,
    /// An account, organisation, access token or webhook.
    Account,
    /// Evidence: a token for a result, or its revocation.
    Evidence,
    /// Anything that only operators do.
    Operation,
}

/// The outcome of a request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// It was done.
    Accepted,
    /// It was refused, and the client can mend that.
    Refused,
    /// It failed, and that is our fault.
    Failed,
}

/// Set in a response whose status does not tell that the change was refused: git reads refusals in
/// the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusedInBody;

/// The beginnings of routes that change accounts and sessions.
const ACCOUNT_ROUTES: [&str; 6] = [
    "/settings",
    "/organizations",
    "/webhooks",
    "/login",
    "/logout",
    "/api/assay/organizations",
];

impl WriteKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 9] = [
        Self::Commit,
        Self::Push,
        Self::LargeFile,
        Self::Repository,
        Self::Reference,
        Self::Discussion,
        Self::Account,
        Self::Evidence,
        Self::Operation,
    ];

    /// The kind in one word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Push => "push",
            Self::LargeFile => "large_file",
            Self::Repository => "repository",
            Self::Reference => "reference",
            Self::Discussion => "discussion",
            Self::Account => "account",
            Self::Evidence => "evidence",
            Self::Operation => "operation",
        }
    }

    /// The kind of a request by its route; none for requests that only read.
    pub(crate) fn of(method: &Method, route: &str) -> Option<Self> {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
            return None;
        }
        let begins = |text: &str| route.starts_with(text);
        let has = |text: &str| route.contains(text);
        if has("/git-receive-pack") {
            Some(Self::Push)
        } else if has("/commit/") || begins("/submit") {
            Some(Self::Commit)
        } else if has("/lfs/") {
            Some(Self::LargeFile)
        } else if has("/discussions") {
            Some(Self::Discussion)
        } else if has("/branch/") || has("/tag/") {
            Some(Self::Reference)
        } else if begins("/admin") || begins("/api/assay/benchmarks") {
            Some(Self::Operation)
        } else if begins("/api/repos/") || begins("/new") || has("{name}/settings") {
            Some(Self::Repository)
        } else if ACCOUNT_ROUTES.iter().any(|route| begins(route)) {
            Some(Self::Account)
        } else if begins("/v1/") {
            Some(Self::Evidence)
        } else {
            None
        }
    }
}

impl WriteOutcome {
    /// Every outcome.
    pub(crate) const ALL: [Self; 3] = [Self::Accepted, Self::Refused, Self::Failed];

    /// The outcome in one word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// The outcome of a response.
    pub(crate) fn of(status: StatusCode, refused: Option<RefusedInBody>) -> Self {
        if status.is_server_error() {
            Self::Failed
        } else if status.is_client_error() || refused.is_some() {
            Self::Refused
        } else {
            Self::Accepted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_told_from_reads_by_method_and_route() {
        let of = |method: Method, route: &str| WriteKind::of(&method, route);

        let commit = "/api/models/{namespace}/{name}/commit/{revision}";
        assert_eq!(of(Method::POST, commit), Some(WriteKind::Commit));
        assert_eq!(of(Method::GET, commit), None);
        let push = "/{namespace}/{name}/git-receive-pack";
        assert_eq!(of(Method::POST, push), Some(WriteKind::Push));
        assert_eq!(
            of(Method::DELETE, "/api/repos/delete"),
            Some(WriteKind::Repository)
        );
        assert_eq!(
            of(Method::POST, "/{namespace}/{name}/git-upload-pack"),
            None
        );
        assert_eq!(
            of(
                Method::POST,
                "/api/models/{namespace}/{name}/paths-info/{revision}"
            ),
            None
        );
    }

    #[test]
    fn a_refusal_in_the_body_is_a_refusal() {
        let of = WriteOutcome::of;

        assert_eq!(of(StatusCode::OK, None), WriteOutcome::Accepted);
        assert_eq!(
            of(StatusCode::OK, Some(RefusedInBody)),
            WriteOutcome::Refused
        );
        assert_eq!(of(StatusCode::CONFLICT, None), WriteOutcome::Refused);
        assert_eq!(
            of(StatusCode::SERVICE_UNAVAILABLE, None),
            WriteOutcome::Failed
        );
    }
}
