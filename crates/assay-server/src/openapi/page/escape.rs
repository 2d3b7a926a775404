use std::fmt::{self, Write as _};

/// Text that means nothing to a browser but itself.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => write!(f, "{other}")?,
            }
        }
        Ok(())
    }
}

/// A sentence in which backticks set off what is code.
pub(super) fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        let part = Escaped(part);
        let _ = match at % 2 {
            0 => write!(html, "{part}"),
            _ => write!(html, "<code>{part}</code>"),
        };
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_taken_for_markup() {
        assert_eq!(
            prose("a `<b>` & \"c\""),
            "a <code>&lt;b&gt;</code> &amp; &quot;c&quot;"
        );
    }
}
