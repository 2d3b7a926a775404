use std::path::Path;

use assay_convert::convert::{
    Converted, Datastore, Harness, Log, Logs, Options, Refusal, convert, detect, looks_like,
};
use assay_formats::ordered;

use super::discover::FoundLog;
use super::report::{End, Fault, Outcome, RecordOutcome, Status, refused};
use super::store::{ConvertedRecord, DiskStore, Settled};

/// A log of at least this size is converted by all threads together; smaller ones by one thread
/// each.
const LARGE_LOG: u64 = 32 << 20;

/// Converts logs.
#[derive(Clone, Copy)]
pub(super) struct Worker<'a> {
    /// The files.
    pub(super) logs: &'a dyn Logs,
    /// The options of the person; their `jobs` are shared by all logs.
    pub(super) options: &'a Options,
    /// The datastore.
    pub(super) out: Option<&'a Path>,
    /// True if nothing is written.
    pub(super) dry_run: bool,
    /// True if records that are there and say something else are replaced.
    pub(super) overwrite: bool,
    /// Told of every stretch of bytes that has been read.
    pub(super) progress: &'a (dyn Fn(u64) + Sync),
}

/// A converted log, with its records not yet in place.
struct Attempt {
    index: usize,
    result: Result<(Vec<Converted>, Vec<ConvertedRecord>), End>,
}

impl Worker<'_> {
    /// Converts logs; outcomes are in the order given. Records are put in place one log after the
    /// other in an order that does not depend on the threads, so of two logs that claim one name
    /// the same one always wins.
    pub(super) fn convert_all(&self, found: &[FoundLog]) -> Vec<Outcome> {
        let (small, large): (Vec<usize>, Vec<usize>) =
            (0..found.len()).partition(|&index| found[index].bytes < LARGE_LOG);
        let mut outcomes: Vec<(usize, Outcome)> = Vec::with_capacity(found.len());
        let jobs = self.options.jobs;
        for (indices, across, within) in [(small, jobs, 1), (large, 1, jobs)] {
            let mut next = indices.into_iter();
            let produced: Result<(), std::convert::Infallible> = ordered(
                across,
                || Ok(next.next()),
                || (),
                |(), index| self.attempt(index, &found[index], within),
                |attempt| outcomes.push((attempt.index, self.settle(found, attempt))),
            );
            match produced {
                Ok(()) => {}
                Err(never) => match never {},
            }
        }
        outcomes.sort_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Converts one log into any datastore.
    pub(super) fn convert(
        &self,
        found: &FoundLog,
        datastore: &dyn Datastore,
        jobs: usize,
    ) -> Result<Vec<Converted>, End> {
        let Some(harness) = found.harness else {
            return Err(End::Refused(unrecognised(self.logs, &found.path)));
        };
        let options = Options {
            jobs,
            ..self.options.clone()
        };
        let log = Log {
            logs: self.logs,
            path: &found.path,
            options: &options,
            datastore,
            progress: self.progress,
        };
        convert(harness, &log)
            .and_then(|converted| {
                if converted.is_empty() {
                    return Err(Refusal::Nothing("the log holds no result".to_owned()));
                }
                Ok(converted)
            })
            .map_err(|refusal| refused(&refusal))
    }

    fn attempt(&self, index: usize, found: &FoundLog, jobs: usize) -> Attempt {
        let store = DiskStore::new(self.out.filter(|_| !self.dry_run), jobs);
        let result = self
            .convert(found, &store, jobs)
            .map(|converted| (converted, store.into_made()));
        Attempt { index, result }
    }

    fn settle(&self, found: &[FoundLog], attempt: Attempt) -> Outcome {
        let log = &found[attempt.index];
        let end = match attempt.result {
            Ok((converted, mut made)) => End::Made(
                converted
                    .into_iter()
                    .filter_map(|converted| {
                        let is_own = |made: &ConvertedRecord| made.identity == converted.identity;
                        let own = made.remove(made.iter().position(is_own)?);
                        Some(self.settle_record(converted, own))
                    })
                    .collect(),
            ),
            Err(end) => end,
        };
        Outcome {
            path: log.path.clone(),
            harness: log.harness,
            end,
        }
    }

    fn settle_record(&self, converted: Converted, made: ConvertedRecord) -> RecordOutcome {
        let path = made.path();
        let findings = made.warnings.clone();
        let names_said = made.names_said(self.options);
        let status = match self.out {
            _ if !made.faults.is_empty() => Status::Refused(made.faults),
            None => Status::Written,
            Some(out) => match made.settle(out, !self.dry_run, self.overwrite) {
                Ok(Settled::Written) => Status::Written,
                Ok(Settled::Replaced) => Status::Replaced,
                Ok(Settled::Unchanged) => Status::Unchanged,
                Ok(Settled::Differs(fault)) => Status::Refused(vec![fault]),
                Err(error) => Status::Failed(error.to_string()),
            },
        };
        RecordOutcome {
            path,
            results: converted.results,
            rows: converted.rows,
            warnings: converted.warnings,
            findings,
            names_said,
            status,
        }
    }
}

/// Says what a file that is no log looks like, and what can be converted.
fn unrecognised(logs: &dyn Logs, path: &str) -> Fault {
    let own = detect(logs, path).map(|own| {
        let info = own.info();
        format!(
            "it is a log of {}, not of the harness that `--from` names; leave `--from` out, or give `--from {}`",
            info.title, info.word
        )
    });
    let supported: Vec<String> = Harness::ALL
        .into_iter()
        .map(Harness::info)
        .map(|info| format!("{} ({})", info.title, info.log))
        .collect();
    let message = own.unwrap_or_else(|| {
        let what = looks_like(logs, path)
            .unwrap_or_else(|| "it is not recognised as a log of any harness".to_owned());
        format!(
            "{what}; logs that can be converted: {}",
            supported.join(", ")
        )
    });
    Fault {
        reason: "not-recognised".to_owned(),
        path: String::new(),
        line: None,
        message,
    }
}
