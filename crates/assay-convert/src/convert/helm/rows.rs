use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_formats::Value;
use assay_formats::json::StreamError;
use assay_formats::ordered;

use super::super::reader::Reader;
use super::super::{Log, RecordWriter, Refusal};
use super::files::{MAX_ITEM, RunFiles, Source};
use super::name::Perturbation;
use super::record::Run;
use super::row::{Built, Common, Group, build};
use super::scores::{instance_key, trial_of};
use super::survey::Survey;
use super::text::scalar;

/// How many bytes of requests are handed to a thread at a time, so that handing over costs little.
const BATCH: usize = 256 << 10;
/// How many bytes the requests for the references of one instance may have together.
const MAX_GROUP: usize = 256 << 20;

const APART: &str =
    "requests for one instance that are too many to be held together were taken apart";

/// Writes the rows of all requests, in the order of the log whatever the number of threads.
pub(super) fn write(
    log: &Log<'_>,
    files: &RunFiles,
    run: &Run<'_>,
    common: &Common,
    writer: &mut RecordWriter<'_>,
) -> Result<(), Refusal> {
    let source = Source::open(log, &files.scenario_state)?;
    let mut states = States::new(source, run.survey);
    let mut fault = None;
    let failed = AtomicBool::new(false);
    let produced = ordered(
        log.options.jobs,
        || {
            if failed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            states.batch()
        },
        Reader::new,
        |reader, batch: Vec<Group>| {
            let mut built = Built::default();
            for group in &batch {
                build(run, common, reader, group, &mut built);
            }
            built
        },
        |built| {
            if fault.is_some() {
                return;
            }
            for skipped in built.skipped {
                writer.warn(skipped);
            }
            if let Err(refusal) = writer.rows(&built.bytes, built.rows) {
                failed.store(true, Ordering::Relaxed);
                fault = Some(refusal);
            }
        },
    );
    produced.map_err(|error| Refusal::stream(&files.scenario_state, error))?;
    if let Some(refusal) = fault {
        return Err(refusal);
    }
    if states.taken_apart {
        writer.warn(APART);
    }
    Ok(())
}

/// The requests of a run, those for one instance together.
struct States<'s, 'a> {
    source: BufReader<Source<'a>>,
    /// How far the source was read.
    position: u64,
    places: std::slice::Iter<'s, Range<u64>>,
    by_reference: bool,
    reader: Reader,
    /// Requests for an instance that may have more.
    open: Group,
    open_key: String,
    open_bytes: usize,
    taken_apart: bool,
}

impl<'s, 'a> States<'s, 'a> {
    fn new(source: Source<'a>, survey: &'s Survey) -> Self {
        Self {
            source: BufReader::with_capacity(BATCH, source),
            position: 0,
            places: survey.places.iter(),
            by_reference: survey.by_reference,
            reader: Reader::new(),
            open: Group::new(),
            open_key: String::new(),
            open_bytes: 0,
            taken_apart: false,
        }
    }

    /// The next few instances; `None` at the end.
    fn batch(&mut self) -> Result<Option<Vec<Group>>, StreamError> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while bytes < BATCH {
            let Some(state) = self.state()? else {
                if !self.open.is_empty() {
                    batch.push(std::mem::take(&mut self.open));
                }
                break;
            };
            bytes += state.len();
            if self.by_reference {
                batch.extend(self.join(state));
            } else {
                batch.push(vec![state]);
            }
        }
        Ok((!batch.is_empty() || !self.places.as_slice().is_empty()).then_some(batch))
    }

    /// Adds a request to those for the same instance, which follow each other; returns the instance that is complete.
    fn join(&mut self, state: Vec<u8>) -> Option<Group> {
        let mut key = String::new();
        if let Some(state) = self.reader.read(&state) {
            write_key(state, &mut key);
        }
        let same = key == self.open_key && !key.is_empty();
        let fits = self.open_bytes + state.len() <= MAX_GROUP;
        self.taken_apart |= same && !fits;
        if same && fits {
            self.open_bytes += state.len();
            self.open.push(state);
            return None;
        }
        self.open_key = key;
        self.open_bytes = state.len();
        let complete = std::mem::replace(&mut self.open, vec![state]);
        (!complete.is_empty()).then_some(complete)
    }

    /// The next request.
    fn state(&mut self) -> Result<Option<Vec<u8>>, StreamError> {
        let Some(place) = self.places.next() else {
            return Ok(None);
        };
        let length = usize::try_from(place.end - place.start).unwrap_or(usize::MAX);
        if length > MAX_ITEM {
            return Err(StreamError::TooLarge {
                at: place.start,
                limit: MAX_ITEM,
            });
        }
        let mut between = (&mut self.source).take(place.start - self.position);
        io::copy(&mut between, &mut io::sink())?;
        let mut state = Vec::with_capacity(length);
        (&mut self.source)
            .take(length as u64)
            .read_to_end(&mut state)?;
        self.position = place.end;
        if state.len() < length {
            // Someone cut the file off since it was surveyed.
            return Err(StreamError::Truncated { at: place.start });
        }
        Ok(Some(state))
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
