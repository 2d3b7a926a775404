//! The content of a file on its way from a JSON string to where it is kept.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

use super::{CommitError, CommitLimits, FileContent};

/// The size of content that is held until its encoding is known. Clients write the encoding after
/// the content, and all of those in use write base64; so longer content is taken for that.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;
/// Number of letters of base64 that stand for three bytes.
const GROUP: usize = 4;
/// Number of letters that are decoded at a time.
const BLOCK: usize = 8 << 10;

/// The content of one file, as much as has arrived of it.
#[derive(Debug)]
pub(super) struct Content<W> {
    writer: W,
    line: u64,
    escape: Escape,
    state: State,
    written: u64,
    budget: Budget,
}

/// The bytes that may still be written, and the limit that is hit first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    limits: CommitLimits,
    /// The bytes of the commit that the files before this one have used.
    used: u64,
}

impl Budget {
    pub(super) fn new(limits: CommitLimits, used: u64) -> Self {
        Self { limits, used }
    }

    fn check(self, written: u64, line: u64) -> Result<(), CommitError> {
        if written > self.limits.file_bytes {
            let limit = self.limits.file_bytes;
            return Err(CommitError::LargeContent { line, limit });
        }
        if self.used.saturating_add(written) > self.limits.commit_bytes {
            let limit = self.limits.commit_bytes;
            return Err(CommitError::LargeCommit { limit });
        }
        Ok(())
    }
}

/// The state of reading an escape.
#[derive(Debug, Clone, Copy)]
enum Escape {
    None,
    /// After a backslash.
    Backslash,
    /// After `\u` and so many digits of this value.
    Digits {
        count: u8,
        value: u16,
    },
    /// After the first half of a surrogate pair.
    High(u16),
    /// After that and a backslash.
    HighBackslash(u16),
    /// After that, `\u` and so many digits.
    HighDigits {
        high: u16,
        count: u8,
        value: u16,
    },
}

/// The encoding that the text is taken for.
#[derive(Debug)]
enum State {
    /// It can still be either: all of it is held.
    Undecided(Vec<u8>),
    /// Letters of base64 that are not yet decoded: always at least one of those that have come,
    /// never more than a group between two pieces.
    Base64(Vec<u8>),
}

impl<W: Write> Content<W> {
    pub(super) fn new(writer: W, line: u64, budget: Budget) -> Self {
        Self {
            writer,
            line,
            escape: Escape::None,
            state: State::Undecided(Vec::new()),
            written: 0,
            budget,
        }
    }

