//! Requests on their way from the file to the thread that turns them into rows.

use std::io::{self, Read};
use std::ops::Range;

use assay_formats::Value;
use assay_formats::json::StreamError;

use super::super::reader::Reader;
use super::files::{MAX_ITEM, Source};
use super::name::Perturbation;
use super::scores::{instance_key, trial_of};
use super::survey::Survey;
use super::text::scalar;

/// Number of bytes of requests that are handed to a thread at a time, so that handing over costs
/// little.
const BATCH: usize = 256 << 10;
/// Maximum number of bytes of the requests for the references of one instance together.
const MAX_GROUP: usize = 256 << 20;

/// Some instances: the part of the file that holds their requests, and where in it each request
/// lies.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    states: Vec<Range<usize>>,
    /// The end of each instance among the requests.
    ends: Vec<usize>,
}

impl Batch {
    /// The requests for each instance: one, or one for each reference.
    pub(super) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| Group {
            bytes: &self.bytes,
            states: &self.states[start..*end],
        })
    }

    /// Empties it; its memory is used again.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.states.clear();
        self.ends.clear();
    }

    /// Takes the requests from a position on out, because more may follow them.
    fn take_open(&mut self, from: usize, to: &mut Self) {
        let Some(start) = self.states.get(from).map(|state| state.start) else {
            return;
        };
        to.bytes.extend_from_slice(&self.bytes[start..]);
        let moved = self.states.drain(from..);
        to.states
            .extend(moved.map(|state| state.start - start..state.end - start));
    }
}

/// The requests for one instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group<'b> {
    bytes: &'b [u8],
    states: &'b [Range<usize>],
}

impl<'b> Group<'b> {
    pub(super) fn states(self) -> impl Iterator<Item = &'b [u8]> {
        self.states
            .iter()
            .map(move |state| &self.bytes[state.clone()])
    }
}

/// The requests of a run, those for one instance together.
pub(super) struct States<'s, 'a> {
    source: Source<'a>,
    /// The position in the source.
    position: u64,
    places: &'s [Range<u64>],
    by_reference: bool,
    reader: Reader,
    /// Requests for an instance that may have more.
    open: Batch,
    open_key: String,
    open_bytes: usize,
    /// True if requests for one instance were too many to be held together.
    pub(super) taken_apart: bool,
}

impl<'s, 'a> States<'s, 'a> {
    pub(super) fn new(source: Source<'a>, survey: &'s Survey) -> Self {
        Self {
            source,
            position: 0,
            places: &survey.places,
            by_reference: survey.by_reference,
            reader: Reader::new(),
            open: Batch::default(),
            open_key: String::new(),
            open_bytes: 0,
            taken_apart: false,
        }
    }

    /// Fills an empty batch with the next few instances; `false` at the end.
    pub(super) fn next(&mut self, batch: &mut Batch) -> Result<bool, StreamError> {
        std::mem::swap(batch, &mut self.open);
        while batch.ends.is_empty() && !self.places.is_empty() {
            let from = batch.states.len();
            self.read(batch)?;
            if self.by_reference {
                self.join(batch, from);
            } else {
                batch.ends.extend(from + 1..=batch.states.len());
            }
        }
        if self.places.is_empty() {
            // What lies behind the last request is of no use, but whoever watches waits for all of
            // the file.
            io::copy(&mut self.source, &mut io::sink())?;
            let end = batch.states.len();
            if batch.ends.last().copied().unwrap_or_default() < end {
                batch.ends.push(end);
            }
        } else {
            let open = batch.ends.last().copied().unwrap_or_default();
            batch.take_open(open, &mut self.open);
        }
        Ok(!batch.ends.is_empty())
    }

    /// Reads the next few requests: a part of the file at a time, with the commas between them.
    fn read(&mut self, batch: &mut Batch) -> Result<(), StreamError> {
        let Some(first) = self.places.first().cloned() else {
            return Ok(());
        };
        let mut end = first.start;
        let next = |place: &&Range<u64>| {
            let fits = place.end - first.start <= BATCH as u64 || end == first.start;
            end = place.end;
            fits
        };
        let count = self.places.iter().take_while(next).count();
        let (now, later) = self.places.split_at(count);
        self.places = later;
        let end = now.last().map_or(first.end, |place| place.end);
        let length = usize::try_from(end - first.start).unwrap_or(usize::MAX);
        if length > MAX_ITEM {
            return Err(StreamError::TooLarge {
                at: first.start,
                limit: MAX_ITEM,
            });
        }
        let base = batch.bytes.len();
        self.bytes(first.start, length, &mut batch.bytes)?;
        let place = |at: u64| base + usize::try_from(at - first.start).unwrap_or(length);
        batch
            .states
            .extend(now.iter().map(|own| place(own.start)..place(own.end)));
        Ok(())
    }

    /// Reads so many bytes at a place that lies ahead.
    fn bytes(&mut self, start: u64, length: usize, to: &mut Vec<u8>) -> Result<(), StreamError> {
        let mut between = (&mut self.source).take(start - self.position);
        io::copy(&mut between, &mut io::sink())?;
        let read = self.source.append(length, to)?;
        self.position = start + length as u64;
        if read < length {
            // Someone cut the file off since it was surveyed.
            return Err(StreamError::Truncated { at: start });
        }
        Ok(())
    }

    /// Finds the ends of the instances among the requests from a position on. Requests for the same
    /// instance follow each other; those of the last one may go on.
    fn join(&mut self, batch: &mut Batch, from: usize) {
        for (position, state) in batch.states.iter().enumerate().skip(from) {
            let mut key = String::new();
            if let Some(state) = self.reader.read(&batch.bytes[state.clone()]) {
                write_key(state, &mut key);
            }
            let same = key == self.open_key && !key.is_empty();
            let fits = self.open_bytes + state.len() <= MAX_GROUP;
            self.taken_apart |= same && !fits;
            if same && fits {
                self.open_bytes += state.len();
                continue;
            }
            self.open_key = key;
            self.open_bytes = state.len();
            if position > 0 {
                batch.ends.push(position);
            }
        }
    }
}

fn write_key(state: Value<'_>, key: &mut String) {
    let Some(instance) = state.present("instance") else {
        return;
    };
    let perturbation = instance
        .present("perturbation")
        .and_then(Perturbation::read);
    if let Some(id) = instance.get("id").and_then(scalar) {
        instance_key(key, &id, perturbation.as_ref(), trial_of(state));
    }
}
