//! The JSON parser against any text, and against another parser.

#![cfg(test)]

use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind, limits};
use assay_formats::{Kind, Tape, Value, json};
use proptest::prelude::*;
use serde_json::{Number, Value as Json};

/// Above this many keys a map finds duplicates in another way, so both ways are tried.
const KEY_COUNTS: [usize; 4] = [2, 63, 64, 200];

fn faults(text: &str) -> Vec<SyntaxFault> {
    json::parse(text, &mut Tape::new())
}

fn kinds(text: &str) -> Vec<SyntaxFaultKind> {
    faults(text).into_iter().map(|fault| fault.kind).collect()
}

/// The value in the words of the other parser.
fn in_other_words(value: Value<'_>) -> Json {
    match value.kind() {
        Kind::Null => Json::Null,
        Kind::Bool => Json::Bool(value.truth().unwrap()),
        Kind::Number => Json::from(value.number().unwrap()),
        Kind::String => Json::String(value.text().unwrap().into_owned()),
        Kind::List => value.items().map(in_other_words).collect(),
        Kind::Map => value
            .entries()
            .map(|(key, value)| (key.text().unwrap().into_owned(), in_other_words(value)))
            .collect(),
    }
}

/// The other parser's value with every number as a double, which is what both have in common.
fn with_doubles(json: Json) -> Json {
    match json {
        Json::Number(number) => Json::from(number.as_f64().unwrap()),
        Json::Array(items) => items.into_iter().map(with_doubles).collect(),
        Json::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| (key, with_doubles(value)))
            .collect(),
        Json::Null | Json::Bool(_) | Json::String(_) => json,
    }
}

fn visit<'d>(value: Value<'d>, see: &mut dyn FnMut(Value<'d>)) {
    see(value);
    for item in value.items() {
        visit(item, see);
    }
    for (key, item) in value.entries() {
        see(key);
        visit(item, see);
    }
}

fn count_values(text: &str) -> usize {
    let mut tape = Tape::new();
    json::parse(text, &mut tape);
    let mut count = 0;
    if let Some(root) = tape.root(text) {
        visit(root, &mut |_| count += 1);
    }
    count
}

/// The text is read without a panic, every fault lies in it, and it is accepted if and only if the
/// other parser accepts it. One difference is meant: a key that stands twice is a fault here.
/// `NaN`, numbers beyond a double and lone surrogates are refused by both, and texts deeper than
/// the limit are not made here.
fn assert_agreement(text: &str) {
    let mut tape = Tape::new();
    let faults = json::parse(text, &mut tape);
    for SyntaxFault { kind, range } in &faults {
        assert!(
            text.get(range.clone()).is_some(),
            "{kind:?} at {range:?} in {text:?}"
        );
    }
    assert_eq!(
        tape.root(text).is_none(),
        faults.iter().any(|fault| fault.kind.is_fatal()),
        "{text:?}"
    );
    let only_duplicates = faults
        .iter()
        .all(|fault| matches!(fault.kind, SyntaxFaultKind::DuplicateKey { .. }));
    let other = serde_json::from_str::<Json>(text);
    assert_eq!(
        only_duplicates,
        other.is_ok(),
        "{text:?}: {faults:?}, {other:?}"
    );
    if let (true, Ok(other), Some(root)) = (faults.is_empty(), other, tape.root(text)) {
        assert_eq!(in_other_words(root), with_doubles(other), "{text:?}");
        assert_spans_read_back(root);
    }
}

/// The source of every value is a document of its own and says the same.
fn assert_spans_read_back(root: Value<'_>) {
    visit(root, &mut |value| {
        let mut tape = Tape::new();
        assert_eq!(json::parse(value.raw(), &mut tape), [], "{:?}", value.raw());
        let again = tape.root(value.raw()).unwrap();
        assert_eq!(in_other_words(again), in_other_words(value));
    });
}

/// Any document, printed tight or wide.
fn document() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("JSON has finite numbers only", Number::from_f64),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        number.prop_map(Json::Number),
        any::<String>().prop_map(Json::from),
        "[a-c]{0,2}".prop_map(Json::from),
    ];
    let tree = leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::vec(("[a-c\u{e9}\"]{0,2}", inner), 0..6)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    });
    (tree, any::<bool>()).prop_map(|(tree, wide)| {
        if wide {
            format!("{tree:#}")
        } else {
            tree.to_string()
        }
    })
}

