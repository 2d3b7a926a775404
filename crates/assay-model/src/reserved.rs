/// Namespaces that nobody may have: they are the first parts of a hub's own addresses, or clients
/// and proxies read them as such.
const RESERVED: [&str; 76] = [
    ".well-known",
    "about",
    "account",
    "admin",
    "api",
    "assets",
    "avatars",
    "badge",
    "badges",
    "benchmarks",
    "bucket",
    "buckets",
    "changes",
    "collections",
    "compare",
    "dataset",
    "datasets",
    "docs",
    "embed",
    "explore",
    "favicon.ico",
    "feed",
    "feeds",
    "head-to-head",
    "healthz",
    "help",
    "inbox",
    "issuer",
    "join",
    "kernel",
    "kernels",
    "leaderboards",
    "log",
    "login",
    "logout",
    "mcp",
    "metrics",
    "model",
    "models",
    "new",
    "notifications",
    "oauth",
    "openapi.json",
    "organization",
    "organizations",
    "papers",
    "posts",
    "pricing",
    "privacy",
    "readyz",
    "results",
    "robots.txt",
    "samples",
    "search",
    "security.txt",
    "settings",
    "sitemap.xml",
    "space",
    "spaces",
    "sql",
    "static",
    "submit",
    "tasks",
    "terms",
    "theme",
    "token",
    "tokens",
    "trust",
    "uploads",
    "user",
    "users",
    "v1",
    "v2",
    "webhooks",
    "well-known",
    "xet",
];

/// Every namespace that nobody may have, in lower case.
pub fn reserved_namespaces() -> impl Iterator<Item = &'static str> {
    RESERVED.into_iter()
}

/// Returns whether a name can be no namespace, in whatever case it is written: it would be taken
/// for an address of the hub itself.
///
/// ```
/// # use assay_model::is_reserved_namespace;
/// assert!(is_reserved_namespace("API"));
/// assert!(!is_reserved_namespace("apis"));
/// ```
pub fn is_reserved_namespace(name: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once_and_in_order() {
        assert!(RESERVED.is_sorted_by(|one, next| one < next));
    }
}
