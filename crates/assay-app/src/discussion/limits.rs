//! Maximum length of what people write.

use assay_store::Tx;

use super::events::Scene;
use crate::error::{Error, Limit};

/// The fewest characters of a title.
pub(super) const MIN_TITLE: usize = 3;
/// The most characters of a title.
pub(super) const MAX_TITLE: usize = 200;
/// The most bytes of a comment.
pub(super) const MAX_COMMENT: usize = 65_536;

/// The most characters that all events of a discussion take together, as they are kept: earlier
/// texts of comments too. A client that reads a discussion reads all of it.
pub(super) const MAX_DISCUSSION: u64 = 4 << 20;
/// The most events of a discussion that a person may add to. Commits come nevertheless.
pub(super) const MAX_EVENTS: u32 = 2_000;

/// Refuses to add a text to a discussion that is full.
pub(super) async fn has_room(tx: &mut Tx, scene: Scene, text: &str) -> Result<(), Error> {
    let length = tx.length_of_events(scene.key, scene.num).await?;
    let events = tx.count_events(scene.key, scene.num).await?;
    let is_full = length.saturating_add(text.len() as u64) > MAX_DISCUSSION
        || events >= u64::from(MAX_EVENTS);
    if is_full {
        return Err(Error::TooLarge(Limit::Discussion {
            num: scene.num,
            events: MAX_EVENTS.into(),
            characters: MAX_DISCUSSION,
        }));
    }
    Ok(())
}

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

/// The title of a pull request that was opened by a commit: that of the commit, cut to what a title
/// may be. A commit that has been made is not refused for its message.
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
        return Err(Error::TooLarge(Limit::Comment {
            most: MAX_COMMENT,
            bytes: text.len(),
        }));
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
