use std::io::{self, BufReader, Cursor, Read, Write as _};
use std::path::Path;

use assay_check::{Context, FileKind, Files, Item, LayoutPolicy, Options, validate};
use assay_model::Severity;

use super::Why;
use super::work::{Stop, failed};
use crate::replace::{Scratch, same_bytes};

/// A record that was made, and its samples: not yet anywhere.
#[derive(Debug)]
pub(super) struct UpgradedRecord {
    pub(super) path: String,
    pub(super) json: String,
    pub(super) samples: Option<(String, Scratch)>,
}

impl Files for UpgradedRecord {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        if path == self.path {
            return Ok(Box::new(Cursor::new(self.json.as_bytes())));
        }
        match &self.samples {
            Some((own, scratch)) if path == own => Ok(Box::new(scratch.reader()?)),
            Some(_) | None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        if path == self.path {
            return Some(self.json.len() as u64);
        }
        let (_, scratch) = self.samples.as_ref().filter(|(own, _)| path == own)?;
        scratch.size()
    }
}

impl UpgradedRecord {
    /// Refuses what the validation of every push would refuse.
    pub(super) fn validate(&self) -> Result<(), Stop> {
        let items = [Item {
            path: self.path.as_str().into(),
            kind: Some(FileKind::Record),
        }];
        let context = Context {
            layout: LayoutPolicy::Strict,
            ..Context::default()
        };
        let reports = validate(self, &items, &context, &Options::default());
        let reasons: Vec<Why> = reports
            .iter()
            .flat_map(|report| {
                report
                    .findings
                    .diagnostics()
                    .iter()
                    .zip(std::iter::repeat(report))
            })
            .filter(|(diagnostic, _)| diagnostic.severity == Severity::Error)
            .map(|(diagnostic, report)| Why {
                slug: diagnostic.code.to_string(),
                path: diagnostic.path.clone(),
                line: (report.kind == Some(FileKind::Samples)).then_some(diagnostic.place.line),
                message: diagnostic.message.clone(),
            })
            .collect();
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(Stop::Refused(reasons))
        }
    }

    /// Writes the samples and then the record, so that no record ever stands without its samples;
    /// returns where the record is. What is there already stays: the same bytes are fine, others
    /// are a refusal.
    pub(super) fn write(self, out: &Path, dry_run: bool) -> Result<String, Stop> {
        let record = out.join(&self.path);
        let record_stands = stands(&record, self.json.as_bytes())?;
        let samples = match self.samples {
            Some((path, scratch)) => {
                let target = out.join(path);
                let same = stands(&target, scratch.reader().map_err(failed)?)?;
                (!same).then_some((target, scratch))
            }
            None => None,
        };
        if dry_run {
            return Ok(self.path);
        }
        let directory = record.parent().unwrap_or(out);
        fs_err::create_dir_all(directory).map_err(failed)?;
        if let Some((target, scratch)) = samples {
            scratch
                .settle(&target)
                .map_err(|error| cannot_write(&target, &error))?;
        }
        if !record_stands {
            let mut scratch = Scratch::in_directory(directory).map_err(failed)?;
            scratch
                .file()
                .write_all(self.json.as_bytes())
                .map_err(failed)?;
            scratch
                .settle(&record)
                .map_err(|error| cannot_write(&record, &error))?;
        }
        Ok(self.path)
    }
}

/// Returns whether a file is there with the very bytes that belong there. Other bytes are a
/// refusal: they are someone's.
fn stands(path: &Path, expected: impl Read) -> Result<bool, Stop> {
    let file = match fs_err::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    let same = same_bytes(BufReader::new(file), BufReader::new(expected)).map_err(failed)?;
    if same {
        return Ok(true);
    }
    Err(Stop::Refused(vec![Why {
        slug: "output-differs".to_owned(),
        path: String::new(),
        line: None,
        message: format!(
            "`{}` is there already and says something else",
            path.display()
        ),
    }]))
}

fn cannot_write(path: &Path, error: &io::Error) -> Stop {
    Stop::Failed(format!("failed to write `{}`: {error}", path.display()))
}
