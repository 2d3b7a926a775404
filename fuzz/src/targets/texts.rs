//! The two readers of text, and the cutter of samples files.

use std::io::Read;

use assay_formats::rows::{Algorithm, Block, Blocks};
use assay_formats::syntax::{SyntaxFault, limits};
use assay_formats::{Kind, Tape, Value, json, yaml};

use crate::harness::fuzz;

/// Number of values that are asked for their way from the root, which takes a walk each.
const PATHS: usize = 50;

#[test]
fn json() {
    fuzz("json", |bytes| read(bytes, json::parse));
}

#[test]
fn yaml() {
    fuzz("yaml", |bytes| read(bytes, yaml::parse));
}

fn read(bytes: &[u8], parse: fn(&str, &mut Tape) -> Vec<SyntaxFault>) {
    let text = String::from_utf8_lossy(bytes);
    let mut tape = Tape::new();

    let faults = parse(&text, &mut tape);

    assert!(faults.len() <= limits::MAX_SYNTAX_FAULTS + 1);
    for SyntaxFault { kind, range } in &faults {
        assert!(
            text.get(range.clone()).is_some(),
            "{kind:?} at {range:?} in {text:?}"
        );
    }
    let is_fatal = faults.iter().any(|fault| fault.kind.is_fatal());
    assert!(
        !is_fatal || tape.root(&text).is_none(),
        "{faults:?} in {text:?}"
    );
    if let Some(root) = tape.root(&text) {
        visit(root, &text, &mut 0);
    }
}

fn visit(value: Value<'_>, text: &str, seen: &mut usize) {
    *seen += 1;
    for range in [value.range(), value.head(), value.inside()] {
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
    }
    assert_eq!(value.text().is_some(), value.kind() == Kind::String);
    assert_eq!(value.truth().is_some(), value.kind() == Kind::Bool);
    assert!(value.number().is_none_or(f64::is_finite));
    if *seen < PATHS {
        let parent = value.parent();
        assert!(parent == value || matches!(parent.kind(), Kind::List | Kind::Map));
        assert!(value != value.root() || value.path().is_empty());
    }
    for item in value.items() {
        visit(item, text, seen);
    }
    for (key, item) in value.entries() {
        assert!(
            text.get(key.range()).is_some(),
            "{:?} in {text:?}",
            key.range()
        );
        visit(item, text, seen);
    }
}

#[test]
fn rows() {
    fuzz("rows", |bytes| {
        let (whole, digest) = blocks(bytes);

        assert_eq!(whole, bytes);
        assert_eq!(blocks(Drips(bytes)).1, digest);
    });
}

fn blocks(reader: impl Read) -> (Vec<u8>, (String, u64)) {
    let mut blocks = Blocks::new(reader, Algorithm::Sha256);
    let (mut block, mut whole, mut line) = (Block::default(), Vec::new(), 1);
    while blocks.next(&mut block).expect("memory can be read") {
        assert_eq!((block.offset, block.line), (whole.len() as u64, line));
        line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        whole.extend_from_slice(&block.bytes);
    }
    (whole, blocks.finish())
}

/// A reader that gives few bytes at a time, as a network does.
struct Drips<'a>(&'a [u8]);

impl Read for Drips<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(3);
        self.0.read(&mut buffer[..most])
    }
}
