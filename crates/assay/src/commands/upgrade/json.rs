//! The account for programs: every change of every record.

use assay_convert::upgrade::{Change, Origin, RowsSummary};
use serde::Serialize;

use super::{Account, End, Outcome, Why};

/// The version of the document. It changes when a reader of the old one could be misled.
const VERSION: u32 = 1;

#[derive(Serialize)]
pub(super) struct Wire<'a> {
    version: u32,
    summary: WireSummary,
    failed: Vec<&'a str>,
    records: Vec<WireRecord<'a>>,
}

#[derive(Serialize)]
struct WireSummary {
    records: usize,
    upgraded: usize,
    refused: usize,
    failed: usize,
    skipped: u64,
}

#[derive(Serialize)]
struct WireRecord<'a> {
    input: &'a str,
    output: Option<&'a str>,
    from: Option<&'static str>,
    changes: Vec<WireChange<'a>>,
    samples: Option<WireSamples<'a>>,
    refused: Vec<WireReason<'a>>,
    failed: Option<&'a str>,
}

#[derive(Serialize)]
struct WireChange<'a> {
    kind: &'static str,
    path: &'a str,
    detail: &'a str,
    /// The number of times, for changes of samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

#[derive(Serialize)]
struct WireSamples<'a> {
    rows: u64,
    sha256: &'a str,
    changes: Vec<WireChange<'a>>,
    untold: u64,
}

#[derive(Serialize)]
struct WireReason<'a> {
    reason: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: &'a str,
}

/// The account as one JSON document.
pub(super) fn wire(account: &Account) -> Wire<'_> {
    let failed: Vec<&str> = account.failures().collect();
    Wire {
        version: VERSION,
        summary: WireSummary {
            records: account.outcomes.len(),
            upgraded: account.upgraded().count(),
            refused: account.refused().count(),
            failed: failed.len(),
            skipped: account.skipped,
        },
        failed,
        records: account.outcomes.iter().map(wire_record).collect(),
    }
}

fn wire_record(outcome: &Outcome) -> WireRecord<'_> {
    let empty = WireRecord {
        input: &outcome.input,
        output: None,
        from: outcome.from.map(Origin::as_str),
        changes: Vec::new(),
        samples: None,
        refused: Vec::new(),
        failed: None,
    };
    match &outcome.end {
        End::Upgraded(success) => WireRecord {
            output: Some(&success.output),
            changes: success.changes.iter().map(wire_change).collect(),
            samples: success.samples.as_ref().map(wire_samples),
            ..empty
        },
        End::Refused(reasons) => WireRecord {
            refused: reasons.iter().map(wire_reason).collect(),
            ..empty
        },
        End::Failed(message) => WireRecord {
            failed: Some(message),
            ..empty
        },
    }
}

fn wire_change(change: &Change) -> WireChange<'_> {
    WireChange {
        kind: change.kind.as_str(),
        path: &change.path,
        detail: &change.detail,
        count: None,
    }
}

fn wire_samples(summary: &RowsSummary) -> WireSamples<'_> {
    let changes = summary.tallies.iter().map(|tally| WireChange {
        kind: tally.kind.as_str(),
        path: &tally.path,
        detail: &tally.detail,
        count: Some(tally.count),
    });
    WireSamples {
        rows: summary.rows,
        sha256: &summary.sha256,
        changes: changes.collect(),
        untold: summary.untold,
    }
}

fn wire_reason(why: &Why) -> WireReason<'_> {
    WireReason {
        reason: &why.slug,
        path: &why.path,
        line: why.line,
        message: &why.message,
    }
}
