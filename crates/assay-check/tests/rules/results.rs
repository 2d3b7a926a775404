//! Result files, by themselves.

use assay_check::{Context, Validated, ValidatedFile};
use assay_model::{Severity, Timestamp};

use crate::support::{finding, findings, judged, lines, mended, only, renamed};

pub(crate) const PATH: &str = ".eval_results/sums.yaml";
pub(crate) const NONE: [String; 0] = [];
pub(crate) const TOKEN: &str = "eyJhbGciOiJFZERTQSJ9.eyJhIjoxfQ.c2lnbmF0dXJl";
pub(crate) const SHA: &str = "5503434ddd753f426f4b38109466949a1217c2bb";

/// An entry with one metric and these further lines.
pub(crate) fn entry(more: &str) -> String {
    let more: Vec<String> = more.lines().map(|line| format!("  {line}\n")).collect();
    let more = more.concat();
    format!(
        "- dataset: {{id: acme/sums, task_id: main}}\n  metrics: [{{metric_id: acc, value: 20.90}}]\n{more}"
    )
}

/// An entry with this as its only score.
pub(crate) fn scored(literal: &str) -> String {
    format!(
        "- dataset: {{id: acme/sums, task_id: main}}\n  metrics:\n    - metric_id: acc\n      value: {literal}\n"
    )
}

#[test]
fn an_entry_with_every_key_has_no_findings_and_is_read() {
    let text = format!(
        r#"- dataset:
    id: acme/sums
    task_id: main
    revision: {SHA}
  metrics:
    - metric_id: acc
      value: 20.90
      value_type: percentage
      sample_size: 730
      metric_context: {{range: [0.5, 0.95]}}
      normalization: lower
    - {{metric_id: acc, value: 30.5, slice: "language=en"}}
  framework: {{name: inspect-ai, version: 0.4.2, command: inspect eval sums.py}}
  model_revision: "{SHA}"
  verify_token: {TOKEN}
  date: "2026-02-14T10:30:00Z"
  notes: no-tools
  benchmark_subset: public
  sample_size: 730
  normalization: {{case: lower}}
  source: {{url: "https://example.org/x", name: Log, user: ann, org: acme}}
  run:
    framework_version: 0.4.2
    adapter_version: "1"
    dataset_revision: {SHA}
    code_revision: v1
    seed: 7
    num_samples: 730
    batch_size: 8
  artifacts: [{{path: a.jsonl, sha256: x}}]
  runtime_context: {{compute: 8 GPUs, latency: 5 s, budget: 3 usd, environment: {{os: Linux}}, gpu: A100, driver: "550", cuda: "12.6", torch: "2.4"}}
"#
    );

    let report = judged(PATH, &text, &Context::default());

    assert_eq!(lines(&report), NONE);
    let Some(ValidatedFile::Results(entries)) = report.validated.as_ref().map(Validated::get)
    else {
        panic!("a file without findings is valid");
    };
    assert_eq!(entries[0].scores[0].value.to_string(), "20.9");
    assert_eq!(entries[0].subset.as_deref(), Some("public"));
}

#[test]
fn what_is_not_a_list_is_refused_and_still_judged() {
    let text = "dataset: {id: acme/sums, task_id: main}\nvalue: 1e3\n";

    let report = judged(PATH, text, &Context::default());

    assert_eq!(
        lines(&report),
        [
            "AY301 1:1 a result file is a list of entries, not a single mapping",
            "AY314 2:8 `1e3` cannot be compared exactly: tools do not agree on how to read it (yaml_ambiguous_scalar)",
        ]
    );
    assert!(
        only(&report, "AY301")
            .help
            .is_some_and(|help| help.contains("`- `"))
    );
    assert!(report.validated.is_none());
    assert_eq!(
        findings(PATH, ""),
        ["AY301 1:1 a result file is a list of entries, not nothing"]
    );
    assert_eq!(
        findings(PATH, "[]"),
        ["AY108 1:1 the list must have at least 1 item"]
    );
}

#[test]
fn two_entries_of_one_run_may_not_differ_and_need_not_repeat() {
    let one = entry("notes: a");
    let other = one.replace("20.90", "29.9");
    let same = one.replace("20.90", "20.9");
    let tools = other.replace("notes: a", "notes: b");

    assert_eq!(
        findings(PATH, &format!("{one}{other}")),
        ["AY308 5:37 an entry above is the same run, and its value is not `29.9`"]
    );
    assert_eq!(
        findings(PATH, &format!("{one}{same}")),
        ["AY309 4:3 an entry above says the same"]
    );
    assert_eq!(findings(PATH, &format!("{one}{tools}")), NONE);
}

