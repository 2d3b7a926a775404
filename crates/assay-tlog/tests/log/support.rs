use std::path::Path;

use assay_tlog::{Log, LogError, LogOptions, LogPath, LogSource, NoteKey, VerifierKey};

/// The name of the log in these tests.
pub(crate) const ORIGIN: &str = "hub.example/log/results";

pub(crate) fn key() -> NoteKey {
    NoteKey::from_seed(ORIGIN, &[2; 32]).unwrap()
}

pub(crate) fn verifier() -> VerifierKey {
    key().verifier()
}

pub(crate) fn open(dir: &Path) -> Log {
    try_open(dir).unwrap()
}

pub(crate) fn try_open(dir: &Path) -> Result<Log, LogError> {
    Log::open(dir, key(), &LogOptions::default())
}

/// A leaf that no other number has.
pub(crate) fn leaf(number: u64) -> Vec<u8> {
    format!("{{\"n\":{number},\"t\":\"test\",\"v\":1}}").into_bytes()
}

/// Appends the next so many leaves, all at once, and waits for them.
pub(crate) fn grow(log: &Log, count: u64) {
    let first = log.size();
    let pending: Vec<_> = (first..first + count)
        .map(|number| log.append(leaf(number)))
        .collect();
    for (pending, expected) in pending.into_iter().zip(first..) {
        assert_eq!(pending.wait().unwrap(), expected);
    }
}

/// Writes all files of a log below a directory, as a mirror does.
pub(crate) fn export(log: &Log, dir: &Path) {
    let mut log = log.clone();
    for path in LogPath::between(0, log.size()) {
        let bytes = log.fetch(&path).unwrap().unwrap();
        let target = dir.join(path.to_string());
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::write(target, bytes).unwrap();
    }
}

/// Copies the files of a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs_err::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
