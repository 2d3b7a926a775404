//! References of a text: accounts as `@name`, discussions as `#3`, and web addresses.

use assay_model::PullNumber;
use std::collections::BTreeSet;
use std::ops::Range;

/// The longest name of an account that is looked for, in bytes.
const MAX_NAME: usize = 96;
/// The most digits in the number of a discussion.
const MAX_DIGITS: usize = 9;
/// Punctuation after an address that does not belong to it.
const AFTER: [char; 12] = ['.', ',', ';', ':', '!', '?', '\'', '"', '*', '_', ')', ']'];

/// Something that a text refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'t> {
    /// An account, by its name.
    Account(&'t str),
    /// A discussion or pull request of the same repository.
    Discussion(PullNumber),
    /// A web address.
    Address(&'t str),
}

/// Finds what a text refers to, each with the bytes it takes. Whether it exists is for others to
/// say.
pub fn references(text: &str) -> Vec<(Range<usize>, Reference<'_>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = text[at..].find(['@', '#', 'h', 'H']) {
        let start = at + step;
        let before = text[..start].chars().next_back();
        let reference = begins_word(before).then(|| reference_at(&text[start..]));
        match reference.flatten() {
            Some((length, reference)) => {
                found.push((start..start + length, reference));
                at = start + length;
            }
            None => at = start + 1,
        }
    }
    found
}

/// Returns the names that a comment mentions, in lower case. What is in code mentions nobody.
pub(super) fn mentioned(markdown: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_fence = false;
    for line in markdown.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            continue;
        }
        for outside in line.split('`').step_by(2) {
            for (_, reference) in references(outside) {
                if let Reference::Account(name) = reference {
                    names.insert(name.to_ascii_lowercase());
                }
            }
        }
    }
    names
}

/// Returns whether a word may begin after a character. E-mail addresses and paths refer to nothing.
fn begins_word(before: Option<char>) -> bool {
    before.is_none_or(|c| {
        !(c.is_alphanumeric() || matches!(c, '/' | '@' | '#' | '.' | '_' | '-' | '&' | '='))
    })
}

/// Reads the reference that a text begins with. Returns its length in bytes too.
fn reference_at(text: &str) -> Option<(usize, Reference<'_>)> {
    if let Some(rest) = text.strip_prefix('@') {
        let name = account(rest)?;
        return Some((1 + name.len(), Reference::Account(name)));
    }
    if let Some(rest) = text.strip_prefix('#') {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let ends = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let number = number.parse().ok().filter(|number| *number > 0);
        return (digits <= MAX_DIGITS && ends)
            .then_some(number?)
            .map(|number| (1 + digits, Reference::Discussion(number)));
    }
    let address = address(text)?;
    Some((address.len(), Reference::Address(address)))
}

/// The name of an account that a text begins with.
fn account(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let length = text.len() - text.trim_start_matches(is_part).len();
    let (name, after) = text.split_at(length);
    let name = name.trim_end_matches(['-', '_', '.']);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.len() <= MAX_NAME;
    (is_name && !after.starts_with(['/', '@'])).then_some(name)
}

/// The web address that a text begins with, without the punctuation of the sentence round it.
fn address(text: &str) -> Option<&str> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        let head = text.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })?;
    let end = text.find(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>'));
    let mut address = &text[..end.unwrap_or(text.len())];
    while let Some(shorter) = address.strip_suffix(AFTER) {
        // A bracket that the address itself has opened belongs to it.
        let is_own =
            address.ends_with(')') && address.matches('(').count() >= address.matches(')').count();
        if is_own {
            break;
        }
        address = shorter;
    }
    (address.len() > scheme.len()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Reference<'_>> {
        let all = references(text).into_iter();
        all.map(|(_, reference)| reference).collect()
    }

    #[test]
    fn accounts_discussions_and_addresses_are_found_in_a_sentence() {
        let text = "Thanks @Ada.! See #3, (https://e.org/a_(b)?c=d#e), and h@me.";

        let all = references(text);

        let words: Vec<&str> = all.iter().map(|(range, _)| &text[range.clone()]).collect();
        assert_eq!(words, ["@Ada", "#3", "https://e.org/a_(b)?c=d#e"]);
        assert_eq!(all[0].1, Reference::Account("Ada"));
        assert_eq!(all[1].1, Reference::Discussion(3));
    }

    #[test]
    fn what_only_looks_like_a_reference_is_none() {
        for text in [
            "ada@example.org",
            "@",
            "@-x",
            "@é",
            "@acme/small",
            "#",
            "#0",
            "#3rd",
            "#3-4",
            "#12345678901",
            "a#3",
            "https://",
            "xhttps://e.org",
            "&#39;",
            "\u{1f600}@\u{1f600}#\u{1f600}h",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn code_mentions_nobody() {
        let text = "@Ada, look: `@pytest.fixture` and\n```\n@bob\n```\n@eve `@x` @EVE";

        let names = mentioned(text);

        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["ada", "eve"]);
    }
}
