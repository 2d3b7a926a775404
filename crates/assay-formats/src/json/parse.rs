use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::layout_cache::LayoutCache;
use super::scan::{NEAR, hex4, near_length, plain_length, sound_length, unescape};
use crate::syntax::{SyntaxFault, SyntaxFaultKind, limits};
use crate::tape::{Form, Kind, Node, Tape, fingerprint};

/// Above this many keys a map looks its keys up by hash; below, comparing fingerprints in a row is
/// faster.
const MANY_KEYS: usize = 64;
/// A string of at least this many bytes is compared with the one that comes after it: logs repeat
/// whole prompts.
const LONG_STRING: usize = 256;

/// Reads one document into `tape` and returns its faults; when one is fatal the tape is left empty.
pub fn parse(source: &str, tape: &mut Tape) -> Vec<SyntaxFault> {
    let mut parser = Parser::default();
    parser.parse(source, tape);
    parser.take_faults()
}

/// A reader that keeps its buffers from row to row.
#[derive(Debug)]
pub struct Parser {
    max_depth: usize,
    stack: Vec<Frame>,
    /// The fingerprints of the keys of all open maps, innermost last.
    prints: Vec<u32>,
    faults: Vec<SyntaxFault>,
    /// The layout that the next document is expected to have.
    pub(super) layouts: LayoutCache,
}

#[derive(Debug)]
struct Frame {
    node: u32,
    is_map: bool,
    /// The start of the fingerprints of this map.
    prints: usize,
    /// A bit for each fingerprint seen: a key whose bit is not set cannot be a duplicate.
    seen: u64,
    /// The keys by their decoded text, once there are many.
    #[expect(
        clippy::box_collection,
        reason = "every list and map makes a frame, and hardly any has so many keys"
    )]
    many: Option<Box<HashMap<Box<str>, u32>>>,
}

/// The document cannot be read any further; the fault is recorded.
pub(super) struct Stop;

impl Default for Parser {
    fn default() -> Self {
        Self::with_depth(limits::MAX_DEPTH)
    }
}

impl Parser {
    /// A reader that follows lists and maps so deep.
    pub fn with_depth(max_depth: usize) -> Self {
        Self {
            max_depth,
            stack: Vec::new(),
            prints: Vec::new(),
            faults: Vec::new(),
            layouts: LayoutCache::default(),
        }
    }

    /// Reads one document; the faults are kept until taken. Returns whether there was none.
    pub fn parse(&mut self, source: &str, tape: &mut Tape) -> bool {
        self.clear(tape);
        let bytes = source.as_bytes();
        let mut run = Run::new(bytes, tape, self);
        if u32::try_from(bytes.len()).is_err() || run.document().is_err() {
            tape.clear();
            return false;
        }
        tape.faults.clone_from(&self.faults);
        self.faults.is_empty()
    }

    /// Reads the list or map at the front of some bytes, of which more may follow; returns how many
    /// bytes it has. `None` when it does not end here or has a fault, and nothing is kept of it
    /// then. The bytes need not be text: what is read only means something when they are.
    pub fn parse_front(&mut self, bytes: &[u8], tape: &mut Tape) -> Option<usize> {
        self.clear(tape);
        let mut run = Run::new(bytes, tape, self);
        let read = u32::try_from(bytes.len()).is_ok() && run.root().is_ok();
        let length = run.at;
        let holds = |node: &Node| matches!(node.kind, Kind::List | Kind::Map);
        if read && self.faults.is_empty() && tape.nodes.first().is_some_and(holds) {
            return Some(length);
        }
        self.faults.clear();
        tape.clear();
        None
    }

    fn clear(&mut self, tape: &mut Tape) {
        tape.clear();
        self.stack.clear();
        self.prints.clear();
        self.faults.clear();
    }

    /// Opens a list or map.
    pub(super) fn push_frame(&mut self, node: u32, is_map: bool) {
        self.stack.push(Frame {
            node,
            is_map,
            prints: self.prints.len(),
            seen: 0,
            many: None,
        });
    }

