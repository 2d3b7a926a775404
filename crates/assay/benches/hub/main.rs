//! `just bench hub`: what the hub costs, as ratios against named peers that are measured in the
//! same run on the same disk.
//!
//! The real program serves a hub with 100,000 results of 25,000 models. Options (after `--`):
//! `only=NAME` one of `reads`, `pages` (that alone is `just bench web`), `commits`, `clones` and
//! `imports`; `models=25000`, `seconds=3` of each round of reading, `commits=25` of each kind,
//! `mb=64` size of the clone, `records=5510` of the import.
//!
//! `only=matrix` serves 5,000 models with results on 60 tasks, and asks for pages of the matrix and
//! of models.
//!
//! `only=scale` loads three million results (`rows=3000000`) into `SQLite` and, with
//! `database=URL`, into an empty database of `PostgreSQL`, and asks for pages of boards in a mixed
//! load. With `data=FOLDER` the hub is kept there, and a hub that is there is not loaded again.
#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run should stop"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "ratios need no more than a few digits"
)]

mod backend;
mod bare;
mod clones;
mod commits;
mod figures;
mod fill;
mod git;
mod http;
mod imports;
mod load;
mod matrix;
mod pages;
mod process;
mod reads;
#[path = "../support/record.rs"]
mod record;
mod scale;
#[path = "../support/scatter.rs"]
mod scatter;

use std::path::{Path, PathBuf};
use std::time::Instant;

use self::process::HubProcess;

fn main() {
    let settings = Settings::from_arguments();
    if let Some(folder) = &settings.bare {
        return bare::serve(Path::new(folder));
    }
    let directory = tempfile::tempdir().unwrap();
    if ["reads", "pages", "commits", "clones"]
        .iter()
        .any(|name| settings.wants(name))
    {
        let hub = filled_hub(&settings, directory.path());
        if settings.wants("reads") {
            reads::measure(&hub, &settings, directory.path());
        }
        if settings.wants("pages") {
            pages::measure(&hub, &settings, directory.path());
        }
        if settings.wants("commits") {
            commits::measure(&hub, &settings, directory.path());
        }
        if settings.wants("clones") {
            clones::measure(&hub, &settings, directory.path());
        }
    }
    if settings.only.as_deref() == Some("scale") {
        scale::measure(&settings, directory.path());
    }
    if settings.only.as_deref() == Some("matrix") {
        matrix::measure(directory.path());
    }
    if settings.wants("imports") {
        imports::measure(&settings, directory.path());
    }
}

/// A hub with everything in it. Records and repositories are written to its directory; the program
/// indexes them itself, as it does after a crash.
fn filled_hub(settings: &Settings, directory: &Path) -> HubProcess {
    let data = directory.join("data");
    let start = Instant::now();
    let token = fill::fill(&data, settings.models);
    let written = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let hub = HubProcess::start(&data, Some(token));
    println!(
        "a hub with {} results of {} models on {} boards: written in {written:.0} s, indexed at the first start in {:.0} s\n",
        settings.models * fill::RESULTS_PER_MODEL,
        settings.models,
        fill::BOARDS,
        start.elapsed().as_secs_f64()
    );
    hub
}

struct Settings {
    only: Option<String>,
    models: u32,
    seconds: u64,
    commits: u32,
    mb: usize,
    records: u32,
    rows: u32,
    database: Option<String>,
    /// The directory in which a large hub is kept from one run to the next.
    data: Option<PathBuf>,
    /// Set in the process that is the bare handler: where the bytes are that it answers with.
    bare: Option<String>,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            only: None,
            models: 25_000,
            seconds: 3,
            commits: 25,
            mb: 64,
            records: 5_510,
            rows: 3_000_000,
            database: None,
            data: None,
            bare: None,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("only", value)) => settings.only = Some(value.to_owned()),
                Some(("models", value)) => settings.models = value.parse().unwrap(),
                Some(("seconds", value)) => settings.seconds = value.parse().unwrap(),
                Some(("commits", value)) => settings.commits = value.parse().unwrap(),
                Some(("mb", value)) => settings.mb = value.parse().unwrap(),
                Some(("records", value)) => settings.records = value.parse().unwrap(),
                Some(("rows", value)) => settings.rows = value.parse().unwrap(),
                Some(("database", value)) => settings.database = Some(value.to_owned()),
                Some(("data", value)) => settings.data = Some(value.into()),
                Some(("bare", value)) => settings.bare = Some(value.to_owned()),
                Some(_) | None => {}
            }
        }
        settings
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }
}
