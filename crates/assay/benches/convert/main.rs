//! `just bench convert`: what conversion costs, as ratios against the reference and against the
//! fastest parse of the same bytes by a program that does nothing else, run in turns with ours.
//!
//! Times are CPU seconds of whole programs, the best of several, so a busy machine does not change
//! them much. Options (after `--`): `mb=100` size of each log, `only=NAME` one kind of log,
//! `log=PATH` a log of that kind that is there already instead of a generated one, and `large`
//! memory and threads on logs of a gigabyte instead.
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

use std::path::{Path, PathBuf};

use self::generate::Kind;

/// The logs of `large`, and how many megabytes each has before it is packed.
const LARGE: [(Kind, usize); 4] = [
    (Kind::InspectSmall, 500),
    (Kind::InspectSmall, 1000),
    (Kind::InspectEval, 1000),
    (Kind::InspectJson, 1000),
];

/// The number of rounds in which the programs are measured in turns; the best counts.
const ROUNDS: usize = 5;
/// The number of runs of a program each time. The system counts in hundredths of a second, which is
/// much of a single run.
const RUNS: usize = 4;

fn main() {
    let settings = Settings::from_arguments();
    if let (Some(kind), Some(log)) = (settings.bare, &settings.log) {
        peer::parse(kind, log);
    } else if settings.large {
        large();
    } else {
        ratios(&settings);
    }
}

struct Settings {
    mb: usize,
    only: Option<String>,
    log: Option<PathBuf>,
    large: bool,
    /// Set in the process that is the bare parse: the kind of the log.
    bare: Option<Kind>,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            mb: 100,
            only: None,
            log: None,
            large: false,
            bare: None,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("mb", value)) => settings.mb = value.parse().unwrap(),
                Some(("only", value)) => settings.only = Some(value.to_owned()),
                Some(("log", value)) => settings.log = Some(value.into()),
                Some(("bare", value)) => {
                    settings.bare = Kind::ALL.into_iter().find(|kind| kind.name() == value);
                }
                Some(_) => {}
                None => settings.large |= argument == "large",
            }
        }
        settings
    }
}

fn ratios(settings: &Settings) {
    println!("logs of {} MB, one thread, samples written\n", settings.mb);
    println!(
        "{:<16}{:>12}{:>14}{:>14}{:>12}{:>12}",
        "", "MB per", "against the", "time against", "MB parsed", "peak MiB"
    );
    println!(
        "{:<16}{:>12}{:>14}{:>14}{:>12}{:>12}",
        "", "CPU second", "reference", "a bare parse", "", ""
    );
    for kind in Kind::ALL {
        let only = settings.only.as_deref();
        if only.is_none_or(|only| only == kind.name()) {
            ratio(kind, settings);
        }
    }
}

/// One kind of log: the whole program, start to end, and a bare parse of the same bytes.
fn ratio(kind: Kind, settings: &Settings) {
    let directory = tempfile::tempdir().unwrap();
    let path = match &settings.log {
        Some(path) => path.clone(),
        None => generate::log(kind, directory.path(), settings.mb * 1_000_000).path,
    };
    let bytes = size(&path);
    let inflated = peer::parse(kind, &path);
    let (mut best, mut bare) = (f64::INFINITY, f64::INFINITY);
    let mut peak_kib = 0;
    let out = directory.path().join("out");
    for _ in 0..ROUNDS {
        let (mut own_cpu, mut bare_cpu) = (0.0, 0.0);
        for _ in 0..RUNS {
            let own = run(kind, &path, &out, 1);
            std::fs::remove_dir_all(&out).unwrap();
            own_cpu += own.cpu / RUNS as f64;
            peak_kib = peak_kib.max(own.peak_kib);
        }
        for _ in 0..RUNS {
            bare_cpu += run_bare(kind, &path).cpu / RUNS as f64;
        }
        best = best.min(own_cpu);
        bare = bare.min(bare_cpu);
    }
    let ours = bytes as f64 / 1e6 / best;
    println!(
        "{:<16}{:>12.0}{:>13.0}x{:>13.2}x{:>12.0}{:>12.1}",
        kind.name(),
        ours,
        ours / kind.reference(),
        best / bare,
        inflated as f64 / 1e6,
        peak_kib as f64 / 1024.0
    );
}

/// Memory, and what a second thread is good for.
fn large() {
    println!(
        "{:<16}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}",
        "", "samples", "MB", "1 thread", "CPU", "2 threads", "CPU", "peak MiB"
    );
    for (kind, mb) in LARGE {
        let directory = tempfile::tempdir().unwrap();
        let log = generate::log(kind, directory.path(), mb * 1_000_000);
        let one = run(kind, &log.path, &directory.path().join("one"), 1);
        let two = run(kind, &log.path, &directory.path().join("two"), 2);
        println!(
            "{:<16}{:>10}{:>10.0}{:>10.1} s{:>10.1} s{:>10.1} s{:>10.1} s{:>12.1}",
            kind.name(),
            log.samples,
            size(&log.path) as f64 / 1e6,
            one.wall,
            one.cpu,
            two.wall,
            two.cpu,
            one.peak_kib.max(two.peak_kib) as f64 / 1024.0
        );
    }
}

/// The peer, as a program of its own: its memory is as new as ours.
fn run_bare(kind: Kind, log: &Path) -> measure::Run {
    let (kind, log) = (
        format!("bare={}", kind.name()),
        format!("log={}", log.display()),
    );
    let run = measure::run_other(&std::env::current_exe().unwrap(), &[&kind, &log]);
    assert_eq!(run.exit, Some(0), "the bare parse must succeed");
    run
}

fn run(kind: Kind, log: &Path, out: &Path, jobs: usize) -> measure::Run {
    let jobs = jobs.to_string();
    let arguments = [
        "convert",
        kind.harness(),
        log.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--jobs",
        &jobs,
        "--no-progress",
    ];
    let run = measure::run(&arguments);
    assert_eq!(
        run.exit,
        Some(0),
        "the generated log of {} must be converted; it took {:.1} s",
        kind.name(),
        run.wall
    );
    run
}

/// Returns the size of a log: a file, or all files of a directory.
fn size(path: &Path) -> usize {
    let bytes = if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        entries
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum()
    } else {
        std::fs::metadata(path).unwrap().len()
    };
    // The samples of lm-evaluation-harness lie beside its results.
    let beside = peer::samples_beside(path);
    let beside = beside.map_or(0, |path| std::fs::metadata(path).unwrap().len());
    usize::try_from(bytes + beside).unwrap()
}
