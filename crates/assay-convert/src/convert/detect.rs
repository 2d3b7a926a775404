//! Which harness wrote a file or directory, told by what is in it.

use std::io::{Read, Seek};

use assay_formats::json::{Stream, StreamError};

use super::{Harness, LogFile, Logs};

/// How much of a file is looked at, in bytes. The keys that tell Inspect's logs stand in front of
/// their samples, and the results of the others are smaller than this.
const MAX_BYTES: u64 = 256 << 20;
/// How many keys of a document are looked at.
const MAX_KEYS: usize = 256;
/// How many keys of a map inside a document are looked at.
const MAX_INNER_KEYS: usize = 256;
/// How large the header of a table may be, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The first bytes of an archive with members.
const ZIP: [u8; 4] = *b"PK\x03\x04";

/// What was seen of a file or directory.
#[derive(Debug)]
pub(super) enum Evidence {
    /// The names of the members of a zip archive.
    Archive(Vec<String>),
    /// The top-level keys of a JSON map that were met so far.
    Document(Vec<TopKey>),
    /// The first bytes of any other text.
    Text(Vec<u8>),
    /// The names of the entries of a directory.
    Directory(Vec<String>),
}

/// A top-level key of a document.
#[derive(Debug)]
pub(super) struct TopKey {
    name: String,
    /// The keys of its value, when that is a map.
    inner: Option<Vec<String>>,
}

impl Evidence {
    /// Returns whether a document has a key.
    pub(super) fn has_key(&self, name: &str) -> bool {
        self.key(name).is_some()
    }

    /// Returns whether a document has a key with a map in it.
    pub(super) fn has_map(&self, name: &str) -> bool {
        self.key(name).is_some_and(|key| key.inner.is_some())
    }

    /// Returns whether a document has a key whose map has some keys of its own.
    pub(super) fn has_map_with(&self, name: &str, wanted: &[&str]) -> bool {
        let inner = self.key(name).and_then(|key| key.inner.as_deref());
        inner.is_some_and(|inner| {
            wanted
                .iter()
                .all(|wanted| inner.iter().any(|own| own == wanted))
        })
    }

    /// Returns whether an archive or a directory has an entry of this name.
    pub(super) fn has_entry(&self, name: &str) -> bool {
        self.entries().iter().any(|own| own == name)
    }

    /// The names of the entries of an archive.
    pub(super) fn members(&self) -> &[String] {
        match self {
            Self::Archive(names) => names,
            Self::Document(_) | Self::Text(_) | Self::Directory(_) => &[],
        }
    }

    /// The columns of a table, by its first line; none for anything else.
    pub(super) fn columns(&self) -> Vec<String> {
        let Self::Text(text) = self else {
            return Vec::new();
        };
        let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let header = String::from_utf8_lossy(header);
        let columns = header.trim_end().split(',');
        columns
            .map(|name| name.trim_matches('"').to_owned())
            .collect()
    }

    fn entries(&self) -> &[String] {
        match self {
            Self::Archive(names) | Self::Directory(names) => names,
            Self::Document(_) | Self::Text(_) => &[],
        }
    }

    fn key(&self, name: &str) -> Option<&TopKey> {
        match self {
            Self::Document(keys) => keys.iter().find(|key| key.name == name),
            Self::Archive(_) | Self::Text(_) | Self::Directory(_) => None,
        }
    }

    fn harness(&self) -> Option<Harness> {
        // An Every Eval Ever record is no log.
        if self.has_key("schema_version") || self.has_key("evaluation_id") {
            return None;
        }
        Harness::ALL
            .into_iter()
            .find(|harness| harness.converter().detect(self))
    }
}

/// Returns the harness that wrote a file; none for a file that is no log, or that cannot be read.
pub fn detect(logs: &dyn Logs, path: &str) -> Option<Harness> {
    evidence(logs, path)?.harness()
}

/// Returns the harness that wrote a file that may be a log; none when it is no log.
pub fn harness_of(logs: &dyn Logs, path: &str) -> Option<Harness> {
    // A log of this name that cannot be read as one is a broken log, and its owner wants to know.
    if has_ending(path, "eval") {
        return Some(Harness::Inspect);
    }
    detect(logs, path)
}

/// Returns whether a file in a directory can be a log, by its name alone.
pub fn may_be_log(path: &str) -> bool {
    let endings = ["eval", "json", "csv"];
    endings.iter().any(|ending| has_ending(path, ending))
}

