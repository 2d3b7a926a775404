//! How long what people write may be.

use crate::error::Error;

/// The fewest characters of a title.
pub(super) const MIN_TITLE: usize = 3;
/// The most characters of a title.
pub(super) const MAX_TITLE: usize = 200;
/// The most bytes of a comment.
pub(super) const MAX_COMMENT: usize = 65_536;

/// A title that a person gave.
pub(super) fn title(text: &str) -> Result<String, Error> {
    let title = one_line(text);
    let length = title.chars().count();
    if (MIN_TITLE..=MAX_TITLE).contains(&length) {
        Ok(title)
    } else {
        Err(Error::Invalid(format!(
            "a title has {MIN_TITLE} to {MAX_TITLE} characters, not {length}"
        )))
    }
}

/// The title of a pull request that was opened by a commit: that of the commit, cut to what a title may be. A commit that
/// has been made is not refused for its message.
pub(super) fn pull_title(text: &str) -> String {
    let title = one_line(text);
    if title.chars().count() < MIN_TITLE {
        return format!("Pull request: {title}").trim_end().to_owned();
    }
    title.chars().take(MAX_TITLE).collect()
}

/// Refuses a comment that is too long.
pub(super) fn comment(text: &str) -> Result<(), Error> {
    if text.len() > MAX_COMMENT {
        return Err(Error::TooLarge(format!(
            "a comment has at most {MAX_COMMENT} bytes, not {}",
            text.len()
        )));
    }
    Ok(())
}

/// Refuses a comment that says nothing, or too much.
pub(super) fn spoken(text: &str) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Err(Error::Invalid("a comment may not be empty".to_owned()));
    }
    comment(text)
}

/// A text without line breaks and what a terminal would act on.
fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    spaced.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_of_a_sensible_length() {
        assert_eq!(title("  Add\nscores ").unwrap(), "Add scores");
        assert!(title("ab").is_err());
        assert!(title(&"x".repeat(MAX_TITLE + 1)).is_err());
    }

    #[test]
    fn a_commit_always_makes_a_title() {
        assert_eq!(pull_title(""), "Pull request:");
        assert_eq!(pull_title(&"x".repeat(500)).len(), MAX_TITLE);
    }

    #[test]
    fn a_comment_says_something_and_not_too_much() {
        assert!(spoken(" \n").is_err());
        assert!(spoken("fine").is_ok());
        assert!(spoken(&"x".repeat(MAX_COMMENT + 1)).is_err());
    }
}
