use std::io::{self, BufRead};

use assay_formats::syntax::limits;

/// The elements of one JSON array, cut out one by one so that the array need not fit in memory.
///
/// Only brackets, commas and strings are understood here; each element is read properly by whoever
/// gets it.
#[derive(Debug)]
pub(crate) struct Elements<R> {
    reader: R,
    line: u64,
    expects: Expects,
}

/// The next element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An element, which begins on this line.
    Element(u64),
    /// An element that is larger than a row may be.
    TooLarge(u64),
    /// Something that is no array.
    Broken(u64, &'static str),
    /// Nothing.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    Open,
    ElementOrClose,
    Element,
    CommaOrClose,
    Nothing,
}

/// The position inside an element.
#[derive(Debug, Default)]
struct Inside {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl<R: BufRead> Elements<R> {
    /// Begins in front of the array.
    pub(crate) fn new(reader: R, line: u64) -> Self {
        Self {
            reader,
            line,
            expects: Expects::Open,
        }
    }

    /// Puts the next element into `element`.
    pub(crate) fn next(&mut self, element: &mut Vec<u8>) -> io::Result<Next> {
        loop {
            let Some(byte) = self.peek()? else {
                return Ok(match self.expects {
                    Expects::Nothing => Next::End,
                    Expects::Open
                    | Expects::ElementOrClose
                    | Expects::Element
                    | Expects::CommaOrClose => Next::Broken(self.line, "it ends too early"),
                });
            };
            if byte.is_ascii_whitespace() {
                self.pass(byte);
                continue;
            }
            self.expects = match (self.expects, byte) {
                (Expects::Open, b'[') => Expects::ElementOrClose,
                (Expects::Open, _) => return Ok(Next::Broken(self.line, "`[` is expected")),
                (Expects::ElementOrClose | Expects::CommaOrClose, b']') => Expects::Nothing,
                (Expects::CommaOrClose, b',') => Expects::Element,
                (Expects::CommaOrClose, _) => {
                    return Ok(Next::Broken(self.line, "`,` or `]` is expected"));
                }
                (Expects::ElementOrClose | Expects::Element, b',' | b']') => {
                    return Ok(Next::Broken(self.line, "a value is expected"));
                }
                (Expects::ElementOrClose | Expects::Element, _) => {
                    self.expects = Expects::CommaOrClose;
                    return self.element(element);
                }
                (Expects::Nothing, _) => {
                    return Ok(Next::Broken(self.line, "there is more after the array"));
                }
            };
            self.pass(byte);
        }
    }

    fn element(&mut self, element: &mut Vec<u8>) -> io::Result<Next> {
        element.clear();
        let start = self.line;
        let mut inside = Inside::default();
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(Next::Element(start));
            }
            let end = buffer.iter().position(|&byte| inside.ends_before(byte));
            let length = end.unwrap_or(buffer.len());
            element.extend_from_slice(&buffer[..length]);
            self.line += super::rows::count_lines(&buffer[..length]);
            self.reader.consume(length);
            if element.len() > limits::MAX_ROW_BYTES {
                return Ok(Next::TooLarge(start));
            }
            if end.is_some() {
                return Ok(Next::Element(start));
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn pass(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\n');
        self.reader.consume(1);
    }
}

impl Inside {
    /// Takes one byte in; returns whether the element ended before it.
    fn ends_before(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b',' | b']' if self.depth == 0 => return true,
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, capacity: usize) -> (Vec<String>, Next) {
        let mut elements = Elements::new(BufReader::with_capacity(capacity, text.as_bytes()), 1);
        let (mut element, mut all) = (Vec::new(), Vec::new());
        loop {
            match elements.next(&mut element).unwrap() {
                Next::Element(_) => all.push(String::from_utf8(element.clone()).unwrap()),
                end => return (all, end),
            }
        }
    }

    #[test]
    fn elements_are_cut_at_their_own_commas_only() {
        let text = r#" [ {"a": [1, 2], "b": "],\""} , {"c": {}},3 ] "#;

        for capacity in [1, 2, 7, 1024] {
            let (all, end) = cut(text, capacity);

            let trimmed: Vec<&str> = all.iter().map(|element| element.trim()).collect();
            assert_eq!(
                trimmed,
                [r#"{"a": [1, 2], "b": "],\""}"#, r#"{"c": {}}"#, "3"]
            );
            assert_eq!(end, Next::End);
        }
    }

    #[test]
    fn an_element_knows_its_line() {
        let mut elements = Elements::new("[\n{\n},\n\n{}]".as_bytes(), 1);
        let mut element = Vec::new();

        assert_eq!(elements.next(&mut element).unwrap(), Next::Element(2));
        assert_eq!(elements.next(&mut element).unwrap(), Next::Element(5));
        assert_eq!(elements.next(&mut element).unwrap(), Next::End);
    }

    #[test]
    fn what_is_no_array_is_broken() {
        for text in ["", "{}", "[{}", "[,]", "[{},]", "[{}] x", "[{}],"] {
            let (_, end) = cut(text, 1024);

            assert!(matches!(end, Next::Broken(1, _)), "{text}: {end:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_hang(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut elements = Elements::new(bytes.as_slice(), 1);
            let mut element = Vec::new();

            let mut count = 0;
            while let Next::Element(_) = elements.next(&mut element).unwrap() {
                count += 1;
            }

            prop_assert!(count <= bytes.len());
        }
    }
}
