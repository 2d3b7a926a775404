//! Tabs between tokens. YAML 1.2 allows them, and `PyYAML`, which most clients use, does not read a
//! document that has one.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

/// The places where a tab is text: in quotes and in block scalars. In a document without tabs
/// nothing is noted.
#[derive(Debug)]
pub(super) struct Tabs {
    is_needed: bool,
    texts: Vec<Range<usize>>,
}

impl Tabs {
    pub(super) fn of(source: &str) -> Self {
        Self {
            is_needed: source.contains('\t'),
            texts: Vec::new(),
        }
    }

    /// Notes a scalar. They come in the order of the document.
    pub(super) fn note(&mut self, source: &str, style: ScalarStyle, range: &Range<usize>) {
        if !self.is_needed {
            return;
        }
        match style {
            ScalarStyle::Plain => {}
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => self.texts.push(range.clone()),
            // The text begins on the line after the `|` or `>`. White space at the end of its last
            // line is text as well.
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let header = source.get(range.clone()).and_then(|text| text.find('\n'));
                if let Some(header) = header {
                    let rest = source.as_bytes().get(range.end..).unwrap_or_default();
                    let space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
                    self.texts
                        .push(range.start + header..range.end + space.count());
                }
            }
        }
    }

    /// Returns the places of tabs that stand neither in a text nor in a comment.
    pub(super) fn between_tokens(&self, source: &str) -> Vec<usize> {
        if !self.is_needed {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut comment_until = 0;
        for (at, byte) in source.bytes().enumerate() {
            if at < comment_until || self.is_text(at) {
                continue;
            }
            match byte {
                b'\t' => found.push(at),
                b'#' if begins_comment(source, at) => {
                    let rest = &source.as_bytes()[at..];
                    let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    comment_until = at + length.unwrap_or(rest.len());
                }
                _ => {}
            }
        }
        found
    }

    fn is_text(&self, at: usize) -> bool {
        let next = self.texts.partition_point(|text| text.end <= at);
        self.texts.get(next).is_some_and(|text| text.contains(&at))
    }
}

/// Returns whether a `#` begins a comment: it does at the beginning of a line and after white
/// space.
fn begins_comment(source: &str, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| source.as_bytes()[before]);
    before.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}
