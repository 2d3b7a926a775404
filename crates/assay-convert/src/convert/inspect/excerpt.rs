//! The few parts of a log that a record needs, cut out of the many that it does not.

use std::collections::BTreeSet;
use std::io::Read;

use assay_formats::json::{Parser, Stream, StreamError};
use assay_formats::{Tape, Value};

use super::super::reader::MAX_DEPTH;
use super::sample::METADATA;

/// The largest single value that is kept, in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 256 << 20;
/// Maximum depth of the metadata of a sample nested to be kept.
const MAX_METADATA_DEPTH: usize = 128;
/// The most that is kept of one sample, in bytes.
const MAX_EXCERPT_BYTES: usize = 1 << 30;

/// The keys of a header that a record needs.
const HEADER_KEYS: [&str; 6] = ["version", "status", "eval", "plan", "results", "stats"];

/// The keys of a sample that a row needs. The events, which are most of the bytes, are not among
/// them.
const SAMPLE_KEYS: [&str; 19] = [
    "id",
    "epoch",
    "input",
    "choices",
    "target",
    "messages",
    "output",
    "scores",
    "score",
    "model_usage",
    "role_usage",
    "total_time",
    "working_time",
    "error",
    "error_retries",
    "limit",
    "invalidation",
    "message_refs",
    "uuid",
];

/// The calls of a sample, where the evaluated model judges itself and only they tell its answers
/// from its judgements.
pub(super) const CALLS: &str = "calls";
/// The events of a sample, and what is kept of each: who was called in which part of the run, and
/// what it cost.
const EVENTS: &str = "events";
const EVENT_KEYS: [&str; 8] = [
    "event",
    "span_id",
    "id",
    "parent_id",
    "type",
    "action",
    "model",
    "cache",
];
const OUTPUT: &str = "output";
const USAGE: &str = "usage";

/// The beginnings of a reference to an attachment, now and in the oldest logs.
pub(super) const ATTACHMENT_PREFIXES: [&str; 2] = ["attachment://", "tc://"];

/// The top-level keys of a map that were asked for, as a JSON document of its own.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    text: Vec<u8>,
    /// True if a value was too large to be kept.
    is_cut: bool,
}

