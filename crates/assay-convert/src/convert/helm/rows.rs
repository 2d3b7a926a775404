use std::sync::atomic::{AtomicBool, Ordering};

use assay_formats::ordered;
use parking_lot::Mutex;

use super::super::reader::Reader;
use super::super::{Log, RecordWriter, Refusal};
use super::batch::{Batch, States};
use super::files::{RunFiles, Source};
use super::record::HelmRun;
use super::row::{Built, Common, build};

const APART: &str =
    "requests for one instance that are too many to be held together were taken apart";

/// Memory that goes from one batch to the next.
#[derive(Default)]
struct Spare<T>(Mutex<Vec<T>>);

impl<T: Default> Spare<T> {
    fn take(&self) -> T {
        let mut spare = self.0.lock();
        spare.pop().unwrap_or_default()
    }

    fn put(&self, empty: T) {
        let mut spare = self.0.lock();
        spare.push(empty);
    }
}

/// Writes the rows of all requests, in the order of the log whatever the number of threads.
pub(super) fn write(
    log: &Log<'_>,
    files: &RunFiles,
    run: &HelmRun<'_>,
    common: &Common,
    writer: &mut RecordWriter<'_>,
) -> Result<(), Refusal> {
    let source = Source::open(log, &files.scenario_state)?;
    let mut states = States::new(source, run.survey);
    let mut fault = None;
    let failed = AtomicBool::new(false);
    let batches: Spare<Batch> = Spare::default();
    let rows: Spare<Built> = Spare::default();
    let produced = ordered(
        log.options.jobs,
        || {
            if failed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mut batch = batches.take();
            Ok(states.next(&mut batch)?.then_some(batch))
        },
        Reader::new,
        |reader, mut batch: Batch| {
            let mut built = rows.take();
            for group in batch.groups() {
                build(run, common, reader, group, &mut built);
            }
            batch.clear();
            batches.put(batch);
            built
        },
        |mut built| {
            if fault.is_some() {
                return;
            }
            for skipped in built.skipped.drain(..) {
                writer.warn(skipped);
            }
            if let Err(refusal) = writer.rows(&built.bytes, built.rows) {
                failed.store(true, Ordering::Relaxed);
                fault = Some(refusal);
            }
            built.clear();
            rows.put(built);
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
