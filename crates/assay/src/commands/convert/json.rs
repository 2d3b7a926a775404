//! The account for programs: every log, record and warning.

use assay_cli::Printer;
use assay_convert::convert::Harness;
use serde::Serialize;

use super::report::{Account, End, Fault, Ledger, Outcome, RecordOutcome, Status, Suspicion};

/// The version of the document. It changes when a reader of the old one could be misled.
const VERSION: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    summary: Ledger,
    failures: Vec<String>,
    passed_over: &'a [String],
    logs: Vec<WireLog<'a>>,
}

#[derive(Serialize)]
struct WireLog<'a> {
    path: &'a str,
    harness: Option<&'static str>,
    converted: bool,
    refused: Option<WireFault<'a>>,
    records: Vec<WireRecord<'a>>,
}

#[derive(Serialize)]
struct WireRecord<'a> {
    path: &'a str,
    status: &'static str,
    results: usize,
    rows: u64,
    warnings: Vec<WireWarning<'a>>,
    findings: Vec<WireFinding<'a>>,
    faults: Vec<WireFault<'a>>,
}

#[derive(Serialize)]
struct WireWarning<'a> {
    message: &'a str,
    count: u64,
}

/// The findings under one code: the first one, and their number.
#[derive(Serialize)]
struct WireFinding<'a> {
    code: &'a str,
    count: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct WireFault<'a> {
    reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: &'a str,
}

/// Prints the document.
pub(super) fn print(account: &Account, printer: &mut Printer) {
    printer.json(&document(account));
}

fn document(account: &Account) -> Document<'_> {
    Document {
        version: VERSION,
        summary: account.ledger(),
        failures: account.failures(),
        passed_over: &account.passed_over,
        logs: account.outcomes.iter().map(wire_log).collect(),
    }
}

fn wire_log(outcome: &Outcome) -> WireLog<'_> {
    WireLog {
        path: &outcome.path,
        harness: outcome.harness.map(Harness::as_str),
        converted: outcome.is_converted(),
        refused: match &outcome.end {
            End::Made(_) => None,
            End::Refused(fault) | End::Failed(fault) => Some(wire_fault(fault)),
        },
        records: outcome.records().iter().map(wire_record).collect(),
    }
}

fn wire_record(record: &RecordOutcome) -> WireRecord<'_> {
    let (status, faults) = match &record.status {
        Status::Written => ("written", Vec::new()),
        Status::Replaced => ("replaced", Vec::new()),
        Status::Unchanged => ("unchanged", Vec::new()),
        Status::Refused(faults) => ("refused", faults.iter().map(wire_fault).collect()),
        Status::Failed(message) => {
            let fault = WireFault {
                reason: "unwritable",
                path: "",
                line: None,
                message,
            };
            ("failed", vec![fault])
        }
    };
    WireRecord {
        path: &record.path,
        status,
        results: record.results,
        rows: record.rows,
        warnings: record
            .warnings
            .iter()
            .map(|warning| WireWarning {
                message: &warning.message,
                count: warning.count,
            })
            .collect(),
        findings: record.findings.iter().map(wire_finding).collect(),
        faults,
    }
}

fn wire_finding<'a>((code, finding): (&'a String, &'a Suspicion)) -> WireFinding<'a> {
    WireFinding {
        code,
        count: finding.count,
        path: &finding.path,
        line: finding.line,
        message: &finding.message,
        help: finding.help.as_deref(),
    }
}

fn wire_fault(fault: &Fault) -> WireFault<'_> {
    WireFault {
        reason: &fault.reason,
        path: &fault.path,
        line: fault.line,
        message: &fault.message,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_ledger_of_the_document_loses_no_log_and_no_record() {
        let suspicion = Suspicion {
            count: 2,
            message: "every score is the same".to_owned(),
            ..Suspicion::default()
        };
        let record = |status| RecordOutcome {
            path: "data/b/d/m/u.json".to_owned(),
            results: 1,
            rows: 10,
            warnings: Vec::new(),
            findings: BTreeMap::from([("AY601".to_owned(), suspicion.clone())]),
            names_said: Vec::new(),
            status,
        };
        let fault = Fault {
            reason: "damaged".to_owned(),
            path: String::new(),
            line: None,
            message: "`b` is damaged".to_owned(),
        };
        let log = |end| Outcome {
            path: "l".to_owned(),
            harness: Some(Harness::Inspect),
            end,
        };
        let account = Account::new(
            vec![
                log(End::Made(vec![
                    record(Status::Written),
                    record(Status::Unchanged),
                ])),
                log(End::Made(vec![record(Status::Refused(vec![
                    fault.clone(),
                ]))])),
                log(End::Refused(fault)),
            ],
            vec![String::new(); 4],
            Vec::new(),
        );

        let document = serde_json::to_value(document(&account)).unwrap();

        let summary = &document["summary"];
        assert_eq!(document["version"], VERSION);
        assert_eq!(
            (&summary["logs"], &summary["converted"]),
            (&3.into(), &1.into())
        );
        assert_eq!(
            (&summary["refused"], &summary["passed_over"]),
            (&2.into(), &4.into())
        );
        assert_eq!(
            (&summary["records"], &summary["written"]),
            (&3.into(), &1.into())
        );
        assert_eq!(
            (&summary["unchanged"], &summary["refused_records"]),
            (&1.into(), &1.into())
        );
        assert_eq!(
            (&summary["rows"], &summary["warnings"]),
            (&20.into(), &4.into())
        );
        assert_eq!(
            document["logs"][0]["records"][0]["findings"],
            serde_json::json!([
                {"code": "AY601", "count": 2, "message": "every score is the same"}
            ])
        );
        assert_eq!(document["logs"][2]["refused"]["reason"], "damaged");
    }
}
