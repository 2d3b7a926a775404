//! `just bench validate`: what validation costs, as ratios against named peers measured in the same
//! run.
//!
//! Times are CPU seconds of the thread or process that did the work, so a busy machine does not
//! change them much. Options (after `--`): `mb=100` size of each samples file, `gb=1` size of the
//! large one, `records=5500`, `datastore=DIR` real records instead of generated ones, and
//! `peer=PYTHON` an interpreter with the reference validator (`every-eval-ever` 0.3.0, Python 3.12)
//! installed. `only=records` leaves the samples files out.
#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run should stop"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "ratios need no more than a few digits"
)]

mod generate;
#[path = "../support/measure.rs"]
mod measure;
mod peer;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/record.rs"]
mod record;
#[path = "../support/speed.rs"]
mod speed;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use assay_check::{Context, FileKind, Files, Item, Options, validate};
use assay_model::Severity;

/// The speed of the reference validator on one machine: valid 0.3.0 records per CPU second.
const REFERENCE_RECORDS_PER_SECOND: f64 = 1640.0;
/// Number of runs over the records that are timed together: the system counts CPU time in
/// hundredths of a second.
const RUNS: u32 = 10;
/// The number of batches of runs; the best counts, as other work on the machine only ever takes
/// time.
const BATCHES: u32 = 5;

fn main() {
    let settings = Settings::from_arguments();
    let directory = tempfile::tempdir().unwrap();
    if !settings.only_records {
        samples(directory.path(), &settings);
        large(directory.path(), &settings);
    }
    records(directory.path(), &settings);
    start_up();
}

struct Settings {
    mb: usize,
    gb: f64,
    records: usize,
    datastore: Option<PathBuf>,
    peer: Option<String>,
    only_records: bool,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            mb: 100,
            gb: 1.0,
            records: 5500,
            datastore: None,
            peer: None,
            only_records: false,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("mb", value)) => settings.mb = value.parse().unwrap(),
                Some(("gb", value)) => settings.gb = value.parse().unwrap(),
                Some(("records", value)) => settings.records = value.parse().unwrap(),
                Some(("datastore", value)) => settings.datastore = Some(value.into()),
                Some(("only", value)) => settings.only_records = value == "records",
                Some(("peer", value)) => settings.peer = Some(value.to_owned()),
                Some(_) | None => {}
            }
        }
        settings
    }
}

