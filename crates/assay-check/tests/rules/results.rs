use assay_check::{Context, ValidatedFile};
use assay_model::Severity;

use crate::support::{
    Shelf, finding, findings, findings_with, judged, lines, mended, only, renamed, weights,
};

const PATH: &str = ".eval_results/sums.yaml";
const NONE: [String; 0] = [];
const SHA: &str = "5503434ddd753f426f4b38109466949a1217c2bb";
const TOKEN: &str = "eyJhbGciOiJFZERTQSJ9.eyJhIjoxfQ.c2lnbmF0dXJl";

/// An entry with one metric and these further lines.
fn entry(more: &str) -> String {
    let more: String = more.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "- dataset: {{id: acme/sums, task_id: main}}\n  metrics: [{{metric_id: acc, value: 20.90}}]\n{more}"
    )
}

/// An entry with this as its only score.
fn scored(literal: &str) -> String {
    format!(
        "- dataset: {{id: acme/sums, task_id: main}}\n  metrics:\n    - metric_id: acc\n      value: {literal}\n"
    )
}

fn shelf() -> Shelf {
    Shelf::default().with(
        "acme/sums",
        "name: Sums\ndescription: Adding up.\nmetrics:\n  - {id: acc, display_name: Accuracy, higher_is_better: true, primary: true, value_type: percentage}\n  - {id: cost, display_name: Cost, higher_is_better: false}\ntasks:\n  - id: main\n  - id: hard\n",
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
    let Some(ValidatedFile::Results(entries)) = report.validated.as_ref().map(|v| v.get()) else {
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
fn an_entry_needs_a_score() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n";

    assert_eq!(
        findings(PATH, text),
        ["AY302 1:3 the entry has neither `metrics` nor `value`"]
    );
}

#[test]
fn a_value_that_no_metric_carries_is_refused() {
    assert_eq!(findings(PATH, &entry("value: 20.9")), NONE);
    assert_eq!(
        findings(PATH, &entry("value: 0.209")),
        ["AY303 3:10 `value` is `0.209`, but no metric of the entry is"]
    );
}

#[test]
fn a_value_must_be_that_of_the_primary_metric_when_it_is_known() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  value: 3.5\n  metrics:\n    - {metric_id: cost, value: 3.5}\n    - {metric_id: acc, value: 20.9}\n";

    assert_eq!(findings(PATH, text), NONE);
    assert_eq!(
        findings_with(PATH, text, &shelf()),
        ["AY303 2:10 `value` is `3.5`, but the primary metric `acc` is not"]
    );
}

#[test]
fn two_tokens_are_an_error_when_they_differ_and_a_warning_when_not() {
    let other = TOKEN.replace("c2ln", "c2lm");
    let pins = format!(
        "model_revision: {SHA}\nframework: {{name: x, version: \"1\"}}\nverify_token: {TOKEN}\nverifyToken: "
    );
    let whole = |token: &str| {
        entry(&format!("{pins}{token}"))
            .replace("task_id: main", &format!("task_id: main, revision: {SHA}"))
    };

    let differ = judged(PATH, &whole(&other), &Context::default());
    let equal = judged(PATH, &whole(TOKEN), &Context::default());

    assert_eq!(
        lines(&differ),
        ["AY304 6:16 `verifyToken` is not the token that `verify_token` is"]
    );
    assert_eq!(weights(&differ), [("AY304".to_owned(), Severity::Error)]);
    assert_eq!(weights(&equal), [("AY304".to_owned(), Severity::Warning)]);
}

#[test]
fn a_token_that_can_prove_nothing_says_what_is_missing() {
    let bare = finding(PATH, &entry(&format!("verify_token: {TOKEN}")), "AY306");
    let live = format!(
        "- dataset: {{id: acme/sums, task_id: main, revision: {SHA}}}\n  value: 3\n  model_revision: 9f3c2c9a1c4e6d1e\n  framework: {{name: x, version: \"1\"}}\n  date: 2026-02-14\n  verifyToken: {TOKEN}\n"
    );
    let live = finding(PATH, &live, "AY306");

    assert_eq!(
        bare.message,
        "the token cannot be verified; the entry needs a full `model_revision`, a full `dataset.revision`, `framework.name`, `framework.version`"
    );
    assert_eq!(
        live.message,
        "the token cannot be verified; the entry needs a full `model_revision`, `metrics` instead of a single `value`, values that all tools read alike"
    );
    assert_eq!(live.severity, Severity::Warning);
}

#[test]
fn aliases_in_an_entry_with_a_token_cannot_be_verified() {
    let text = format!(
        "- dataset: {{id: acme/sums, task_id: main, revision: &sha {SHA}}}\n  metrics: [{{metric_id: acc, value: 1}}]\n  model_revision: *sha\n  framework: {{name: x, version: \"1\"}}\n  verify_token: {TOKEN}\n"
    );

    let found = finding(PATH, &text, "AY306");

    assert_eq!(
        found.message,
        "the token cannot be verified; the entry needs YAML without anchors, aliases and tags"
    );
}

#[test]
fn a_token_that_was_cut_off_is_a_warning() {
    let report = judged(
        PATH,
        &entry("verify_token: \"eyJhbGciOiJFZERTQSJ9...\""),
        &Context::default(),
    );

    let found = only(&report, "AY305");

    assert_eq!(found.severity, Severity::Warning);
    assert!(
        report.validated.is_some(),
        "a bad token never hides a result"
    );
}

#[test]
fn a_metric_may_repeat_on_another_slice_only() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  metrics:\n    - {metric_id: acc, value: 1}\n    - {metric_id: acc, value: 2, slice: en}\n    - {metric_id: acc, value: 3, slice: en}\n    - {metric_id: acc, value: 1}\n";

    assert_eq!(
        findings(PATH, text),
        [
            "AY307 5:19 the entry already has a value for `acc` on `en`",
            "AY307 6:19 the entry already has a value for `acc`",
        ]
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
        ["AY308 5:37 the entry on line 1 is the same run, and its value is not `29.9`"]
    );
    assert_eq!(
        findings(PATH, &format!("{one}{same}")),
        ["AY309 4:3 the entry on line 1 says the same"]
    );
    assert_eq!(findings(PATH, &format!("{one}{tools}")), NONE);
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
fn a_revision_is_a_commit_hash_in_lower_case() {
    let upper = entry(&format!("model_revision: {}", SHA.to_uppercase()));

    let found = finding(PATH, &upper, "AY312");

    assert_eq!(found.severity, Severity::Error);
    assert_eq!(findings(PATH, &mended(&upper, &found)), NONE);
    assert_eq!(
        findings(PATH, &entry("model_revision: main")),
        ["AY312 3:19 `main` is not a commit hash"]
    );
    assert_eq!(
        findings(PATH, &entry("run: {dataset_revision: abc}")),
        ["AY312 3:27 `abc` is not a commit hash"]
    );
}

#[test]
fn a_hash_of_digits_only_needs_quotes_and_is_one_finding() {
    let text = entry("model_revision: 0123456789012345678901234567890123456789");

    let found = findings(PATH, &text);

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("AY102 3:19 `[0].model_revision` must be a string"));
}

