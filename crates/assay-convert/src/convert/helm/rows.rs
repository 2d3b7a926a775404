use std::sync::atomic::{AtomicBool, Ordering};

use assay_formats::Value;
use assay_formats::json::{Stream, StreamError};
use assay_formats::ordered;

use super::super::{Log, RecordWriter, Refusal};
use super::files::{Reader, RunFiles, Source};
use super::name::Perturbation;
use super::record::Run;
use super::row::{Built, Common, Group, build};
use super::scores::{instance_key, trial_of};
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
    let mut source = Source::open(log, &files.scenario_state)?;
    let mut states = States::new(source.stream(), run.survey.by_reference);
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
    stream: Stream<&'s mut Source<'a>>,
    place: Place,
    by_reference: bool,
    reader: Reader,
    /// Requests for an instance that may have more.
    open: Group,
    open_key: String,
    open_bytes: usize,
    taken_apart: bool,
}

/// How far one is in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Outside,
    Inside,
    After,
}

impl<'s, 'a> States<'s, 'a> {
    fn new(stream: Stream<&'s mut Source<'a>>, by_reference: bool) -> Self {
        Self {
            stream,
            place: Place::Before,
            by_reference,
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
        Ok((!batch.is_empty() || self.place != Place::After).then_some(batch))
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
        loop {
            match self.place {
                Place::Before => {
                    self.stream.enter_map()?;
                    self.place = Place::Outside;
                }
                Place::Outside => match self.stream.next_key()? {
                    Some(key) if key == "request_states" && self.stream.is_list()? => {
                        self.stream.enter_list()?;
                        self.place = Place::Inside;
                    }
                    Some(_) => self.stream.skip()?,
                    None => self.place = Place::After,
                },
                Place::Inside => match self.stream.next_item()? {
                    Some(state) => return Ok(Some(state.to_vec())),
                    None => self.place = Place::Outside,
                },
                Place::After => return Ok(None),
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
