use assay_formats::syntax::SyntaxFaultKind;
use assay_formats::{Kind, Tape, yaml};

use super::{faults, shown};

/// The kind of a literal as the value of a key, and whether tools disagree on it.
fn reading(literal: &str) -> (Kind, bool) {
    let source = format!("value: {literal}\n");
    let mut tape = Tape::new();
    yaml::parse(&source, &mut tape);
    let value = tape.root(&source).unwrap().get("value").unwrap();
    assert_eq!(value.raw(), literal);
    (value.kind(), value.is_loose())
}

#[test]
fn what_tools_read_differently_is_loose() {
    let sha = "1234567890123456789012345678901234567890";
    let table = [
        ("017", Kind::Number, true),
        ("1_000", Kind::Number, true),
        ("0o17", Kind::Number, true),
        ("0b11", Kind::Number, true),
        ("1:30", Kind::Number, true),
        ("no", Kind::Bool, true),
        ("1e3", Kind::Number, true),
        ("1e400", Kind::Number, true),
        ("2026-02-14", Kind::String, true),
        // Every tool reads a number; that it is too long to be exact is not a matter of syntax.
        (sha, Kind::Number, false),
        (&sha.replacen('1', "0", 1), Kind::Number, true),
        ("\"20.90\"", Kind::String, false),
    ];
    for (literal, kind, is_loose) in table {
        assert_eq!(reading(literal), (kind, is_loose), "{literal}");
    }
}

#[test]
fn numbers_that_json_and_both_yamls_share_are_not_loose() {
    for literal in [
        "20.90",
        "20.9",
        "2.09e+1",
        "4",
        "4.0",
        "-0.0",
        "0",
        "-0",
        "0.1",
        "1.0e-07",
        "5.0e-324",
        "-1.5E+3",
        "9007199254740993",
        "20.9000000000000000001",
        "1.0e-400",
    ] {
        assert_eq!(reading(literal), (Kind::Number, false), "{literal}");
    }
}

#[test]
fn other_numbers_are_loose() {
    for literal in [
        "+1.5",
        "+1",
        "01.5",
        "007",
        "08",
        ".5",
        ".5e+3",
        "5.",
        "-5.",
        "1.e+3",
        "1E3",
        "1.5e3",
        "-1e-3",
        "+.5e3",
        "1_0.5_0",
        "0x1F",
        "0xff_ff",
        "-0x1f",
        "0b1_0",
        "-0b1",
        "+017",
        "0_7",
        "190:20:30",
        "-1:30",
        "1:30.5",
        "0:30.",
        "1__0",
    ] {
        assert_eq!(reading(literal), (Kind::Number, true), "{literal}");
    }
}

#[test]
fn booleans_are_those_of_yaml_1_1_without_its_single_letters() {
    for literal in ["true", "false"] {
        assert_eq!(reading(literal), (Kind::Bool, false), "{literal}");
    }
    assert_eq!(
        shown("[yes, Yes, YES, on, On, ON, True, TRUE]"),
        "[true?, true?, true?, true?, true?, true?, true?, true?]"
    );
    assert_eq!(
        shown("[no, No, NO, off, Off, OFF, False, FALSE]"),
        "[false?, false?, false?, false?, false?, false?, false?, false?]"
    );
    assert_eq!(
        shown("[y, n, Y, N, yES, tRUE]"),
        r#"["y", "n", "Y", "N", "yES", "tRUE"]"#
    );
}

#[test]
fn null_has_five_spellings() {
    for literal in ["", "~", "null", "Null", "NULL"] {
        assert_eq!(reading(literal), (Kind::Null, false), "{literal}");
    }
    assert_eq!(reading("nULL"), (Kind::String, false));
}

#[test]
fn numbers_that_are_not_finite_are_reported() {
    for literal in [
        ".nan",
        ".NaN",
        ".NAN",
        ".inf",
        ".Inf",
        ".INF",
        "-.inf",
        "+.inf",
        "-.INF",
        "1.0e+400",
        "-1.0e+309",
    ] {
        let source = format!("- {literal} # text");
        let mut tape = Tape::new();

        let found = yaml::parse(&source, &mut tape);

        assert_eq!(found.len(), 1, "{literal}");
        assert_eq!(found[0].kind, SyntaxFaultKind::NonFinite, "{literal}");
        assert_eq!(&source[found[0].range.clone()], literal);
        let value = tape.root(&source).unwrap().items().next().unwrap();
        assert_eq!(value.kind(), Kind::Number, "{literal}");
        assert!(value.is_non_finite(), "{literal}");
        assert_eq!(value.number(), None, "{literal}");
    }
    assert_eq!(faults("{.nan: 1}"), []);
    assert_eq!(
        shown("[nan, inf, Infinity, -.nan]"),
        r#"["nan", "inf", "Infinity", "-.nan"]"#
    );
}