#[test]
fn a_number_that_tools_read_differently_is_refused_with_its_plain_spelling() {
    for (literal, plain) in [
        ("1e3", Some("1.0e+3")),
        (".5", Some("0.5")),
        ("+1.5", Some("1.5")),
        ("1_000", Some("1000")),
        ("017", None),
        ("0x1F", None),
        ("1:30", None),
    ] {
        let text = scored(literal);

        let found = finding(PATH, &text, "AY314");

        assert!(
            found.message.ends_with("(yaml_ambiguous_scalar)"),
            "{literal}"
        );
        assert_eq!(findings(PATH, &text).len(), 1, "{literal} is reported once");
        match plain {
            Some(plain) => {
                assert_eq!(found.help, Some(format!("write `{plain}`")));
                assert_eq!(mended(&text, &found), scored(plain));
                assert_eq!(findings(PATH, &scored(plain)), NONE);
            }
            None => assert_eq!(found.fix, None, "{literal}"),
        }
    }
}

#[test]
fn numbers_that_a_double_cannot_hold_are_refused_with_the_reason() {
    for (literal, reason) in [
        ("20.9000000000000000001", "number_excess_precision"),
        ("9007199254740993", "number_unsafe_integer"),
        ("1.0e-400", "number_underflow"),
        ("0.00000000000000000000000000000000001", "number_too_long"),
    ] {
        let found = finding(PATH, &scored(literal), "AY314");

        assert!(
            found.message.ends_with(&format!("({reason})")),
            "{}",
            found.message
        );
        assert_eq!(found.fix, None);
    }
    assert_eq!(
        findings(PATH, &scored("1.0e+400")),
        ["AY008 4:14 this number is not finite"]
    );
    assert_eq!(
        findings(PATH, &scored(".nan")),
        ["AY008 4:14 this number is not finite"]
    );
    assert_eq!(
        findings(PATH, &scored("\"20.9\"")),
        ["AY102 4:14 `[0].metrics[0].value` must be a number, not a string"]
    );
}

#[test]
fn a_value_must_be_of_its_declared_kind() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  metrics:\n    - {metric_id: a, value: 4.5, value_type: int}\n    - {metric_id: b, value: 101, value_type: percentage}\n    - {metric_id: c, value: 0, value_type: rank}\n    - {metric_id: d, value: -4.5, value_type: float}\n    - {metric_id: e, value: 4.0, value_type: int}\n";

    assert_eq!(
        findings(PATH, text),
        [
            "AY315 3:29 `4.5` is not a whole number, which its value type `int` asks for",
            "AY315 4:29 `101` is not a number from 0 to 100, which its value type `percentage` asks for",
            "AY315 5:29 `0` is not a whole number from 1, which its value type `rank` asks for",
        ]
    );
}

