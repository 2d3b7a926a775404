//! What is made of the logs of the truth suite is clean for validation: nothing is wrong, and nothing is suspected but
//! what is true of the log.

use std::collections::BTreeSet;

use assay_convert::convert::Harness;
use assay_model::Severity;

use crate::judge::judge;
use crate::kit::Output;
use crate::truth;
use crate::truth_left_out::WITHOUT_SCORES;
use crate::truth_runs::{HARNESSES, converted, folder, names};

/// What validation suspects and is true: the run, the code, and why.
const TRUE_FINDINGS: &[(&str, &str, &str)] = &[
    (
        "inspect jury_of_scorers",
        "AY603",
        "both answers have the mean of a right and a wrong judgement",
    ),
    (
        "lm_eval lower_is_better",
        "AY519",
        "the task declares an exact match as lower is better",
    ),
    (
        "lm_eval lower_is_better",
        "AY602",
        "the task declares an exact match as lower is better",
    ),
];

fn suspicions(run: &str, output: &Output) -> BTreeSet<(String, String, String)> {
    let mut found = BTreeSet::new();
    for report in judge(&output.files.0) {
        for own in report.findings.diagnostics() {
            if own.severity != Severity::Error {
                let code = own.code.to_string();
                found.insert((run.to_owned(), code, own.message.clone()));
            }
        }
    }
    found
}

#[test]
fn nothing_is_suspected_of_what_is_written_but_what_is_true_of_the_log() {
    let mut found = BTreeSet::new();
    for harness in HARNESSES {
        for name in names(harness) {
            let (_, output) = converted(harness, &name);
            found.extend(suspicions(&format!("{} {name}", folder(harness)), &output));
        }
    }
    for name in truth::names() {
        if !WITHOUT_SCORES.contains(&name.as_str()) {
            let output = truth::converted(&format!("{name}.json"));
            let run = format!("{} {name}", Harness::Inspect.as_str());
            found.extend(suspicions(&run, &output));
        }
    }

    let is_true = |run: &str, code: &str| {
        let mut listed = TRUE_FINDINGS.iter();
        listed.any(|(own, known, _)| (*own, *known) == (run, code))
    };
    let untrue: Vec<_> = found
        .iter()
        .filter(|(run, code, _)| !is_true(run, code))
        .collect();
    assert!(untrue.is_empty(), "{untrue:#?}");
    let is_found = |run: &str, code: &str| {
        let mut all = found.iter();
        all.any(|(own, known, _)| (own.as_str(), known.as_str()) == (run, code))
    };
    let stale: Vec<_> = TRUE_FINDINGS
        .iter()
        .filter(|(run, code, _)| !is_found(run, code))
        .collect();
    assert!(stale.is_empty(), "{stale:#?}");
}
