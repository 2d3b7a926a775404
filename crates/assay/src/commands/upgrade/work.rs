use std::collections::BTreeSet;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use assay_convert::upgrade::{Draft, Origin, Reason, Refusal, Rows, RowsError, RowsSummary};
use assay_formats::eee::from_root;
use assay_formats::syntax::limits;

use super::output::{Made, Scratch};
use super::{End, Outcome, Success, Why};

/// Upgrades records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worker<'a> {
    pub(super) out: &'a Path,
    pub(super) dry_run: bool,
}

/// Why a record did not come out.
pub(super) enum Stop {
    /// It cannot be upgraded.
    Refused(Vec<Why>),
    /// Something could not be read or written.
    Failed(String),
}

impl Worker<'_> {
    /// Upgrades records, in the order given whatever the number of threads.
    pub(super) fn upgrade_all(&self, records: &[PathBuf], jobs: usize) -> Vec<Outcome> {
        let (firsts, copies) = by_home(records);
        let mut outcomes = self.in_parallel(records, &firsts, jobs);
        // Of two records that belong at one place the first one named wins, so the others wait.
        outcomes.extend(
            copies
                .iter()
                .map(|&index| (index, self.upgrade(&records[index]))),
        );
        outcomes.sort_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn in_parallel(
        &self,
        records: &[PathBuf],
        chosen: &[usize],
        jobs: usize,
    ) -> Vec<(usize, Outcome)> {
        let next = AtomicUsize::new(0);
        let all = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(chosen.len()) {
                scope.spawn(|| {
                    while let Some(&index) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = self.upgrade(&records[index]);
                        all.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push((index, outcome));
                    }
                });
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn upgrade(&self, record: &Path) -> Outcome {
        let mut from = None;
        let end = match self.try_upgrade(record, &mut from) {
            Ok(success) => End::Upgraded(Box::new(success)),
            Err(Stop::Refused(reasons)) => End::Refused(reasons),
            Err(Stop::Failed(message)) => End::Failed(message),
        };
        Outcome {
            input: name_of(record),
            from,
            end,
        }
    }

    fn try_upgrade(&self, record: &Path, from: &mut Option<Origin>) -> Result<Success, Stop> {
        let text = read(record)?;
        let draft = Draft::read(&text, &name_of(record)).map_err(refused)?;
        *from = Some(draft.origin());
        let samples_path = draft.samples_path();
        let (scratch, samples) = match samples_beside(record, &draft) {
            Some(path) => {
                let (scratch, summary) = self.copy_samples(&path, &draft)?;
                (Some(scratch), summary)
            }
            None => (None, None),
        };
        let upgraded = draft.finish(samples.as_ref()).map_err(refused)?;
        let made = Made {
            path: upgraded.path,
            json: upgraded.json,
            samples: samples_path.zip(scratch),
        };
        made.judge()?;
        made.write(self.out, self.dry_run).map(|output| Success {
            output,
            changes: upgraded.report.changes,
            samples,
        })
    }

    /// Copies the samples of a record to a scratch file: upgraded, or as they are when the record is current.
    fn copy_samples(
        &self,
        path: &Path,
        draft: &Draft,
    ) -> Result<(Scratch, Option<RowsSummary>), Stop> {
        let mut scratch = Scratch::new(self.out, self.dry_run).map_err(failed)?;
        let mut reader = BufReader::new(fs_err::File::open(path).map_err(failed)?);
        if draft.is_current() {
            io::copy(&mut reader, scratch.file()).map_err(failed)?;
            return Ok((scratch, None));
        }
        let writer = io::BufWriter::new(scratch.file());
        let summary = match Rows::new(draft.target()).copy(reader, writer) {
            Ok(summary) => summary,
            Err(RowsError::Refused(refusal)) => return Err(refused(refusal)),
            Err(RowsError::Read(error) | RowsError::Write(error)) => return Err(failed(error)),
        };
        Ok((scratch, Some(summary)))
    }
}

/// The records that are the first to claim their place in the datastore, and those that come later.
fn by_home(records: &[PathBuf]) -> (Vec<usize>, Vec<usize>) {
    let mut homes = BTreeSet::new();
    (0..records.len()).partition(|&index| {
        let name = name_of(&records[index]);
        homes.insert(from_root(&name).0.to_owned())
    })
}

/// A path as the formats spell it: with slashes.
fn name_of(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

fn read(path: &Path) -> Result<String, Stop> {
    let most = limits::MAX_DOCUMENT_BYTES;
    let mut bytes = Vec::new();
    fs_err::File::open(path)
        .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    let refuse = |message: String| {
        Stop::Refused(vec![Why {
            slug: "not-json".to_owned(),
            path: String::new(),
            line: None,
            message,
        }])
    };
    if bytes.len() > most {
        return Err(refuse(format!("the file has more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| refuse("the file is not UTF-8".to_owned()))
}

/// The samples file beside a record: by today's name, by the name that 0.2 documented, or by the one the record says.
fn samples_beside(record: &Path, draft: &Draft) -> Option<PathBuf> {
    let stem = record.file_stem()?.to_string_lossy();
    let said = draft
        .samples()
        .and_then(|samples| samples.file_path)
        .and_then(|path| path.rsplit(['/', '\\']).next());
    let names = [
        format!("{stem}_samples.jsonl"),
        format!("{stem}.jsonl"),
        format!("{stem}_samples.json"),
        said.unwrap_or_default().to_owned(),
    ];
    names
        .iter()
        .filter(|name| !name.is_empty() && *name != "..")
        .map(|name| record.with_file_name(name))
        .find(|path| path != record && path.is_file())
}

fn refused(refusal: Refusal) -> Stop {
    let why = |reason: Reason| Why {
        slug: reason.kind.slug().to_owned(),
        path: reason.path,
        line: reason.line,
        message: reason.message,
    };
    Stop::Refused(refusal.reasons.into_iter().map(why).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
pub(super) fn failed(error: io::Error) -> Stop {
    Stop::Failed(error.to_string())
}
