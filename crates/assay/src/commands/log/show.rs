//! The outcome of an audit, for people and for machines.

use std::error::Error;
use std::fmt::Write as _;

use assay_model::{Timestamp, chain};
use assay_render::visible;
use assay_tlog::{AuditFault, AuditReport, QuorumReport, VerifierKey};
use serde_json::{Value as Json, json};

use super::address::KeyFrom;
use crate::plural::{bytes, count, grouped};

/// The version of the JSON document.
const VERSION: u32 = 1;

/// The outcome of the audit of a log.
pub(super) struct Outcome {
    /// The name of the log.
    pub(super) name: String,
    /// The address of the log.
    pub(super) address: String,
    /// Its key.
    pub(super) key: VerifierKey,
    /// The source of the key.
    pub(super) key_from: KeyFrom,
    /// The key under the name that the log had at the earlier audit, when it was renamed since.
    pub(super) former: Option<VerifierKey>,
    /// The report of the audit.
    pub(super) found: Result<AuditReport, AuditFault>,
}

/// A paragraph for each log.
pub(super) fn text(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let lines = match &outcome.found {
            Ok(audited) => passed(audited),
            Err(fault) => failed(fault),
        };
        let _ = writeln!(text, "{}: {lines}", visible(&outcome.name));
        let from = match outcome.key_from {
            KeyFrom::Flag => "given",
            KeyFrom::Earlier => "as in the earlier audit",
            KeyFrom::Hub => "as the hub announces it; keep it with `--save`",
        };
        let _ = writeln!(
            text,
            "  key: {} ({from})",
            visible(&outcome.key.to_string())
        );
        if let Some(former) = &outcome.former {
            let _ = writeln!(
                text,
                "  renamed: it was called `{}` at the earlier audit, and has the same key",
                visible(former.name())
            );
        }
    }
    text
}

fn passed(audited: &AuditReport) -> String {
    let size = audited.checkpoint.claimed().size;
    let mut text = format!("{}, nothing is wrong", count(size, "entry", "entries"));
    match audited.since {
        Some(since) if since == size => text.push_str("; none is new since the earlier audit"),
        Some(since) => {
            let _ = write!(
                text,
                "; {} since the earlier audit, which it goes on from",
                count(size - since, "is new", "are new")
            );
        }
        None => {}
    }
    let _ = write!(
        text,
        "\n  root: {}\n  read: {} in {}, {}",
        audited.checkpoint.claimed().root,
        count(audited.entries, "entry", "entries"),
        count(audited.files, "file", "files"),
        bytes(audited.bytes)
    );
    if let Some(seen) = &audited.seen {
        let _ = write!(text, "\n  seen: {}", witnessed(seen, size));
    }
    text
}

/// Returns the sizes of a log that witnesses have signed, and the times.
fn witnessed(seen: &QuorumReport, size: u64) -> String {
    let names: Vec<String> = seen
        .witnesses
        .iter()
        .map(|(name, seconds)| format!("{} at {}", visible(name), time(*seconds)))
        .collect();
    let all = if seen.size == size {
        "all of it".to_owned()
    } else {
        format!("the first {} of it", grouped(seen.size))
    };
    format!("{all}, by {}", names.join(", "))
}

/// A time of a witness. One beyond all clocks is shown as the last that there is.
fn time(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(i64::try_from(seconds).unwrap_or(i64::MAX))
}

fn failed(fault: &AuditFault) -> String {
    let mut text = format!("error[{}]: {}", fault.code(), visible(&fault.to_string()));
    let mut cause = fault.source();
    while let Some(error) = cause {
        let _ = write!(text, "\n  because {}", visible(&error.to_string()));
        cause = error.source();
    }
    if let AuditFault::Forked { old, new } = fault {
        let sizes = (old.claimed().size, new.claimed().size);
        let _ = write!(
            text,
            "\n  both were signed by the log; keep them, they prove it:\n\n{}\n{}\n  (sizes {} and {})",
            visible_lines(&old.to_string()),
            visible_lines(&new.to_string()),
            grouped(sizes.0),
            grouped(sizes.1)
        );
    }
    text
}

/// A text of several lines, indented, without anything that a terminal would obey.
fn visible_lines(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "    {}", visible(line));
        all
    })
}

/// One document for all logs.
pub(super) fn json(outcomes: &[Outcome]) -> Json {
    let logs: Vec<Json> = outcomes.iter().map(log).collect();
    json!({ "version": VERSION, "logs": logs })
}

fn log(outcome: &Outcome) -> Json {
    let mut log = json!({
        "log": outcome.name,
        "address": outcome.address,
        "key": outcome.key.to_string(),
        "formerly": outcome.former.as_ref().map(VerifierKey::name),
    });
    let rest = match &outcome.found {
        Ok(audited) => json!({
            "status": "ok",
            "size": audited.checkpoint.claimed().size,
            "root": audited.checkpoint.claimed().root.to_string(),
            "since": audited.since,
            "entries_read": audited.entries,
            "files_read": audited.files,
            "bytes_read": audited.bytes,
            "checkpoint": audited.checkpoint.to_string(),
            "seen": audited.seen.as_ref().map(seen_json),
        }),
        Err(fault) => fault_json(fault),
    };
    if let (Json::Object(log), Json::Object(rest)) = (&mut log, rest) {
        log.extend(rest);
    }
    log
}

fn seen_json(seen: &QuorumReport) -> Json {
    let witnesses: Vec<Json> = seen
        .witnesses
        .iter()
        .map(|(name, seconds)| json!({ "name": name, "at": time(*seconds).to_string() }))
        .collect();
    json!({ "size": seen.size, "witnesses": witnesses })
}

fn fault_json(fault: &AuditFault) -> Json {
    let status = if fault.is_about_the_log() {
        "fault"
    } else {
        "unknown"
    };
    let mut json = json!({ "status": status, "code": fault.code(), "message": chain(fault) });
    match fault {
        AuditFault::Rewritten { index } => json["index"] = json!(index),
        AuditFault::Dropped { index } => json["index"] = json!(index),
        AuditFault::Shrunk { was, is } => {
            json["was"] = json!(was);
            json["is"] = json!(is);
        }
        AuditFault::Forked { old, new } => {
            json["old"] = json!(old.to_string());
            json["new"] = json!(new.to_string());
        }
        AuditFault::NotWitnessed {
            signed,
            wanted,
            stale,
        } => {
            json["signed"] = json!(signed);
            json["wanted"] = json!(wanted);
            json["stale"] = json!(stale);
        }
        AuditFault::NotSigned(_)
        | AuditFault::NoCheckpoint
        | AuditFault::EarlierNotSigned(_)
        | AuditFault::TileMissing { .. }
        | AuditFault::TileDiffers { .. }
        | AuditFault::Unreachable(_) => {}
    }
    json
}
