use std::io::{self, Write};

use assay_formats::eee::record::{Companion, Record};
use assay_formats::rows::hex;
use sha2::{Digest, Sha256};

use super::secrets::{Scope, redact};
use super::{Identity, Refusal, Warning};

/// The warning about a secret that was removed.
const SECRET_REMOVED: &str = "a key, token or password in the log was replaced by `[redacted]`";

/// The store of records.
pub trait Datastore: Sync {
    /// Begins a record and its samples. Nothing is seen of it before [`Pair::finish`]; dropping it
    /// leaves no trace.
    fn begin(&self, identity: &Identity) -> io::Result<Box<dyn Pair + '_>>;
}

/// A record that is being made.
pub trait Pair: Send {
    /// Returns the writer of rows.
    fn rows(&mut self) -> &mut dyn Write;

    /// Makes the record, and its samples if there are any, appear whole. `digest` is the SHA-256 of
    /// the rows in hexadecimal, made while they were written; there is none when there are no rows.
    fn finish(self: Box<Self>, record: &str, digest: Option<&str>) -> io::Result<()>;
}

/// The outcome of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The identity of the record.
    pub identity: Identity,
    /// Number of results that it has.
    pub results: usize,
    /// The number of rows of its samples.
    pub rows: u64,
    /// Warnings for a person.
    pub warnings: Vec<Warning>,
}

/// Writes the rows of a record, counts and hashes them on the way, and closes with the record
/// itself.
pub struct RecordWriter<'a> {
    pair: Box<dyn Pair + 'a>,
    identity: Identity,
    hasher: Sha256,
    rows: u64,
    warnings: Vec<Warning>,
}

impl<'a> RecordWriter<'a> {
    /// Begins a record.
    pub fn begin(datastore: &'a dyn Datastore, identity: Identity) -> Result<Self, Refusal> {
        let pair = datastore.begin(&identity).map_err(Refusal::Write)?;
        Ok(Self {
            pair,
            identity,
            hasher: Sha256::new(),
            rows: 0,
            warnings: Vec::new(),
        })
    }

    /// Adds rows that were written with [`assay_formats::eee::row::Row::write`].
    pub fn rows(&mut self, bytes: &[u8], count: u64) -> Result<(), Refusal> {
        let redacted = redact(bytes, Scope::Rows);
        let bytes = match &redacted {
            Some((clean, secrets)) => {
                self.warn_times(SECRET_REMOVED, *secrets);
                clean
            }
            None => bytes,
        };
        self.hasher.update(bytes);
        self.rows += count;
        self.pair.rows().write_all(bytes).map_err(Refusal::Write)
    }

    /// Remembers something that a person should know; the same message is counted.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warn_times(message, 1);
    }

    /// Remembers something that was met so many times; nothing when it was not met.
    pub fn warn_times(&mut self, message: impl Into<String>, count: u64) {
        if count == 0 {
            return;
        }
        let message = message.into();
        match self
            .warnings
            .iter_mut()
            .find(|warning| warning.message == message)
        {
            Some(warning) => warning.count += count,
            None => self.warnings.push(Warning { message, count }),
        }
    }

    /// Returns the number of rows so far.
    pub fn count(&self) -> u64 {
        self.rows
    }

    /// Completes the record with what is known of its samples, and makes both appear.
    pub fn finish(mut self, mut record: Record) -> Result<Converted, Refusal> {
        let digest = (self.rows > 0).then(|| hex(&std::mem::take(&mut self.hasher).finalize()));
        if let Some(digest) = &digest {
            record.detailed_evaluation_results = Some(Companion::new(
                self.identity.samples_path(),
                digest.clone(),
                self.rows,
            ));
        }
        let results = record.evaluation_results.len();
        let mut json = record.to_json();
        if let Some((clean, secrets)) = redact(json.as_bytes(), Scope::Record) {
            self.warn_times(SECRET_REMOVED, secrets);
            // Only whole runs of ASCII were replaced, so what is left is text.
            json = String::from_utf8_lossy(&clean).into_owned();
        }
        self.pair
            .finish(&json, digest.as_deref())
            .map_err(Refusal::Write)?;
        Ok(Converted {
            identity: self.identity,
            results,
            rows: self.rows,
            warnings: self.warnings,
        })
    }
}
