//! One document read and validated: text, syntax, shape, then the rules of its kind.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use assay_formats::json::Parser;
use assay_formats::shape::{self, Shape};
use assay_formats::syntax::{SyntaxFaultKind, limits};
use assay_formats::{Tape, Value, yaml};

use crate::apply;
use crate::rules;
use crate::sink::{Findings, Sink};

/// The syntax of a kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Spelling {
    /// Returns the maximum number of bytes of a document.
    pub(crate) fn max_bytes(self) -> usize {
        match self {
            Self::Json => limits::MAX_DOCUMENT_BYTES,
            Self::Yaml => limits::MAX_YAML_BYTES,
        }
    }
}

/// Number of bytes most documents that fit in; asking for the size of each would cost more than it
/// spares.
const USUAL_DOCUMENT: usize = 16 << 10;
/// The number of bytes that a buffer keeps from one document to the next: a large one should not
/// hold its memory for ever.
const KEPT_ROOM: usize = 1 << 20;

/// The buffers in which one document after the other is read.
#[derive(Debug, Default)]
pub(crate) struct DocumentBuffers {
    bytes: Vec<u8>,
    tape: Tape,
    parser: Parser,
}

impl DocumentBuffers {
    /// Reads a whole file, but no more of it than tells that it is too large; returns how many
    /// bytes that was.
    pub(crate) fn load(&mut self, reader: impl Read, spelling: Spelling) -> io::Result<u64> {
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_ROOM {
            *self = Self::default();
        }
        self.bytes.reserve(USUAL_DOCUMENT);
        reader
            .take(spelling.max_bytes() as u64 + 1)
            .read_to_end(&mut self.bytes)?;
        Ok(self.bytes.len() as u64)
    }

    /// The document that was read last, without the places of YAML that tools do not read alike.
    pub(crate) fn root(&self) -> Option<Value<'_>> {
        self.tape
            .root(simdutf8::basic::from_utf8(&self.bytes).ok()?)
    }

    /// Returns the number of bytes that were loaded.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// A desk with one document of its own, whose buffers are no larger than it needs.
    pub(crate) fn holding(bytes: Vec<u8>) -> Self {
        Self {
            tape: Tape::with_room_for(bytes.len()),
            bytes,
            parser: Parser::default(),
        }
    }

    /// The document that was loaded, once every fault of its text is reported. `None` when nothing
    /// could be read.
    pub(crate) fn document(
        &mut self,
        file: &Arc<str>,
        spelling: Spelling,
        limit: u64,
        findings: &mut Findings,
    ) -> Option<Document<'_>> {
        if self.bytes.len() > spelling.max_bytes() {
            let mut sink = Sink::new(file, "", limit, findings);
            rules::too_large::document(spelling.max_bytes(), &mut sink);
            return None;
        }
        let Ok(source) = simdutf8::basic::from_utf8(&self.bytes) else {
            rules::not_utf8::document(file, &self.bytes, limit, findings);
            return None;
        };
        let mut sink = Sink::new(file, source, limit, findings);
        rules::byte_order_mark::document(source, &mut sink);
        let faults = match (spelling, source.strip_prefix('\u{feff}')) {
            // Offsets must stay those of the file, so the mark is blanked out, not cut off. YAML
            // allows it.
            (Spelling::Json, Some(rest)) => {
                let blanked = format!("{}{rest}", " ".repeat(source.len() - rest.len()));
                self.parser.parse(&blanked, &mut self.tape);
                self.parser.take_faults()
            }
            (Spelling::Json, None) => {
                self.parser.parse(source, &mut self.tape);
                self.parser.take_faults()
            }
            (Spelling::Yaml, _) => yaml::parse(source, &mut self.tape),
        };
        for fault in &faults {
            apply::syntax(fault, &mut sink);
        }
        let constructs = faults
            .into_iter()
            .filter(|fault| matches!(fault.kind, SyntaxFaultKind::YamlConstruct(_)))
            .map(|fault| fault.range)
            .collect();
        Some(Document {
            root: self.tape.root(source)?,
            constructs,
        })
    }
}

/// A document whose text could be read.
#[derive(Debug)]
pub(crate) struct Document<'d> {
    root: Value<'d>,
    /// The places of YAML that tools do not read alike; what stands there can be shown but not
    /// verified.
    constructs: Vec<Range<usize>>,
}

impl<'d> Document<'d> {
    /// A document that was read before.
    pub(crate) fn read_before(root: Value<'d>, constructs: Vec<Range<usize>>) -> Self {
        Self { root, constructs }
    }

    /// The places of YAML that tools do not read alike.
    pub(crate) fn constructs(&self) -> &[Range<usize>] {
        &self.constructs
    }

    /// The root of the document.
    pub(crate) fn root(&self) -> Value<'d> {
        self.root
    }

    /// The text of the document.
    pub(crate) fn source(&self) -> &'d str {
        self.root.source()
    }

    /// Reports every departure from a shape; returns whether there was none that refuses the
    /// document.
    pub(crate) fn has_shape(&self, shape: &'static Shape, sink: &mut Sink<'_>) -> bool {
        let mut fits = true;
        shape::evaluate(shape, self.root, &mut |fault| {
            fits &= apply::shape(&fault, sink);
        });
        fits
    }
}