/// A document in which something was put, taken or doubled.
fn damaged() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\[\\]{}:,\"\\\\ntfu0-9.eE+ \\-]{0,4}",
        prop::sample::select(vec![
            "NaN",
            "-Infinity",
            "1e999",
            "-0",
            "01",
            "1.",
            "\\ud83d",
            "\\udc00",
            "\\u00e9",
            "\\x",
            "\u{0}",
            "\u{7f}",
            "\u{2028}",
            "\u{feff}",
            "null",
            "tru",
            "\"a\":1,",
            ",,",
            "/**/",
            "'",
            "1e-400",
            "12345678901234567890123",
        ])
        .prop_map(str::to_owned),
    ];
    (document(), any::<prop::sample::Index>(), 0..4_usize, piece).prop_map(
        |(text, at, taken, piece)| {
            let characters: Vec<char> = text.chars().collect();
            let at = at.index(characters.len() + 1);
            let rest = characters.iter().skip(at + taken);
            characters[..at]
                .iter()
                .copied()
                .chain(piece.chars())
                .chain(rest.copied())
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        assert_agreement(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_document_is_read_as_another_parser_reads_it(text in document()) {
        assert_agreement(&text);
    }

    #[test]
    fn a_damaged_document_is_refused_when_another_parser_refuses_it(text in damaged()) {
        assert_agreement(&text);
    }

    #[test]
    fn text_of_json_marks_is_judged_as_another_parser_judges_it(text in "[\\[\\]{}:,\"\\\\au0-9.eE \\-]{0,24}") {
        assert_agreement(&text);
    }

    #[test]
    fn a_number_is_read_as_another_parser_reads_it(text in "-?[0-9]{0,25}(\\.[0-9]{0,25})?([eE][+-]?[0-9]{0,4})?") {
        assert_agreement(&text);
    }

    #[test]
    fn a_string_of_escapes_is_read_as_another_parser_reads_it(text in "\"(\\\\(u(d[89a-f]|00|20)[0-9a-f]{1,2}|[bfnrt\"/\\\\x])|[a-z\u{e9}\u{1f600}]){0,8}\"") {
        assert_agreement(&text);
    }
}

#[test]
fn a_key_that_stands_twice_is_found_among_few_and_among_many() {
    for count in KEY_COUNTS {
        for spelling in ["\"key0\"", "\"\\u006bey0\"", "\"ke\\u00790\""] {
            let keys: Vec<String> = (0..count)
                .map(|key| format!("\"key{key}\":{key}"))
                .collect();
            let text = format!("{{{},{spelling}:0}}", keys.join(","));

            let faults = faults(&text);

            let [
                SyntaxFault {
                    kind: SyntaxFaultKind::DuplicateKey { first },
                    range,
                },
            ] = faults.as_slice()
            else {
                panic!("{count} keys: {faults:?}");
            };
            assert_eq!(
                (&text[first.clone()], &text[range.clone()]),
                ("\"key0\"", spelling)
            );
        }
    }
}

#[test]
fn an_escaped_key_is_found_again_by_its_plain_spelling() {
    for count in KEY_COUNTS {
        let keys: Vec<String> = (0..count)
            .map(|key| format!("\"\\u006bey{key}\":{{\"key0\":1}}"))
            .collect();
        let text = format!("{{{},\"key0\":0}}", keys.join(","));

        let kinds = kinds(&text);

        assert!(
            matches!(kinds.as_slice(), [SyntaxFaultKind::DuplicateKey { .. }]),
            "{count} keys: {kinds:?}"
        );
    }
}

#[test]
fn keys_that_look_alike_at_both_ends_are_told_apart() {
    let keys: Vec<String> = (100..999)
        .map(|key| format!("\"same{key}same\":0"))
        .collect();

    assert_eq!(kinds(&format!("{{{}}}", keys.join(","))), []);
}

#[test]
fn line_separators_of_other_standards_are_ordinary_text() {
    let text = "[\"a\u{2028}b\u{2029}c\u{85}d\"]";

    assert_eq!(kinds(text), []);
    assert_eq!(count_values(text), 2);
    assert_agreement(text);
}

#[test]
fn every_fault_of_a_text_is_reported_in_its_order() {
    let text = "{\"a\":NaN,\"a\":\"\\ud800\u{1}\\q\",\"b\":[1e999,],}";

    let kinds = kinds(text);

    assert!(
        matches!(
            kinds.as_slice(),
            [
                SyntaxFaultKind::NonFinite,
                SyntaxFaultKind::DuplicateKey { .. },
                SyntaxFaultKind::LoneSurrogate,
                SyntaxFaultKind::ControlCharacter,
                SyntaxFaultKind::BadEscape,
                SyntaxFaultKind::NonFinite,
                SyntaxFaultKind::TrailingComma,
                SyntaxFaultKind::TrailingComma,
            ]
        ),
        "{kinds:?}"
    );
}

#[test]
fn nesting_is_read_to_the_limit_and_no_deeper() {
    for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let nested = |depth: usize| format!("{}0{}", open.repeat(depth), close.repeat(depth));

        assert_eq!(kinds(&nested(limits::MAX_DEPTH)), []);
        assert_eq!(
            kinds(&nested(limits::MAX_DEPTH + 1)),
            [SyntaxFaultKind::TooDeep]
        );
    }
}

#[test]
fn a_hundred_thousand_brackets_are_one_fault_where_the_limit_is() {
    let text = "[".repeat(100_000);

    let faults = faults(&text);

    assert_eq!(
        faults,
        [SyntaxFault {
            kind: SyntaxFaultKind::TooDeep,
            range: limits::MAX_DEPTH..limits::MAX_DEPTH + 1
        }]
    );
}

#[test]
fn a_string_of_ten_megabytes_is_one_value() {
    let text = format!("\"{}\\n{}\"", "x".repeat(5 << 20), "\u{e9}".repeat(5 << 19));

    let mut tape = Tape::new();
    let faults = json::parse(&text, &mut tape);

    assert_eq!(faults, []);
    let string = tape.root(&text).unwrap().text().unwrap();
    assert_eq!(string.len(), (10 << 20) + 1);
}

#[test]
fn values_are_counted_to_the_limit_and_no_further() {
    let list_of = |count: usize| format!("[{}0]", "0,".repeat(count - 1));

    assert_eq!(kinds(&list_of(limits::MAX_VALUES - 1)), []);
    assert_eq!(
        kinds(&list_of(limits::MAX_VALUES)),
        [SyntaxFaultKind::TooManyValues]
    );
}

#[test]
fn faults_are_kept_to_the_limit_and_the_last_word_is_always_kept() {
    let text = format!("[{}", "NaN,".repeat(limits::MAX_SYNTAX_FAULTS * 3));

    let kinds = kinds(&text);

    assert_eq!(kinds.len(), limits::MAX_SYNTAX_FAULTS + 1);
    assert_eq!(kinds.last(), Some(&SyntaxFaultKind::UnexpectedEnd));
}

/// Work that grows with the text grows with its length only: twice the text, at most twice the
/// values and faults.
#[test]
fn twice_the_text_makes_twice_the_work() {
    type Family = fn(usize) -> String;
    let families: [(&str, Family); 6] = [
        ("the same key again and again", |n| {
            format!("{{{}\"k\":0}}", "\"k\":0,".repeat(n))
        }),
        ("escapes", |n| format!("\"{}\"", "\\ud83d\\ude00".repeat(n))),
        ("lone surrogates", |n| {
            format!("\"{}\"", "\\ud83d".repeat(n))
        }),
        ("maps in a list", |n| {
            format!("[{}0]", "{\"k\":0},".repeat(n))
        }),
        ("keys with one fingerprint", |n| {
            let keys: Vec<String> = (0..n)
                .map(|key| format!("\"same{key:06}same\":0"))
                .collect();
            format!("{{{}}}", keys.join(","))
        }),
        ("an open string in every item", |n| "[\"".repeat(n)),
    ];
    for (name, family) in families {
        let work = |n: usize| count_values(&family(n)) + faults(&family(n)).len();
        let (once, twice) = (work(400), work(800));

        assert!(once > 0, "{name}");
        assert!(twice <= 2 * once, "{name}: {once}, then {twice}");
        assert!(once <= 4 * 400 + 4, "{name}: {once}");
    }
}

/// A long text, one that differs from it in its last letter, one that goes on where it ends, and
/// one with a fault.
fn long_texts() -> [String; 4] {
    let long = "few-shot \\n prompt ".repeat(40);
    let (other, longer, faulty) = (
        format!("{}x", &long[..long.len() - 1]),
        format!("{long}and more"),
        format!("{long}\\ud800"),
    );
    [long, other, longer, faulty]
}

proptest! {
    #[test]
    fn long_strings_are_read_alike_however_often_they_stand(picks in proptest::collection::vec(0usize..3, 1..12)) {
        let texts = long_texts();
        let parts: Vec<String> = picks.iter().map(|&pick| format!("\"{}\"", texts[pick])).collect();
        let source = format!("[{}]", parts.join(", "));
        let mut tape = Tape::new();

        let faults = json::parse(&source, &mut tape);

        prop_assert_eq!(faults, Vec::new());
        let expected: Json = serde_json::from_str(&source).unwrap();
        prop_assert_eq!(in_other_words(tape.root(&source).unwrap()), expected);
    }
}

#[test]
fn a_fault_in_a_long_string_is_reported_every_time_it_stands() {
    let [long, _, _, faulty] = long_texts();

    let kinds = kinds(&format!(
        "[\"{long}\", \"{faulty}\", \"{faulty}\", \"{long}\"]"
    ));

    assert_eq!(kinds, vec![SyntaxFaultKind::LoneSurrogate; 2]);
}
