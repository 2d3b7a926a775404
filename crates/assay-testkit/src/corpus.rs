//! The corpus: real logs, records and published schemas. It is not part of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The archive of published records, as the corpus has it.
const RECORDS: &str = "eee-records-0.2.tar.gz";

/// Returns the directory that `ASSAY_CORPUS` names, or the one beside the repository. Without
/// either it prints that the test is skipped.
///
/// # Panics
///
/// When `ASSAY_CORPUS` names something that is no directory: a comparison that was asked for is not
/// skipped.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn find_corpus() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ASSAY_CORPUS") {
        let named = PathBuf::from(named);
        assert!(
            named.is_dir(),
            "ASSAY_CORPUS is `{}`, which is no directory",
            named.display()
        );
        return Some(named);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let found = beside.is_dir().then_some(beside);
    if found.is_none() {
        eprintln!("skipped: there is no corpus; set ASSAY_CORPUS to its directory");
    }
    found
}

/// Unpacks the published records into a directory, once, and returns it: `records-0.2.0` and
/// `records-0.2.2` are below.
///
/// # Panics
///
/// When the archive cannot be unpacked.
#[expect(
    clippy::disallowed_methods,
    reason = "unpacking is no business of git's, and no crate that reads archives is worth one test"
)]
pub fn unpack_records(corpus: &Path, directory: &Path) -> PathBuf {
    let unpacked = directory.join("eee-records-0.2");
    if unpacked.is_dir() {
        return unpacked;
    }
    // Several tests may do this at once, and one may be killed: only a whole directory gets its
    // name.
    let draft = tempfile::tempdir_in(directory).expect("a directory for the records");
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(corpus.join(RECORDS))
        .arg("-C")
        .arg(draft.path())
        .status()
        .expect("tar runs");
    assert!(status.success(), "tar could not unpack the records");
    if std::fs::rename(draft.path(), &unpacked).is_err() {
        assert!(unpacked.is_dir(), "the records have no directory");
    }
    unpacked
}

/// Returns the text of a gzipped file of the corpus.
///
/// # Panics
///
/// When the file is missing or damaged.
#[expect(
    clippy::disallowed_methods,
    reason = "unpacking is no business of git's"
)]
pub fn read_gzipped(file: &Path) -> String {
    let output = Command::new("gzip")
        .arg("-dc")
        .arg(file)
        .output()
        .expect("gzip runs");
    assert!(
        output.status.success(),
        "gzip could not unpack `{}`",
        file.display()
    );
    String::from_utf8(output.stdout).expect("the file has text")
}

/// Returns every file below a directory, in the order of their paths.
///
/// # Panics
///
/// When a directory cannot be read.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("the directory can be read") {
            let path = entry.expect("the directory can be read").path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