#[test]
fn a_value_must_be_of_the_kind_that_its_benchmark_declares() {
    assert_eq!(
        findings_with(PATH, &scored("120.0"), &shelf()),
        [
            "AY315 4:14 `120.0` is not a number from 0 to 100, which the benchmark's value type `percentage` asks for"
        ]
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
fn nobody_can_declare_a_result_verified() {
    let report = judged(
        PATH,
        &entry("verified: true\nbadge: gold"),
        &Context::default(),
    );

    assert_eq!(
        lines(&report),
        [
            "AY319 3:3 `verified` is computed by the hub and ignored here",
            "AY319 4:3 `badge` is computed by the hub and ignored here",
        ]
    );
    assert!(report.validated.is_some());
}

#[test]
fn run_metadata_may_not_contradict_the_entry() {
    let run = |revision: &str, version: &str| {
        entry(&format!(
            "framework: {{version: \"1.0\"}}\nrun: {{dataset_revision: {revision}, framework_version: \"{version}\"}}"
        ))
        .replace("task_id: main", &format!("task_id: main, revision: {SHA}"))
    };
    let other = SHA.replace('5', "6");

    assert_eq!(findings(PATH, &run(SHA, "1.0")), NONE);
    assert_eq!(
        findings(PATH, &run(&other, "1.1")),
        [
            format!(
                "AY320 4:27 `run.dataset_revision` is `{other}`, but `dataset.revision` is `{SHA}`"
            ),
            "AY320 4:88 `run.framework_version` is `1.1`, but `framework.version` is `1.0`"
                .to_owned(),
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
fn counts_begin_at_one() {
    let text = entry("sample_size: 0\nrun: {num_samples: -5}");

    assert_eq!(
        findings(PATH, &text),
        [
            "AY107 3:16 `[0].sample_size` is 0, below the least that it can be, 1",
            "AY107 4:22 `[0].run.num_samples` is -5, below the least that it can be, 1",
        ]
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
fn a_benchmark_that_does_not_exist_is_named_with_a_guess() {
    let text = entry("").replace("acme/sums", "Acme/Sums");
    let shelf = shelf();
    let context = |weight| Context {
        benchmarks: &shelf,
        unknown_benchmark: weight,
        ..Context::default()
    };

    let person = only(&judged(PATH, &text, &context(Severity::Error)), "AY322");
    let hub = judged(PATH, &text, &context(Severity::Warning));

    assert_eq!(person.severity, Severity::Error);
    assert_eq!(person.message, "there is no benchmark `Acme/Sums`");
    assert_eq!(person.help.as_deref(), Some("did you mean `acme/sums`?"));
    assert_eq!(only(&hub, "AY322").severity, Severity::Warning);
    assert!(hub.validated.is_some(), "a hub keeps the result as pending");
}

#[test]
fn a_benchmark_that_is_broken_is_said_to_be() {
    let shelf = Shelf::default().broken("acme/sums");

    assert_eq!(
        findings_with(PATH, &entry(""), &shelf),
        [
            "AY323 1:17 the `eval.yaml` of `acme/sums` is not valid, so its tasks and metrics are not known"
        ]
    );
}

#[test]
fn tasks_and_metrics_must_be_those_of_the_benchmark() {
    let text = entry("")
        .replace("task_id: main", "task_id: mian")
        .replace("metric_id: acc", "metric_id: speed");
    let shelf = shelf();
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };

    let report = judged(PATH, &text, &context);

    assert_eq!(
        lines(&report),
        [
            "AY324 1:37 task `mian` is not defined by `acme/sums`",
            "AY325 2:25 metric `speed` is not defined by the benchmark",
        ]
    );
    assert_eq!(
        only(&report, "AY325").help.as_deref(),
        Some("its metrics are `acc`, `cost`")
    );
    assert_eq!(
        findings(PATH, &text),
        NONE,
        "without a list nothing is unknown"
    );
}

#[test]
fn a_metric_in_the_wrong_case_is_guessed() {
    let shelf = shelf();
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };

    let report = judged(PATH, &entry("").replace("acc", "ACC"), &context);

    assert_eq!(
        only(&report, "AY325").help.as_deref(),
        Some("did you mean `acc`?")
    );
}

#[test]
fn an_entry_without_the_primary_metric_is_a_warning() {
    let text = entry("").replace("metric_id: acc", "metric_id: cost");

    assert_eq!(
        findings_with(PATH, &text, &shelf()),
        ["AY326 2:12 the entry lacks the primary metric `acc`, so it has no place on the board"]
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