    /// Takes bytes that stand in the string, up to its closing quote, and says how many; less than
    /// all when the quote is among them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, CommitError> {
        let mut at = 0;
        while at < bytes.len() {
            if !matches!(self.escape, Escape::None) {
                self.unescape(bytes[at])?;
                at += 1;
                continue;
            }
            let rest = &bytes[at..];
            let run = memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
            if matches!(self.state, State::Undecided(_))
                && rest[..run].iter().any(|byte| *byte < b' ')
            {
                return Err(self.bad_text());
            }
            self.push(&rest[..run])?;
            at += run;
            match bytes.get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => {
                    self.escape = Escape::Backslash;
                    at += 1;
                }
                // A line ends here, and the string does not.
                Some(_) => return Err(self.bad_text()),
                None => {}
            }
        }
        Ok(at)
    }

    /// Takes text that was decoded already.
    pub(super) fn take_text(&mut self, text: &str) -> Result<(), CommitError> {
        self.push(text.as_bytes())
    }

    /// The whole content, now that its encoding is known.
    pub(super) fn finish(mut self, encoding: Option<&str>) -> Result<FileContent<W>, CommitError> {
        let line = self.line;
        let is_base64 = match encoding {
            Some("base64") => true,
            Some("utf-8") => false,
            Some(other) => {
                let encoding = other.to_owned();
                return Err(CommitError::Encoding { line, encoding });
            }
            None => {
                let field = "encoding";
                return Err(CommitError::Missing { line, field });
            }
        };
        match (
            std::mem::replace(&mut self.state, State::Base64(Vec::new())),
            is_base64,
        ) {
            (State::Undecided(held), true) => self.decode_last(&held)?,
            (State::Base64(rest), true) => self.decode_last(&rest)?,
            (State::Undecided(text), false) => self.write_text(&text)?,
            (State::Base64(_), false) => {
                let limit = MAX_TEXT_BYTES;
                return Err(CommitError::LongText { line, limit });
            }
        }
        self.writer
            .flush()
            .map_err(|source| CommitError::Write { line, source })?;
        Ok(FileContent {
            written: self.writer,
            size: self.written,
        })
    }

    /// Returns the number of bytes that are held in memory.
    pub(super) fn held(&self) -> usize {
        match &self.state {
            State::Undecided(held) | State::Base64(held) => held.len(),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), CommitError> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.state {
            State::Undecided(held) if held.len() + bytes.len() <= MAX_TEXT_BYTES => {
                held.extend_from_slice(bytes);
                // Long before it is decoded, it is known to be too much.
                let least = (held.len() as u64 / GROUP as u64) * 3;
                self.budget.check(least.saturating_sub(3), self.line)
            }
            State::Undecided(held) => {
                let held = std::mem::take(held);
                self.state = State::Base64(Vec::with_capacity(GROUP));
                self.decode(&held)?;
                self.decode(bytes)
            }
            State::Base64(_) => self.decode(bytes),
        }
    }

    /// Decodes whole groups, and keeps at least one letter back: only the last group may have
    /// padding.
    fn decode(&mut self, bytes: &[u8]) -> Result<(), CommitError> {
        let State::Base64(rest) = &mut self.state else {
            return Ok(());
        };
        let mut bytes = bytes;
        if !rest.is_empty() {
            let (fill, others) = bytes.split_at(bytes.len().min(GROUP - rest.len()));
            rest.extend_from_slice(fill);
            if others.is_empty() {
                return Ok(());
            }
            bytes = others;
            let group = std::mem::take(rest);
            self.decode_groups(&group)?;
        }
        let whole = bytes.len().saturating_sub(1) / GROUP * GROUP;
        let (groups, last) = bytes.split_at(whole);
        self.decode_groups(groups)?;
        self.state = State::Base64(last.to_vec());
        Ok(())
    }

    fn decode_groups(&mut self, groups: &[u8]) -> Result<(), CommitError> {
        let line = self.line;
        let mut decoded = [0; BLOCK / GROUP * 3];
        for block in groups.chunks(BLOCK) {
            let length = STANDARD_NO_PAD
                .decode_slice(block, &mut decoded)
                .map_err(|_| CommitError::Base64 { line })?;
            self.write(&decoded[..length])?;
        }
        Ok(())
    }

    fn decode_last(&mut self, rest: &[u8]) -> Result<(), CommitError> {
        let bytes = STANDARD.decode(rest);
        let line = self.line;
        self.write(&bytes.map_err(|_| CommitError::Base64 { line })?)
    }

    fn write_text(&mut self, text: &[u8]) -> Result<(), CommitError> {
        if std::str::from_utf8(text).is_err() {
            return Err(self.bad_text());
        }
        self.write(text)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CommitError> {
        let line = self.line;
        self.written += bytes.len() as u64;
        self.budget.check(self.written, line)?;
        self.writer
            .write_all(bytes)
            .map_err(|source| CommitError::Write { line, source })
    }

    fn unescape(&mut self, byte: u8) -> Result<(), CommitError> {
        let (escape, character) = step(self.escape, byte).ok_or_else(|| self.bad_text())?;
        self.escape = escape;
        match character {
            Some(character) => self.push(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => Ok(()),
        }
    }

    fn bad_text(&self) -> CommitError {
        CommitError::Text { line: self.line }
    }
}

/// One more byte of an escape: where that leads, and the character that is then complete. None for
/// what is no escape.
fn step(escape: Escape, byte: u8) -> Option<(Escape, Option<char>)> {
    match escape {
        Escape::None => None,
        Escape::Backslash if byte == b'u' => Some((Escape::Digits { count: 0, value: 0 }, None)),
        Escape::Backslash => Some((Escape::None, Some(short(byte)?))),
        Escape::Digits { count, value } => {
            let value = value << 4 | u16::from(digit(byte)?);
            match (count, value) {
                (0..=2, _) => {
                    let count = count + 1;
                    Some((Escape::Digits { count, value }, None))
                }
                (_, 0xd800..=0xdbff) => Some((Escape::High(value), None)),
                (_, _) => Some((Escape::None, Some(char::from_u32(u32::from(value))?))),
            }
        }
        Escape::High(high) => (byte == b'\\').then_some((Escape::HighBackslash(high), None)),
        Escape::HighBackslash(high) => {
            let (count, value) = (0, 0);
            (byte == b'u').then_some((Escape::HighDigits { high, count, value }, None))
        }
        Escape::HighDigits { high, count, value } => {
            let value = value << 4 | u16::from(digit(byte)?);
            if count < 3 {
                let count = count + 1;
                return Some((Escape::HighDigits { high, count, value }, None));
            }
            let mut pair = char::decode_utf16([high, value]);
            Some((Escape::None, Some(pair.next()?.ok()?)))
        }
    }
}

fn short(byte: u8) -> Option<char> {
    Some(match byte {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
