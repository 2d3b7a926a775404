use std::io::Read;

use assay_formats::json::{Parser, Stream, StreamError};
use assay_formats::{Tape, Value};

/// Maximum depth of the values of a log nested; Inspect itself stops at about 250.
pub(super) const MAX_DEPTH: usize = 1024;

/// One value after another, parsed into the same memory.
#[derive(Debug)]
pub(super) struct Reader {
    parser: Parser,
    tape: Tape,
    /// The text with a mark in place of bytes that are no text.
    mended: String,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            parser: Parser::with_depth(MAX_DEPTH),
            tape: Tape::new(),
            mended: String::new(),
        }
    }

    /// Reads one value; `None` when it is broken. Bytes that are no text become U+FFFD; numbers
    /// that are not finite and keys that stand twice do no harm.
    pub(super) fn read<'d>(&'d mut self, bytes: &'d [u8]) -> Option<Value<'d>> {
        let text = if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            text
        } else {
            self.mended = String::from_utf8_lossy(bytes).into_owned();
            &self.mended
        };
        self.parser.parse(text, &mut self.tape);
        self.tape.root(text)
    }

    /// Reads the value that comes next; `None` when it is broken, and it has been passed over then.
    pub(super) fn next<'d, R: Read>(
        &'d mut self,
        stream: &'d mut Stream<R>,
    ) -> Result<Option<Value<'d>>, StreamError> {
        if !stream.parse(&mut self.parser, &mut self.tape)? {
            return Ok(self.read(stream.value()?));
        }
        match simdutf8::basic::from_utf8(stream.seen()) {
            Ok(text) => Ok(self.tape.root(text)),
            Err(_) => Ok(self.read(stream.seen())),
        }
    }

    /// Reads the list or map that comes next; `None` when it has a fault or is too large for a try,
    /// and it is still to come then.
    pub(super) fn sound<'d, R: Read>(
        &'d mut self,
        stream: &'d mut Stream<R>,
    ) -> Result<Option<Value<'d>>, StreamError> {
        if !stream.parse(&mut self.parser, &mut self.tape)? {
            return Ok(None);
        }
        match simdutf8::basic::from_utf8(stream.seen()) {
            Ok(text) => Ok(self.tape.root(text)),
            Err(_) => Ok(self.read(stream.seen())),
        }
    }
}
