//! Files of a log that are read whole.

use std::io::Read;

use assay_formats::json::Parser;
use assay_formats::syntax::limits;
use assay_formats::{Kind, Tape, Value};

use super::reader::MAX_DEPTH;
use super::{Log, Refusal};

/// Reads a file of a log whole; one with more bytes than `most` is refused.
pub(super) fn read_bytes(log: &Log<'_>, path: &str, most: usize) -> Result<Vec<u8>, Refusal> {
    let unreadable = |source| Refusal::Read {
        path: path.to_owned(),
        source,
    };
    let file = log.logs.open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    (log.progress)(bytes.len() as u64);
    if bytes.len() > most {
        let what = format!("it is larger than {most} bytes");
        return Err(Refusal::damaged(path, what));
    }
    Ok(bytes)
}

/// Reads a file of text whole. Bytes that are no text become U+FFFD.
pub(super) fn read_text(log: &Log<'_>, path: &str, most: usize) -> Result<String, Refusal> {
    let bytes = read_bytes(log, path, most)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A JSON document, read whole.
pub(super) struct Document {
    text: String,
    tape: Tape,
}

impl Document {
    /// Reads a file that holds a map.
    pub(super) fn read(log: &Log<'_>, path: &str) -> Result<Self, Refusal> {
        let text = read_text(log, path, limits::MAX_DOCUMENT_BYTES)?;
        Self::parse(text).ok_or_else(|| {
            let what = "it is not a JSON document, or it ends in the middle";
            Refusal::damaged(path, what)
        })
    }

    /// Parses a text that is a map; returns nothing when it is none.
    pub(super) fn parse(text: String) -> Option<Self> {
        let mut tape = Tape::new();
        let mut parser = Parser::with_depth(MAX_DEPTH);
        parser.parse(&text, &mut tape);
        let is_map = tape.root(&text).map(Value::kind) == Some(Kind::Map);
        is_map.then_some(Self { text, tape })
    }

    /// Reads a file that may be missing.
    pub(super) fn read_if_there(log: &Log<'_>, path: &str) -> Result<Option<Self>, Refusal> {
        use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};

        match Self::read(log, path) {
            Err(Refusal::Read { source, .. })
                if matches!(source.kind(), NotFound | NotADirectory | IsADirectory) =>
            {
                Ok(None)
            }
            Ok(document) => Ok(Some(document)),
            Err(refusal) => Err(refusal),
        }
    }

    /// The map.
    pub(super) fn root(&self) -> Value<'_> {
        self.tape
            .root(&self.text)
            .expect("a document is made of a text that was parsed")
    }

    /// The text as it was read.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path of a file beside another one, or below the directory that holds it.
pub(super) fn beside(path: &str, name: &str) -> String {
    match path.rsplit_once('/') {
        Some((directory, _)) => format!("{directory}/{name}"),
        None => name.to_owned(),
    }
}
