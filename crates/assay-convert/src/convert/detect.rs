//! Which harness wrote a file, told by what is in it, and which entries of a directory are logs of their own.

use std::io::{Read, Seek};

use assay_formats::json::{Stream, StreamError};

use super::{Harness, LogFile, Logs};

/// How much of a file is looked at, in bytes. The keys that tell Inspect's logs stand in front of their samples, and the
/// results of the others are smaller than this.
const MAX_BYTES: u64 = 256 << 20;
/// How many keys of a document are looked at.
const MAX_KEYS: usize = 256;
/// How large the header of a CSV file may be, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The first bytes of an archive with members.
const ZIP: [u8; 4] = *b"PK\x03\x04";
/// The file that every run directory of HELM has, and those of which it has at least one.
const HELM_RUN: &str = "run_spec.json";
const HELM_PARTS: [&str; 2] = ["stats.json", "scenario_state.json"];

/// Which harness wrote a file; nothing for a file that is no log, or that cannot be read.
pub fn detect(logs: &dyn Logs, path: &str) -> Option<Harness> {
    let mut file = logs.open(path).ok()?;
    let mut head = Vec::new();
    file.as_mut()
        .take(MAX_HEADER_BYTES as u64)
        .read_to_end(&mut head)
        .ok()?;
    file.rewind().ok()?;
    if head.starts_with(&ZIP) {
        return is_inspect_archive(file).then_some(Harness::Inspect);
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
    match text.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'{' => document(file.take(MAX_BYTES)),
        b'[' => None,
        _ => is_leaderboard(text).then_some(Harness::AlpacaEval),
    }
}

/// Whether a directory with these entries is a run of HELM.
pub fn is_helm_run(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has(HELM_RUN) && HELM_PARTS.iter().any(|part| has(part))
}

/// The entries of a directory that can be logs of their own or hold some, in the order given. What belongs to another
/// log is left out: samples, the shards of a merged log, checkpoints, and the crashed log beside its recovered copy.
pub fn candidates(names: &[String]) -> Vec<&str> {
    names
        .iter()
        .map(String::as_str)
        .filter(|name| !belongs_to_another(name, names))
        .collect()
}

fn belongs_to_another(name: &str, names: &[String]) -> bool {
    let has = |wanted: String| names.contains(&wanted);
    if name.starts_with('.') || name == "_journal" || name.ends_with(".checkpoints") {
        return true;
    }
    if let Some(merged) = name.strip_suffix(".shards") {
        return has(format!("{merged}.eval")) || has(format!("{merged}.json"));
    }
    if let Some(stem) = name.strip_suffix(".eval") {
        return has(format!("{stem}-recovered.eval"));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "jsonl" | "parquet")
}

/// What the names of the members tell; the archive of a running log has only its journal.
fn is_inspect_archive(file: Box<dyn LogFile + '_>) -> bool {
    let Ok(archive) = zip::ZipArchive::new(file) else {
        return false;
    };
    let has = |wanted: &str| archive.file_names().any(|name| name == wanted);
    let has_samples = || {
        archive
            .file_names()
            .any(|name| name.starts_with("samples/"))
    };
    has("_journal/start.json") || (has("header.json") && (has_samples() || has("summaries.json")))
}

/// The keys that were met, of those that tell who wrote a document.
#[derive(Default)]
struct Keys(Vec<Key>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    /// `eval`, with a task and a model in it.
    Evaluation,
    /// What stands beside `eval` in a log of Inspect.
    BesideEvaluation,
    Results,
    Configs,
    Shots,
    LmEvalVersion,
    ConfigGeneral,
}

impl Keys {
    fn verdict(&self) -> Option<Harness> {
        let has = |keys: &[Key]| keys.iter().all(|key| self.0.contains(key));
        if has(&[Key::Evaluation, Key::BesideEvaluation]) {
            Some(Harness::Inspect)
        } else if has(&[Key::Results, Key::ConfigGeneral]) {
            Some(Harness::Lighteval)
        } else if has(&[Key::Results, Key::LmEvalVersion])
            || has(&[Key::Results, Key::Configs, Key::Shots])
        {
            Some(Harness::LmEval)
        } else {
            None
        }
    }
}

/// What the keys of a document tell, as far as it can be read.
fn document(reader: impl Read) -> Option<Harness> {
    let mut stream = Stream::new(reader, MAX_HEADER_BYTES);
    walk(&mut stream).ok().flatten()
}

fn walk<R: Read>(stream: &mut Stream<R>) -> Result<Option<Harness>, StreamError> {
    let mut keys = Keys::default();
    stream.enter_map()?;
    for _ in 0..MAX_KEYS {
        let Some(key) = stream.next_key()? else {
            return Ok(None);
        };
        let (met, is_passed) = match key.as_str() {
            // An Every Eval Ever record.
            "schema_version" | "evaluation_id" => return Ok(None),
            "eval" => (is_evaluation(stream)?.then_some(Key::Evaluation), true),
            "version" | "status" | "plan" => (Some(Key::BesideEvaluation), false),
            "lm_eval_version" => (Some(Key::LmEvalVersion), false),
            "results" => (stream.is_map()?.then_some(Key::Results), false),
            "configs" => (stream.is_map()?.then_some(Key::Configs), false),
            "n-shot" => (stream.is_map()?.then_some(Key::Shots), false),
            "config_general" => (stream.is_map()?.then_some(Key::ConfigGeneral), false),
            _ => (None, false),
        };
        keys.0.extend(met);
        if keys.verdict().is_some() {
            return Ok(keys.verdict());
        }
        if !is_passed {
            stream.skip()?;
        }
    }
    Ok(None)
}

/// Whether the value is the description of an evaluation by Inspect, which it passes over.
fn is_evaluation<R: Read>(stream: &mut Stream<R>) -> Result<bool, StreamError> {
    let (mut task, mut model) = (false, false);
    if !stream.is_map()? {
        stream.skip()?;
        return Ok(false);
    }
    stream.enter_map()?;
    while let Some(key) = stream.next_key()? {
        task |= key == "task";
        model |= key == "model";
        stream.skip()?;
    }
    Ok(task && model)
}

/// Whether a text begins with the columns of a leaderboard: that of the model comes first.
fn is_leaderboard(text: &[u8]) -> bool {
    let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let header = String::from_utf8_lossy(header);
    let mut columns = header
        .trim_end()
        .split(',')
        .map(|name| name.trim_matches('"'));
    let first = columns.next().unwrap_or_default();
    matches!(first, "" | "Unnamed: 0" | "model" | "Model" | "name")
        && columns.any(|name| name == "win_rate")
}
