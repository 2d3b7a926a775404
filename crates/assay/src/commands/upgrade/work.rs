use std::collections::BTreeSet;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use assay_check::Files as _;
use assay_convert::upgrade::{Draft, Origin, Reason, Refusal, Rows, RowsError, RowsSummary};
use assay_formats::each;
use assay_formats::eee::from_root;
use assay_formats::syntax::limits;

use super::output::UpgradedRecord;
use super::{End, Outcome, Success, Why};
use crate::disk::Disk;
use crate::progress::{Progress, Watched};
use crate::replace::Scratch;

/// The names of the samples of `{uuid}.json`: today's, the one that 0.2 documented, and one that
/// was in use.
const SAMPLES_ENDINGS: [&str; 3] = ["_samples.jsonl", ".jsonl", "_samples.json"];

/// Upgrades records.
#[derive(Clone, Copy)]
pub(super) struct Worker<'a> {
    pub(super) disk: &'a Disk,
    pub(super) out: &'a Path,
    pub(super) dry_run: bool,
    pub(super) progress: &'a Progress,
}

/// The reason why a record did not come out.
pub(super) enum Stop {
    /// It cannot be upgraded.
    Refused(Vec<Why>),
    /// Something could not be read or written.
    Failed(String),
}

impl Worker<'_> {
    /// Upgrades records, in the order given whatever the number of threads.
    pub(super) fn upgrade_all(&self, records: &[Arc<str>], jobs: usize) -> Vec<Outcome> {
        let (firsts, copies) = by_home(records);
        let done = each(jobs, &firsts, |&index| self.upgrade(&records[index]));
        let mut outcomes: Vec<(usize, Outcome)> = firsts.into_iter().zip(done).collect();
        // Of two records that belong at one place the first one named wins, so the others wait.
        outcomes.extend(
            copies
                .iter()
                .map(|&index| (index, self.upgrade(&records[index]))),
        );
        outcomes.sort_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn upgrade(&self, record: &Arc<str>) -> Outcome {
        let mut from = None;
        let end = match self.try_upgrade(record, &mut from) {
            Ok(success) => End::Upgraded(Box::new(success)),
            Err(Stop::Refused(reasons)) => End::Refused(reasons),
            Err(Stop::Failed(message)) => End::Failed(message),
        };
        Outcome {
            input: Arc::clone(record),
            from,
            end,
        }
    }

    fn try_upgrade(&self, record: &str, from: &mut Option<Origin>) -> Result<Success, Stop> {
        let text = self.read(record)?;
        let draft = Draft::read(&text, record).map_err(refused)?;
        *from = Some(draft.origin());
        let samples_path = draft.samples_path();
        let (scratch, samples) = match samples_beside(self.disk, record, &draft) {
            Some(path) => {
                let (scratch, summary) = self.copy_samples(&path, &draft)?;
                (Some(scratch), summary)
            }
            None => (None, None),
        };
        let upgraded = draft.finish(samples.as_ref()).map_err(refused)?;
        let made = UpgradedRecord {
            path: upgraded.path,
            json: upgraded.json,
            samples: samples_path.zip(scratch),
        };
        made.validate()?;
        made.write(self.out, self.dry_run).map(|output| Success {
            output,
            changes: upgraded.report.changes,
            samples,
        })
    }

    fn open(&self, name: &str) -> Result<Watched<'_, Box<dyn Read + '_>>, Stop> {
        let reader = self.disk.open(name).map_err(|error| unread(name, &error))?;
        Ok(Watched {
            reader,
            progress: self.progress,
        })
    }

    fn read(&self, record: &str) -> Result<String, Stop> {
        let most = limits::MAX_DOCUMENT_BYTES;
        let mut bytes = Vec::new();
        self.open(record)?
            .take(most as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unread(record, &error))?;
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

    /// A file for samples, where a rename reaches its place; of a dry run nothing stays.
    ///
    /// It lies at the top of the output, because directories for a record that is refused later
    /// would stay behind.
    fn scratch(&self) -> io::Result<Scratch> {
        if self.dry_run {
            return Scratch::for_nothing();
        }
        fs_err::create_dir_all(self.out)?;
        Scratch::in_directory(self.out)
    }

    /// Copies the samples of a record to a scratch file: upgraded, or as they are when the record
    /// is current.
    fn copy_samples(
        &self,
        samples: &str,
        draft: &Draft,
    ) -> Result<(Scratch, Option<RowsSummary>), Stop> {
        let mut scratch = self.scratch().map_err(failed)?;
        let mut reader = BufReader::new(self.open(samples)?);
        if draft.is_current() {
            io::copy(&mut reader, scratch.file()).map_err(failed)?;
            return Ok((scratch, None));
        }
        let writer = io::BufWriter::new(scratch.file());
        let summary = match Rows::new(draft.target()).copy(reader, writer) {
            Ok(summary) => summary,
            Err(RowsError::Refused(refusal)) => return Err(refused(refusal)),
            Err(RowsError::Read(error)) => return Err(unread(samples, &error)),
            Err(RowsError::Write(error)) => return Err(failed(error)),
        };
        Ok((scratch, Some(summary)))
    }
}

/// The records that are the first to claim their place in the datastore, and those that come later.
fn by_home(records: &[Arc<str>]) -> (Vec<usize>, Vec<usize>) {
    let mut homes = BTreeSet::new();
    (0..records.len()).partition(|&index| homes.insert(from_root(&records[index]).0))
}

/// The record that a samples file belongs to by its name, when there is one.
pub(super) fn record_of(disk: &Disk, samples: &str) -> Option<Arc<str>> {
    let stem = SAMPLES_ENDINGS
        .iter()
        .find_map(|ending| samples.strip_suffix(ending))?;
    existing(disk, format!("{stem}.json"))
}

/// The samples file of a record by its name, when there is one.
pub(super) fn samples_of(disk: &Disk, record: &str) -> Option<Arc<str>> {
    let stem = record.strip_suffix(".json")?;
    SAMPLES_ENDINGS
        .iter()
        .find_map(|ending| existing(disk, format!("{stem}{ending}")))
}

/// The samples file beside a record: by its name, or by the one the record says.
fn samples_beside(disk: &Disk, record: &str, draft: &Draft) -> Option<Arc<str>> {
    let said = || {
        let path = draft.samples()?.file_path?;
        let name = path.rsplit(['/', '\\']).next()?;
        let directory = record
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory);
        let beside = match directory {
            "" => name.to_owned(),
            directory => format!("{directory}/{name}"),
        };
        (!name.is_empty() && beside != record).then(|| existing(disk, beside))?
    };
    samples_of(disk, record).or_else(said)
}

/// The name of a file, if it is there.
fn existing(disk: &Disk, name: String) -> Option<Arc<str>> {
    disk.size(&name).is_some().then(|| name.into())
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

fn unread(name: &str, error: &io::Error) -> Stop {
    Stop::Failed(format!("`{name}` cannot be read: {error}"))
}
