use std::fmt::Write;
use std::time::Instant;

use assay_formats::syntax::SyntaxFaultKind::{
    self, ControlCharacter, DuplicateKey, TooDeep, TooManyValues, Yaml,
};
use assay_formats::syntax::YamlConstruct::{
    Alias, ComplexKey, Directive, MergeKey, SecondDocument, Tab, Tag,
};
use assay_formats::syntax::{YamlConstruct, limits};
use assay_formats::{Kind, Tape, yaml};

use super::{faults, shown};

fn constructs(source: &str) -> Vec<(YamlConstruct, &str)> {
    faults(source)
        .into_iter()
        .map(|(kind, text)| match kind {
            SyntaxFaultKind::YamlConstruct(construct) => (construct, text),
            other => panic!("{other:?} at {text:?}"),
        })
        .collect()
}

/// The fault that stops the reading, which is the last.
fn fatal(source: &str) -> SyntaxFaultKind {
    let mut tape = Tape::new();
    let faults = yaml::parse(source, &mut tape);
    assert!(tape.root(source).is_none(), "the tape is left empty");
    let fault = faults.last().unwrap();
    assert!(fault.kind.is_fatal());
    assert!(fault.range.end <= source.len());
    fault.kind.clone()
}

#[test]
fn a_tab_between_tokens_is_reported_and_one_in_a_text_is_not() {
    for source in [
        "a:\t1\n",
        "a: 1\t\n",
        "a: 1\t# why\n",
        "a: [1,\t2]\n",
        "-\ta\n",
        "a: |\t\n  text\n",
    ] {
        let faults = faults(source);
        let is_of_tab = match &faults[0].0 {
            SyntaxFaultKind::YamlConstruct(construct) => *construct == Tab,
            Yaml(text) => text.contains("a tab cannot stand here"),
            _ => false,
        };
        assert!(faults.len() == 1 && is_of_tab, "{source:?}: {faults:?}");
    }
    for source in [
        "a: \"x\ty\"\n",
        "a: 'x\ty'\n",
        "a: 1 # x\ty\n",
        "# x\ty\na: 1\n",
        "a: |\n  x\ty\n  z\t\nb: 1\n",
        "a: >-\n  x\ty\n",
    ] {
        assert_eq!(constructs(source), [], "{source:?}");
    }
}

