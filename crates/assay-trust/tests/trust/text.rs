//! YAML and text that could be read in two ways, or that hides something.

use std::time::Instant;

use assay_model::RepoId;
use assay_trust::canon::limits;
use assay_trust::{Canonical, Field, Reason};
use proptest::prelude::*;

use crate::support::{ENTRY, MODEL, canonical, profile_reason};

fn field(text: &str) -> String {
    format!("- a: {text}\n")
}

#[test]
fn yaml_norway_family() {
    for scalar in [
        "no",
        "NO",
        "No",
        "yes",
        "on",
        "off",
        "True",
        "FALSE",
        "y",
        "n",
        "Y",
        "N",
        "~",
        "null",
        "",
        "2026-02-14",
        "2026-02-14 10:00:00",
        "1234567890123456789012345678901234567890",
        "123e45",
        "=",
    ] {
        let reason = profile_reason(&field(scalar));
        let is_refused = matches!(reason, Reason::YamlAmbiguousScalar | Reason::Number(_));
        assert!(is_refused, "{scalar}: {reason}");
    }
    for quoted in [
        "\"no\"",
        "'no'",
        "\"1.10\"",
        "\"2026-02-14\"",
        "|\n    no\n",
    ] {
        assert!(
            canonical(&field(quoted)).as_json().starts_with(r#"{"a":""#),
            "{quoted}"
        );
    }
    assert_eq!(canonical(&field("true")).as_json(), r#"{"a":true}"#);

    // A version without quotes is a number, and a version is text.
    let version = ENTRY.replace("\"0.4.2\"", "1.10");
    let refused = canonical(&version)
        .subject(&MODEL.parse().unwrap())
        .unwrap_err();
    assert_eq!(refused.reason, Reason::Type(Field::FrameworkVersion));
}

#[test]
fn yaml_numeric_tricks() {
    for scalar in [
        "1_000", "017", "0x1F", "0o17", "0b11", "1:30", "1e3", "+1", "1.", "00", "-01",
    ] {
        assert_eq!(
            profile_reason(&field(scalar)),
            Reason::YamlAmbiguousScalar,
            "{scalar}"
        );
    }
    let text_value = ENTRY.replace("20.90", "\"20.90\"");
    let refused = canonical(&text_value)
        .subject(&MODEL.parse().unwrap())
        .unwrap_err();
    assert_eq!(refused.reason, Reason::Type(Field::Value));
}

#[test]
fn keys_are_plain_and_mean_the_same_to_every_tool() {
    for key in [
        "no",
        "1",
        "null",
        "true",
        "2026-02-14",
        ".nan",
        "ключ",
        "a b",
        "\"a b\"",
        "\"\"",
        "~",
    ] {
        assert_eq!(
            profile_reason(&format!("- x: 1\n  {key}: 1\n")),
            Reason::YamlKey,
            "{key}"
        );
    }
    let long = "k".repeat(65);
    assert_eq!(profile_reason(&format!("- {long}: 1\n")), Reason::YamlKey);
    assert_eq!(profile_reason("- ? [a]\n  : 1\n"), Reason::YamlKey);
    assert_eq!(profile_reason("- <<: {a: 1}\n"), Reason::YamlKey);
    assert_eq!(canonical("- \"no\": 1\n").as_json(), r#"{"no":1}"#);
}

#[test]
fn yaml_duplicate_keys() {
    for file in [
        "- a: 1\n  a: 2\n",
        "- a: 1\n  \"a\": 2\n",
        "- a: 1\n  \"\\x61\": 2\n",
        "- a: {b: 1, 'b': 1}\n",
        "- {a: 1, a: 1}\n",
    ] {
        assert_eq!(profile_reason(file), Reason::YamlDuplicateKey, "{file}");
    }
    let json = Canonical::from_json(r#"{"a":1,"\u0061":2}"#);
    assert_eq!(json.unwrap_err().reason, Reason::YamlDuplicateKey);
}

#[test]
fn yaml_alias_bomb_constant_time() {
    let mut bomb = String::from("- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        let line = format!("  a{level}: &a{level} [{}]\n", vec![before; 10].join(", "));
        bomb.push_str(&line);
    }
    let started = Instant::now();

    let refused = Canonical::read_file(&bomb).remove(0).unwrap_err();

    // Ten to the twelfth values would take minutes and all of the memory.
    assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    assert!(
        matches!(refused.reason, Reason::YamlTooLarge | Reason::YamlAnchor),
        "{refused:?}"
    );
    for file in [
        "- a: &x 1\n",
        "- a: &x 1\n  b: *x\n",
        "- &x {a: 1}\n",
        "&x\n- a: 1\n",
    ] {
        assert_eq!(profile_reason(file), Reason::YamlAnchor, "{file}");
    }
}

#[test]
fn yaml_forbidden_constructs() {
    for (file, expected) in [
        ("- a: !!str 1\n", Reason::YamlTag),
        ("- !x {a: 1}\n", Reason::YamlTag),
        ("!!seq\n- a: 1\n", Reason::YamlTag),
        ("%YAML 1.1\n---\n- a: 1\n", Reason::YamlDirective),
        ("- a: 1\n---\n- b: 1\n", Reason::YamlDocuments),
        ("\u{feff}- a: 1\n", Reason::YamlByteOrderMark),
        ("- a: \"\\u0000\"\n", Reason::YamlForbiddenCharacter),
        ("- a: [1\n", Reason::YamlSyntax),
        ("a: 1\n", Reason::Type(Field::Entry)),
        ("- 5\n", Reason::Type(Field::Entry)),
    ] {
        assert_eq!(profile_reason(file), expected, "{file:?}");
    }
    let utf16: Vec<u8> = "- a: 1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let text = String::from_utf8_lossy(&utf16);
    assert!(Canonical::read_file(&text).remove(0).is_err());
}

#[test]
fn what_is_wrong_with_one_entry_does_not_touch_its_neighbours() {
    let file = format!("{ENTRY}- a: &x 1\n  b: 1\n  b: 2\n- &y {{a: 1}}\n{ENTRY}");

    let entries = Canonical::read_file(&file);

    let reasons: Vec<_> = entries
        .iter()
        .map(|entry| entry.as_ref().err().map(|no| no.reason))
        .collect();
    assert_eq!(
        reasons,
        [
            None,
            Some(Reason::YamlAnchor),
            Some(Reason::YamlAnchor),
            None
        ]
    );
}

#[test]
fn yaml_limits() {
    let deep = format!("- a: {}1{}\n", "[".repeat(20), "]".repeat(20));
    assert_eq!(profile_reason(&deep), Reason::YamlTooLarge);
    let blocks = format!(
        "- a:\n{}x\n",
        (2..60)
            .map(|n| " ".repeat(2 * n) + "-\n")
            .collect::<String>()
    );
    assert_eq!(profile_reason(&blocks), Reason::YamlTooLarge);
    let long = field(&format!("\"{}\"", "x".repeat(limits::MAX_TEXT + 1)));
    assert_eq!(profile_reason(&long), Reason::YamlTooLarge);
    let many = "- {a: 1}\n".repeat(limits::MAX_ENTRIES + 1);
    assert_eq!(profile_reason(&many), Reason::YamlTooLarge);
    let values = field(&format!("[{}]", "1,".repeat(limits::MAX_VALUES)));
    assert_eq!(profile_reason(&values), Reason::YamlTooLarge);
    let bytes = format!("- a: 1\n#{}\n", "x".repeat(limits::MAX_BYTES));
    assert_eq!(profile_reason(&bytes), Reason::YamlTooLarge);
    let huge = format!("- a: 1\n#{}\n", "x".repeat(10 << 20));
    assert_eq!(profile_reason(&huge), Reason::YamlSyntax);

    let at_the_edge = format!("- a: {}1{}\n", "[".repeat(14), "]".repeat(14));
    assert!(Canonical::read_file(&at_the_edge)[0].is_ok());
    let entries = Canonical::read_file(&"- {a: 1}\n".repeat(limits::MAX_ENTRIES));
    assert!(entries.iter().all(Result::is_ok));
}

#[test]
fn ids_ascii_only() {
    for id in [
        "\u{430}\u{441}me/model",
        "acme/mod\u{435}l",
        "acme/model\n",
        "acme/m\u{f6}del",
    ] {
        assert!(id.parse::<RepoId>().is_err(), "{id}");
        let entry = ENTRY.replace(
            "cais/hle",
            &id.escape_default()
                .to_string()
                .replace("u{", "u0")
                .replace('}', ""),
        );
        if let Ok(canonical) = &Canonical::read_file(&entry)[0] {
            let refused = canonical.subject(&MODEL.parse().unwrap()).unwrap_err();
            assert_eq!(refused.reason, Reason::Type(Field::DatasetId), "{id}");
        }
    }
    // A framework is compared byte for byte, so a look-alike is another framework.
    let cyrillic = ENTRY.replace("\"inspect-ai\"", "\"insp\u{435}ct-ai\"");
    let (one, two) = (canonical(ENTRY), canonical(&cyrillic));
    let name = |entry: &Canonical| {
        entry
            .subject(&MODEL.parse().unwrap())
            .unwrap()
            .framework
            .name
    };
    assert_ne!(name(&one), name(&two));
}

#[test]
fn forbidden_codepoints() {
    for code in [
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{200d}",
        "\u{200e}",
        "\u{2060}",
        "\u{ad}",
        "\u{61c}",
        "\u{feff}",
        "\u{2028}",
        "\u{3164}",
        "\u{e0041}",
        "\u{7f}",
        "\u{85}",
    ] {
        let file = ENTRY.replace("no-tools", &format!("no{code}-tools"));
        assert_eq!(
            profile_reason(&file),
            Reason::YamlForbiddenCharacter,
            "{}",
            code.escape_unicode()
        );
        let escaped = format!("\\U{:08x}", u32::from(code.chars().next().unwrap()));
        let file = ENTRY.replace("hle.py", &escaped);
        assert_eq!(
            profile_reason(&file),
            Reason::YamlForbiddenCharacter,
            "{escaped}"
        );
    }
    for escape in ["\\e", "\\b", "\\r", "\\0"] {
        let file = ENTRY.replace("no-tools", escape);
        assert_eq!(
            profile_reason(&file),
            Reason::YamlForbiddenCharacter,
            "{escape}"
        );
    }
    assert!(
        canonical(&ENTRY.replace("no-tools", "5-shot\\n\\tñ 漢字 😀")).digest()
            != canonical(ENTRY).digest()
    );
}

#[test]
fn repo_id_traversal() {
    for id in [
        "../x", "a/../b", "a/..", "%2e%2e/x", "a/.git", "a/b.git", "a\\\\b", "a/b\\0", "/a", "a/",
        "a//b", ".",
    ] {
        let entry = ENTRY.replace("cais/hle", id);
        if let Ok(canonical) = &Canonical::read_file(&entry)[0] {
            let refused = canonical.subject(&MODEL.parse().unwrap()).unwrap_err();
            assert_eq!(refused.reason, Reason::Type(Field::DatasetId), "{id}");
        }
    }
}

#[test]
fn comments_quotes_order_and_layout_do_not_matter() {
    let other = r#"# a comment
- notes: 'no-tools'
  metrics: [{value: 2.09e+1, metric_id: accuracy}, {"metric_id": stderr, value: 0.810}]
  model_revision: 9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6
  framework: {command: "inspect eval hle.py --model hf/acme/awesome-model", version: '0.4.2', name: inspect-ai}
  dataset: {revision: 5503434ddd753f426f4b38109466949a1217c2bb, task_id: hle, id: cais/hle}   # end
"#;

    assert_eq!(canonical(other), canonical(ENTRY));
}

#[test]
fn the_entry_that_is_written_reads_back_as_the_same_entry() {
    let entry = canonical(ENTRY);

    let written = entry.to_yaml(Some("a.b.c"));

    let back = canonical(&written);
    assert_eq!(back.as_json(), entry.as_json());
    assert_eq!(back.token(), Some("a.b.c"));
    assert_eq!(entry.to_yaml(None), ENTRY.replace("20.90", "20.9"));
}

fn any_json() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[ -~]{0,20}",
        "(yes|no|null|~|1\\.10|0x1F|2026-02-14|- a|a: b|# c|&a|\\*a|!t|%|@|'|\"|\\{\\}|\\[\\])",
        "[a-z\\n\\t\\\\\" #:]{0,20}",
        "[à-ÿ漢字😀]{0,8}",
    ];
    let number = prop_oneof![
        any::<i32>().prop_map(f64::from),
        -1e9..1e9_f64,
        proptest::num::f64::NORMAL
    ];
    let leaf = prop_oneof![
        text.prop_map(serde_json::Value::String),
        number.prop_map(|number| serde_json::json!(number)),
        any::<bool>().prop_map(serde_json::Value::Bool),
    ];
    let tree = leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::Array),
            proptest::collection::btree_map("[A-Za-z0-9_.-]{1,10}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map("[A-Za-z0-9_.-]{1,10}", tree, 1..5)
        .prop_map(|map| serde_json_canonicalizer::to_string(&map).expect("it can be written"))
}

proptest! {
    #[test]
    fn json_and_the_yaml_that_is_written_of_it_are_the_same_entry(json in any_json()) {
        // A request may not hold integers that are not exact, however they came about.
        let Ok(entry) = Canonical::from_json(&json) else { return Ok(()); };
        prop_assert_eq!(entry.as_json(), &json);

        let written = entry.to_yaml(None);

        let mut back = Canonical::read_file(&written);
        prop_assert_eq!(back.len(), 1, "{}", written);
        let back = back.remove(0).map_err(|no| TestCaseError::fail(format!("{no:?}\n{written}")))?;
        prop_assert_eq!(back.as_json(), entry.as_json(), "{}", written);
    }

    #[test]
    fn no_text_makes_the_reader_panic_and_what_it_reads_is_canonical(text in "[-a-z0-9&*!|>'\"%@`#:,\\[\\]{}? .~\\n\\t]{0,120}") {
        for entry in Canonical::read_file(&text).into_iter().flatten() {
            prop_assert!(assay_trust::Json::read_exact(entry.as_json()).is_ok());
        }
    }
}
