//! What is new, and in which steps it comes in.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use assay_check::FileKind;
use assay_formats::syntax::limits;

use super::{Precedence, Refused, Report};
use crate::discover::{DiscoveredFiles, benchmark_of, digest_of, model_of, samples_of};
use crate::manifest::{Manifest, Source};
use crate::place::RecordPlace;
use crate::record::id_of;

/// A file that comes in unless it breaks rules.
#[derive(Debug)]
pub(super) struct Planned {
    /// Where it lies.
    pub(super) path: String,
    /// A record, a result file or a definition.
    pub(super) kind: FileKind,
    /// What its rows carry as `record_id`.
    pub(super) id: String,
    /// The place of a record in its datastore.
    pub(super) place: RecordPlace,
    /// The SHA-256 of its bytes.
    pub(super) digest: String,
    /// The samples beside a record.
    pub(super) samples: Option<String>,
    /// How large and how old it was before it was read.
    pub(super) own_stamp: Stamp,
    /// The same of the samples.
    pub(super) stamp: Option<Stamp>,
    /// How many bytes it and its samples have.
    pub(super) bytes: u64,
}

/// What changes when a file is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// How a file stands now, if it is there.
    pub(super) fn of(path: &str) -> Option<Self> {
        Self::read(path).ok()
    }

    fn read(path: &str) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// Everything that is new.
#[derive(Debug, Default)]
pub(super) struct Plan {
    planned: Vec<Planned>,
}

impl Plan {
    /// Leaves out what the lake has already, by content.
    pub(super) fn new(
        found: DiscoveredFiles,
        manifest: &Manifest,
        precedence: Precedence,
        report: &mut Report,
    ) -> Self {
        let mut plan = Self::default();
        let mut seen: BTreeMap<String, (String, String)> = BTreeMap::new();
        let records = found
            .records
            .into_iter()
            .map(|path| (path, FileKind::Record));
        let results = found
            .results
            .into_iter()
            .map(|path| (path, FileKind::EvalResults));
        let definitions = found
            .definitions
            .into_iter()
            .map(|path| (path, FileKind::EvalYaml));
        for (path, kind) in records.chain(results).chain(definitions) {
            let planned = match planned(path.clone(), kind) {
                Ok(planned) => planned,
                Err(why) => {
                    report.refused.push(Refused::because(&path, &why));
                    continue;
                }
            };
            if let Some((first, digest)) = seen.get(&planned.id) {
                if *digest == planned.digest {
                    report.unchanged += 1;
                } else {
                    let why = format!("`{first}` is the same record with other content");
                    report.refused.push(Refused::because(&path, &why));
                }
                continue;
            }
            seen.insert(planned.id.clone(), (path, planned.digest.clone()));
            let known = manifest.sources.get(&planned.id);
            if known.is_some_and(|known| is_same(known, &planned)) {
                report.unchanged += 1;
            } else if let Some(owner) = known.and_then(|known| owner(known, &planned, precedence)) {
                let why = format!("`{owner}` is the same record with other content");
                report.refused.push(Refused::because(&planned.path, &why));
            } else {
                plan.planned.push(planned);
            }
        }
        plan
    }

    /// How many bytes there are to read.
    pub(super) fn bytes(&self) -> u64 {
        self.planned.iter().map(|planned| planned.bytes).sum()
    }

    /// The files in steps of at most so many files and bytes, and at least one file.
    pub(super) fn steps(&self, files: usize, bytes: u64) -> impl Iterator<Item = &[Planned]> {
        let mut rest = self.planned.as_slice();
        std::iter::from_fn(move || {
            let mut sum = 0;
            let fitting = rest
                .iter()
                .take(files)
                .take_while(|planned| {
                    sum += planned.bytes;
                    sum <= bytes
                })
                .count();
            let (step, left) = rest.split_at_checked(fitting.max(1))?;
            rest = left;
            Some(step)
        })
    }
}

fn planned(path: String, kind: FileKind) -> Result<Planned, String> {
    let own_stamp = Stamp::read(&path).map_err(|error| error.to_string())?;
    if own_stamp.size > limits::MAX_DOCUMENT_BYTES as u64 {
        return Err(format!(
            "it has {} bytes, and {} is the limit",
            own_stamp.size,
            limits::MAX_DOCUMENT_BYTES
        ));
    }
    let (digest, size) = digest_of(Path::new(&path)).map_err(|error| error.to_string())?;
    let (id, samples) = match kind {
        FileKind::Record => (id_of(&path, &digest), samples_of(&path)),
        FileKind::EvalResults | FileKind::Samples => (id_of_results(&path)?, None),
        FileKind::EvalYaml => (id_of_definition(&path)?, None),
    };
    let place = match kind {
        FileKind::Record => RecordPlace::find(&path),
        FileKind::EvalResults | FileKind::EvalYaml | FileKind::Samples => RecordPlace::default(),
    };
    let stamp = samples.as_deref().and_then(Stamp::of);
    Ok(Planned {
        bytes: size + stamp.map_or(0, |stamp| stamp.size),
        path,
        kind,
        id,
        place,
        digest,
        samples,
        own_stamp,
        stamp,
    })
}

/// A result file is known by its model and its name.
fn id_of_results(path: &str) -> Result<String, String> {
    let model = model_of(path).ok_or("no two directories above `.eval_results` name the model")?;
    let name = path.rsplit('/').next().unwrap_or(path);
    Ok(format!("{model}/{name}"))
}

/// A definition is known by its benchmark. No result file has such a name.
fn id_of_definition(path: &str) -> Result<String, String> {
    let benchmark = benchmark_of(path).ok_or("no two directories above it name the benchmark")?;
    Ok(format!("benchmark:{benchmark}"))
}

/// Where a record lies that may not be replaced by this one.
fn owner<'m>(known: &'m Source, planned: &Planned, precedence: Precedence) -> Option<&'m str> {
    let is_there = || known.path != planned.path && Path::new(&known.path).is_file();
    match precedence {
        Precedence::First => is_there().then_some(known.path.as_str()),
        Precedence::Newest => None,
    }
}

/// Returns whether the lake has this very content. Samples are hashed only when nothing cheaper
/// tells them apart.
fn is_same(known: &Source, planned: &Planned) -> bool {
    // A benchmark that has a definition since then gives its records other names.
    let is_elsewhere = planned
        .place
        .benchmark()
        .is_some_and(|benchmark| benchmark != known.partition.benchmark);
    if known.digest != planned.digest || known.bytes != planned.bytes || is_elsewhere {
        return false;
    }
    match (&known.samples_digest, &planned.samples) {
        (None, None) => true,
        (Some(known), Some(path)) => {
            digest_of(Path::new(path)).is_ok_and(|(digest, _)| digest == *known)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}