#[test]
fn duplicate_keys_are_found_after_decoding() {
    let source = "a: 1\nb: {a: 1, 'a': 2}\n\"\\x61\": 3\n";

    let found = faults(source);

    assert_eq!(
        found,
        [
            (DuplicateKey { first: 9..10 }, "'a'"),
            (DuplicateKey { first: 0..1 }, "\"\\x61\""),
        ]
    );
    assert_eq!(shown(source), r#"{"a": 1, "b": {"a": 1, "a": 2}, "a": 3}"#);
}

#[test]
fn many_keys_are_compared_in_linear_time() {
    let mut source = String::new();
    for key in 0..30_000 {
        writeln!(source, "k{key}: 1").unwrap();
    }
    source.push_str("k7: 2\n");

    let started = Instant::now();
    let found = faults(&source);

    assert_eq!(found.len(), 1);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn anchors_and_aliases_are_reported_and_expanded() {
    let source = "a: &x [1, {k: v}]\nb: *x\nc: &y text\nd: *y\ne: &z 1.5\nf: *z\ng: &w\nh: *w\n";

    assert_eq!(
        constructs(source),
        [
            (Alias, "&x"),
            (Alias, "*x"),
            (Alias, "&y"),
            (Alias, "*y"),
            (Alias, "&z"),
            (Alias, "*z"),
            (Alias, "&w"),
            (Alias, "*w"),
        ]
    );
    assert_eq!(
        shown(source),
        concat!(
            r#"{"a": [1, {"k": "v"}], "b": [1, {"k": "v"}], "c": "text", "d": "text", "#,
            r#""e": 1.5, "f": 1.5, "g": null, "h": null}"#
        )
    );
}

#[test]
fn an_expanded_alias_stands_where_it_was_written() {
    let source = "a: &x [1]\nb: *x\nc: &y \"text\"\nd: *y\ne: &z true\nf: *z\n";
    let mut tape = Tape::new();
    yaml::parse(source, &mut tape);
    let root = tape.root(source).unwrap();

    let places: Vec<_> = ["b", "d", "f"]
        .map(|key| root.get(key).unwrap().raw())
        .into();

    assert_eq!(places, ["*x", "*y", "*z"]);
    assert_eq!(
        root.get("b").unwrap().items().next().unwrap().number(),
        Some(1.0)
    );
    assert!(root.get("d").unwrap().is_text("text"));
    assert_eq!(root.get("f").unwrap().truth(), Some(true));
}

#[test]
fn an_alias_of_a_number_or_a_loose_scalar_keeps_its_literal() {
    let source = "a: &x 20.90\nb: *x\nc: &y 2026-02-14\nd: *y\n&k 017: 1\ne: *k\n";
    let mut tape = Tape::new();
    yaml::parse(source, &mut tape);
    let root = tape.root(source).unwrap();

    assert_eq!(root.get("b").unwrap().raw(), "20.90");
    assert_eq!(root.get("d").unwrap().text().unwrap(), "2026-02-14");
    assert!(root.get("d").unwrap().is_loose());
    let key = root.get("e").unwrap();
    assert_eq!(
        (key.kind(), key.raw(), key.is_loose()),
        (Kind::Number, "017", true)
    );
}

#[test]
fn an_anchor_may_be_given_again() {
    assert_eq!(
        shown("- &x 1\n- *x\n- &x two\n- *x\n"),
        r#"[1, 1, "two", "two"]"#
    );
}

#[test]
fn an_alias_needs_an_anchor_that_is_closed() {
    assert_eq!(
        fatal("a: *x\n"),
        Yaml("this alias has no anchor before it".into())
    );
    assert_eq!(
        fatal("&x [1, *x]"),
        Yaml("this alias stands inside what it refers to".into())
    );
    assert_eq!(
        fatal("? [&x 1]\n: *x\n"),
        Yaml("this alias refers to part of a key".into())
    );
}

#[test]
fn tags_are_reported_and_change_nothing() {
    let source = "a: !!str 1\nb: !t [x]\nc: !<tag:example.org,2026:t> {}\nd: ! no\n";

    assert_eq!(
        constructs(source),
        [
            (Tag, "!!str"),
            (Tag, "!t"),
            (Tag, "!<tag:example.org,2026:t>"),
            (Tag, "!")
        ]
    );
    assert_eq!(
        shown(source),
        r#"{"a": 1, "b": ["x"], "c": {}, "d": false?}"#
    );
}

#[test]
fn directives_are_reported() {
    let source = "%YAML 1.2\n# comment\n%TAG !e! tag:example.org,2026:\n---\na: !e!t 1\n";

    assert_eq!(
        constructs(source),
        [
            (Directive, "%YAML 1.2"),
            (Directive, "%TAG !e! tag:example.org,2026:"),
            (Tag, "!e!t")
        ]
    );
    assert_eq!(shown(source), r#"{"a": 1}"#);
    assert_eq!(constructs("--- |\n%text\n"), []);
}

#[test]
fn a_second_document_is_reported_and_not_read() {
    for (source, place) in [
        ("a: 1\n---\nb: [2\n", "---"),
        ("---\na: 1\n... # end\n# comment\n--- b\n", "---"),
        ("a: 1\n...\nb: 2\n", "b"),
        ("a: 1\n...\n%GRÜSSE größe\n---\nb: 2\n", "---"),
    ] {
        assert_eq!(constructs(source), [(SecondDocument, place)], "{source}");
        assert_eq!(shown(source), r#"{"a": 1}"#);
    }
    assert_eq!(constructs("a: 1\n...\n# comment\n"), []);
}

#[test]
fn a_merge_key_is_reported_and_kept() {
    let source = "a: &x {k: 1}\nb:\n  <<: *x\n";

    assert_eq!(
        constructs(source),
        [(Alias, "&x"), (MergeKey, "<<"), (Alias, "*x")]
    );
    assert_eq!(shown(source), r#"{"a": {"k": 1}, "b": {"<<": {"k": 1}}}"#);
    assert_eq!(constructs("'<<': <<\n"), []);
}

#[test]
fn a_key_that_is_no_scalar_is_known_by_its_text() {
    assert_eq!(
        constructs("? [a, {b: c}]\n: 1\n"),
        [(ComplexKey, "[a, {b: c}]")]
    );
    assert_eq!(
        shown("? [a, {b: c}]\n: 1\nd: 2\n"),
        r#"{"[a, {b: c}]": 1, "d": 2}"#
    );
    assert_eq!(shown("? \"a\": \"b\"\n: 1\n"), r#"{"\"a\": \"b\"": 1}"#);
    assert_eq!(
        shown("{{a: b}: c, [d]: e}"),
        r#"{"{a: b}": "c", "[d]": "e"}"#
    );
    assert_eq!(
        constructs("- &x k\n- {*x : 1, [*x, &y z]: 2}"),
        [
            (Alias, "&x"),
            (Alias, "*x"),
            (ComplexKey, "*x"),
            (ComplexKey, "[*x, &y z]"),
            (Alias, "*x"),
            (Alias, "&y"),
        ]
    );
    assert_eq!(shown("- &x k\n- {*x : 1}"), r#"["k", {"*x": 1}]"#);
    assert_eq!(faults("{[a]: 1, [a]: 2}")[1].1, "[a]");
}

#[test]
fn control_characters_are_reported() {
    assert_eq!(
        faults("a: x\u{7}y\tz\n"),
        [
            (ControlCharacter, "\u{7}"),
            (SyntaxFaultKind::YamlConstruct(Tab), "\t")
        ]
    );
    assert_eq!(shown("a: x\u{7}y\n"), r#"{"a": "x\u{7}y"}"#);
    assert!(matches!(fatal("a: x\0y\n"), Yaml(_)));
}

#[test]
fn a_bomb_of_aliases_costs_no_more_than_the_limit() {
    let mut lists = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let item = format!("*a{}", level - 1);
        let items = [item.as_str(); 9].join(", ");
        writeln!(lists, "a{level}: &a{level} [{items}]").unwrap();
    }

    assert_eq!(fatal(&lists), TooManyValues);
}

#[test]
fn many_aliases_of_a_long_text_share_it() {
    let text = "x".repeat(500_000);
    let source = format!("- &a {text}\n{}", "- *a\n".repeat(60_000));
    let mut tape = Tape::new();

    let started = Instant::now();
    let found = yaml::parse(&source, &mut tape);

    assert_eq!(found.len(), limits::MAX_SYNTAX_FAULTS);
    let last = tape.root(&source).unwrap().items().last().unwrap();
    assert!(last.is_text(&text));
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn many_tags_with_a_long_handle_are_refused() {
    let source = format!(
        "%TAG !e! tag:{}\n---\n{}",
        "x".repeat(2000),
        "- !e!a 1\n".repeat(1000)
    );

    assert_eq!(
        fatal(&source),
        Yaml("a directive has more than 1024 bytes".into())
    );
}

#[test]
fn aliases_cannot_nest_deeper_than_brackets() {
    let mut source = "- &a0 [x]\n".to_owned();
    for level in 1..100 {
        writeln!(source, "- &a{level} [*a{}]", level - 1).unwrap();
    }

    assert_eq!(fatal(&source), TooDeep);
}

#[test]
fn nesting_is_bounded_in_every_style() {
    let deep = 50_000;
    for open in ["- ", "[", "{a: ", "? ", "[a: ", "{[", "- ? "] {
        assert_eq!(fatal(&open.repeat(deep)), TooDeep, "{open}");
    }
    let mut stairs = String::new();
    for level in 0..100 {
        writeln!(stairs, "{}a:", " ".repeat(level)).unwrap();
    }
    assert_eq!(fatal(&stairs), TooDeep);
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let deep = limits::MAX_YAML_DEPTH;
    let lists = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));

    assert_eq!(shown(&lists(deep)), lists(deep));
    assert_eq!(fatal(&lists(deep + 1)), TooDeep);
    assert_eq!(faults(&lists(deep + 1))[0].1, "[");
    let aliased = |depth| format!("[&a [], {}*a{}]", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(constructs(&aliased(deep - 2)).len(), 2);
    assert_eq!(fatal(&aliased(deep - 1)), TooDeep);
}

#[test]
fn values_are_counted() {
    let list = |items: usize| format!("[{}]", "1,".repeat(items));

    assert_eq!(faults(&list(limits::MAX_YAML_VALUES - 1)), []);
    assert_eq!(fatal(&list(limits::MAX_YAML_VALUES)), TooManyValues);
}

#[test]
fn a_document_that_is_too_large_is_refused() {
    let mut source = "é".repeat(limits::MAX_YAML_BYTES / 2);
    assert_eq!(faults(&source), []);
    source.push('é');

    assert_eq!(
        fatal(&source),
        Yaml("the document is larger than 1048576 bytes".into())
    );
}

#[test]
fn long_gaps_are_skipped_once() {
    let comment = format!("# {}\n", "x".repeat(500_000));
    for source in [
        format!("? {comment}{}", "? \n".repeat(30_000)),
        format!("[? {comment}{}]", ", ? a".repeat(20_000)),
        format!("{{a {comment}{}}}", ", a".repeat(30_000)),
        format!("a: !t {comment}{}", "b:\n".repeat(30_000)),
    ] {
        let started = Instant::now();
        let mut tape = Tape::new();
        yaml::parse(&source, &mut tape);

        assert!(started.elapsed().as_secs() < 20);
    }
}

#[test]
fn a_refusal_is_in_plain_words_and_has_a_place() {
    let table = [
        ("a: \"open\n", "this string is not closed", "\""),
        (
            "a: b: c\n",
            "a `:` cannot stand here; quote the text if it is part of it",
            ":",
        ),
        ("a: [1, 2\n", "expected `,` or `]`", "2"),
        ("a: {b: 1\n", "expected `,` or `}`", "1"),
        (
            "a: 1\n  b: 2\n",
            "a `:` cannot stand here; quote the text if it is part of it",
            ":",
        ),
        (
            "- a\nb: c\n",
            "expected `-`, indented like the items before it",
            "b",
        ),
        (
            "a:\n\t- b\n",
            "a tab cannot stand here; indent with spaces",
            "-",
        ),
        ("a: @b\n", "a value cannot begin with `@`; quote it", "@"),
        (
            "a: `b`\n",
            "a value cannot begin with a backtick; quote it",
            "`",
        ),
        ("é: ]\n", "this bracket was never opened", "]"),
        (
            "a: 'b' c\n",
            "unexpected text after the end of a string",
            "c",
        ),
        (
            "a: \"\\d\"\n",
            "this string has a backslash before something that cannot be escaped",
            "\"",
        ),
        (
            "a: \"\\ud83d\\ude00\"\n",
            "this string has an escape that is not a character; YAML has no surrogate pairs",
            "\"",
        ),
        (
            "a: [\n  'b'\n]\n",
            "a line inside brackets must be indented further than the key they belong to",
            "]",
        ),
        ("a: &\n", "this anchor or alias has no name", "&"),
        (
            "a: !e!t x\n",
            "this tag uses a handle that no directive declares",
            "!",
        ),
        (
            "a: | text\n",
            "the text must begin on the line after `|` or `>`",
            "|",
        ),
        (
            "a: 1\n  \u{feff}b: 2\n",
            "a byte order mark can only stand before the document",
            "\u{feff}",
        ),
    ];
    for (source, message, place) in table {
        assert_eq!(
            faults(source),
            [(Yaml(message.to_owned()), place)],
            "{source}"
        );
    }
}

#[test]
fn faults_come_in_the_order_of_the_text() {
    let mut tape = Tape::new();

    let found = yaml::parse("a: \u{1} &x\n? [&y b]\n: !t .inf\na: \u{2}\n", &mut tape);

    assert!(found.is_sorted_by_key(|fault| fault.range.start));
    assert!(found.len() > 4);
}
