//! Cuts the body into lines and leads the content of files past them.

use std::io::{self, Write};

use super::content::{Budget, Content};
use super::line::{Kind, Line};
use super::{Commit, CommitError, CommitOperation};

/// Maximum length of a line beside the content of a file.
const MAX_LINE_BYTES: usize = 256 << 10;

/// The limits of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitLimits {
    /// The largest number of operations.
    pub operations: usize,
    /// The largest size of one file, in bytes.
    pub file_bytes: u64,
    /// The largest size of all files together, in bytes.
    pub commit_bytes: u64,
}

impl Default for CommitLimits {
    fn default() -> Self {
        Self {
            operations: 25_000,
            file_bytes: 100 << 20,
            commit_bytes: 150 << 20,
        }
    }
}

/// Reads the body of a commit as it arrives, in pieces of any size.
///
/// What a file holds is decoded and written at once, so a line of a hundred megabytes takes no more
/// memory than one of a megabyte. Nothing that was read is to be used before
/// [`CommitReader::finish`] has said that all of it is good; after an error there is nothing more
/// to feed.
///
/// ```
/// # use assay_hub_api::{CommitLimits, CommitReader, CommitOperation};
/// let mut reader = CommitReader::new(CommitLimits::default(), || Ok(Vec::new()));
/// reader.feed(br#"{"key": "header", "value": {"summary": "Add notes"}}"#)?;
/// reader.feed(b"\n{\"key\": \"file\", \"value\": {\"content\": \"aGk")?;
/// reader.feed(b"=\", \"path\": \"a.txt\", \"encoding\": \"base64\"}}\n")?;
///
/// let commit = reader.finish()?;
///
/// assert_eq!(commit.summary, "Add notes");
/// assert!(matches!(&commit.operations[..], [CommitOperation::File { content, .. }] if content.written == b"hi"));
/// # Ok::<(), assay_hub_api::CommitError>(())
/// ```
#[derive(Debug)]
pub struct CommitReader<W, F> {
    limits: CommitLimits,
    open: F,
    /// The line so far, without content.
    line: Vec<u8>,
    number: u64,
    scan: Scan,
    /// The content of the line so far.
    content: Option<Content<W>>,
    commit: Option<Commit<W>>,
    used: u64,
}

/// The position in the JSON of a line; only as much of it as is needed to find the content. Text
/// that is not JSON may be taken for something else here: the line is parsed in earnest when it is
/// whole.
#[derive(Debug, Default)]
struct Scan {
    inside: Inside,
    depth: usize,
    /// The range of the last string in the line, without its quotes.
    string: (usize, usize),
    /// True if what follows stands behind the key `value`.
    in_value: bool,
    /// True if what follows is the value of `content` in there.
    at_content: bool,
}

/// The token that a byte is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    /// Between strings.
    #[default]
    Structure,
    /// In a key or a text that is kept in the line.
    Text,
    /// There, after a backslash.
    Escape,
    /// In the content, which is not kept in the line.
    Content,
}

impl<W: Write, F: FnMut() -> io::Result<W>> CommitReader<W, F> {
    /// A reader that writes what each file holds to a writer of its own, which `open` gives.
    pub fn new(limits: CommitLimits, open: F) -> Self {
        Self {
            limits,
            open,
            line: Vec::new(),
            number: 1,
            scan: Scan::default(),
            content: None,
            commit: None,
            used: 0,
        }
    }

