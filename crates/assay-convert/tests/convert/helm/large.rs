//! Runs that are too large to be held, and the work that goes into them.

use std::io::{self, Cursor, Read, Seek};
use std::sync::atomic::{AtomicU64, Ordering};

use assay_convert::convert::{
    Datastore, Harness, Identity, Log, LogFile, Logs, Options, Pair, convert,
};

use super::run::Run;
use super::store::Tree;

/// Counts how many bytes are read.
struct Counting<'t>(&'t Tree, AtomicU64);

struct CountingFile<'c>(Cursor<&'c [u8]>, &'c AtomicU64);

impl Logs for Counting<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        let bytes = self.0.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(CountingFile(Cursor::new(bytes), &self.1)))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        let below = format!("{directory}/");
        let names = self.0.0.keys();
        let names = names.filter_map(|path| path.strip_prefix(&below));
        Ok(names.map(str::to_owned).collect())
    }
}

impl Read for CountingFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for CountingFile<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Forgets what is written, as a disk does for the memory.
struct Nowhere;

impl Datastore for Nowhere {
    fn begin(&self, _: &Identity) -> io::Result<Box<dyn Pair + '_>> {
        Ok(Box::new(Forget(io::sink())))
    }
}

struct Forget(io::Sink);

impl Pair for Forget {
    fn rows(&mut self) -> &mut dyn io::Write {
        &mut self.0
    }

    fn finish(self: Box<Self>, _: &str, _: Option<&str>) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the number of bytes that are read of a run with so many instances, how many it has, and
/// how much was told to who watches.
fn work(instances: usize, jobs: usize) -> (u64, u64, u64) {
    let tree = Run::of(instances).tree();
    let counting = Counting(&tree, AtomicU64::new(0));
    let told = AtomicU64::new(0);
    let options = Options {
        jobs,
        ..Options::default()
    };
    let log = Log {
        logs: &counting,
        path: "run",
        options: &options,
        datastore: &Nowhere,
        progress: &|bytes| {
            told.fetch_add(bytes, Ordering::Relaxed);
        },
    };

    let converted = convert(Harness::Helm, &log).unwrap().remove(0);

    assert_eq!(converted.rows, instances as u64);
    let size = tree.0.values().map(|bytes| bytes.len() as u64).sum();
    (counting.1.into_inner(), size, told.into_inner())
}

#[test]
fn every_file_is_read_once_and_the_requests_once_more_however_large_the_run() {
    for (instances, jobs) in [(10, 1), (1000, 1), (2000, 2)] {
        let (read, size, told) = work(instances, jobs);

        assert!(read < 2 * size, "{read} bytes were read of {size}");
        assert_eq!(told, size);
    }
}
