//! The scores of an entry.

use assay_model::Severity;

use crate::results::{NONE, PATH, entry, scored};
use crate::support::{finding, findings, mended};

#[test]
fn what_an_entry_must_say_is_missed_by_its_name() {
    for (said, place, key) in [
        (
            "dataset: {id: acme/sums, task_id: main}\n  ",
            "`[0]`",
            "dataset",
        ),
        ("id: acme/sums, ", "`[0].dataset`", "id"),
        (", task_id: main", "`[0].dataset`", "task_id"),
        (", value: 20.90", "`[0].metrics[0]`", "value"),
        ("metric_id: acc, ", "`[0].metrics[0]`", "metric_id"),
    ] {
        let text = entry("").replace(said, "");
        assert_ne!(text, entry(""), "{said}");

        let found = finding(PATH, &text, "AY101");

        assert_eq!(found.severity, Severity::Error, "{key}");
        assert_eq!(
            found.message,
            format!("{place} lacks the required key `{key}`")
        );
    }
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
    let text = "- dataset: {id: acme/sums, task_id: main}\n  metrics:\n    - {metric_id: a, value: 4.5, value_type: int}\n    - {metric_id: b, value: 101, value_type: percentage}\n    - {metric_id: c, value: 0, value_type: rank}\n    - {metric_id: d, value: -4.5, value_type: float}\n    - {metric_id: e, value: 4.0, value_type: int}\n    - {metric_id: wer, value: 101, value_type: percentage}\n";

    assert_eq!(
        findings(PATH, text),
        [
            "AY315 3:29 `4.5` is not a whole number, which its value type `int` asks for",
            "AY328 4:29 101 is more than a percentage can be",
            "AY315 5:29 `0` is not a whole number from 1, which its value type `rank` asks for",
            // More words can be wrong than there are.
            "AY315 8:31 `101` is not a number from 0 to 100, which its value type `percentage` asks for",
        ]
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
