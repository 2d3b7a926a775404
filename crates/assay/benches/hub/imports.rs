//! A whole datastore brought to a new hub.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::process::{HubProcess, cpu_seconds, program};
use crate::{Settings, record};

/// The real records, where they are kept.
const CORPUS: &str = "eee-records-0.2.tar.gz";
const BENCHMARKS: u32 = 30;
const MODELS: u32 = 4_500;
/// The longest time of an import, in seconds.
const LIMIT: f64 = 60.0;

pub(crate) fn measure(settings: &Settings, directory: &Path) {
    let (name, datastore) = match corpus(directory) {
        Some(datastore) => ("real", datastore),
        None => ("generated", generate(directory, settings.records)),
    };
    let hub = HubProcess::start(&directory.join("imported"), None);
    let (server, client) = (cpu_seconds(hub.id()), cpu_seconds(std::process::id()));
    let start = Instant::now();
    let output = program()
        .args(["import", "eee", "--no-progress", "--hub"])
        .arg(format!("http://{}", hub.address()))
        .arg(&datastore)
        .env("ASSAY_TOKEN", &hub.token)
        .output()
        .unwrap();
    let wall = start.elapsed().as_secs_f64();
    let server = cpu_seconds(hub.id()) - server;
    let client = cpu_seconds(std::process::id()) - client;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    // Real records have faults, too: those are refused and the others go on.
    let first = said.lines().next();
    let first = first.expect("an import that went well says what it made");
    println!(
        "import, {name}: {first}; {} refused",
        complaint.lines().count()
    );
    println!(
        "{wall:.1} s by the clock, {:.1} CPU seconds ({server:.1} the hub, {client:.1} the importer); at most {LIMIT:.0} s are allowed: {:.2} of it",
        server + client,
        wall / LIMIT
    );
}

/// The real records, unpacked and upgraded; none when they are not at hand.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmark uses the corpus of the tests, which the environment names"
)]
fn corpus(directory: &Path) -> Option<PathBuf> {
    let archive = Path::new(&std::env::var_os("ASSAY_CORPUS")?).join(CORPUS);
    let (old, new) = (directory.join("old"), directory.join("datastore"));
    std::fs::create_dir(&old).unwrap();
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(&old)
        .status()
        .unwrap();
    assert!(unpacked.success(), "the corpus cannot be unpacked");
    let upgraded = program()
        .args(["upgrade", "--no-progress"])
        .arg(&old)
        .arg("--out")
        .arg(&new)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(upgraded.code().is_some(), "the upgrade was ended");
    Some(new)
}

/// Records as they are: most models have one, some have several, on a few benchmarks.
fn generate(directory: &Path, count: u32) -> PathBuf {
    let root = directory.join("datastore");
    for number in 0..count {
        let benchmark = format!("bench-{}", number % BENCHMARKS);
        let model = number % MODELS;
        let model = format!("lab-{}/model-{model}", model / 50);
        let folder = root.join("data").join(&benchmark).join(&model);
        std::fs::create_dir_all(&folder).unwrap();
        let score = f64::from(number * 37 % 1000) / 1000.0;
        let text = record::text(&benchmark, &model, 7, score, 1000, "");
        let uuid = format!("5eed0000-0000-4000-8000-{number:012}");
        std::fs::write(folder.join(format!("{uuid}.json")), text).unwrap();
    }
    root
}
