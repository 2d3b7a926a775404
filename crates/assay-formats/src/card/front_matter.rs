/// Maximum size of the front matter of a card, in bytes. The rest of the page may be as long as it
/// likes.
pub const MAX_FRONT_MATTER_BYTES: usize = 256 << 10;

/// The line before and after the front matter.
const FENCE: &str = "---";

/// The beginning of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FrontMatter<'a> {
    /// No front matter.
    Missing,
    /// A line of dashes, and no second one.
    Unclosed,
    /// A line of dashes, and no second one as far as we look.
    TooLarge,
    /// Front matter.
    Found {
        /// The YAML.
        text: &'a str,
        /// The line of the page that it begins on, from 1.
        line: usize,
    },
}

/// Finds the front matter as clients do: white space may come before it, and nothing else.
pub(super) fn front_matter(readme: &str) -> FrontMatter<'_> {
    let page = readme.strip_prefix('\u{feff}').unwrap_or(readme);
    let top = page.trim_start();
    let skipped = &page[..page.len() - top.len()];
    let line = skipped.matches('\n').count() + 2;
    let Some(rest) = after_fence(top) else {
        return FrontMatter::Missing;
    };
    let seen = &rest[..rest.floor_char_boundary(MAX_FRONT_MATTER_BYTES)];
    let mut at = 0;
    for text in seen.split_inclusive('\n') {
        let is_whole = text.ends_with('\n') || seen.len() == rest.len();
        if is_whole && text.trim_end_matches(['\r', '\n']) == FENCE {
            let text = &rest[..at];
            return FrontMatter::Found { text, line };
        }
        at += text.len();
    }
    if seen.len() < rest.len() {
        FrontMatter::TooLarge
    } else {
        FrontMatter::Unclosed
    }
}

/// Returns the text that follows a first line of dashes.
fn after_fence(top: &str) -> Option<&str> {
    let rest = top.strip_prefix(FENCE)?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest);
    rest.strip_prefix('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_found_where_clients_find_it() {
        for (page, text, line) in [
            ("---\na: 1\n---\n# hi\n", "a: 1\n", 2),
            ("---\r\na: 1\r\n---\r\n", "a: 1\r\n", 2),
            ("\u{feff}\n\n  ---\na: 1\n---", "a: 1\n", 4),
            ("---\n---\n", "", 2),
            (
                "---\na: |\n  ---\nb: 1\n---\n---\n",
                "a: |\n  ---\nb: 1\n",
                2,
            ),
        ] {
            assert_eq!(
                front_matter(page),
                FrontMatter::Found { text, line },
                "{page:?}"
            );
        }
    }

    #[test]
    fn a_page_without_front_matter_has_none() {
        for page in [
            "",
            "# hi\n---\na: 1\n---\n",
            "----\na: 1\n---\n",
            "--- a\n---\n",
            "---",
        ] {
            assert_eq!(front_matter(page), FrontMatter::Missing, "{page:?}");
        }
        for page in ["---\na: 1\n", "---\na: 1\n----\n", "---\n --- \n"] {
            assert_eq!(front_matter(page), FrontMatter::Unclosed, "{page:?}");
        }
    }

    #[test]
    fn front_matter_without_end_is_not_searched_for_ever() {
        let page = format!("---\n{}---\n", "é\n".repeat(MAX_FRONT_MATTER_BYTES));

        let found = front_matter(&page);

        assert_eq!(found, FrontMatter::TooLarge);
    }
}
