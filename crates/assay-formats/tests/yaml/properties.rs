use assay_formats::syntax::{SyntaxFaultKind, YamlConstruct};
use assay_formats::{Kind, Tape, Value, json, yaml};
use proptest::prelude::*;

use super::flat;

proptest! {
    #[test]
    fn any_text_is_read_or_refused(source in any::<String>()) {
        check_soundness(&source);
    }

    #[test]
    fn any_text_in_the_letters_of_yaml_is_read_or_refused(source in "[-?:,\\[\\]{}#&*!|>'\"%@`~<=.0-9ab_+é\u{feff}\\\\ \t\n\r]{0,40}") {
        check_soundness(&source);
    }

    #[test]
    fn any_pieces_of_yaml_are_read_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        check_soundness(&pieces.concat());
    }

    #[test]
    fn json_is_read_as_json(written in json_text(4)) {
        let mut json_tape = Tape::new();
        let json_faults = json::parse(&written, &mut json_tape);
        let mut yaml_tape = Tape::new();
        let yaml_faults = yaml::parse(&written, &mut yaml_tape);

        prop_assert_eq!(json_faults, yaml_faults);
        let from_json = json_tape.root(&written).unwrap();
        let from_yaml = yaml_tape.root(&written).unwrap();
        let [from_json, from_yaml] = [from_json, from_yaml].map(flat);
        prop_assert_eq!(from_json.len(), from_yaml.len());
        for (from_json, from_yaml) in from_json.into_iter().zip(from_yaml) {
            prop_assert_eq!(meaning(from_json), meaning(from_yaml));
            prop_assert_eq!(from_json.range(), from_yaml.range());
        }
    }
}

/// Pieces that make sense together more often than single letters do.
const PIECES: &[&str] = &[
    "a",
    "b c",
    "é",
    "1.5",
    "no",
    "~",
    ".inf",
    "2026-02-14",
    "'q'",
    "\"d\"",
    "\"\\u00e9\\\n  x\"",
    "''",
    "\"",
    "'",
    ": ",
    ":",
    ":\n",
    "- ",
    "-\n",
    "-",
    "? ",
    "?\n",
    ", ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "[a]",
    "{a: b}",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\n  ",
    "\n    ",
    "  ",
    " ",
    "\t",
    " # c",
    "\n# é\n",
    "&x ",
    "&x\n",
    "*x",
    "*x ",
    "!t ",
    "!!str ",
    "!<a>",
    "<<: ",
    "|\n  ",
    "|-\n",
    ">\n ",
    "|2+\n",
    "---\n",
    "--- ",
    "\n---\n",
    "...\n",
    "\n...\n",
    "%YAML 1.2\n",
    "%É é\n",
    "%TAG ! t\n",
    "\u{feff}",
    "\0",
    "\u{7}",
    "@",
    "`",
    "%",
];

fn check_soundness(source: &str) {
    let mut tape = Tape::new();
    let faults = yaml::parse(source, &mut tape);
    for fault in &faults {
        assert!(source.get(fault.range.clone()).is_some(), "{fault:?}");
    }
    let is_refused = faults.iter().any(|fault| fault.kind.is_fatal());
    let Some(root) = tape.root(source) else {
        assert!(is_refused);
        return;
    };
    assert!(!is_refused);
    let alias = SyntaxFaultKind::YamlConstruct(YamlConstruct::Alias);
    let is_written_out = faults.iter().all(|fault| fault.kind != alias);
    for value in flat(root) {
        check_value(value, is_written_out);
    }
}

fn check_value(value: Value<'_>, is_written_out: bool) {
    let raw = value.source().get(value.range()).unwrap();
    assert_eq!(raw.trim_matches([' ', '\n', '\r', '\t']), raw);
    assert_eq!(value.text().is_some(), value.kind() == Kind::String);
    let parts: Vec<_> = value
        .items()
        .chain(value.entries().flat_map(|(key, value)| [key, value]))
        .collect();
    if value.kind() == Kind::List && is_written_out {
        assert!(raw.starts_with(['-', '[']), "{value:?}");
    }
    if is_written_out {
        let mut at = value.range().start;
        for part in parts {
            assert!(at <= part.range().start, "{part:?} in {value:?}");
            at = part.range().end;
        }
        assert!(at <= value.range().end, "{value:?}");
    }
}

fn meaning(value: Value<'_>) -> (Kind, Option<String>, Option<bool>, Option<u64>) {
    (
        value.kind(),
        value.text().map(String::from),
        value.truth(),
        value.number().map(f64::to_bits),
    )
}

/// A JSON document, with blanks wherever JSON allows them.
///
/// What YAML 1.2 does not share with JSON is left out: surrogate pairs in escapes, numbers that one
/// side only finds too large (`1e999` is no double, and loose in YAML), and tabs that indent a
/// line.
fn json_text(depth: u32) -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        prop::sample::select(&["null", "true", "false", "[]", "{}", "[ ]", "{\n}"][..])
            .prop_map(String::from),
        "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?",
        json_string(),
    ];
    let value = scalar.prop_recursive(depth, 32, 5, |value| {
        let list = prop::collection::vec((blanks(), value.clone(), blanks()), 1..5)
            .prop_map(|items| format!("[{}]", join(items)));
        let key = prop_oneof!["\"[a-z_.]{0,3}\"", json_string()];
        let entry = (key, blanks(), blanks(), value)
            .prop_map(|(key, before, after, value)| format!("{key}{before}:{after}{value}"));
        let map = prop::collection::vec((blanks(), entry, blanks()), 1..5)
            .prop_map(|entries| format!("{{{}}}", join(entries)));
        prop_oneof![list, map]
    });
    (blanks(), value, blanks()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

fn json_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]",
        1 => prop::sample::select(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u00e9", "\\uFFFD", "\\u0000"][..]).prop_map(String::from),
        1 => "[é😀\u{7f}\u{85}\u{2028}\u{a0}]",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn blanks() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 1 => "[ \n]{1,3}", 1 => Just("\r\n  ".to_owned())]
}

fn join(parts: Vec<(String, String, String)>) -> String {
    let parts: Vec<_> = parts
        .into_iter()
        .map(|(before, part, after)| before + &part + &after)
        .collect();
    parts.join(",")
}
