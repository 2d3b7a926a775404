//! `PostgreSQL` holds every text but one with a NUL, which a title or a note of somebody's may well
//! have. It is spelled with two other characters there, and comes back as it was.

use std::borrow::Cow;

/// The character that a NUL is written as, and that is itself doubled: one of the private use area.
const ESCAPE: char = '\u{f8f0}';
/// Follows the escape for a NUL.
const NUL: char = '0';
/// Follows the escape for itself.
const ITSELF: char = '1';

/// A text without a NUL.
pub(crate) fn escape(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => escaped.extend([ESCAPE, NUL]),
            ESCAPE => escaped.extend([ESCAPE, ITSELF]),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// The text as it was.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let character = match character {
            ESCAPE => match characters.next() {
                Some(NUL) => '\0',
                _ => ESCAPE,
            },
            other => other,
        };
        unescaped.push(character);
    }
    Cow::Owned(unescaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_comes_back_and_none_has_a_nul(text in "[\0\u{f8f0}01a-c]{0,12}") {
            let escaped = escape(Cow::Borrowed(&text)).into_owned();

            prop_assert!(!escaped.contains('\0'));
            prop_assert_eq!(unescape(&escaped), text);
        }
    }

    #[test]
    fn a_plain_text_is_not_copied() {
        let escaped = escape(Cow::Borrowed("plain"));

        assert!(matches!(escaped, Cow::Borrowed("plain")));
        assert!(matches!(unescape("plain"), Cow::Borrowed("plain")));
    }
}
