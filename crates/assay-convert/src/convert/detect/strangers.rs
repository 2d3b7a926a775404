//! What a file that is no log looks like, and what to do with it.

use std::io::Read;

use super::super::Logs;
use super::{Evidence, MAX_HEADER_BYTES, evidence};

/// A kind of file that is no log which can be converted, and what to do with it.
struct Stranger {
    /// The kind of the file.
    what: &'static str,
    /// The next step, where there is one.
    then: &'static str,
    /// Tells it.
    marks: fn(&Marks<'_>) -> bool,
}

/// The marks by which foreign files are told.
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
        then: "its tests are not counted for each prompt; export it with `promptfoo export eval ID -o results.json`",
        marks: |m| m.keys(&["evalId", "results", "config"]) || m.keys(&["evalId"]),
    },
    Stranger {
        what: "a DeepEval test run",
        then: "it has no scores; keep its results with `DEEPEVAL_RESULTS_FOLDER` and name a `test_run_*.json`",
        marks: |m| m.keys(&["testCases"]),
    },
    Stranger {
        what: "a Harbor job or trial",
        then: "name the directory of the job",
        marks: |m| m.keys(&["task_name", "verifier_result"]) || m.keys(&["n_total_trials"]),
    },
    Stranger {
        what: "a Terminal-Bench run",
        then: OTHER_HARNESS,
        marks: |m| m.keys(&["results", "n_resolved"]) || m.keys(&["n_resolved", "n_unresolved"]),
    },
    Stranger {
        what: "a SWE-bench report",
        then: "name the report of the whole run, `MODEL.RUN.json`",
        marks: |m| m.keys(&["resolved_ids"]) || m.keys(&["total_instances", "submitted_instances"]),
    },
    Stranger {
        what: "SWE-bench predictions",
        then: "name the report that its harness writes about them, `MODEL.RUN.json`",
        marks: |m| m.line_has(&["\"instance_id\"", "\"model_patch\""]),
    },
    Stranger {
        what: "an MTEB result",
        then: "it has no `scores`; run it with MTEB 1.12 or newer",
        marks: |m| m.keys(&["task_name", "mteb_version"]),
    },
    Stranger {
        what: "an EvalPlus result",
        then: "it has no verdict on any program",
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
        then: "name the directory of the run, which has `results`, `predictions` and `configs`",
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