/// Returns whether a path ends in a dot and these letters, in any case.
fn has_ending(path: &str, ending: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let own = name.rsplit_once('.');
    own.is_some_and(|(stem, own)| !stem.is_empty() && own.eq_ignore_ascii_case(ending))
}

/// Returns the harness whose log a directory with these entries is.
pub fn detect_directory(names: &[String]) -> Option<Harness> {
    Evidence::Directory(names.to_vec()).harness()
}

/// Looks at a file until it is clear who wrote it, or to its end.
fn evidence(logs: &dyn Logs, path: &str) -> Option<Evidence> {
    let mut file = logs.open(path).ok()?;
    let mut head = Vec::new();
    file.as_mut()
        .take(MAX_HEADER_BYTES as u64)
        .read_to_end(&mut head)
        .ok()?;
    file.rewind().ok()?;
    if head.starts_with(&ZIP) {
        return Some(Evidence::Archive(members(file)));
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
    match text.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'{' => Some(document(file.take(MAX_BYTES))),
        _ => Some(Evidence::Text(text.to_vec())),
    }
}

fn members(file: Box<dyn LogFile + '_>) -> Vec<String> {
    let Ok(archive) = zip::ZipArchive::new(file) else {
        return Vec::new();
    };
    archive.file_names().map(str::to_owned).collect()
}

/// Reads the keys of a document, as far as it can be read.
fn document(reader: impl Read) -> Evidence {
    let mut stream = Stream::new(reader, MAX_HEADER_BYTES);
    let mut evidence = Evidence::Document(Vec::new());
    // What stands before a fault has been seen.
    let _ = walk(&mut stream, &mut evidence);
    evidence
}

