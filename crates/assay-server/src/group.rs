use axum::http::StatusCode;

/// A group of routes that are authenticated in the same way and whose failures have the same form.
/// Each group is a router with its own layer, see [`mod@crate::router`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteGroup {
    /// Pages that people read. They alone know sessions.
    Page,
    /// Parts that pages embed or link to: assets, boards for other sites, pictures, downloads.
    Part,
    /// The API below `/api`.
    Api,
    /// Git and git-lfs, which send credentials only when they are challenged.
    Git,
    /// Uploads by Xet, whose clients carry a short-lived token of their own.
    Xet,
    /// Health, metrics, the logs, and what the issuer publishes about itself.
    Service,
    /// Tokens for results: RFC 9457 failures.
    EvalTokens,
    /// The exchange of a proof of identity for an access token: RFC 6749 failures.
    TokenExchange,
    /// The other OAuth endpoints: RFC 6749 failures.
    Oauth,
}

impl RouteGroup {
    /// Returns whether a session cookie signs in.
    pub(crate) fn has_sessions(self) -> bool {
        self == Self::Page
    }

    /// Returns whether a failure is a page for clients that accept HTML.
    pub(crate) fn has_pages(self) -> bool {
        matches!(self, Self::Page | Self::Part)
    }

    /// Returns whether callers are machines that authenticate with the issuer and not with a token
    /// of the hub.
    pub(crate) fn is_of_machines(self) -> bool {
        matches!(self, Self::EvalTokens | Self::TokenExchange | Self::Oauth)
    }

    /// Returns whether a response says that a machine failed to prove its identity.
    pub(crate) fn is_wrong_guess(self, status: StatusCode) -> bool {
        match status {
            StatusCode::UNAUTHORIZED => self.is_of_machines(),
            StatusCode::BAD_REQUEST => self == Self::TokenExchange,
            _ => false,
        }
    }
}
