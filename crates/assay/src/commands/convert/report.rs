//! The outcome of a conversion: every log, every record, and a ledger in which nothing is lost.

use std::collections::BTreeMap;

use assay_cli::Exit;
use assay_convert::convert::{Harness, Refusal, Warning};

use assay_model::chain;

/// The reason why a log or a record was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// A stable word or the code of a rule.
    pub(crate) reason: String,
    /// The place inside the record; empty for the whole.
    pub(crate) path: String,
    /// The line of the samples file, when the fault is there.
    pub(super) line: Option<u64>,
    /// The reason in a sentence.
    pub(crate) message: String,
}

/// The findings in a record under one code: the first one, and their number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suspicion {
    pub(super) count: u64,
    /// The place inside the record or the row; empty for the whole.
    pub(super) path: String,
    /// The line of the samples file, when it is there.
    pub(super) line: Option<u64>,
    pub(super) message: String,
    /// The next step.
    pub(super) help: Option<String>,
}

/// The outcome of one log.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The log.
    pub(super) path: String,
    /// The harness that wrote it, when it could be recognised.
    pub(super) harness: Option<Harness>,
    /// The end of its conversion.
    pub(super) end: End,
}

/// The end of the conversion of one log.
#[derive(Debug)]
pub(super) enum End {
    /// Its records; some of them may have been refused.
    Made(Vec<RecordOutcome>),
    /// It cannot be converted, or not recognised.
    Refused(Fault),
    /// It could not be read, or the output not written.
    Failed(Fault),
}

/// The outcome of one record.
#[derive(Debug)]
pub(super) struct RecordOutcome {
    /// Its path, from the root of the datastore.
    pub(super) path: String,
    /// Number of results that it has.
    pub(super) results: usize,
    /// The number of rows of its samples.
    pub(super) rows: u64,
    /// Parts that the converter left out, with the reason.
    pub(super) warnings: Vec<Warning>,
    /// The findings of validation, by code.
    pub(super) findings: BTreeMap<String, Suspicion>,
    /// The metrics that a person described and that it has.
    pub(super) names_said: Vec<String>,
    /// True if it is there.
    pub(super) status: Status,
}

/// The state of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// It was written, or would be.
    Written,
    /// It took the place of one that said something else.
    Replaced,
    /// It was there already.
    Unchanged,
    /// It may not appear.
    Refused(Vec<Fault>),
    /// It could not be written.
    Failed(String),
}

/// Everything that came of a run.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) outcomes: Vec<Outcome>,
    /// The files of the directories that are no logs, and the directories that were not searched.
    pub(super) passed_over: Vec<String>,
    /// Logs that were named and not found.
    missing: Vec<String>,
}

/// The ledger: `logs` is `converted` and `refused`, `records` is `written`, `unchanged` and
/// `refused_records`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Ledger {
    pub(super) logs: u64,
    pub(super) converted: u64,
    pub(super) refused: u64,
    pub(super) passed_over: u64,
    pub(super) records: u64,
    pub(super) written: u64,
    pub(super) replaced: u64,
    pub(super) unchanged: u64,
    pub(super) refused_records: u64,
    pub(super) results: u64,
    pub(super) rows: u64,
    pub(super) warnings: u64,
}

impl Outcome {
    /// Returns whether all of it is in the datastore.
    pub(super) fn is_converted(&self) -> bool {
        match &self.end {
            End::Made(records) => records.iter().all(RecordOutcome::stands),
            End::Refused(_) | End::Failed(_) => false,
        }
    }

    /// Its records, if it has any.
    pub(super) fn records(&self) -> &[RecordOutcome] {
        match &self.end {
            End::Made(records) => records,
            End::Refused(_) | End::Failed(_) => &[],
        }
    }
}

impl RecordOutcome {
    fn stands(&self) -> bool {
        match self.status {
            Status::Written | Status::Replaced | Status::Unchanged => true,
            Status::Refused(_) | Status::Failed(_) => false,
        }
    }
}

impl Account {
    /// The account of some logs.
    pub(super) fn new(
        outcomes: Vec<Outcome>,
        passed_over: Vec<String>,
        missing: Vec<String>,
    ) -> Self {
        Self {
            outcomes,
            passed_over,
            missing,
        }
    }

    /// Returns what could not be found, read or written, in sentences.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut failures = self.missing.clone();
        for outcome in &self.outcomes {
            if let End::Failed(fault) = &outcome.end {
                failures.push(format!("{}: {}", outcome.path, fault.message));
            }
            for record in outcome.records() {
                if let Status::Failed(message) = &record.status {
                    failures.push(format!("{}: {message}", outcome.path));
                }
            }
        }
        failures
    }

    /// The sums. Rows and results count when their record stands.
    pub(super) fn ledger(&self) -> Ledger {
        let mut ledger = Ledger {
            passed_over: self.passed_over.len() as u64,
            ..Ledger::default()
        };
        for outcome in &self.outcomes {
            ledger.logs += 1;
            if outcome.is_converted() {
                ledger.converted += 1;
            } else {
                ledger.refused += 1;
            }
            for record in outcome.records() {
                ledger.add(record);
            }
        }
        ledger
    }

    /// The exit code: 3 outweighs 1, and warnings do not count.
    pub(super) fn exit(&self) -> Exit {
        if !self.failures().is_empty() {
            Exit::Failed
        } else if self.outcomes.iter().all(Outcome::is_converted) {
            Exit::Clean
        } else {
            Exit::Errors
        }
    }
}

impl Ledger {
    fn add(&mut self, record: &RecordOutcome) {
        self.records += 1;
        match record.status {
            Status::Written => self.written += 1,
            Status::Replaced => self.replaced += 1,
            Status::Unchanged => self.unchanged += 1,
            Status::Refused(_) | Status::Failed(_) => self.refused_records += 1,
        }
        if record.stands() {
            self.results += record.results as u64;
            self.rows += record.rows;
            self.warnings += record
                .warnings
                .iter()
                .map(|warning| warning.count)
                .sum::<u64>();
            let suspected = record.findings.values();
            self.warnings += suspected.map(|finding| finding.count).sum::<u64>();
        }
    }
}

/// Returns the end of a log that a converter refused.
pub(super) fn refused(refusal: &Refusal) -> End {
    let fault = Fault {
        reason: refusal.slug().to_owned(),
        path: String::new(),
        line: None,
        message: chain(refusal),
    };
    match refusal {
        Refusal::Read { .. } | Refusal::Write(_) => End::Failed(fault),
        Refusal::Damaged { .. } | Refusal::Nothing(_) => End::Refused(fault),
    }
}
