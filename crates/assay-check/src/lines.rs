//! Lines and columns of a text, found without counting from its beginning every time.

use std::cell::OnceCell;

/// The distance between marks, in bytes. No look-up counts further than this.
const STEP: usize = 4 << 10;

/// A text and, once somebody asks, marks along it.
#[derive(Debug)]
pub(crate) struct Lines<'s> {
    source: &'s str,
    marks: OnceCell<Vec<Position>>,
}

/// The position of a byte in the lines of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The number of lines that end before it.
    pub(crate) line: u64,
    /// The number of characters of its own line that begin before it.
    pub(crate) column: u64,
    /// The first byte of its line.
    pub(crate) line_start: usize,
}

impl<'s> Lines<'s> {
    /// The lines of a text.
    pub(crate) fn of(source: &'s str) -> Self {
        Self {
            source,
            marks: OnceCell::new(),
        }
    }

    /// Returns the position of a byte.
    pub(crate) fn find(&self, at: usize) -> Position {
        let at = at.min(self.source.len());
        let (mark, begin) = match at / STEP {
            // Most texts are shorter than a step, and so are most rows.
            0 => (Position::default(), 0),
            step => (self.marks()[step], step * STEP),
        };
        mark.after(begin, &self.source.as_bytes()[begin..at])
    }

    /// The positions of every byte that is a whole number of steps from the beginning.
    fn marks(&self) -> &[Position] {
        self.marks.get_or_init(|| {
            let mut here = Position::default();
            let mut marks = Vec::with_capacity(self.source.len() / STEP + 1);
            marks.push(here);
            for (step, piece) in self.source.as_bytes().chunks_exact(STEP).enumerate() {
                here = here.after(step * STEP, piece);
                marks.push(here);
            }
            marks
        })
    }
}

impl Position {
    /// The position behind a piece that begins here, at byte `begin` of the text.
    fn after(self, begin: usize, piece: &[u8]) -> Self {
        match memchr::memrchr(b'\n', piece) {
            None => Self {
                column: self.column + characters(piece),
                ..self
            },
            Some(last) => Self {
                line: self.line + memchr::memchr_iter(b'\n', piece).count() as u64,
                column: characters(&piece[last + 1..]),
                line_start: begin + last + 1,
            },
        }
    }
}

/// Returns the number of characters that begin in some bytes of a text, which may be cut inside a
/// character.
fn characters(bytes: &[u8]) -> u64 {
    // Every byte of a character but its first has the form 10xxxxxx.
    let begins = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    bytes.iter().filter(begins).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by counting from the beginning.
    fn counted(text: &str, at: usize) -> Position {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position {
            line: before.matches('\n').count() as u64,
            column: before[line_start..].chars().count() as u64,
            line_start,
        }
    }

    #[test]
    fn every_character_of_any_text_is_found_where_counting_finds_it() {
        let texts = [
            String::new(),
            "a\nb\n".to_owned(),
            "é\u{1f600}\n".repeat(STEP / 2),
            "結".repeat(STEP),
            format!("{}\n{}", "x".repeat(STEP - 1), "y".repeat(STEP)),
            format!("{}\n", "x".repeat(STEP - 1)).repeat(3),
            "\n".repeat(3 * STEP),
        ];
        for text in texts {
            let lines = Lines::of(&text);
            let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);

            for at in places.step_by(97).chain([text.len()]) {
                assert_eq!(lines.find(at), counted(&text, at), "{at}");
            }
        }
    }

    #[test]
    fn what_lies_behind_the_end_is_at_the_end() {
        assert_eq!(Lines::of("a\nbc").find(99), counted("a\nbc", 4));
    }
}
