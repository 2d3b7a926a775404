//! One document read and judged: text, syntax, shape, then the rules of its kind.

use std::ops::Range;
use std::sync::Arc;

use assay_formats::shape::{self, Shape};
use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind, limits};
use assay_formats::{Tape, Value, json, yaml};

use crate::apply;
use crate::kind::FileKind;
use crate::rules;
use crate::sink::{Findings, Sink};

/// How a kind of file spells its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Spelling {
    /// How files of a kind are spelled.
    pub(crate) fn of(kind: FileKind) -> Self {
        match kind {
            FileKind::EvalYaml | FileKind::EvalResults => Self::Yaml,
            FileKind::Record | FileKind::Samples => Self::Json,
        }
    }

    /// How many bytes a document may have.
    pub(crate) fn max_bytes(self) -> usize {
        match self {
            Self::Json => limits::MAX_DOCUMENT_BYTES,
            Self::Yaml => limits::MAX_YAML_BYTES,
        }
    }

    fn parse(self, source: &str, tape: &mut Tape) -> Vec<SyntaxFault> {
        match self {
            Self::Json => json::parse(source, tape),
            Self::Yaml => yaml::parse(source, tape),
        }
    }
}

/// A document whose text could be read.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) source: String,
    tape: Tape,
    /// The places of YAML that tools do not read alike; what stands there can be shown but not verified.
    constructs: Vec<Range<usize>>,
}

impl Document {
    /// Reads a document and reports every fault of its text. `None` when nothing could be read.
    pub(crate) fn read(
        file: &Arc<str>,
        bytes: Vec<u8>,
        spelling: Spelling,
        limit: u64,
        findings: &mut Findings,
    ) -> Option<Self> {
        if bytes.len() > spelling.max_bytes() {
            let mut sink = Sink::new(file, "", limit, findings);
            rules::too_large::document(spelling.max_bytes(), &mut sink);
            return None;
        }
        let source = match String::from_utf8(bytes) {
            Ok(source) => source,
            Err(error) => {
                rules::not_utf8::document(file, error.as_bytes(), limit, findings);
                return None;
            }
        };
        let mut sink = Sink::new(file, &source, limit, findings);
        rules::byte_order_mark::document(&source, &mut sink);
        let mut tape = Tape::with_room_for(source.len());
        let faults = match (spelling, source.strip_prefix('\u{feff}')) {
            // Offsets must stay those of the file, so the mark is blanked out, not cut off. YAML allows it.
            (Spelling::Json, Some(rest)) => {
                let width = source.len() - rest.len();
                json::parse(&format!("{}{rest}", " ".repeat(width)), &mut tape)
            }
            (Spelling::Json | Spelling::Yaml, _) => spelling.parse(&source, &mut tape),
        };
        for fault in &faults {
            apply::syntax(fault, &mut sink);
        }
        tape.root(&source)?;
        let constructs = faults
            .into_iter()
            .filter(|fault| matches!(fault.kind, SyntaxFaultKind::YamlConstruct(_)))
            .map(|fault| fault.range)
            .collect();
        Some(Self {
            source,
            tape,
            constructs,
        })
    }

    /// The places of YAML that tools do not read alike.
    pub(crate) fn constructs(&self) -> &[Range<usize>] {
        &self.constructs
    }

    /// The root of the document.
    pub(crate) fn root(&self) -> Value<'_> {
        self.tape
            .root(&self.source)
            .expect("`read` returns no document without a root")
    }

    /// Reports every departure from a shape; returns whether there was none that refuses the document.
    pub(crate) fn has_shape(&self, shape: &'static Shape, sink: &mut Sink<'_>) -> bool {
        let mut fits = true;
        shape::evaluate(shape, self.root(), &mut |fault| {
            fits &= apply::shape(&fault, sink);
        });
        fits
    }
}
