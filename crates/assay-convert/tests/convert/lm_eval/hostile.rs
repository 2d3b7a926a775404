//! Input that nobody would write: a refusal or warnings, never a panic.

use assay_convert::convert::{Options, Refusal};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{RESULTS, choice_row, lines, results, run, samples_path, text_row};
use crate::kit::Files;

fn files() -> (String, String) {
    let scores = json!({"acc,none": 0.5, "acc_stderr,none": 0.1, "exact_match,none": 0.5});
    let mut log = results("t", &scores);
    log["group_subtasks"] = json!({"g": ["t"]});
    log["results"]["g"] = scores;
    let rows = [choice_row(0, &json!(1.0)), text_row(1, "none", 0.0)];
    (log.to_string(), lines(&rows))
}

fn attempt(results: &[u8], samples: &[u8]) -> Result<(), Refusal> {
    let logs = Files(
        [
            (RESULTS.to_owned(), results.to_vec()),
            (samples_path("t"), samples.to_vec()),
        ]
        .into(),
    );
    let outcome = run(&logs, RESULTS, &Options::default())?;
    assert_eq!(outcome.files.errors(), Vec::<String>::new());
    Ok(())
}

fn flipped(text: &str, at: usize, byte: u8) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = at % bytes.len();
    bytes[at] = byte;
    bytes
}

proptest! {
    #[test]
    fn results_may_be_cut_anywhere(at in 0usize..2000) {
        let (results, samples) = files();
        let at = at % results.len();

        let refusal = attempt(&results.as_bytes()[..at], samples.as_bytes()).unwrap_err();

        prop_assert_eq!(refusal.slug(), "damaged");
    }

    #[test]
    fn samples_may_be_cut_anywhere(at in 0usize..2000) {
        let (results, samples) = files();
        let at = at % samples.len();

        prop_assert!(attempt(results.as_bytes(), &samples.as_bytes()[..at]).is_ok());
    }

    #[test]
    fn any_byte_of_the_samples_may_be_another(at in 0usize..5000, byte: u8) {
        let (results, samples) = files();

        prop_assert!(attempt(results.as_bytes(), &flipped(&samples, at, byte)).is_ok());
    }

    #[test]
    fn any_byte_of_the_results_may_be_another(at in 0usize..5000, byte: u8) {
        let (results, samples) = files();

        // Whether it is refused depends on the byte; what is not refused breaks no rule.
        let _ = attempt(&flipped(&results, at, byte), samples.as_bytes());
    }
}

fn refusal(text: &str) -> &'static str {
    attempt(text.as_bytes(), b"").unwrap_err().slug()
}

#[test]
fn what_is_not_a_log_of_this_harness_is_refused() {
    assert_eq!(refusal(""), "damaged");
    assert_eq!(refusal("[]"), "nothing-to-convert");
    assert_eq!(refusal("{\"results\": []}"), "nothing-to-convert");
    assert_eq!(refusal("{\"results\": {}}"), "nothing-to-convert");
    assert_eq!(
        refusal("{\"results\": {\"t\": {\"acc,none\": NaN}}}"),
        "nothing-to-convert"
    );
    assert_eq!(refusal(&"[".repeat(100_000)), "damaged");
}

#[test]
fn a_missing_file_is_refused() {
    let refusal = run(&Files::default(), RESULTS, &Options::default()).unwrap_err();

    assert_eq!(refusal.slug(), "unreadable");
}

#[test]
fn tables_of_the_wrong_kind_are_as_good_as_absent() {
    let (text, samples) = files();
    let log: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<String> = log.as_object().unwrap().keys().cloned().collect();
    for key in keys.iter().filter(|key| *key != "results") {
        for wrong in [
            json!(null),
            json!(7),
            json!("x"),
            json!([[1]]),
            json!({"t": [{}]}),
        ] {
            let mut log = log.clone();
            log[key] = wrong.clone();

            let outcome = attempt(log.to_string().as_bytes(), samples.as_bytes());

            assert!(outcome.is_ok(), "{key}: {wrong}: {outcome:?}");
        }
    }
}

#[test]
fn groups_that_hold_themselves_do_not_hang() {
    let (text, _) = files();
    let mut log: Value = serde_json::from_str(&text).unwrap();
    log["group_subtasks"] = json!({"g": ["g", "h"], "h": ["g"], "t": ["t"]});

    assert!(attempt(log.to_string().as_bytes(), b"").is_ok());
}

#[test]
fn a_task_that_stands_twice_becomes_one_record() {
    let text = r#"{"results": {"t": {"acc,none": 0.5}, "t": {"acc,none": 0.6}}, "date": 1}"#;

    assert!(attempt(text.as_bytes(), b"").is_ok());
}

#[test]
fn names_that_no_file_system_holds_are_no_danger() {
    for name in ["../../x", "a/b", "con", " ", "..", "nul\u{0}", "x:y", "."] {
        let mut log = results("t", &json!({"acc,none": 0.5}));
        log["results"] = json!({name: {"acc,none": 0.5}});
        log["config"]["model_args"] = json!({"pretrained": name});

        let outcome = attempt(log.to_string().as_bytes(), b"");

        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}
