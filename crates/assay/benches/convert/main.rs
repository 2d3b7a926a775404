//! `just bench convert`: what conversion costs, as ratios against the reference and against the fastest parse of the same
//! bytes, which is measured in the same run.
//!
//! Times are CPU seconds of the whole program, so a busy machine does not change them much. Options (after `--`): `mb=100`
//! size of each log, and `only=NAME` one kind of log.
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

use std::path::Path;

use self::generate::Kind;

fn main() {
    let settings = Settings::from_arguments();
    println!("logs of {} MB, one thread, samples written\n", settings.mb);
    println!(
        "{:<16}{:>12}{:>14}{:>14}{:>14}{:>12}",
        "", "MB per", "against the", "time against", "rows per", "peak MiB"
    );
    println!(
        "{:<16}{:>12}{:>14}{:>14}{:>14}{:>12}",
        "", "CPU second", "reference", "a bare parse", "CPU second", ""
    );
    for kind in Kind::ALL {
        if settings
            .only
            .as_deref()
            .is_none_or(|only| only == kind.name())
        {
            convert(kind, settings.mb);
        }
    }
}

struct Settings {
    mb: usize,
    only: Option<String>,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            mb: 100,
            only: None,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("mb", value)) => settings.mb = value.parse().unwrap(),
                Some(("only", value)) => settings.only = Some(value.to_owned()),
                Some(_) | None => {}
            }
        }
        settings
    }
}

/// One kind of log: the whole program, start to end, and a bare parse of the same bytes.
fn convert(kind: Kind, mb: usize) {
    let directory = tempfile::tempdir().unwrap();
    let log = generate::log(kind, directory.path(), mb * 1_000_000);
    let bytes = size(&log.path);
    let best = (0..3)
        .map(|number| {
            run(
                kind,
                &log.path,
                &directory.path().join(format!("out{number}")),
            )
        })
        .min_by(|a, b| a.cpu.total_cmp(&b.cpu))
        .unwrap();
    let parse = measure::speed(bytes, || peer::parse(kind, &log.path));
    let ours = bytes as f64 / 1e6 / best.cpu;
    println!(
        "{:<16}{:>12.0}{:>13.0}x{:>13.2}x{:>14.0}{:>12.1}",
        kind.name(),
        ours,
        ours / kind.reference(),
        parse / ours,
        log.samples as f64 / best.cpu,
        best.peak_kib as f64 / 1024.0
    );
}

fn run(kind: Kind, log: &Path, out: &Path) -> measure::Run {
    let arguments = [
        "convert",
        kind.harness(),
        log.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--jobs",
        "1",
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

/// How large a log is: a file, or all files of a directory.
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
