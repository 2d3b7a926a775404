//! Walks through a JSON document that need not fit in memory.

use std::io::{self, Read};

use super::Parser;
use super::scan::{NEAR, near_length};
use crate::Tape;

/// The number of bytes read at a time.
const CHUNK: usize = 256 << 10;

/// Reads a JSON document from front to back and cuts out the values that the caller asks for.
///
/// Only structure is understood here: brackets, commas, colons and strings. Each value that is cut
/// out is parsed by whoever asked for it; everything else is passed over without being kept. Memory
/// is bounded by the largest value asked for, and by the limit that the caller sets for it.
///
/// ```
/// # use assay_formats::json::Stream;
/// let log = br#"{"version": 2, "samples": [{"id": 1}, {"id": 2}], "status": "success"}"#;
/// let mut stream = Stream::new(log.as_slice(), 1 << 20);
/// let mut samples = 0;
/// stream.enter_map()?;
/// while let Some(key) = stream.next_key()? {
///     if key == "samples" {
///         stream.enter_list()?;
///         while stream.has_item()? {
///             assert!(stream.value()?.starts_with(b"{\"id\""));
///             samples += 1;
///         }
///     } else {
///         stream.skip()?;
///     }
/// }
/// assert_eq!(samples, 2);
/// # Ok::<(), assay_formats::json::StreamError>(())
/// ```
#[derive(Debug)]
pub struct Stream<R> {
    reader: R,
    /// The bytes that were read, and room for more. It never shrinks, because growing it again
    /// would fill it.
    buffer: Vec<u8>,
    /// The offset of the next byte in the buffer.
    at: usize,
    /// The end of the bytes that were read.
    end: usize,
    /// Number of bytes of the document that lie before the buffer.
    passed: u64,
    ended: bool,
    limit: usize,
    /// The length in bytes of the value that was last read or parsed as a whole; it ends in front
    /// of the next byte.
    last: usize,
}

/// The reason why a document could not be walked through.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The reader failed.
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    /// Something else stands where this should.
    #[error("expected {expected} at byte {at}")]
    Syntax {
        /// The expected token.
        expected: &'static str,
        /// The offset in bytes.
        at: u64,
    },
    /// The document ends too early.
    #[error("the file ends in the middle of a value, at byte {at}")]
    Truncated {
        /// The offset in bytes.
        at: u64,
    },
    /// A value is larger than the caller wants to hold.
    #[error("the value at byte {at} is larger than {limit} bytes")]
    TooLarge {
        /// The offset of its beginning.
        at: u64,
        /// The limit.
        limit: usize,
    },
}

impl Stream<io::Empty> {
    /// Begins in front of a document that is in memory.
    pub fn of(document: Vec<u8>) -> Self {
        Self {
            limit: document.len(),
            end: document.len(),
            buffer: document,
            ended: true,
            ..Self::new(io::empty(), 0)
        }
    }

    /// The memory of the document, to be used again.
    pub fn into_memory(self) -> Vec<u8> {
        self.buffer
    }
}