    /// Remembers a key of the innermost map that is known to stand there for the first time.
    pub(super) fn remember_key(&mut self, print: u32) {
        if let Some(frame) = self.stack.last_mut()
            && self.prints.len() - frame.prints < MANY_KEYS
        {
            frame.seen |= 1 << (print >> 26);
            self.prints.push(print);
        }
    }

    /// The faults of the last document, in the order of the text.
    pub fn take_faults(&mut self) -> Vec<SyntaxFault> {
        std::mem::take(&mut self.faults)
    }
}

pub(super) struct Run<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) tape: &'a mut Tape,
    pub(super) parser: &'a mut Parser,
    /// The last long string without a fault, quotes included.
    long: Option<(Range<usize>, Form)>,
}

/// The next step of the loop.
enum Next {
    Value,
    Done,
}

impl<'a> Run<'a> {
    fn new(bytes: &'a [u8], tape: &'a mut Tape, parser: &'a mut Parser) -> Self {
        Self {
            bytes,
            at: 0,
            tape,
            parser,
            long: None,
        }
    }

    fn document(&mut self) -> Result<(), Stop> {
        self.root()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return self.stop(SyntaxFaultKind::TrailingText, self.at..self.bytes.len());
        }
        Ok(())
    }

    /// Reads one value and all it holds.
    fn root(&mut self) -> Result<(), Stop> {
        let fits = self.parse_by_layout()?;
        if !fits {
            self.rest_of_root()?;
        }
        if self.parser.faults.is_empty() {
            let nodes = &self.tape.nodes;
            self.parser.layouts.learn(fits, nodes, self.bytes);
        }
        Ok(())
    }

    /// Reads on behind what was laid out as expected, or from the front.
    fn rest_of_root(&mut self) -> Result<(), Stop> {
        if self.tape.nodes.is_empty() {
            self.skip_space();
            self.value()?;
        } else {
            self.reopen();
        }
        while matches!(self.after_value()?, Next::Value) {
            self.value()?;
        }
        Ok(())
    }

    /// Reads a scalar, or opens lists and maps down to the first scalar or empty container.
    pub(super) fn value(&mut self) -> Result<(), Stop> {
        loop {
            let start = self.at;
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    return Ok(());
                }
                Some(b'-' | b'0'..=b'9') => return self.number(),
                Some(b'{') => {
                    self.open(true)?;
                    if self.peek() == Some(b'}') {
                        return Ok(());
                    }
                    self.key()?;
                }
                Some(b'[') => {
                    self.open(false)?;
                    if self.peek() == Some(b']') {
                        return Ok(());
                    }
                }
                Some(b't') => return self.word("true", Kind::Bool, Form::True),
                Some(b'f') => return self.word("false", Kind::Bool, Form::Plain),
                Some(b'n') => return self.word("null", Kind::Null, Form::Plain),
                Some(b'N') => return self.non_finite_word("NaN", start),
                Some(b'I') => return self.non_finite_word("Infinity", start),
                Some(_) => return self.stop(SyntaxFaultKind::Expected("a value"), self.here()),
                None => return self.stop(SyntaxFaultKind::UnexpectedEnd, self.here()),
            }
        }
    }

    /// Closes what ends here and moves to the next value, if there is one.
    fn after_value(&mut self) -> Result<Next, Stop> {
        loop {
            let Some(frame) = self.parser.stack.last() else {
                return Ok(Next::Done);
            };
            let is_map = frame.is_map;
            self.skip_space();
            match (self.peek(), is_map) {
                (Some(b','), _) => {
                    let comma = self.at;
                    self.at += 1;
                    self.skip_space();
                    match (self.peek(), is_map) {
                        (Some(b'}'), true) | (Some(b']'), false) => {
                            self.fault(SyntaxFaultKind::TrailingComma, comma..comma + 1);
                            self.close();
                        }
                        (_, true) => {
                            self.key()?;
                            return Ok(Next::Value);
                        }
                        (_, false) => return Ok(Next::Value),
                    }
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (Some(_), true) => {
                    return self.stop(SyntaxFaultKind::Expected("`,` or `}`"), self.here());
                }
                (Some(_), false) => {
                    return self.stop(SyntaxFaultKind::Expected("`,` or `]`"), self.here());
                }
                (None, _) => return self.stop(SyntaxFaultKind::UnexpectedEnd, self.here()),
            }
        }
    }

    fn open(&mut self, is_map: bool) -> Result<(), Stop> {
        if self.parser.stack.len() >= self.parser.max_depth {
            return self.stop(SyntaxFaultKind::TooDeep, self.here());
        }
        let node = self.push(
            self.at,
            if is_map { Kind::Map } else { Kind::List },
            Form::Plain,
        )?;
        self.parser.push_frame(node, is_map);
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        if let Some(frame) = self.parser.stack.pop() {
            self.parser.prints.truncate(frame.prints);
            let next = offset(self.tape.nodes.len());
            let node = &mut self.tape.nodes[frame.node as usize];
            node.end = offset(self.at);
            node.next = next;
        }
    }

    fn key(&mut self) -> Result<(), Stop> {
        if self.peek() != Some(b'"') {
            return self.stop(
                SyntaxFaultKind::Expected("a key in double quotes"),
                self.here(),
            );
        }
        let start = self.at;
        let (index, form) = self.string()?;
        self.note_key(index, form, start);
        self.skip_space();
        if self.peek() != Some(b':') {
            return self.stop(SyntaxFaultKind::Expected("`:`"), self.here());
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Remembers a key of the innermost map and reports it if the map has it already.
    #[inline]
    fn note_key(&mut self, index: u32, form: Form, start: usize) {
        // The key was just written; reading its node back here would stall on the store.
        let inside = start + 1..self.at - 1;
        let print = if form == Form::Plain {
            fingerprint(&self.bytes[inside])
        } else {
            fingerprint(unescape(&self.text(inside)).as_bytes())
        };
        self.tape.nodes[index as usize].next = print;
        let Some(frame) = self.parser.stack.last_mut() else {
            return;
        };
        let seen = self.parser.prints.len() - frame.prints;
        if seen >= MANY_KEYS {
            self.note_one_of_many(index);
            return;
        }
        let bit = 1 << (print >> 26);
        let perhaps = frame.seen & bit != 0;
        frame.seen |= bit;
        if perhaps && self.parser.prints[frame.prints..].contains(&print) {
            self.report_if_duplicate(index);
        }
        self.parser.prints.push(print);
    }

    /// Compares a key with the keys before it, letter by letter.
    fn report_if_duplicate(&mut self, index: u32) {
        let Some(frame) = self.parser.stack.last() else {
            return;
        };
        let text = self.key_text(self.tape.nodes[index as usize]);
        let earlier = self
            .keys_before(frame.node, index)
            .find(|&key| self.key_text(self.tape.nodes[key as usize]) == text);
        if let Some(first) = earlier {
            self.duplicate(index, first);
        }
    }

    fn note_one_of_many(&mut self, index: u32) {
        let Some(mut frame) = self.parser.stack.pop() else {
            return;
        };
        let mut many = frame.many.take().unwrap_or_else(|| {
            let before = self.keys_before(frame.node, index);
            Box::new(
                before
                    .map(|key| (self.key_text(self.tape.nodes[key as usize]).into(), key))
                    .collect(),
            )
        });
        let text = self.key_text(self.tape.nodes[index as usize]);
        let first = *many.entry(text.into()).or_insert(index);
        frame.many = Some(many);
        self.parser.stack.push(frame);
        if first != index {
            self.duplicate(index, first);
        }
    }

    fn duplicate(&mut self, index: u32, first: u32) {
        let range = |node: Node| node.start as usize..node.end as usize;
        let first = range(self.tape.nodes[first as usize]);
        self.fault(
            SyntaxFaultKind::DuplicateKey { first },
            range(self.tape.nodes[index as usize]),
        );
    }

    /// The keys that the map at `map` has before the key at `index`.
    fn keys_before(&self, map: u32, index: u32) -> impl Iterator<Item = u32> {
        let mut key = map + 1;
        std::iter::from_fn(move || {
            if key >= index {
                return None;
            }
            let current = key;
            let value = self.tape.nodes[key as usize + 1];
            key = if matches!(value.kind, Kind::List | Kind::Map) {
                value.next
            } else {
                key + 2
            };
            Some(current)
        })
    }

    fn key_text(&self, node: Node) -> Cow<'_, str> {
        let inside = self.text(node.start as usize + 1..node.end as usize - 1);
        if node.form == Form::Plain {
            inside
        } else {
            Cow::Owned(unescape(&inside))
        }
    }

    #[inline]
    pub(super) fn string(&mut self) -> Result<(u32, Form), Stop> {
        let start = self.at;
        // Nearly every string is short and has nothing to decode.
        let inside = start + 1;
        let window = &self.bytes[inside..self.bytes.len().min(inside + NEAR)];
        let end = inside + near_length(window);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            let index = self.push(start, Kind::String, Form::Plain)?;
            return Ok((index, Form::Plain));
        }
        if let Some(repeated) = self.repeated_string() {
            return repeated;
        }
        self.at = end;
        self.rest_of_string(start)
    }

    /// Reads on in a string that is long, or has something to decode.
    fn rest_of_string(&mut self, start: usize) -> Result<(u32, Form), Stop> {
        if let Some((length, form)) = sound_length(&self.bytes[self.at..]) {
            self.at += length;
            return self.long_string(start, form);
        }
        let mut form = Form::Plain;
        let faults = self.parser.faults.len();
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if self.parser.faults.len() == faults {
                        return self.long_string(start, form);
                    }
                    let index = self.push(start, Kind::String, form)?;
                    return Ok((index, form));
                }
                Some(b'\\') => {
                    form = match self.bytes.get(self.at + 1) {
                        Some(b'u' | b'/') => Form::Escaped,
                        Some(_) | None if form == Form::Plain => Form::Spelled,
                        Some(_) | None => form,
                    };
                    self.escape()?;
                }
                Some(_) => {
                    self.fault(SyntaxFaultKind::ControlCharacter, self.at..self.at + 1);
                    self.at += 1;
                }
                None => return self.stop(SyntaxFaultKind::UnexpectedEnd, start..self.at),
            }
        }
    }

    /// Keeps a string without a fault, behind whose closing quote one stands.
    fn long_string(&mut self, start: usize, form: Form) -> Result<(u32, Form), Stop> {
        if self.at - start >= LONG_STRING {
            self.long = Some((start..self.at, form));
        }
        let index = self.push(start, Kind::String, form)?;
        Ok((index, form))
    }

    /// Passes over a string that is the same, to its closing quote, as the last long one: comparing
    /// bytes is several times faster than looking for what ends a string.
    #[inline]
    fn repeated_string(&mut self) -> Option<Result<(u32, Form), Stop>> {
        let (long, form) = self.long.as_ref()?;
        let (length, form) = (long.len(), *form);
        if !self.bytes[self.at..].starts_with(&self.bytes[long.clone()]) {
            return None;
        }
        let start = self.at;
        self.at += length;
        Some(
            self.push(start, Kind::String, form)
                .map(|index| (index, form)),
        )
    }

    fn escape(&mut self) -> Result<(), Stop> {
        let start = self.at;
        match self.bytes.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => self.unicode_escape(start),
            Some(_) => {
                self.at = start + 1 + self.character_length(start + 1);
                self.fault(SyntaxFaultKind::BadEscape, start..self.at);
            }
            None => return self.stop(SyntaxFaultKind::UnexpectedEnd, start..self.bytes.len()),
        }
        Ok(())
    }

    fn unicode_escape(&mut self, start: usize) {
        self.at = start + 2;
        let Some(code) = hex4(&self.bytes[self.at..]) else {
            self.fault(SyntaxFaultKind::BadEscape, start..start + 2);
            return;
        };
        self.at += 4;
        match code {
            0xd800..0xdc00 => {
                let tail = self.bytes[self.at..].strip_prefix(b"\\u").and_then(hex4);
                if tail.is_some_and(|low| (0xdc00..0xe000).contains(&low)) {
                    self.at += 6;
                } else {
                    self.fault(SyntaxFaultKind::LoneSurrogate, start..self.at);
                }
            }
            0xdc00..0xe000 => self.fault(SyntaxFaultKind::LoneSurrogate, start..self.at),
            _ => {}
        }
    }

    pub(super) fn number(&mut self) -> Result<(), Stop> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
            if self.peek() == Some(b'I') {
                return self.non_finite_word("Infinity", start);
            }
        }
        let integer = self.digits();
        if integer == 0 {
            return self.stop(SyntaxFaultKind::Expected("a digit"), self.here());
        }
        if integer > 1 && self.bytes[self.at - integer] == b'0' {
            return self.stop(
                SyntaxFaultKind::Expected("a number without leading zeros"),
                start..self.at,
            );
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.stop(
                    SyntaxFaultKind::Expected("a digit after the point"),
                    self.here(),
                );
            }
        }
        let mut may_overflow = integer > 300;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            may_overflow = true;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.stop(
                    SyntaxFaultKind::Expected("a digit in the exponent"),
                    self.here(),
                );
            }
        }
        let finite = !may_overflow || self.text(start..self.at).parse().is_ok_and(f64::is_finite);
        if finite {
            self.push(start, Kind::Number, Form::Plain)?;
        } else {
            self.fault(SyntaxFaultKind::NonFinite, start..self.at);
            self.push(start, Kind::Number, Form::NonFinite)?;
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &str, kind: Kind, form: Form) -> Result<(), Stop> {
        let start = self.at;
        if !self.bytes[start..].starts_with(word.as_bytes()) {
            return self.stop(SyntaxFaultKind::Expected("a value"), self.here());
        }
        self.at += word.len();
        self.push(start, kind, form)?;
        Ok(())
    }

    fn non_finite_word(&mut self, word: &str, start: usize) -> Result<(), Stop> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.stop(SyntaxFaultKind::Expected("a value"), self.here());
        }
        self.at += word.len();
        self.fault(SyntaxFaultKind::NonFinite, start..self.at);
        self.push(start, Kind::Number, Form::NonFinite)?;
        Ok(())
    }

    #[inline]
    fn push(&mut self, start: usize, kind: Kind, form: Form) -> Result<u32, Stop> {
        let index = self.tape.nodes.len();
        if index >= limits::MAX_VALUES {
            return self.stop(SyntaxFaultKind::TooManyValues, start..start + 1);
        }
        self.tape.nodes.push(Node {
            start: offset(start),
            end: offset(self.at),
            next: 0,
            kind,
            form,
        });
        Ok(offset(index))
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) = self.peek() {
            self.at += 1;
            if byte == b'\n' {
                self.skip_indentation();
            }
        }
    }

    /// Passes over the spaces at the beginning of a line, eight at a time.
    #[inline]
    fn skip_indentation(&mut self) {
        const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
        while let Some(chunk) = self.bytes[self.at..].first_chunk::<8>() {
            let differs = u64::from_le_bytes(*chunk) ^ SPACES;
            self.at += (differs.trailing_zeros() / 8) as usize;
            if differs != 0 {
                break;
            }
        }
    }

    /// The character at hand, or the empty end of the text.
    fn here(&self) -> Range<usize> {
        self.at..self.at + self.character_length(self.at)
    }

    /// Returns the number of bytes that the character at a place has; none at the end.
    fn character_length(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = match rest.first() {
            None => 0,
            Some(0xc0..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..) => 4,
            Some(_) => 1,
        };
        length.min(rest.len())
    }

    fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes[range])
    }

    fn fault(&mut self, kind: SyntaxFaultKind, range: Range<usize>) {
        if self.parser.faults.len() < limits::MAX_SYNTAX_FAULTS {
            self.parser.faults.push(SyntaxFault { kind, range });
        }
    }

    /// Records a fault after which nothing more can be read. It is kept even past the limit.
    fn stop<T>(&mut self, kind: SyntaxFaultKind, range: Range<usize>) -> Result<T, Stop> {
        self.parser.faults.push(SyntaxFault { kind, range });
        Err(Stop)
    }
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("`Parser::parse` refuses a source longer than u32")
}
