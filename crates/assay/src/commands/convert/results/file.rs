//! The result file: an entry is added behind what is there, and no other byte is touched.

use std::io::{self, Cursor, Read, Write as _};
use std::path::Path;

use assay_check::{Benchmarks, Context, FileKind, Files, Item, Options, validate};
use assay_formats::{Tape, eval_results, yaml};
use assay_model::{Entry, Severity};

use super::{ConvertedEntry, Problem};
use crate::benchmarks::Lists;

/// The directory of result files in the repository of a model.
const DIRECTORY: &str = ".eval_results";
/// The largest result file that is added to, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The place of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// It is only printed.
    Nowhere,
    /// It would go into the result file below this directory.
    Tried(&'a Path),
    /// It goes into the result file below this directory.
    Written(&'a Path),
}

/// The outcome for the result file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// The file is new.
    Created,
    /// The entry stands behind the others.
    Added,
    /// The entry was there already.
    Unchanged,
}

impl Written {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Added => "added",
            Self::Unchanged => "unchanged",
        }
    }

    /// Returns the outcome, for a sentence that ends in the path.
    pub(super) fn words(self, dry_run: bool) -> &'static str {
        match (self, dry_run) {
            (Self::Created, false) => "wrote",
            (Self::Created, true) => "would write",
            (Self::Added, false) => "added to",
            (Self::Added, true) => "would add to",
            (Self::Unchanged, _) => "nothing to add to",
        }
    }
}

/// Adds an entry to the result file it belongs in.
pub(super) fn add(
    entry: Entry,
    place: Place<'_>,
    lists: &Lists,
) -> Result<ConvertedEntry, Problem> {
    let name = format!("{DIRECTORY}/{}", entry.dataset.result_file_name());
    let text = eval_results::write(std::slice::from_ref(&entry));
    let out = match place {
        Place::Nowhere => None,
        Place::Tried(out) | Place::Written(out) => Some(out),
    };
    let path = out.map(|out| out.join(&name));
    let existing = match &path {
        Some(path) => read(path)?,
        None => None,
    };
    let (whole, written) = match &existing {
        None => (text.clone(), Written::Created),
        Some(existing) => appended(existing, entry, &text, &name)?,
    };
    let warnings = validate_result_file(&name, &whole, lists)?;
    if let (Place::Written(_), Some(path), Written::Created | Written::Added) =
        (place, &path, written)
    {
        replace(path, &whole).map_err(|error| {
            Problem::Failed(vec![format!(
                "failed to write `{}`: {error}",
                path.display()
            )])
        })?;
    }
    Ok(ConvertedEntry {
        text,
        file: path.map(|path| (path.display().to_string(), written)),
        warnings,
        changes: Vec::new(),
    })
}

/// The file with the entry behind what is there.
fn appended(
    existing: &str,
    entry: Entry,
    text: &str,
    name: &str,
) -> Result<(String, Written), Problem> {
    let refuse = |why: String| Problem::Refused(vec![why]);
    let mut entries = entries(existing).ok_or_else(|| {
        refuse(format!(
            "`{name}` is there and is no result file; `assay validate` tells what is wrong with it"
        ))
    })?;
    if let Some(same) = entries.iter().find(|own| is_same_run(own, &entry)) {
        let values = |entry: &Entry| -> Vec<_> {
            entry
                .scores
                .iter()
                .map(|score| score.value.to_string())
                .collect()
        };
        if values(same) == values(&entry) {
            return Ok((existing.to_owned(), Written::Unchanged));
        }
        return Err(refuse(format!(
            "`{name}` has an entry for `{}` and `{}` with other values ({} there, {} here); change or remove it first",
            entry.dataset,
            entry.task,
            values(same).join(", "),
            values(&entry).join(", "),
        )));
    }
    let line_feed = if existing.is_empty() || existing.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let whole = format!("{existing}{line_feed}{text}");
    entries.push(entry);
    if self::entries(&whole).as_ref() == Some(&entries) {
        return Ok((whole, Written::Added));
    }
    // A list in brackets, an indented list or a second document cannot be added to by writing
    // behind it.
    Err(refuse(format!(
        "`{name}` is laid out so that nothing can be added at its end; add the entry by hand: `--out -` prints it"
    )))
}

/// Returns whether two entries claim the same: one task, one set of metrics, one setup.
fn is_same_run(one: &Entry, other: &Entry) -> bool {
    let metrics = |entry: &Entry| -> Vec<_> {
        let scores = entry.scores.iter();
        scores
            .map(|score| (score.metric.clone(), score.slice.clone()))
            .collect()
    };
    one.dataset == other.dataset
        && one.task == other.task
        && one.notes == other.notes
        && one.subset == other.subset
        && one.setup == other.setup
        && metrics(one) == metrics(other)
}

fn entries(text: &str) -> Option<Vec<Entry>> {
    let mut tape = Tape::new();
    let faults = yaml::parse(text, &mut tape);
    if !faults.is_empty() {
        return None;
    }
    eval_results::read(tape.root(text)?)
}

fn read(path: &Path) -> Result<Option<String>, Problem> {
    let failed = |why: String| Problem::Failed(vec![why]);
    let file = match fs_err::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    let mut text = String::new();
    file.take(MAX_FILE + 1)
        .read_to_string(&mut text)
        .map_err(|error| failed(error.to_string()))?;
    if text.len() as u64 > MAX_FILE {
        let shown = path.display();
        return Err(failed(format!("`{shown}` has more than {MAX_FILE} bytes")));
    }
    Ok(Some(text))
}

/// Refuses a file that a push would refuse; returns the warnings.
pub(crate) fn validate_result_file(
    name: &str,
    text: &str,
    benchmarks: &dyn Benchmarks,
) -> Result<Vec<String>, Problem> {
    let items = [Item {
        path: name.into(),
        kind: Some(FileKind::EvalResults),
    }];
    let context = Context {
        benchmarks,
        ..Context::default()
    };
    let reports = validate(
        &OneFile { name, text },
        &items,
        &context,
        &Options::default(),
    );
    let found = |severity: Severity| -> Vec<String> {
        reports
            .iter()
            .flat_map(|report| report.findings.diagnostics())
            .filter(|diagnostic| diagnostic.severity == severity)
            .map(|diagnostic| format!("{} [{}]", diagnostic.message, diagnostic.code))
            .collect()
    };
    let errors = found(Severity::Error);
    if errors.is_empty() {
        Ok(found(Severity::Warning))
    } else {
        Err(Problem::Refused(errors))
    }
}

struct OneFile<'a> {
    name: &'a str,
    text: &'a str,
}

impl Files for OneFile<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        if path == self.name {
            Ok(Box::new(Cursor::new(self.text.as_bytes())))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        (path == self.name).then_some(self.text.len() as u64)
    }
}

/// Writes a file so that it is never seen half written.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".assay-convert-");
    #[cfg(unix)]
    {
        // A scratch file is private by default, and the result file that it becomes should not be.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut scratch = builder.tempfile_in(directory)?;
    scratch.write_all(text.as_bytes())?;
    scratch.as_file().sync_data()?;
    scratch.persist(path).map_err(|error| error.error)?;
    Ok(())
}
