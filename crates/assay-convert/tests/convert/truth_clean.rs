//! The output for the logs of the truth suite is clean for validation: nothing is wrong, and
//! nothing is suspected but what is true of the log.

use std::collections::BTreeSet;

use assay_convert::convert::Harness;
use assay_model::Severity;

use crate::judge::judge;
use crate::kit::{Files, Output, fixture_path};
use crate::truth;
use crate::truth_left_out::WITHOUT_SCORES;
use crate::truth_runs::{HARNESSES, below, converted, folder, names};

/// The true suspicions of validation: the run, the code, and the reason.
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

#[test]
fn a_run_that_lost_an_odd_share_of_its_samples_is_clean_too() {
    let mut log = truth::log("sample_errors");
    // Three of five are scored, and all are right.
    let mut more = log["samples"][0].clone();
    more["id"] = 5.into();
    more["uuid"] = "another".into();
    log["samples"].as_array_mut().unwrap().push(more);
    log["samples"][3]["scores"] = log["samples"][0]["scores"].clone();
    log["eval"]["dataset"]["samples"] = 5.into();
    log["eval"]["dataset"]["sample_ids"] = vec![1, 2, 3, 4, 5].into();
    log["results"]["total_samples"] = 5.into();
    log["results"]["completed_samples"] = 3.into();
    log["results"]["scores"][0]["scored_samples"] = 3.into();
    log["results"]["scores"][0]["metrics"] =
        serde_json::json!({"accuracy": {"name": "accuracy", "value": 1.0, "params": {}}});
    let files = Files::default().with("log", log.to_string());

    let output = files.convert(Harness::Inspect, "log").unwrap();

    let failed = output.rows(0);
    let failed = failed.iter().filter(|row| row["error"].is_string());
    assert_eq!((failed.count(), output.rows(0).len()), (2, 5));
    assert_eq!(suspicions("run", &output), BTreeSet::new());
}

#[test]
fn nothing_is_suspected_of_the_smaller_harnesses_but_that_a_log_holds_no_time() {
    let mut found = BTreeSet::new();
    for (harness, folder, log) in [
        (Harness::Harbor, "harbor", "job"),
        (Harness::Mteb, "mteb", "acme__model-x/abc123/Colours.json"),
        (
            Harness::SweBench,
            "swe_bench",
            "acme__agent-1.0__model-x.nightly.json",
        ),
        (Harness::Promptfoo, "promptfoo", "results.json"),
        (
            Harness::EvalPlus,
            "evalplus",
            "humaneval/acme--model-x_vllm_temp_0.8_eval_results.json",
        ),
        (Harness::BigCode, "bigcode", "evaluation_results.json"),
        (Harness::DeepEval, "deepeval", "test_run.json"),
        (Harness::Verifiers, ".", "verifiers"),
        (Harness::OpenCompass, "opencompass", "20260101_120000"),
        (
            Harness::SimpleEvals,
            "simple_evals",
            "mgsm_model-x_high.json",
        ),
    ] {
        let mut files = Files::default();
        let root = fixture_path(folder);
        let root = if folder == "." { root.join(log) } else { root };
        for (path, bytes) in below(&root) {
            let path = if folder == "." {
                format!("{log}/{path}")
            } else {
                path
            };
            files = files.with(&path, bytes);
        }
        let output = files.convert(harness, log).unwrap();
        let says = |output: &Output| output.warnings().iter().any(|own| own.contains("no time"));
        for (_, code, message) in suspicions(harness.as_str(), &output) {
            let is_true = code == "AY438" && says(&output);
            if !is_true {
                found.insert(format!("{} {code}: {message}", harness.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
