use assay_formats::{Tape, yaml};

use super::flat;

/// The source text of every value and key, parents first.
fn raw(source: &str) -> Vec<&str> {
    let mut tape = Tape::new();
    let faults = yaml::parse(source, &mut tape);
    assert!(
        !faults.iter().any(|fault| fault.kind.is_fatal()),
        "{faults:?}"
    );
    let root = tape.root(source).unwrap();
    flat(root)
        .into_iter()
        .map(|value| &source[value.range()])
        .collect()
}

/// Returns the start of each value and key, for those that hold no text to find them by.
fn starts(source: &str) -> Vec<usize> {
    let mut tape = Tape::new();
    yaml::parse(source, &mut tape);
    let root = tape.root(source).unwrap();
    flat(root)
        .into_iter()
        .map(|value| value.range().start)
        .collect()
}

#[test]
fn plain_scalars_cover_their_text() {
    assert_eq!(raw("  text \t # comment\n"), ["text"]);
    assert_eq!(raw("one\n  two  \n\n"), ["one\n  two"]);
    assert_eq!(raw("a :  b c \n"), ["a :  b c", "a", "b c"]);
}

#[test]
fn quoted_scalars_cover_their_quotes_and_no_comment() {
    assert_eq!(raw("\"a\\\"b\" # \" comment"), ["\"a\\\"b\""]);
    assert_eq!(
        raw("- 'it''s'  # it's\n- \"\"\n- ''"),
        ["- 'it''s'  # it's\n- \"\"\n- ''", "'it''s'", "\"\"", "''"]
    );
    assert_eq!(raw("[\"a\" , 'b' ]"), ["[\"a\" , 'b' ]", "\"a\"", "'b'"]);
    assert_eq!(
        raw("\"a\": 'b\n  c'\n"),
        ["\"a\": 'b\n  c'", "\"a\"", "'b\n  c'"]
    );
}

#[test]
fn places_count_bytes_after_text_that_is_not_ascii() {
    let filler = "é😀".repeat(100);
    let source = format!("# {filler}\nnäme: \"größe\" # {filler}\nlist: [ü, {filler}]\nend: 1.5\n");

    let found = raw(&source);

    assert_eq!(
        found[1..],
        [
            "näme",
            "\"größe\"",
            "list",
            &format!("[ü, {filler}]"),
            "ü",
            &filler,
            "end",
            "1.5"
        ]
    );
    assert_eq!(
        found[0],
        &source[source.find("näme").unwrap()..source.len() - 1]
    );
}

#[test]
fn a_byte_order_mark_does_not_shift_places() {
    assert_eq!(
        raw("\u{feff}a: é\nb: 2\n"),
        ["a: é\nb: 2", "a", "é", "b", "2"]
    );
    assert_eq!(raw("\u{feff}|\n text\n"), ["|\n text"]);
}

#[test]
fn line_ends_of_windows_do_not_shift_places() {
    assert_eq!(
        raw("a: 1\r\nb:\r\n- x\r\n- y z\r\nc: |\r\n  one\r\n  two\r\n\r\nd: e\r\n  f\r\n"),
        [
            "a: 1\r\nb:\r\n- x\r\n- y z\r\nc: |\r\n  one\r\n  two\r\n\r\nd: e\r\n  f",
            "a",
            "1",
            "b",
            "- x\r\n- y z",
            "x",
            "y z",
            "c",
            "|\r\n  one\r\n  two",
            "d",
            "e\r\n  f",
        ]
    );
}

#[test]
fn block_scalars_begin_at_their_indicator_and_end_with_their_text() {
    assert_eq!(
        raw("a: |\n  one\n  two\n\n# comment\nb: >-  # comment\n  three\n\n\nc: 1\n"),
        [
            "a: |\n  one\n  two\n\n# comment\nb: >-  # comment\n  three\n\n\nc: 1",
            "a",
            "|\n  one\n  two",
            "b",
            ">-  # comment\n  three",
            "c",
            "1",
        ]
    );
    assert_eq!(
        raw("- |\n one\n-\n  >2\n    two\n"),
        ["- |\n one\n-\n  >2\n    two", "|\n one", ">2\n    two"]
    );
    assert_eq!(raw("--- |\n one\n"), ["|\n one"]);
    assert_eq!(raw("...\n# comment\n|\n one"), ["|\n one"]);
    assert_eq!(
        raw("? |\n one\n: >\n two\n"),
        ["? |\n one\n: >\n two", "|\n one", ">\n two"]
    );
}

#[test]
fn an_empty_block_scalar_covers_its_header() {
    assert_eq!(
        raw("a: |+ # comment\n\n\nb: >\n"),
        ["a: |+ # comment\n\n\nb: >", "a", "|+", "b", ">"]
    );
    assert_eq!(raw("a: |2-\n"), ["a: |2-", "a", "|2-"]);
}