#[test]
fn dates_and_times_are_loose_strings() {
    for literal in [
        "2026-02-14",
        "2026-02-14T10:00:00Z",
        "2026-2-4t1:00:00",
        "2026-02-14 10:00:00.25 +1",
        "2026-02-14  10:00:00 -01:30",
        "2026-02-14T10:00:00.",
    ] {
        assert_eq!(reading(literal), (Kind::String, true), "{literal}");
    }
    for literal in [
        "2026-2-14",
        "2026-02-1",
        "2026-02",
        "2026-02-14T10:00",
        "2026-02-14T10:00:00 +100",
        "2026-02-14T10:00:00 UTC",
        "02-14-2026",
        "2026-02-145",
    ] {
        assert_eq!(reading(literal), (Kind::String, false), "{literal}");
    }
}

#[test]
fn what_only_looks_like_a_number_is_a_string() {
    for literal in [
        "+", ".", "1.2.3", "1e", "1e+", "0x", "0xg", "0o8", "0b2", "-0o17", "1:60", "0:30", "_1",
        "1,000", "--1", "+-1", "1.5e", "v1", "1 2", "..5", "-.", "1.e3x", "=", "<<", "１２", "12é",
    ] {
        assert_eq!(reading(literal), (Kind::String, false), "{literal}");
    }
}

#[test]
fn quoted_and_block_scalars_are_strings() {
    assert_eq!(
        shown("a: 'no'\nb: \"1\"\nc: |\n  1.5\nd: >-\n  null\n"),
        r#"{"a": "no", "b": "1", "c": "1.5\n", "d": "null"}"#
    );
}

#[test]
fn keys_are_strings_whatever_they_look_like() {
    assert_eq!(
        shown("no: 1\n1: 2\n017: 3\ntrue: 4\n~: 5\n2026-02-14: 6\n'x': 7\n: 8\n"),
        r#"{"no"?: 1, "1": 2, "017"?: 3, "true": 4, "~": 5, "2026-02-14"?: 6, "x": 7, "": 8}"#
    );
}

#[test]
fn text_over_several_lines_is_folded() {
    assert_eq!(
        shown("a: one\n  two\n\n  three\n"),
        r#"{"a": "one two\nthree"}"#
    );
    assert_eq!(shown("'one\n\n  it''s'"), r#""one\nit's""#);
    assert_eq!(
        shown("\"one \\\n  two\\t\\u00e9\\x41\""),
        r#""one two\téA""#
    );
    assert_eq!(shown("|2-\n   a\n  b\n\n"), "\" a\\nb\"");
}

#[test]
fn a_text_block_has_no_line_break_that_the_source_has_not() {
    let table = [
        ("|\n  a", "a"),
        ("|\n  a\n", "a\n"),
        ("|\n  a\n  ", "a\n"),
        ("|\n  a\n\n    b\n\n  ", "a\n\n  b\n"),
        (">+\r\n  a\r\n\r\n  ", "a\n\n"),
        ("|+\n  a", "a"),
        ("|+\n  a\n\n", "a\n\n"),
        ("|-\n  a\n\n", "a"),
        ("|2+ # +\n  a\n\n ", "a\n\n"),
        ("| # +\n  a\n\n  ", "a\n"),
    ];
    for (source, text) in table {
        assert_eq!(shown(source), format!("{text:?}"), "{source:?}");
    }
}

#[test]
fn a_dump_of_pyyaml_reads_as_it_was_meant() {
    let source = "\
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
    revision: '1234567890123456789012345678901234567890'
  value: 1.0e-07
  date: '2026-02-14'
  notes: 'first line

    second: line

    '
  country: 'no'
  command: lm_eval --model hf --model_args pretrained=acme/model,dtype=bfloat16 --tasks
    gpqa_diamond_zeroshot --batch_size 8
  source:
    name: Größe
    url: https://example.org/?a=1#b
  empty: null
  ok: true
  tags:
  - a
  - - 1
    - 2.5
  - {}
";

    assert_eq!(faults(source), []);
    assert_eq!(
        shown(source),
        concat!(
            r#"[{"dataset": {"id": "Idavidrein/gpqa", "task_id": "gpqa_diamond", "#,
            r#""revision": "1234567890123456789012345678901234567890"}, "value": 1.0e-07, "date": "2026-02-14", "#,
            r#""notes": "first line\nsecond: line\n", "country": "no", "#,
            r#""command": "lm_eval --model hf --model_args pretrained=acme/model,dtype=bfloat16 "#,
            r#"--tasks gpqa_diamond_zeroshot --batch_size 8", "#,
            r#""source": {"name": "Größe", "url": "https://example.org/?a=1#b"}, "empty": null, "ok": true, "#,
            r#""tags": ["a", [1, 2.5], {}]}]"#,
        )
    );
}