impl Excerpt {
    /// Returns whether something that was asked for is missing because of its size.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The document.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.close();
        self.text
    }

    /// The document as text.
    pub(super) fn into_text(self) -> String {
        String::from_utf8(self.into_bytes())
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// Returns the bytes that were kept so far.
    pub(super) fn kept(&self) -> &[u8] {
        &self.text
    }

    /// Returns the document that was kept so far.
    pub(super) fn document(&self) -> Option<Document> {
        let copy = Self {
            text: self.text.clone(),
            is_cut: self.is_cut,
        };
        Document::new(copy.into_text())
    }

    /// Adds a key that the log has elsewhere.
    pub(super) fn add(&mut self, key: &str, value: &[u8]) {
        if self.text.len() + value.len() > MAX_EXCERPT_BYTES {
            self.is_cut = true;
            return;
        }
        self.text
            .push(if self.text.is_empty() { b'{' } else { b',' });
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
        self.text.extend_from_slice(value);
    }

    /// Returns whether the kept text refers to attachments.
    pub(super) fn refers(&self) -> bool {
        ATTACHMENT_PREFIXES
            .iter()
            .any(|prefix| memchr::memmem::find(&self.text, prefix.as_bytes()).is_some())
    }

    /// The keys of the attachments that the kept text refers to.
    fn references(&self) -> BTreeSet<&[u8]> {
        let mut keys = BTreeSet::new();
        for prefix in ATTACHMENT_PREFIXES.map(str::as_bytes) {
            for at in memchr::memmem::find_iter(&self.text, prefix) {
                let rest = &self.text[at + prefix.len()..];
                let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
                keys.insert(&rest[..end.unwrap_or(rest.len())]);
            }
        }
        keys
    }

    fn close(&mut self) {
        if self.text.is_empty() {
            self.text.push(b'{');
        }
        self.text.push(b'}');
    }

    /// Keeps the value that comes next unless it is nested deeper than anybody reads: a row can do
    /// without it.
    fn take_shallow<R: Read>(
        &mut self,
        key: &str,
        stream: &mut Stream<R>,
    ) -> Result<(), StreamError> {
        match stream.value() {
            Ok(value) if depth(value) <= MAX_METADATA_DEPTH => {
                self.add(key, value);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(StreamError::TooLarge { .. }) => stream.skip(),
            Err(error) => Err(error),
        }
    }

    /// Keeps the value that comes next under a key.
    fn take<R: Read>(&mut self, key: &str, stream: &mut Stream<R>) -> Result<(), StreamError> {
        match stream.value() {
            Ok(value) => {
                self.add(key, value);
                Ok(())
            }
            Err(StreamError::TooLarge { .. }) => {
                self.is_cut = true;
                stream.skip()
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the number of brackets that are open at once in a value, at most, those in its strings
/// counted as well.
fn depth(value: &[u8]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in value {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Reads the header out of a log; stops in front of the samples when everything that matters came
/// before them.
///
/// Returns the header, and whether the stream now stands in front of the samples.
pub(super) fn header<R: Read>(stream: &mut Stream<R>) -> Result<(Excerpt, bool), StreamError> {
    let mut excerpt = Excerpt::default();
    let mut seen: Vec<String> = Vec::new();
    stream.enter_map()?;
    while let Some(key) = stream.next_key()? {
        let complete = || {
            ["eval", "status", "results"]
                .iter()
                .all(|key| seen.iter().any(|own| own == key))
        };
        if key == "samples" && stream.is_list()? && complete() {
            return Ok((excerpt, true));
        }
        if HEADER_KEYS.contains(&key.as_str()) {
            excerpt.take(&key, stream)?;
            seen.push(key);
        } else {
            stream.skip()?;
        }
    }
    Ok((excerpt, false))
}

/// Reads what a row needs out of the sample that comes next; its calls only where they are asked
/// for.
pub(super) fn sample<R: Read>(
    stream: &mut Stream<R>,
    wants_calls: bool,
) -> Result<Excerpt, StreamError> {
    let mut excerpt = Excerpt::default();
    stream.enter_map()?;
    while let Some(key) = stream.next_key()? {
        if key == METADATA {
            excerpt.take_shallow(&key, stream)?;
        } else if wants_calls && key == EVENTS && stream.is_list()? {
            calls(&mut excerpt, stream)?;
        } else if SAMPLE_KEYS.contains(&key.as_str()) {
            excerpt.take(&key, stream)?;
        } else if key == "attachments" && stream.is_map()? && excerpt.refers() {
            attachments(&mut excerpt, stream)?;
        } else {
            stream.skip()?;
        }
    }
    Ok(excerpt)
}

/// Keeps of each event what tells whose call it was.
fn calls<R: Read>(excerpt: &mut Excerpt, stream: &mut Stream<R>) -> Result<(), StreamError> {
    let mut list = Vec::new();
    stream.enter_list()?;
    while stream.has_item()? {
        if !stream.is_map()? {
            stream.skip()?;
            continue;
        }
        let mut event = Excerpt::default();
        stream.enter_map()?;
        while let Some(key) = stream.next_key()? {
            if EVENT_KEYS.contains(&key.as_str()) {
                event.take(&key, stream)?;
            } else if key == OUTPUT && stream.is_map()? {
                stream.enter_map()?;
                while let Some(key) = stream.next_key()? {
                    if key == USAGE {
                        event.take(&key, stream)?;
                    } else {
                        stream.skip()?;
                    }
                }
            } else {
                stream.skip()?;
            }
        }
        excerpt.is_cut |= event.is_cut;
        list.push(if list.is_empty() { b'[' } else { b',' });
        list.append(&mut event.into_bytes());
    }
    if list.is_empty() {
        list.push(b'[');
    }
    list.push(b']');
    excerpt.add(CALLS, &list);
    Ok(())
}

/// Keeps those attachments that what was kept so far refers to. They stand after the messages in
/// every log seen.
fn attachments<R: Read>(excerpt: &mut Excerpt, stream: &mut Stream<R>) -> Result<(), StreamError> {
    let mut kept = Excerpt::default();
    let wanted = excerpt.references();
    stream.enter_map()?;
    while let Some(key) = stream.next_key()? {
        if wanted.contains(key.as_bytes()) {
            kept.take(&key, stream)?;
        } else {
            stream.skip()?;
        }
    }
    kept.close();
    excerpt.is_cut |= kept.is_cut;
    excerpt.add("attachments", &kept.text);
    Ok(())
}

/// A document and what was read of it.
#[derive(Debug, Default)]
pub(super) struct Document {
    text: String,
    tape: Tape,
}

impl Document {
    /// Reads a document; `None` when it is no JSON. Faults that leave a meaning, such as `NaN`, are
    /// nothing to stop for.
    pub(super) fn new(text: String) -> Option<Self> {
        let mut tape = Tape::new();
        Parser::with_depth(MAX_DEPTH).parse(&text, &mut tape);
        tape.root(&text)?;
        Some(Self { text, tape })
    }

    /// The map at the top.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        self.tape.root(&self.text)
    }
}
