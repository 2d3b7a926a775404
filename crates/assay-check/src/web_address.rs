//! Addresses that become links.

/// The beginnings of addresses of web pages, in any case.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// Returns the reason why a text cannot be the address of a web page. The part behind the host is
/// for that host to decide, so a URL parser would find nothing more.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    // Nearly every address is ASCII, and a fold over all of it is faster than a search that may end
    // early.
    let is_plain = text
        .bytes()
        .fold(true, |all, byte| all & byte.is_ascii_graphic());
    if !is_plain && text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some("it holds white space");
    }
    let Some(rest) = SCHEMES.iter().find_map(|scheme| after(scheme, text)) else {
        return Some("it does not begin with `https://`");
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("it holds a user name");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, port),
        Some(_) | None => (authority, ""),
    };
    let is_address = host.starts_with('[') && host.ends_with(']');
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let is_name = host.chars().all(is_letter) && host.chars().any(char::is_alphanumeric);
    if !is_address && (!is_name || host.starts_with('.') || host.contains("..")) {
        return Some("it names no host");
    }
    if !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some("its port is not a number");
    }
    None
}

/// Returns the text after a beginning in any case, if the text has it.
fn after<'t>(beginning: &str, text: &'t str) -> Option<&'t str> {
    let (front, rest) = text.split_at_checked(beginning.len())?;
    front.eq_ignore_ascii_case(beginning).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_a_browser_opens_are_taken() {
        for text in [
            "https://example.org",
            "HTTP://example.org/a?b=c#d",
            "https://matharena.ai/?comp=aime--aime_2026",
            "http://localhost:8080/x",
            "http://[::1]:8080/x",
            "https://bücher.example/x@y",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for text in [
            "",
            "example.org",
            "javascript:alert(1)",
            "javascript://example.org/%0aalert(1)",
            "data:text/html,x",
            "ftp://example.org",
            "https://",
            "https:///path",
            "https://?x",
            "https://..",
            "https://user:secret@example.org",
            "https://example.org:x/",
            "https://exa mple.org",
            "https://example.org\n",
            " https://example.org",
        ] {
            assert!(fault(text).is_some(), "{text:?}");
        }
    }
}