#[test]
fn flow_collections_cover_their_brackets_and_no_comment() {
    assert_eq!(
        raw("a: [1, {b: c, d}, []]   # comment\ne: {}  \n"),
        [
            "a: [1, {b: c, d}, []]   # comment\ne: {}",
            "a",
            "[1, {b: c, d}, []]",
            "1",
            "{b: c, d}",
            "b",
            "c",
            "d",
            "",
            "[]",
            "e",
            "{}",
        ]
    );
    assert_eq!(
        raw("[\n  1, # one\n  2\n  # two\n] # three"),
        ["[\n  1, # one\n  2\n  # two\n]", "1", "2"]
    );
    assert_eq!(
        raw("[{a: b , # last\n }, [c, ], ]"),
        [
            "[{a: b , # last\n }, [c, ], ]",
            "{a: b , # last\n }",
            "a",
            "b",
            "[c, ]",
            "c"
        ]
    );
}

#[test]
fn a_pair_without_braces_ends_with_its_value() {
    assert_eq!(
        raw("[a: 1 , \"b\": 2, d: , ? c : 3 ]"),
        [
            "[a: 1 , \"b\": 2, d: , ? c : 3 ]",
            "a: 1",
            "a",
            "1",
            "\"b\": 2",
            "\"b\"",
            "2",
            "d:",
            "d",
            "",
            "? c : 3",
            "c",
            "3",
        ]
    );
    assert_eq!(raw("[: 1]"), ["[: 1]", ": 1", "", "1"]);
    assert_eq!(
        raw("[{a: b}: c]"),
        ["[{a: b}: c]", "{a: b}: c", "{a: b}", "c"]
    );
}

#[test]
fn block_collections_cover_all_they_hold() {
    assert_eq!(
        raw("# before\n- a: 1\n  b:\n    - - x\n      - y\n    - z # last\n# after\n- \n\n# end\n"),
        [
            "- a: 1\n  b:\n    - - x\n      - y\n    - z # last\n# after\n-",
            "a: 1\n  b:\n    - - x\n      - y\n    - z",
            "a",
            "1",
            "b",
            "- - x\n      - y\n    - z",
            "- x\n      - y",
            "x",
            "y",
            "z",
            "",
        ]
    );
}

#[test]
fn a_list_at_the_indent_of_its_key_begins_at_its_dash() {
    for item in [
        "x",
        "- x",
        "[x]",
        "k: x",
        "'x'",
        "|\n  x",
        "&a x",
        "*a",
        "# comment\n  x",
    ] {
        let list = format!("- {item}\n- y");
        let source = format!("first: &a 1\nkey: # comment\n\n{list}\nlast: 1\n");

        assert_eq!(raw(&source)[4], list);
    }
    assert_eq!(
        raw("?\n- a\n:\n- b\n"),
        ["?\n- a\n:\n- b", "- a", "- b", "b"]
    );
}

#[test]
fn anchors_and_tags_are_not_part_of_a_value() {
    assert_eq!(
        raw(
            "a: &x !!str text\nb: !t &y\n  'q' # comment\nc: &z # comment\n  k: v\nd: !<tag:a,b> [1]\ne: !!seq\n- i\n"
        ),
        [
            "a: &x !!str text\nb: !t &y\n  'q' # comment\nc: &z # comment\n  k: v\nd: !<tag:a,b> [1]\ne: !!seq\n- i",
            "a",
            "text",
            "b",
            "'q'",
            "c",
            "k: v",
            "k",
            "v",
            "d",
            "[1]",
            "1",
            "e",
            "- i",
            "i",
        ]
    );
    assert_eq!(
        raw("a: &x |\n  text\n"),
        ["a: &x |\n  text", "a", "|\n  text"]
    );
    assert_eq!(raw("&m\n&k a: b\n"), ["&k a: b", "a", "b"]);
    assert_eq!(raw("[!t a, !t , &x ]"), ["[!t a, !t , &x ]", "a", "", ""]);
}

#[test]
fn a_value_that_is_not_written_stands_after_its_indicator() {
    assert_eq!(starts(""), [0]);
    assert_eq!(starts("# only\n\n# comments"), [0]);
    assert_eq!(starts("\u{feff}"), [0]);
    assert_eq!(starts("---\n# comment\n"), [3]);
    assert_eq!(starts("a:   # comment\nb:\n"), [0, 0, 2, 15, 17]);
    assert_eq!(starts("-\n- # comment\n-"), [0, 1, 3, 15]);
    assert_eq!(starts("a: !t  # comment\n"), [0, 0, 5]);
    assert_eq!(starts("{a, b: , ? c}"), [0, 1, 2, 4, 6, 11, 12]);
    assert_eq!(starts("? a\n? b\n"), [0, 2, 3, 6, 7]);
}

#[test]
fn a_directive_in_another_alphabet_does_not_shift_places() {
    assert_eq!(raw("%GRÜSSE größe 😀\n---\nä: ö\n"), ["ä: ö", "ä", "ö"]);
}

#[test]
fn a_value_knows_its_path() {
    let source = "metrics:\n- name: a\n- name: b\n";
    let mut tape = Tape::new();
    yaml::parse(source, &mut tape);

    let last = *flat(tape.root(source).unwrap()).last().unwrap();

    assert_eq!(
        (last.raw(), last.path()),
        ("b", "metrics[1].name".to_owned())
    );
}
