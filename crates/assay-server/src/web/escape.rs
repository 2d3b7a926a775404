use std::fmt::{self, Write};

use askama::filters::Escaper;

use super::links::is_hidden;

/// How every text in a page is written: as HTML, with what is hidden made visible. Direction marks,
/// zero-width and control characters make a text look like another one, so the mark of a broken
/// character stands in their place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inert;

impl Escaper for Inert {
    fn write_escaped_str<W: Write>(&self, mut dest: W, string: &str) -> fmt::Result {
        let mut rest = string;
        while let Some(at) = rest.find(is_special) {
            let (plain, from) = rest.split_at(at);
            dest.write_str(plain)?;
            let mut characters = from.chars();
            if let Some(c) = characters.next() {
                self.write_escaped_char(&mut dest, c)?;
            }
            rest = characters.as_str();
        }
        dest.write_str(rest)
    }

    fn write_escaped_char<W: Write>(&self, mut dest: W, c: char) -> fmt::Result {
        match c {
            '<' => dest.write_str("&lt;"),
            '>' => dest.write_str("&gt;"),
            '&' => dest.write_str("&amp;"),
            '"' => dest.write_str("&quot;"),
            '\'' => dest.write_str("&#39;"),
            _ if is_special(c) => dest.write_char(char::REPLACEMENT_CHARACTER),
            _ => dest.write_char(c),
        }
    }
}

/// Returns a text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    Inert
        .write_escaped_str(&mut html, text)
        .expect("a string takes everything");
    html
}

fn is_special(c: char) -> bool {
    matches!(c, '<' | '>' | '&' | '"' | '\'')
        || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || is_hidden(c)
}

/// A text as HTML, for what is not written by a template.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A text can always be written to.
    let _ = Inert.write_escaped_str(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text_and_what_is_hidden_is_seen() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(
            escaped("gpt\u{202e}live\u{200b}"),
            "gpt\u{fffd}live\u{fffd}"
        );
        assert_eq!(
            escaped("a\u{0}b\u{7f}\u{9b}c\td\n"),
            "a\u{fffd}b\u{fffd}\u{fffd}c\td\n"
        );
        assert_eq!(escaped("plain \u{e9}\u{4e2d}"), "plain \u{e9}\u{4e2d}");
    }
}