    /// Takes the next piece of the body.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), CommitError> {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            if let (Inside::Content, Some(content)) = (self.scan.inside, &mut self.content) {
                let taken = content.take(rest)?;
                rest = &rest[taken..];
                if !rest.is_empty() {
                    // Only the closing quote stops it; the line gets an empty string in its place.
                    self.scan.inside = Inside::Structure;
                    self.line.push(b'"');
                    rest = &rest[1..];
                }
                continue;
            }
            rest = &rest[1..];
            if byte == b'\n' {
                self.end_line()?;
            } else {
                self.keep(byte)?;
            }
        }
        Ok(())
    }

    /// The whole commit, now that there is no more to feed.
    pub fn finish(mut self) -> Result<Commit<W>, CommitError> {
        if self.scan.inside == Inside::Content {
            return Err(CommitError::Text { line: self.number });
        }
        self.end_line()?;
        self.commit.ok_or(CommitError::NoHeader)
    }

    /// Returns the number of bytes of the body that are held in memory. The writers hold what they
    /// hold.
    pub fn held(&self) -> usize {
        self.line.len() + self.content.as_ref().map_or(0, Content::held)
    }

    /// Keeps a byte that is not content, and finds out whether content follows.
    fn keep(&mut self, byte: u8) -> Result<(), CommitError> {
        if self.line.len() >= MAX_LINE_BYTES {
            return Err(CommitError::LongLine {
                line: self.number,
                limit: MAX_LINE_BYTES,
            });
        }
        self.line.push(byte);
        if self.scan.enters_content(byte, &self.line) {
            if self.content.is_some() {
                return Err(self.syntax("duplicate field `content`"));
            }
            self.scan.inside = Inside::Content;
            self.content = Some(self.new_content()?);
        }
        Ok(())
    }

    fn new_content(&mut self) -> Result<Content<W>, CommitError> {
        let line = self.number;
        let writer = (self.open)().map_err(|source| CommitError::Write { line, source })?;
        let budget = Budget::new(self.limits, self.used);
        Ok(Content::new(writer, line, budget))
    }

    fn syntax(&self, message: &str) -> CommitError {
        CommitError::Syntax {
            line: self.number,
            reason: message.to_owned(),
        }
    }

    fn end_line(&mut self) -> Result<(), CommitError> {
        let line = std::mem::take(&mut self.line);
        let content = self.content.take();
        self.scan = Scan::default();
        let number = self.number;
        self.number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let parsed: Line = serde_json::from_slice(&line).map_err(|error| CommitError::Syntax {
            line: number,
            reason: without_place(&error),
        })?;
        self.understand(parsed, content, number)
    }

    fn understand(
        &mut self,
        parsed: Line,
        content: Option<Content<W>>,
        line: u64,
    ) -> Result<(), CommitError> {
        let kind = parsed.kind(line)?;
        let fields = parsed.value;
        let operation = match kind {
            Kind::Header if self.commit.is_some() => {
                return Err(CommitError::SecondHeader { line });
            }
            Kind::Header => {
                self.commit = Some(fields.header(line)?);
                return Ok(());
            }
            Kind::File => {
                let content = match (content, &fields.content) {
                    (Some(content), _) => content,
                    // The key was spelled with escapes, so the content is in the line.
                    (None, Some(text)) => {
                        let mut content = self.new_content()?;
                        content.take_text(text)?;
                        content
                    }
                    (None, None) => {
                        let field = "content";
                        return Err(CommitError::Missing { line, field });
                    }
                };
                let content = content.finish(fields.encoding.as_deref())?;
                self.used += content.size;
                fields.file(content, line)?
            }
            Kind::LargeFile => fields.large_file(line)?,
            Kind::DeletedFile => fields.deleted_file(line)?,
            Kind::DeletedFolder => fields.deleted_folder(line)?,
        };
        self.add(operation)
    }

    fn add(&mut self, operation: CommitOperation<W>) -> Result<(), CommitError> {
        let limit = self.limits.operations;
        let commit = self.commit.as_mut().ok_or(CommitError::NoHeader)?;
        if commit.operations.len() >= limit {
            return Err(CommitError::ManyOperations { limit });
        }
        commit.operations.push(operation);
        Ok(())
    }
}

/// Returns the fault of a line without its place: the content is not in the line, so the column
/// would be another.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

impl Scan {
    /// Follows one byte that was added to the line, and says whether the content begins after it.
    fn enters_content(&mut self, byte: u8, line: &[u8]) -> bool {
        match self.inside {
            Inside::Structure => self.in_structure(byte, line),
            Inside::Content => false,
            Inside::Escape => {
                self.inside = Inside::Text;
                false
            }
            Inside::Text => {
                self.in_text(byte, line.len());
                false
            }
        }
    }

    fn in_text(&mut self, byte: u8, length: usize) {
        match byte {
            b'\\' => self.inside = Inside::Escape,
            b'"' => {
                self.inside = Inside::Structure;
                self.string.1 = length - 1;
            }
            _ => {}
        }
    }

    fn in_structure(&mut self, byte: u8, line: &[u8]) -> bool {
        let at_content = std::mem::take(&mut self.at_content);
        match byte {
            b'"' if at_content => return true,
            b'"' => {
                self.inside = Inside::Text;
                self.string = (line.len(), line.len());
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' => {
                let key = line.get(self.string.0..self.string.1);
                match self.depth {
                    1 => self.in_value = key == Some(b"value"),
                    2 => self.at_content = self.in_value && key == Some(b"content"),
                    _ => {}
                }
            }
            b' ' | b'\t' | b'\r' => self.at_content = at_content,
            _ => {}
        }
        false
    }
}
