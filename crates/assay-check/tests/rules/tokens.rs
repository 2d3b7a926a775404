//! Revisions and tokens of an entry.

use assay_check::Context;
use assay_model::Severity;

use crate::results::{NONE, PATH, SHA, TOKEN, entry};
use crate::support::{finding, findings, judged, lines, mended, only, weights};

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