fn walk<R: Read>(stream: &mut Stream<R>, evidence: &mut Evidence) -> Result<(), StreamError> {
    stream.enter_map()?;
    for _ in 0..MAX_KEYS {
        let Some(name) = stream.next_key()? else {
            return Ok(());
        };
        let is_map = stream.is_map()?;
        let Evidence::Document(keys) = &mut *evidence else {
            return Ok(());
        };
        keys.push(TopKey {
            name,
            inner: is_map.then(Vec::new),
        });
        if evidence.harness().is_some() {
            return Ok(());
        }
        if !is_map {
            stream.skip()?;
            continue;
        }
        stream.enter_map()?;
        while let Some(inner) = stream.next_key()? {
            if let Evidence::Document(keys) = &mut *evidence
                && let Some(TopKey {
                    inner: Some(inside),
                    ..
                }) = keys.last_mut()
                && inside.len() < MAX_INNER_KEYS
            {
                inside.push(inner);
            }
            stream.skip()?;
        }
        if evidence.harness().is_some() {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns whether an entry of a directory belongs to a log beside it: samples, the shards of a
/// merged log, checkpoints, and the crashed log beside its recovered copy.
pub fn belongs_to_another(name: &str, names: &[String]) -> bool {
    let has = |wanted: String| names.contains(&wanted);
    if name == "_journal" || name.ends_with(".checkpoints") {
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

/// A kind of file that is no log which can be converted, and what to do with it.
struct Stranger {
    /// What it is.
    what: &'static str,
    /// What to do, where there is something.
    then: &'static str,
    /// Tells it.
    marks: fn(&Marks<'_>) -> bool,
}

/// What strangers are told by.
struct Marks<'a> {
    name: &'a str,
    evidence: &'a Evidence,
    head: &'a [u8],
}

impl Marks<'_> {
    fn keys(&self, wanted: &[&str]) -> bool {
        wanted.iter().all(|key| self.evidence.has_key(key))
    }

    fn line_has(&self, wanted: &[&str]) -> bool {
        let line = self.head.split(|byte| *byte == b'\n').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        wanted.iter().all(|wanted| line.contains(wanted))
    }

    fn ends(&self, endings: &[&str]) -> bool {
        let name = self.name.to_ascii_lowercase();
        endings.iter().any(|ending| name.ends_with(ending))
    }
}

const OTHER_HARNESS: &str = "that harness is not supported yet";
const GIVE_RESULTS: &str = "name the `results_*.json` beside it";

/// The strangers that are told, the most certain first.
static STRANGERS: &[Stranger] = &[
    Stranger {
        what: "an Every Eval Ever record",
        then: "it needs no conversion: `assay validate` checks it, `assay upgrade` brings an older one up to date",
        marks: |m| m.keys(&["schema_version", "evaluation_id"]),
    },
    Stranger {
        what: "samples of Every Eval Ever",
        then: "`assay validate` checks them",
        marks: |m| m.line_has(&["\"evaluation_id\"", "\"sample_id\""]),
    },
    Stranger {
        what: "samples of lm-evaluation-harness",
        then: GIVE_RESULTS,
        marks: |m| m.line_has(&["\"doc_id\"", "\"resps\""]),
    },
    Stranger {
        what: "details of lighteval (Parquet)",
        then: GIVE_RESULTS,
        marks: |m| m.head.starts_with(b"PAR1"),
    },
    Stranger {
        what: "one file of a HELM run",
        then: "name the run directory that holds it",
        marks: |m| {
            const PARTS: [&str; 5] = [
                "run_spec.json",
                "stats.json",
                "scenario.json",
                "scenario_state.json",
                "per_instance_stats.json",
            ];
            PARTS.contains(&m.name)
        },
    },
    Stranger {
        what: "a result file",
        then: "it needs no conversion: `assay validate` checks it, `assay submit` sends it",
        marks: |m| m.ends(&[".yaml", ".yml"]) && m.head.windows(8).any(|own| own == b"dataset:"),
    },
    Stranger {
        what: "an OpenAI Evals log",
        then: OTHER_HARNESS,
        marks: |m| m.line_has(&["\"spec\"", "\"completion_fns\""]) || m.keys(&["final_report"]),
    },
    Stranger {
        what: "promptfoo results",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["evalId", "results", "config"]) || m.keys(&["evalId"]),
    },
    Stranger {
        what: "a DeepEval test run",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["testCases"]),
    },
    Stranger {
        what: "a Harbor job or trial",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["task_name", "verifier_result"]) || m.keys(&["n_total_trials"]),
    },
    Stranger {
        what: "a Terminal-Bench run",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["results", "n_resolved"]) || m.keys(&["n_resolved", "n_unresolved"]),
    },
    Stranger {
        what: "a SWE-bench report",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["resolved_ids"]) || m.keys(&["total_instances", "submitted_instances"]),
    },
    Stranger {
        what: "SWE-bench predictions",
        then: OTHER_HARNESS,
        marks: |m| m.line_has(&["\"instance_id\"", "\"model_patch\""]),
    },
    Stranger {
        what: "an MTEB result",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["task_name", "mteb_version"]),
    },
    Stranger {
        what: "an EvalPlus result",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["date", "hash", "eval"]),
    },
    Stranger {
        what: "a BFCL score file",
        then: OTHER_HARNESS,
        marks: |m| m.line_has(&["\"accuracy\"", "\"correct_count\"", "\"total_count\""]),
    },
    Stranger {
        what: "an EvalScope report",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["dataset_name", "metrics", "model_name"]),
    },
    Stranger {
        what: "tau-bench simulations",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["simulations", "tasks"]),
    },
    Stranger {
        what: "AlpacaEval annotations",
        then: "name the leaderboard, `leaderboard.csv`, beside them",
        marks: |m| {
            m.line_has(&["\"instruction\"", "\"preference\""]) || m.name == "annotations.json"
        },
    },
    Stranger {
        what: "an OpenCompass prediction or result",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["0"]) || (m.keys(&["accuracy", "details"])),
    },
    Stranger {
        what: "a zip archive without the members of an Inspect log",
        then: "unpack it and name the logs in it",
        marks: |m| matches!(m.evidence, Evidence::Archive(_)),
    },
    Stranger {
        what: "a compressed file",
        then: "unpack it first",
        marks: |m| {
            let magic: [&[u8]; 4] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ"];
            magic.iter().any(|magic| m.head.starts_with(magic))
        },
    },
];

/// Says what a file that is no log looks like, and what to do with it.
pub fn looks_like(logs: &dyn Logs, path: &str) -> Option<String> {
    let mut head = vec![];
    logs.open(path)
        .ok()?
        .take(MAX_HEADER_BYTES as u64)
        .read_to_end(&mut head)
        .ok()?;
    if head.trim_ascii().is_empty() {
        return Some("it is empty".to_owned());
    }
    let evidence = evidence(logs, path)?;
    let marks = Marks {
        name: path.rsplit('/').next().unwrap_or(path),
        evidence: &evidence,
        head: &head,
    };
    let stranger = STRANGERS.iter().find(|own| (own.marks)(&marks))?;
    Some(format!(
        "it looks like {}; {}",
        stranger.what, stranger.then
    ))
}
