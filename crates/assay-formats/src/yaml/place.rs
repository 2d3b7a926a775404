//! Places in bytes.
//!
//! The parser counts characters, and its ranges are generous: they take in anchors and tags before
//! a value, and blanks and comments after it. These functions find the exact place in the source;
//! the parser has already agreed to the text, so they only have to be right about text that it
//! accepts, and harmless with any other.

use std::ops::Range;

/// Bytes of every so many characters are kept, and the few in between counted when asked for.
const STRIDE: usize = 64;

/// Turns the parser's character counts into bytes, each in constant time.
#[derive(Debug)]
pub(super) struct Places<'a> {
    source: &'a str,
    /// The byte of every `STRIDE`-th character; empty when all characters are one byte.
    marks: Vec<usize>,
    /// By how much the parser counts too far.
    excess: usize,
}

impl<'a> Places<'a> {
    pub(super) fn new(source: &'a str, prolog: &Prolog) -> Self {
        let marks = if source.is_ascii() {
            Vec::new()
        } else {
            source
                .char_indices()
                .step_by(STRIDE)
                .map(|(at, _)| at)
                .collect()
        };
        Self {
            source,
            marks,
            excess: prolog.excess,
        }
    }

    /// The byte at which a character begins, or the end of the source.
    pub(super) fn byte(&self, character: usize) -> usize {
        let character = character.saturating_sub(self.excess);
        let end = self.source.len();
        if self.marks.is_empty() {
            return character.min(end);
        }
        let Some(&mark) = self.marks.get(character / STRIDE) else {
            return end;
        };
        self.source[mark..]
            .char_indices()
            .nth(character % STRIDE)
            .map_or(end, |(at, _)| mark + at)
    }
}

/// The text before the document.
#[derive(Debug, Default)]
pub(super) struct Prolog {
    /// The directives, such as `%YAML 1.2`, of which the parser does not tell.
    pub(super) directives: Vec<Range<usize>>,
    /// The start of the document or of its `---`.
    pub(super) end: usize,
    /// By how much the parser counts too far after it: it counts the bytes of directives that it
    /// does not know.
    excess: usize,
}

impl Prolog {
    pub(super) fn read(source: &str) -> Self {
        let mut prolog = Self::default();
        while prolog.end < source.len() {
            let rest = &source[prolog.end..];
            let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
            let text = line.trim_start_matches('\u{feff}');
            let start = prolog.end + line.len() - text.len();
            if let Some(directive) = text.strip_prefix('%') {
                prolog.directives.push(start..start + text.trim_end().len());
                prolog.excess += excess_of(directive);
            } else if !is_comment(text) && !is_document_end(text) {
                break;
            }
            prolog.end = (start + text.len() + 1).min(source.len());
        }
        prolog
    }
}

fn excess_of(directive: &str) -> usize {
    let name = directive.split([' ', '\t']).next().unwrap_or_default();
    if matches!(name, "YAML" | "TAG") {
        return 0;
    }
    directive.len() - directive.chars().count()
}

fn is_comment(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '\t']);
    text.is_empty() || text.starts_with('#')
}

fn is_document_end(line: &str) -> bool {
    line.strip_prefix("...")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The next byte that is not a blank, a line break, a byte order mark or part of a comment.
pub(super) fn skip_space(source: &str, from: usize) -> usize {
    let mut rest = source.get(from..).unwrap_or_default();
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']);
        if !rest.starts_with('#') {
            return source.len() - rest.len();
        }
        rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..];
    }
}

/// The end of the anchor, alias or tag that begins at `start`.
pub(super) fn property_end(source: &str, start: usize) -> usize {
    let rest = source.get(start..).unwrap_or_default();
    let length = if rest.starts_with("!<") {
        rest.find('>').map(|at| at + 1)
    } else {
        rest.find([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}'])
    };
    start + length.unwrap_or(rest.len())
}

/// The end of the string whose quote is at `start`, its closing quote included.
pub(super) fn quoted_end(source: &str, start: usize) -> usize {
    let bytes = source.as_bytes();
    let quote = bytes.get(start).copied();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        let is_pair = match quote {
            Some(b'"') => byte == b'\\',
            _ => byte == b'\'' && bytes.get(at + 1) == Some(&b'\''),
        };
        if is_pair {
            at += 2;
            continue;
        }
        at += 1;
        if Some(byte) == quote {
            return at;
        }
    }
    source.len()
}

/// The range of the text block whose `|` or `>` is at `start` and which the parser has read up to
/// `limit`.
pub(super) fn block_range(source: &str, start: usize, limit: usize) -> Range<usize> {
    let text = source.get(start..limit).unwrap_or_default();
    let header = text
        .bytes()
        .take_while(|byte| matches!(byte, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'))
        .count();
    let body = text.trim_end_matches([' ', '\t', '\n', '\r']);
    // A block without a line to its name ends with its header; what follows on that line is a
    // comment.
    let length = if body.contains(['\n', '\r']) {
        body.len()
    } else {
        header
    };
    start..start + length
}

/// The text of a block that ends with the source, without the line break that the parser gives a
/// last line that has none.
pub(super) fn without_added_break<'t>(
    text: &'t str,
    source: &str,
    range: &Range<usize>,
) -> &'t str {
    let content = text.trim_end_matches('\n').len();
    let after = source.get(range.end..).unwrap_or_default();
    if content == 0 || after.ends_with(['\n', '\r']) {
        return text;
    }
    let line_end = if after.contains('\n') { '\n' } else { '\r' };
    let raw = source.get(range.clone()).unwrap_or_default();
    let header = raw.lines().next().unwrap_or_default();
    let is_kept = header.bytes().take(3).any(|byte| byte == b'+');
    let most = if is_kept { usize::MAX } else { 1 };
    let breaks = after.matches(line_end).count().min(most);
    &text[..text.len().min(content + breaks)]
}

/// The character at `at`, or the last one that can be seen if the source ends there.
pub(super) fn character_at(source: &str, at: usize) -> Range<usize> {
    if let Some(character) = source.get(at..).and_then(|rest| rest.chars().next()) {
        return at..at + character.len_utf8();
    }
    let seen = source.trim_end();
    let length = seen.chars().next_back().map_or(0, char::len_utf8);
    seen.len() - length..seen.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_directive_the_parser_does_not_know_is_counted_in_bytes() {
        let source = "%GRÜSSE é\n%YAML 1.2 # é\n---\na";

        let prolog = Prolog::read(source);

        assert_eq!(prolog.excess, 2);
        assert_eq!(&source[prolog.end..], "---\na");
        let directives: Vec<_> = prolog
            .directives
            .iter()
            .map(|range| &source[range.clone()])
            .collect();
        assert_eq!(directives, ["%GRÜSSE é", "%YAML 1.2 # é"]);
    }

    proptest! {
        #[test]
        fn every_character_has_its_byte(source in "\\PC{0,300}") {
            let places = Places::new(&source, &Prolog::default());

            for (character, (byte, _)) in source.char_indices().enumerate() {
                prop_assert_eq!(places.byte(character), byte);
            }
            prop_assert_eq!(places.byte(source.chars().count()), source.len());
        }
    }
}
