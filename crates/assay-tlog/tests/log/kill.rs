//! A process that issues under load and is killed: what it acknowledged is there, under the index
//! it named.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assay_tlog::{Log, TreeHash};

use crate::support::open;
use assay_testkit::random::Random;

/// The number of kills, unless `ASSAY_CRASH_KILLS` is set.
const KILLS: u64 = 60;
/// The seed of the random moments, unless `ASSAY_CRASH_SEED` is set.
const SEED: u64 = 5;
/// The longest lives of a writer, in milliseconds; most lives are shorter.
const LIVES: [u64; 3] = [30, 90, 250];
/// The number of threads that issue at once.
const THREADS: u64 = 4;
/// Number of leaves that each of them has in flight.
const IN_FLIGHT: usize = 8;
/// Says to the process where its log is, and that it should go on until it is killed.
const DIRECTORY: &str = "ASSAY_TEST_LOG_DIRECTORY";
/// Says which life it is, so that every leaf of every life is another one.
const LIFE: &str = "ASSAY_TEST_LOG_LIFE";

/// The promises that writers made before they were killed.
#[derive(Default)]
struct Promises {
    leaves: BTreeMap<u64, String>,
    roots: BTreeMap<u64, String>,
}

impl Promises {
    fn hear(&mut self, line: &str) {
        // A line that was cut off by the kill has no full stop.
        let Some(line) = line.trim_end_matches('\n').strip_suffix(" .") else {
            return;
        };
        let mut words = line.split(' ');
        let (what, number, text) = (words.next(), words.next(), words.next());
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            return;
        };
        let known = match what {
            Some("leaf") => &mut self.leaves,
            Some("root") => &mut self.roots,
            Some(_) | None => return,
        };
        let text = text.unwrap().to_owned();
        let before = known.insert(number, text.clone());
        assert!(
            before.is_none_or(|own| own == text),
            "{line} was said before, otherwise"
        );
    }

    fn check(&self, log: &Log) {
        for (index, text) in &self.leaves {
            let leaf = log.leaf(*index).unwrap();
            assert_eq!(String::from_utf8(leaf).unwrap(), *text, "leaf {index}");
        }
        for (size, root) in &self.roots {
            assert_eq!(log.root(*size).unwrap().to_string(), *root, "size {size}");
        }
        let mut seen = BTreeSet::new();
        for leaf in log.leaves(0..log.size()) {
            let (index, leaf) = leaf.unwrap();
            assert!(seen.insert(leaf), "leaf {index} is there twice");
        }
        assert_eq!(seen.len() as u64, log.size());
        assert_eq!(log.check().unwrap().entries, log.size());
    }
}

#[test]
fn a_writer_that_is_killed_keeps_every_promise() {
    let kills = number("ASSAY_CRASH_KILLS", KILLS);
    let mut random = Random::new(number("ASSAY_CRASH_SEED", SEED));
    let directory = tempfile::tempdir().unwrap();
    let mut promises = Promises::default();

    for life in 0..kills {
        let mut child = start(directory.path(), life);
        // A pipe that nobody empties would hold the writer up.
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let heard = std::thread::spawn(move || said.map_while(Result::ok).collect::<Vec<_>>());
        let most = LIVES[usize::try_from(random.below(3)).unwrap()];
        std::thread::sleep(Duration::from_millis(random.below(most)));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in heard.join().unwrap() {
            promises.hear(&line);
        }
        if life % 10 == 9 {
            promises.check(&open(directory.path()));
        }
    }

    let log = open(directory.path());
    promises.check(&log);
    assert!(
        promises.leaves.len() > 100,
        "{} leaves",
        promises.leaves.len()
    );
    tell(&format!(
        "{kills} kills: {} leaves were acknowledged, {} are there",
        promises.leaves.len(),
        log.size()
    ));
}

/// In a process of its own this is the writer that is killed; among the other tests it stops by
/// itself.
#[test]
fn leaves_from_many_threads_get_an_index_each() {
    let own = std::env::var_os(DIRECTORY);
    let directory = tempfile::tempdir().unwrap();
    let path = own.as_deref().map_or(directory.path(), Path::new);
    let most = if own.is_some() { u64::MAX } else { 200 };
    let life = number(LIFE, 0);
    let log = open(path);
    let (said, issued) = (Mutex::new(Vec::new()), AtomicU64::new(0));

    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (log, said, issued) = (&log, &said, &issued);
            scope.spawn(move || {
                let mut number = 0;
                while issued.fetch_add(1, Ordering::Relaxed) < most {
                    issue(log, &format!("{life}-{thread}-{number}"), |index| {
                        if own_process() {
                            return;
                        }
                        said.lock().unwrap().push(index);
                    });
                    number += 1;
                }
            });
        }
    });

    let mut indexes = said.into_inner().unwrap();
    indexes.sort_unstable();
    assert_eq!(indexes, (0..log.size()).collect::<Vec<_>>());
    assert_eq!(log.size(), most * IN_FLIGHT as u64);
}

/// Issues a few leaves at once, and says each that was acknowledged.
fn issue(log: &Log, name: &str, heard: impl Fn(u64)) {
    let leaves: Vec<_> = (0..IN_FLIGHT)
        .map(|part| format!("{name}-{part}"))
        .collect();
    let pending: Vec<_> = leaves
        .iter()
        .map(|leaf| log.append(leaf.clone().into_bytes()))
        .collect();
    for (leaf, pending) in leaves.iter().zip(pending) {
        let index = pending.wait().unwrap();
        if own_process() {
            say(&format!("leaf {index} {leaf} ."));
        }
        heard(index);
    }
    if own_process() {
        let checkpoint = log.checkpoint();
        let (size, root): (u64, TreeHash) = (checkpoint.claimed().size, checkpoint.claimed().root);
        say(&format!("root {size} {root} ."));
    }
}

fn own_process() -> bool {
    std::env::var_os(DIRECTORY).is_some()
}

/// A line on standard output, at once: what is in a buffer of the process would die with it.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "the process is this test itself, and no git command"
)]
fn start(directory: &Path, life: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "kill::leaves_from_many_threads_get_an_index_each",
        ])
        .env(DIRECTORY, directory)
        .env(LIFE, life.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[expect(
    clippy::print_stdout,
    reason = "shown when the test fails, and to who asks how much it has tried"
)]
fn tell(text: &str) {
    println!("{text}");
}

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var_os(name);
    given.map_or(otherwise, |text| text.to_str().unwrap().parse().unwrap())
}