#[test]
fn a_value_and_the_same_one_rounded_do_not_contradict_each_other() {
    let one = entry("notes: a");
    let exact = one.replace("20.90", "20.8997");
    let other = one.replace("20.90", "20.9151");

    assert_eq!(findings(PATH, &format!("{one}{exact}")), NONE);
    assert_eq!(findings(PATH, &format!("{exact}{one}")), NONE);
    assert_eq!(
        findings(PATH, &format!("{one}{other}")),
        ["AY308 5:37 an entry above is the same run, and its value is not `20.9151`"]
    );
}

#[test]
fn another_metric_of_the_same_run_is_no_repetition() {
    let one = entry("");
    let other = one.replace("acc", "cost");

    assert_eq!(findings(PATH, &format!("{one}{other}")), NONE);
}

#[test]
fn dates_that_are_none_are_refused_once() {
    assert_eq!(
        findings(PATH, &entry("date: 14/02/2026")),
        ["AY310 3:9 `14/02/2026` is not a date"]
    );
    assert_eq!(
        findings(PATH, &entry("date: 2026-02-30")),
        ["AY310 3:9 `2026-02-30` is not a date"]
    );
}

#[test]
fn a_date_more_than_a_day_ahead_is_refused() {
    let now: Timestamp = "2026-02-14T10:30:00Z".parse().unwrap();
    let context = Context {
        now,
        ..Context::default()
    };
    let dated = |date: &str| judged(PATH, &entry(&format!("date: \"{date}\"")), &context);

    for date in [
        "2026-02-14",
        "2026-02-15",
        "2026-02-15T10:30:00Z",
        "1999-01-01",
    ] {
        assert_eq!(lines(&dated(date)), NONE, "{date}");
    }
    assert_eq!(
        lines(&dated("2026-02-16")),
        ["AY329 3:9 `2026-02-16` lies in the future"]
    );
    let report = dated("2031-01-01T00:00:00+02:00");
    let found = only(&report, "AY329");
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(
        found.notes,
        ["it is 2030-12-31T22:00:00.000Z, and now it is 2026-02-14T10:30:00.000Z"]
    );
    assert!(report.validated.is_none());
}

#[test]
fn without_another_clock_that_of_the_machine_counts() {
    assert_eq!(
        findings(PATH, &entry("date: \"9998-01-01\"")),
        ["AY329 3:9 `9998-01-01` lies in the future"]
    );
    let timeless = Context {
        now: Timestamp::MAX,
        ..Context::default()
    };
    assert_eq!(
        lines(&judged(PATH, &entry("date: \"9998-01-01\""), &timeless)),
        NONE
    );
}

#[test]
fn a_date_without_quotes_is_a_warning_that_quotes_mend() {
    let text = entry("date: 2026-02-14");

    let found = finding(PATH, &text, "AY014");

    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(findings(PATH, &mended(&text, &found)), NONE);
}

#[test]
fn a_source_needs_a_web_address() {
    assert_eq!(
        findings(PATH, &entry("source: {url: \"javascript:alert(1)\"}")),
        [
            "AY311 3:17 `javascript:alert(1)` is not a web address: it does not begin with `https://`"
        ]
    );
    assert_eq!(
        findings(PATH, &entry("source: {name: Log}")),
        ["AY101 3:11 `[0].source` lacks the required key `url`"]
    );
}

#[test]
fn a_dataset_id_must_be_one() {
    let pasted = entry("").replace(
        "acme/sums",
        "https://hub.example/datasets/acme/sums/tree/main",
    );

    let found = finding(PATH, &pasted, "AY316");

    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.help.as_deref(), Some("write `acme/sums`"));
    assert_eq!(
        findings(PATH, &entry("").replace("acme", "\u{430}cme")),
        [
            "AY316 1:17 `\u{430}cme/sums` is not a dataset id: `\u{430}` may not stand in a repository id; letters, digits, `-`, `_` and `.` may"
        ]
    );
}

#[test]
fn ids_with_spaces_are_refused() {
    let text = entry("")
        .replace("task_id: main", "task_id: \"the main\"")
        .replace("metric_id: acc", "metric_id: \"a\\tcc\"");

    let found = findings(PATH, &text);

    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("AY205 1:37 `the main` cannot be an id"));
    assert!(found[1].starts_with("AY205 2:25 `a\\tcc` cannot be an id"));
}