/// One core: everything we do with a samples file, against the fastest full parse of the same
/// bytes.
fn samples(directory: &Path, settings: &Settings) {
    println!(
        "samples files, {} MB each, one thread, MB per CPU second",
        settings.mb
    );
    println!("{:<44}{:>12}{:>12}", "", "short rows", "mixed rows");
    let profiles = [generate::Profile::Short, generate::Profile::Mixed];
    let pairs = profiles.map(|profile| {
        generate::samples(
            &directory.join(profile.name()),
            profile,
            settings.mb * 1_000_000,
        )
    });
    let texts: Vec<String> = pairs
        .iter()
        .map(|pair| std::fs::read_to_string(&pair.samples).unwrap())
        .collect();
    let row =
        |name: &str, speeds: [f64; 2]| println!("{name:<44}{:>12.0}{:>12.0}", speeds[0], speeds[1]);
    let parse = |parse: fn(&str)| {
        [0, 1].map(|index| speed::speed(texts[index].len(), || parse(&texts[index])))
    };

    let value = parse(peer::sonic_value);
    let typed = parse(peer::sonic_typed);
    let serde = parse(peer::serde_typed);
    let ours =
        [0, 1].map(|index| speed::speed(texts[index].len(), || validate_pair(&pairs[index], 1)));

    row("sonic-rs into a value (no types, no places)", value);
    row("sonic-rs into types", typed);
    row("serde_json into types", serde);
    row("assay: parse, shape, rules, SHA-256, pairing", ours);
    let ratio = |peer: [f64; 2]| [0, 1].map(|index| peer[index] / ours[index]);
    let print = |name: &str, ratios: [f64; 2]| {
        println!("{name:<44}{:>11.2}x{:>11.2}x", ratios[0], ratios[1]);
    };
    print("  time against sonic-rs into types", ratio(typed));
    print("  time against sonic-rs into a value", ratio(value));

    let wall = [1, 2].map(|jobs| {
        (0..3)
            .map(|_| {
                let start = Instant::now();
                validate_pair(&pairs[1], jobs);
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    });
    println!(
        "{:<44}{:>23.2}x\n",
        "  two threads against one, wall clock",
        wall[0] / wall[1]
    );
}

/// A file of any size: the memory of the whole program.
fn large(directory: &Path, settings: &Settings) {
    if settings.gb <= 0.0 {
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a size in bytes"
    )]
    let bytes = (settings.gb * 1e9) as usize;
    let pair = generate::samples(&directory.join("large"), generate::Profile::Short, bytes);
    let run = measure::run(&["validate", "--quiet", pair.record.to_str().unwrap()]);
    println!(
        "one samples file of {:.1} GB with its record, all cores",
        settings.gb
    );
    println!(
        "{:<44}{:>20.1} MiB",
        "  peak memory (limit 64 MiB)",
        run.peak_kib as f64 / 1024.0
    );
    println!(
        "{:<44}{:>20.0} MB/s\n",
        "  wall clock",
        bytes as f64 / 1e6 / run.wall
    );
    assert_eq!(run.exit, Some(0), "the generated file must be clean");
}

/// Many small files: the whole program, start to end, on one core like the reference.
fn records(directory: &Path, settings: &Settings) {
    let root = if let Some(datastore) = &settings.datastore {
        datastore.clone()
    } else {
        let root = directory.join("records");
        generate::records(&root, settings.records);
        root
    };
    let (count, bytes) = json_files(&root);
    let arguments = ["validate", "--quiet", "--jobs", "1", root.to_str().unwrap()];
    let batch = |_| {
        let seconds = (0..RUNS).map(|_| {
            let run = measure::run(&arguments);
            // Real records may deserve warnings; what they may not have is errors.
            assert!(matches!(run.exit, Some(0 | 2)), "the records must be valid");
            run.cpu
        });
        seconds.sum::<f64>() / f64::from(RUNS)
    };
    let best = (0..BATCHES).map(batch).fold(f64::INFINITY, f64::min);
    let per_second = count as f64 / best;
    println!(
        "{count} records, {:.1} MB, discovery included",
        bytes as f64 / 1e6
    );
    println!(
        "{:<44}{:>15.0} records per CPU second",
        "  assay validate", per_second
    );
    match settings
        .peer
        .as_deref()
        .map(|python| peer::reference(python, &root))
    {
        Some(cpu) => {
            let peer = count as f64 / cpu;
            println!(
                "{:<44}{:>15.0} records per CPU second",
                "  every-eval-ever validate, same run", peer
            );
            println!("{:<44}{:>15.1}x", "  ratio", per_second / peer);
        }
        None => println!(
            "{:<44}{:>15.1}x",
            format!("  against the reference's {REFERENCE_RECORDS_PER_SECOND} per CPU second"),
            per_second / REFERENCE_RECORDS_PER_SECOND
        ),
    }
    println!();
}

/// Returns the number of JSON files below a directory, and their bytes.
fn json_files(root: &Path) -> (u64, u64) {
    let (mut count, mut bytes) = (0, 0);
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                count += 1;
                bytes += entry.metadata().unwrap().len();
            }
        }
    }
    (count, bytes)
}

fn start_up() {
    let runs = 50;
    let start = Instant::now();
    for _ in 0..runs {
        measure::run(&["--version"]);
    }
    println!(
        "start-up (limit 10 ms){:>33.1} ms wall clock",
        start.elapsed().as_secs_f64() * 1e3 / f64::from(runs)
    );
}

fn validate_pair(pair: &generate::Pair, jobs: usize) {
    let items = [&pair.record, &pair.samples].map(|path| path.to_str().unwrap().into());
    let [record, samples] = items;
    let items = [
        Item {
            path: record,
            kind: Some(FileKind::Record),
        },
        Item {
            path: samples,
            kind: Some(FileKind::Samples),
        },
    ];
    let reports = validate(
        &Disk,
        &items,
        &Context::default(),
        &Options {
            jobs,
            ..Options::default()
        },
    );
    for report in reports {
        let faults: Vec<_> = report
            .findings
            .diagnostics()
            .iter()
            .filter(|found| found.severity > Severity::Note)
            .collect();
        assert!(
            faults.is_empty(),
            "the generated file must be clean: {:?}",
            faults.first()
        );
    }
}

struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(File::open(path)?))
    }

    fn size(&self, path: &str) -> Option<u64> {
        std::fs::metadata(path).ok().map(|data| data.len())
    }
}
