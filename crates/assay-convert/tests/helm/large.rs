//! Runs that are too large to be held, and the work that goes into them.

use std::io::{self, BufWriter, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use assay_convert::convert::{
    Datastore, Harness, Identity, Log, LogFile, Logs, Options, Pair, convert,
};

use crate::run::Run;
use crate::store::Tree;

/// Counts how many bytes are read.
struct Counting<'t>(&'t Tree, AtomicU64);

struct CountingFile<'c>(Cursor<&'c [u8]>, &'c AtomicU64);

impl Logs for Counting<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        let bytes = self.0.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(CountingFile(Cursor::new(bytes), &self.1)))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        Logs::list(self.0, directory)
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

    fn finish(self: Box<Self>, _: &str, _: bool) -> io::Result<()> {
        Ok(())
    }
}

/// How many bytes are read of a run with so many instances, how many it has, and how much was told to who watches.
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

/// A run directory on the disk.
struct OnDisk(PathBuf);

impl Logs for OnDisk {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        let name = path.strip_prefix("run/").unwrap();
        Ok(Box::new(std::fs::File::open(self.0.join(name))?))
    }

    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(&self.0)?;
        names
            .map(|entry| Ok(entry?.file_name().to_str().unwrap().to_owned()))
            .collect()
    }
}

impl OnDisk {
    /// A run of HELM with every instance so many times, under other names.
    fn many(copies: usize) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("helm-large");
        std::fs::create_dir_all(&directory).unwrap();
        for (path, bytes) in Tree::of_fixture("joint").0 {
            let name = path.strip_prefix("run/").unwrap();
            let mut file = BufWriter::new(std::fs::File::create(directory.join(name)).unwrap());
            let text = String::from_utf8(bytes).unwrap();
            // Only what lies between these is repeated: the list of requests, or of the stats of instances.
            let (begin, end) = match name {
                "scenario_state.json" => (
                    text.find("[\n    {\n      \"instance\"").unwrap(),
                    text.rfind(']'),
                ),
                "per_instance_stats.json" => (0, text.rfind(']')),
                _ => {
                    file.write_all(text.as_bytes()).unwrap();
                    continue;
                }
            };
            let items = &text[begin + 1..end.unwrap()];
            file.write_all(&text.as_bytes()[..=begin]).unwrap();
            for copy in 0..copies {
                let separator = if copy == 0 { "" } else { "," };
                let renamed = items.replace("id\": \"id", &format!("id\": \"{copy}-id"));
                write!(file, "{separator}{renamed}").unwrap();
            }
            file.write_all(&text.as_bytes()[end.unwrap()..]).unwrap();
        }
        Self(directory)
    }

    fn size(&self) -> u64 {
        let sizes = std::fs::read_dir(&self.0).unwrap();
        sizes
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum()
    }
}

/// The most memory that this process has had, as the system tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("VmHWM: unknown").to_owned()
}

/// How fast runs are read: `cargo test --release --test helm throughput -- --ignored --nocapture`.
#[test]
#[ignore = "it measures and judges nothing"]
#[expect(clippy::print_stderr, reason = "it is run for what it prints")]
fn throughput() {
    let run = OnDisk::many(6250);
    for jobs in [1, 2] {
        let options = Options {
            jobs,
            ..Options::default()
        };
        let log = Log {
            logs: &run,
            path: "run",
            options: &options,
            datastore: &Nowhere,
            progress: &|_| {},
        };
        let start = std::time::Instant::now();
        let converted = convert(Harness::Helm, &log).unwrap().remove(0);
        let seconds = start.elapsed().as_secs_f64();
        eprintln!(
            "{jobs} jobs: {} bytes, {} rows in {seconds:.2} s; {}",
            run.size(),
            converted.rows,
            peak_memory()
        );
    }
}