impl<R: Read> Stream<R> {
    /// Begins in front of a document; no value that is asked for may have more than `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            at: 0,
            end: 0,
            passed: 0,
            ended: false,
            limit,
            last: 0,
        }
    }

    /// Returns the number of bytes of the document that have been passed.
    pub fn position(&self) -> u64 {
        self.passed + self.at as u64
    }

    /// Returns whether the next value is a map.
    pub fn is_map(&mut self) -> Result<bool, StreamError> {
        Ok(self.peek()? == Some(b'{'))
    }

    /// Returns whether the next value is a list.
    pub fn is_list(&mut self) -> Result<bool, StreamError> {
        Ok(self.peek()? == Some(b'['))
    }

    /// Enters the map that comes next; its keys are read with [`Stream::next_key`].
    pub fn enter_map(&mut self) -> Result<(), StreamError> {
        self.expect(b'{', "`{`")
    }

    /// Enters the list that comes next; its items are read after [`Stream::has_item`].
    pub fn enter_list(&mut self) -> Result<(), StreamError> {
        self.expect(b'[', "`[`")
    }

    /// The next key of the map that was entered, decoded; `None` at its end, which leaves the map.
    ///
    /// The value of the key before must have been read, skipped, or entered and left.
    pub fn next_key(&mut self) -> Result<Option<String>, StreamError> {
        match self.peek()? {
            Some(b'}') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b',') => self.at += 1,
            Some(_) => {}
            None => return Err(self.truncated()),
        }
        if self.peek()? != Some(b'"') {
            return Err(self.syntax("a key in double quotes"));
        }
        let range = self.bound()?;
        let inside = &self.buffer[range.start + 1..range.end - 1];
        let key = super::unescape(&String::from_utf8_lossy(inside));
        self.at = range.end;
        self.expect(b':', "`:`")?;
        Ok(Some(key))
    }

    /// Returns whether the list that was entered has another item, which can then be entered, read
    /// or skipped; at its end the list is left.
    pub fn has_item(&mut self) -> Result<bool, StreamError> {
        match self.peek()? {
            Some(b']') => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Ok(true),
            None => Err(self.truncated()),
        }
    }

    /// The bytes of the next value.
    pub fn value(&mut self) -> Result<&[u8], StreamError> {
        self.peek()?;
        let range = self.bound()?;
        self.at = range.end;
        self.last = range.len();
        Ok(&self.buffer[range])
    }

    /// Parses the list or map that comes next where it lies, which also finds its end;
    /// [`Stream::seen`] then has its bytes. Returns whether that went well: a value that has a
    /// fault, or of which only a part is in memory, can still be read, entered or skipped.
    pub fn parse(&mut self, parser: &mut Parser, tape: &mut Tape) -> Result<bool, StreamError> {
        self.peek()?;
        // A value that is likely to be here only in part is not worth a try.
        if self.last > CHUNK / 2 {
            return Ok(false);
        }
        if self.end - self.at < self.last * 2 && !self.ended {
            self.fill()?;
        }
        let length = parser.parse_front(&self.buffer[self.at..self.end], tape);
        if let Some(length) = length {
            self.at += length;
            self.last = length;
        }
        Ok(length.is_some())
    }

    /// The bytes of the value that was just read or parsed as a whole.
    pub fn seen(&self) -> &[u8] {
        &self.buffer[self.at.saturating_sub(self.last)..self.at]
    }

    /// Passes over the next value without keeping it.
    pub fn skip(&mut self) -> Result<(), StreamError> {
        self.peek()?;
        let mut scan = Scan::default();
        loop {
            match scan.run(&self.buffer[self.at..self.end], self.ended) {
                Scanned::End(length) => {
                    self.at += length;
                    return Ok(());
                }
                Scanned::More => {
                    if self.ended {
                        return Err(self.truncated());
                    }
                    // What has been scanned is not needed any more.
                    self.at = self.end;
                    self.fill()?;
                }
                Scanned::Nothing => return Err(self.syntax("a value")),
            }
        }
    }

    /// Returns the range of the next value in the buffer, after reading as much as that takes.
    fn bound(&mut self) -> Result<std::ops::Range<usize>, StreamError> {
        let mut scan = Scan::default();
        loop {
            match scan.run(&self.buffer[self.at + scan.seen..self.end], self.ended) {
                Scanned::End(length) => return Ok(self.at..self.at + scan.seen + length),
                Scanned::More => {
                    scan.seen = self.end - self.at;
                    if self.ended {
                        return Err(self.truncated());
                    }
                    if scan.seen > self.limit {
                        return Err(StreamError::TooLarge {
                            at: self.position(),
                            limit: self.limit,
                        });
                    }
                    self.fill()?;
                }
                Scanned::Nothing => return Err(self.syntax("a value")),
            }
        }
    }

    /// The next byte that is no space, without taking it.
    fn peek(&mut self) -> Result<Option<u8>, StreamError> {
        loop {
            let rest = &self.buffer[self.at..self.end];
            if let Some(length) = rest
                .iter()
                .position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
            {
                self.at += length;
                return Ok(self.buffer.get(self.at).copied());
            }
            self.at = self.end;
            if self.ended {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), StreamError> {
        match self.peek()? {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.syntax(expected)),
            None => Err(self.truncated()),
        }
    }

    /// Reads more, keeping what lies at and after the next byte.
    fn fill(&mut self) -> Result<(), StreamError> {
        self.passed += self.at as u64;
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        // Growing by half keeps the copying linear in the size of a large value.
        let wanted = self.end + CHUNK.max(self.end / 2);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.end < wanted && !self.ended {
            match self.reader.read(&mut self.buffer[self.end..wanted]) {
                Ok(read) => {
                    self.end += read;
                    self.ended = read == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn syntax(&self, expected: &'static str) -> StreamError {
        StreamError::Syntax {
            expected,
            at: self.position(),
        }
    }

    fn truncated(&self) -> StreamError {
        StreamError::Truncated {
            at: self.passed + self.end as u64,
        }
    }
}

/// The state of a scan inside a value.
#[derive(Debug, Default)]
struct Scan {
    state: State,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Number of bytes of the value that were scanned before.
    seen: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// In front of the value.
    #[default]
    Start,
    /// In a number or a word such as `true`.
    Word,
    /// In a string, list or map.
    Inside,
}

/// A table of the bytes that open or close something outside of strings. Every digit of every
/// number is looked up, and a table is faster than five comparisons.
const STRUCTURE: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'{' as usize] = true;
    table[b'}' as usize] = true;
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table
};

enum Scanned {
    /// The value ends after so many bytes.
    End(usize),
    /// The value goes on beyond these bytes.
    More,
    /// No value begins here.
    Nothing,
}

impl Scan {
    fn run(&mut self, bytes: &[u8], ended: bool) -> Scanned {
        let mut at = 0;
        if self.state == State::Start {
            self.state = match bytes.first() {
                Some(b'"') => {
                    self.in_string = true;
                    State::Inside
                }
                Some(b'{' | b'[') => {
                    self.depth = 1;
                    State::Inside
                }
                Some(b',' | b':' | b'}' | b']') | None => return Scanned::Nothing,
                Some(_) => State::Word,
            };
            at = usize::from(self.state == State::Inside);
        }
        if self.state == State::Word {
            return word_end(bytes, ended);
        }
        loop {
            if self.in_string {
                match self.string_end(&bytes[at..]) {
                    Some(length) => at += length,
                    None => return Scanned::More,
                }
                if self.depth == 0 {
                    return Scanned::End(at);
                }
            }
            let Some(length) = bytes[at..]
                .iter()
                .position(|byte| STRUCTURE[usize::from(*byte)])
            else {
                return Scanned::More;
            };
            at += length + 1;
            match bytes[at - 1] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                _ => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Scanned::End(at);
                    }
                }
            }
        }
    }

    /// Returns the length in bytes of the rest of the open string, its closing quote included.
    fn string_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        if self.escaped && !bytes.is_empty() {
            self.escaped = false;
            at = 1;
        }
        loop {
            at += quote_or_escape(&bytes[at.min(bytes.len())..])?;
            if bytes[at] == b'"' {
                self.in_string = false;
                return Some(at + 1);
            }
            if at + 1 == bytes.len() {
                self.escaped = true;
                return None;
            }
            at += 2;
        }
    }
}