#[test]
fn hidden_characters_are_found_wherever_they_stand() {
    let text = entry("notes: \"a\\u202eb\"\nframework: {command: \"run\\u200b\"}");

    assert_eq!(
        findings(PATH, &text),
        [
            "AY318 3:10 the text holds the hidden character U+202E",
            "AY318 4:24 the text holds the hidden character U+200B",
        ]
    );
}

#[test]
fn a_file_has_the_name_of_its_benchmark() {
    let found = finding(".eval_results/Sum-Check.yaml", &entry(""), "AY321");
    let short = finding(".eval_results/sums.yml", &entry(""), "AY321");

    assert_eq!(renamed(&found), Some("sums.yaml"));
    assert_eq!(renamed(&short), Some("sums.yaml"));
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.place.is_whole());
}

#[test]
fn a_file_below_a_directory_of_results_is_reported_as_not_read() {
    let found = finding(".eval_results/2026/sums.yaml", &entry(""), "AY330");

    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(
        found.help.as_deref(),
        Some("move the file to `.eval_results/sums.yaml`")
    );
    for read in [
        PATH,
        "model/.eval_results/sums.yaml",
        "drafts/sums.yaml",
        "sums.yaml",
    ] {
        let found = findings(read, &entry(""));
        assert!(
            !found.iter().any(|found| found.starts_with("AY330")),
            "{read} {found:?}"
        );
    }
}

#[test]
fn a_file_with_several_benchmarks_has_only_its_ending_judged() {
    let text = format!(
        "{}{}",
        entry(""),
        entry("").replace("acme/sums", "acme/words")
    );

    assert_eq!(findings(".eval_results/mine.yaml", &text), NONE);
    assert_eq!(
        renamed(&finding(".eval_results/mine.yml", &text, "AY321")),
        Some("mine.yaml")
    );
}

#[test]
fn a_key_left_empty_is_a_warning() {
    let report = judged(PATH, &entry("notes:\nsource: ~"), &Context::default());

    assert_eq!(
        lines(&report),
        [
            "AY327 3:9 `[0].notes` has nothing behind it",
            "AY327 4:11 `[0].source` has nothing behind it",
        ]
    );
    assert!(report.validated.is_some());
}

#[test]
fn a_version_without_quotes_is_one_finding_that_quotes_mend() {
    let text = entry("framework: {name: x, version: 1.10}\nnotes: no");

    let found = judged(PATH, &text, &Context::default());

    assert_eq!(
        lines(&found),
        [
            "AY102 3:33 `[0].framework.version` must be a string, not the number `1.10`",
            "AY102 4:10 `[0].notes` must be a string, not the boolean `no`",
        ]
    );
    let mended = mended(&text, &found.findings.diagnostics()[0]);
    assert!(mended.contains("version: \"1.10\""));
}

#[test]
fn an_unknown_key_is_kept_with_a_guess() {
    let text = entry("note: five-shot\nframework: {comand: x}");

    assert_eq!(
        findings(PATH, &text),
        [
            "AY105 3:3 `note` is not a key of `[0]` and will be ignored",
            "AY105 4:15 `comand` is not a key of `[0].framework` and will be ignored",
        ]
    );
}

#[test]
fn every_finding_has_a_next_step() {
    let text = "- dataset: {id: a/b/c, task_id: x y, revision: HEAD}\n  metrics: [{metric_id: a, value: 1e3}, {metric_id: a, value: 1}]\n  value: 7\n  date: soon\n  verified: yes\n  source: {url: ftp://x}\n  verify_token: x\n  verifyToken: y\n  notes:\n  run: {seed: x}\n";

    let report = judged(PATH, text, &Context::default());

    assert!(
        report.findings.diagnostics().len() >= 10,
        "{:?}",
        lines(&report)
    );
    for finding in report.findings.diagnostics() {
        assert!(finding.help.is_some(), "{finding:?}");
    }
}

#[test]
fn a_file_full_of_faults_counts_them_all_and_keeps_a_few() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  value: 1e3\n  key: 1\n".repeat(4_000);

    let report = judged(PATH, &text, &Context::default());

    let counts: Vec<(String, u64)> = report
        .findings
        .counts()
        .map(|(_, code, count)| (code.to_string(), count))
        .collect();
    assert_eq!(
        counts,
        [("AY105".to_owned(), 4_000), ("AY314".to_owned(), 4_000)]
    );
    let kept = u64::try_from(report.findings.diagnostics().len());
    assert_eq!(kept, Ok(2 * Context::DEFAULT_LIMIT));
}
