use assay_model::hidden_character;

/// The text with everything that a reader cannot see, or that a terminal obeys, spelled out as
/// `\u{…}`.
///
/// Tabs stay: they are ordinary in source lines, and the renderer widens them.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if hides(character) {
            shown.extend(character.escape_debug());
        } else {
            shown.push(character);
        }
    }
    shown
}

fn hides(character: char) -> bool {
    if character == '\t' {
        return false;
    }
    character.is_control()
        // Line and paragraph separators break lines in some terminals; the Arabic letter mark
        // changes direction.
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{61c}')
        || hidden_character(character.encode_utf8(&mut [0; 4])).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible("line\nfeed\r"), "line\\nfeed\\r");
        assert_eq!(visible("\u{202e}evil\u{2066}"), "\\u{202e}evil\\u{2066}");
        assert_eq!(visible("\u{9b}31m"), "\\u{9b}31m");
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        for text in ["naïve café", "結果", "a\tb", "👩‍🔬", "`quoted`"] {
            assert_eq!(visible(text), text);
        }
    }
}
