//! Which harness wrote a log. This is the one place that asks.

use std::io::Read;

use assay_convert::convert::{Harness, Logs};
use assay_formats::json::Stream;

/// How much of a file is read to tell which harness wrote it, in bytes.
const DETECT_BYTES: u64 = 8 << 20;
/// The longest key at the top of a log, in bytes.
const MAX_KEY: usize = 64 << 10;
/// The files that make a directory a run of HELM.
const HELM_FILES: [&str; 2] = ["run_spec.json", "stats.json"];

/// The harness that wrote a file; none when it is no log.
pub(super) fn harness_of(logs: &dyn Logs, path: &str) -> Option<Harness> {
    // A log of this name that cannot be read as one is a broken log, and its owner wants to know.
    if extension(path) == Some("eval") {
        return Some(Harness::Inspect);
    }
    detect(logs, path)
}

/// Whether a file in a directory can be a log, by its name alone.
pub(super) fn may_be_log(name: &str) -> bool {
    extension(name).is_some_and(|extension| matches!(extension, "eval" | "json" | "csv"))
}

fn extension(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(_, extension)| extension)
}

/// The names in a directory that can be logs of their own or hold some.
pub(super) fn candidates(names: &[String]) -> Vec<&str> {
    let is_hidden = |name: &&str| name.starts_with('.');
    let names = names.iter().map(String::as_str);
    names.filter(|name| !is_hidden(name)).collect()
}

fn detect(logs: &dyn Logs, path: &str) -> Option<Harness> {
    let name = path.rsplit('/').next()?;
    let (_, extension) = name.rsplit_once('.')?;
    match extension {
        "csv" => is_leaderboard(logs, path).then_some(Harness::AlpacaEval),
        "json" => of_json(logs, path, name),
        _ => None,
    }
}

/// Whether a directory with these names in it is a run of HELM.
pub(super) fn is_helm_run(names: &[String]) -> bool {
    HELM_FILES
        .iter()
        .all(|wanted| names.iter().any(|name| name == wanted))
}

fn of_json(logs: &dyn Logs, path: &str, name: &str) -> Option<Harness> {
    let keys = top_keys(logs, path)?;
    let has = |key: &str| keys.iter().any(|own| own == key);
    if has("eval") && (has("version") || has("status")) {
        Some(Harness::Inspect)
    } else if has("config_general") && has("results") {
        Some(Harness::Lighteval)
    } else if has("results") && name.starts_with("results") {
        Some(Harness::LmEval)
    } else {
        None
    }
}

/// The keys at the top of a document, as far as they come early; none when it is no map.
fn top_keys(logs: &dyn Logs, path: &str) -> Option<Vec<String>> {
    let file = logs.open(path).ok()?;
    let mut stream = Stream::new(file.take(DETECT_BYTES), MAX_KEY);
    let mut keys = Vec::new();
    stream.enter_map().ok()?;
    while let Ok(Some(key)) = stream.next_key() {
        keys.push(key);
        if stream.skip().is_err() {
            break;
        }
    }
    Some(keys)
}

fn is_leaderboard(logs: &dyn Logs, path: &str) -> bool {
    let mut head = Vec::new();
    let read = logs
        .open(path)
        .and_then(|file| file.take(MAX_KEY as u64).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let columns = text.lines().next().unwrap_or_default();
    read.is_ok()
        && columns
            .split(',')
            .any(|column| column.trim_matches('"') == "win_rate")
}
