/// A character that a reader cannot see and that can make text lie about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenCharacter {
    /// The offset in bytes.
    pub at: usize,
    /// The character itself.
    pub character: char,
}

/// Finds the first control, direction or zero-width character that has no business in a note, a
/// command or a name.
///
/// Line feeds and tabs are ordinary in notes. A zero-width joiner is left alone: emoji and several
/// scripts need it.
///
/// ```
/// # use assay_model::hidden_character;
/// assert!(hidden_character("chain-of-thought\n5-shot").is_none());
/// assert_eq!(hidden_character("a\u{202e}b").map(|hidden| hidden.at), Some(1));
/// ```
pub fn hidden_character(text: &str) -> Option<HiddenCharacter> {
    let hidden = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
            || matches!(
                c,
                '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}'
            )
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    text.char_indices()
        .find(|&(_, c)| hidden(c))
        .map(|(at, character)| HiddenCharacter { at, character })
}

/// The longest text a message quotes before it is cut, in characters.
const QUOTE: usize = 60;

/// A text for a message: in backticks, on one line, cut when long, and with nothing hidden in it.
///
/// ```
/// # use assay_model::quote;
/// assert_eq!(quote("gpqa\u{202e}"), "`gpqa\\u{202e}`");
/// ```
pub fn quote(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(QUOTE)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(QUOTE).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_show_what_hides() {
        assert_eq!(quote("a\u{202e}b"), "`a\\u{202e}b`");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), 63);
        assert_eq!(quote("it's \"so\""), "`it's \"so\"`");
    }
}