/// Returns the distance to the next quote or backslash.
#[inline]
fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(NEAR)];
    let plain = near_length(near);
    match bytes.get(plain)? {
        b'"' | b'\\' => Some(plain),
        _ => Some(plain + memchr::memchr2(b'"', b'\\', &bytes[plain..])?),
    }
}

/// Returns the end of a number or word: before a comma, a bracket or a space.
fn word_end(bytes: &[u8], ended: bool) -> Scanned {
    match bytes.iter().position(|byte| {
        matches!(
            byte,
            b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':' | b'"'
        )
    }) {
        Some(length) => Scanned::End(length),
        None if ended => Scanned::End(bytes.len()),
        None => Scanned::More,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that gives out a few bytes at a time, so that every boundary is met.
    struct Trickle<'b>(&'b [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn items(text: &str) -> Result<Vec<String>, StreamError> {
        let mut stream = Stream::new(Trickle(text.as_bytes(), 3), 1 << 20);
        let mut items = Vec::new();
        stream.enter_list()?;
        while stream.has_item()? {
            items.push(String::from_utf8_lossy(stream.value()?).into_owned());
        }
        Ok(items)
    }

    #[test]
    fn items_are_cut_at_their_ends() {
        let text = r#" [1, "a,]\"\\" , {"b": [1, {"c": "}"}]}, [], NaN, -Infinity,null ]"#;

        let items = items(text).unwrap();

        assert_eq!(
            items,
            [
                "1",
                r#""a,]\"\\""#,
                r#"{"b": [1, {"c": "}"}]}"#,
                "[]",
                "NaN",
                "-Infinity",
                "null"
            ]
        );
    }

    #[test]
    fn skipping_keeps_nothing_and_ends_where_reading_would() {
        let long = "x".repeat(3 * CHUNK);
        let text = format!(r#"{{"a": ["{long}", {{"b": "{long}\\"}}], "c": 7}}"#);
        let mut stream = Stream::new(text.as_bytes(), 64);
        stream.enter_map().unwrap();

        assert_eq!(stream.next_key().unwrap().as_deref(), Some("a"));
        stream.skip().unwrap();

        assert_eq!(stream.next_key().unwrap().as_deref(), Some("c"));
        assert_eq!(stream.value().unwrap(), b"7");
        assert_eq!(stream.next_key().unwrap(), None);
    }

    #[test]
    fn a_document_in_memory_is_walked_through_like_any_other() {
        let long = "x".repeat(3 * NEAR);
        let text = format!("[\"{long}\\\"\u{1}\", 2]");
        let mut stream = Stream::of(text.clone().into_bytes());
        stream.enter_list().unwrap();

        let mut items = Vec::new();
        while stream.has_item().unwrap() {
            items.push(stream.value().unwrap().to_vec());
        }

        let first = format!("\"{long}\\\"\u{1}\"").into_bytes();
        assert_eq!(items, [first, b"2".to_vec()]);
        assert_eq!(stream.into_memory(), text.into_bytes());
    }

    #[test]
    fn a_value_over_the_limit_and_a_text_that_stops_are_told_apart() {
        let long = format!("[\"{}\"]", "x".repeat(2 * CHUNK));
        let mut stream = Stream::new(long.as_bytes(), 100);
        stream.enter_list().unwrap();

        assert!(stream.has_item().unwrap());
        assert!(matches!(stream.value(), Err(StreamError::TooLarge { .. })));
        for text in ["[1, {\"a\":", "[\"abc", "[", "[[1"] {
            assert!(
                matches!(items(text), Err(StreamError::Truncated { .. })),
                "{text}"
            );
        }
        for text in ["{}", "[1,,2]", "[}"] {
            assert!(
                matches!(items(text), Err(StreamError::Syntax { .. })),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), step in 1_usize..7) {
            let mut stream = Stream::new(Trickle(&bytes, step), 1 << 10);
            let _ = stream.enter_list();
            for _ in 0..300 {
                if !stream.has_item().unwrap_or(false) || stream.value().is_err() {
                    break;
                }
            }
        }

        #[test]
        fn lists_of_json_come_apart_as_they_were_put_together(values in proptest::collection::vec("(\"[a-z\\\\\\\\,\\]{} ]{0,8}\"|[0-9]{1,5}|\\{\"k\": \\[1, 2\\]\\})", 0..20)) {
            // A backslash before the closing quote would open the string again.
            prop_assume!(values.iter().all(|value| super::super::parse(value, &mut crate::Tape::new()).is_empty()));
            let text = format!("[{}]", values.join(" , "));

            prop_assert_eq!(items(&text).unwrap(), values);
        }
    }
}
