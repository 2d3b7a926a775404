use assay_formats::card::{self, Card, YamlMessage, YamlReport};
use serde_json::{Value as Json, json};

/// The card of a page with this front matter.
pub(crate) fn card(yaml: &str) -> (Card, YamlReport) {
    card::read(&format!("---\n{yaml}\n---\n# Page\n"))
}

/// Returns the value of a key of a card without errors.
pub(crate) fn value(yaml: &str, key: &str) -> Json {
    let (card, report) = card(yaml);
    assert!(report.is_valid(), "{yaml}: {report:?}");
    card.data.unwrap()[key].clone()
}

pub(crate) fn messages(report: &YamlReport) -> (Vec<String>, Vec<String>) {
    let texts = |said: &[YamlMessage]| -> Vec<String> {
        said.iter().map(|said| said.message.clone()).collect()
    };
    (texts(&report.errors), texts(&report.warnings))
}

#[test]
fn everything_that_a_hub_asks_a_card_is_read() {
    let yaml = "license: apache-2.0
language: [en, fr]
tags: [chat, en]
pipeline_tag: text-generation
library_name: transformers
datasets: acme/corpus
base_model:
  - acme/large
  - acme/wide
base_model_relation: merge";

    let (card, report) = card(yaml);

    assert_eq!(messages(&report), (Vec::new(), Vec::new()));
    assert_eq!(card.license.as_deref(), Some("apache-2.0"));
    assert_eq!(card.pipeline_tag.as_deref(), Some("text-generation"));
    assert_eq!(card.library_name.as_deref(), Some("transformers"));
    assert_eq!(card.base_models, ["acme/large", "acme/wide"]);
    assert_eq!(
        card.tags,
        [
            "chat",
            "en",
            "text-generation",
            "transformers",
            "license:apache-2.0",
            "language:en",
            "language:fr",
            "dataset:acme/corpus",
            "base_model:acme/large",
            "base_model:merge:acme/large",
            "base_model:acme/wide",
            "base_model:merge:acme/wide",
        ]
    );
    assert_eq!(
        card.data.unwrap()["base_model"],
        json!(["acme/large", "acme/wide"])
    );
}

#[test]
fn a_card_without_front_matter_is_warned_about_and_not_refused() {
    for (page, said) in [
        ("# Page\n", "there is no front matter"),
        ("---\nlicense: mit\n# Page\n", "has no end"),
        ("---\n---\n", "is empty"),
        ("---\n# only a comment\n---\n", "is empty"),
    ] {
        let (card, report) = card::read(page);

        assert_eq!(card, Card::default());
        let (errors, warnings) = messages(&report);
        assert!(errors.is_empty(), "{page}: {errors:?}");
        assert!(warnings[0].contains(said), "{page}: {warnings:?}");
    }
}

#[test]
fn yaml_that_cannot_be_read_is_an_error_with_its_line() {
    let (card, report) = card::read("\n---\nlicense: mit\nnotes: \"open\n---\n");

    assert_eq!(card, Card::default());
    let (errors, _) = messages(&report);
    assert_eq!(errors, ["line 4: this string is not closed"]);
}

#[test]
fn a_key_that_stands_twice_is_an_error_and_the_last_counts() {
    let (card, report) = card("license: mit\nlicense: bsd");

    assert_eq!(
        messages(&report).0,
        ["line 3: the key `license` stands here twice"]
    );
    assert_eq!(card.license.as_deref(), Some("bsd"));
}

#[test]
fn front_matter_that_is_no_mapping_is_an_error() {
    let (card, report) = card("- license: mit");

    assert_eq!(card.data, None);
    assert_eq!(
        messages(&report).0,
        ["the front matter must be a mapping, and is a list"]
    );
}

#[test]
fn scalars_are_what_python_reads() {
    for (yaml, expected) in [
        ("20.90", json!(20.9)),
        ("12", json!(12)),
        ("-3", json!(-3)),
        ("yes", json!(true)),
        ("Off", json!(false)),
        ("~", Json::Null),
        ("2026-02-14", json!("2026-02-14")),
        ("1_000", json!(1000)),
        ("0x1F", json!(31)),
        ("017", json!(15)),
        ("0b11", json!(3)),
        ("1:30", json!(90)),
        ("+1", json!(1)),
        (".5", json!(0.5)),
        ("-1_0.5", json!(-10.5)),
        ("08", json!("08")),
        ("1e3", json!("1e3")),
        ("1.5e3", json!("1.5e3")),
        ("0o17", json!("0o17")),
        ("99999999999999999999", json!(1e20)),
        ("'12'", json!("12")),
        ("\"caf\\u00e9\"", json!("café")),
        ("{a: [1, b]}", json!({"a": [1, "b"]})),
    ] {
        assert_eq!(value(&format!("key: {yaml}"), "key"), expected, "{yaml}");
    }
}

#[test]
fn a_number_that_json_has_not_stays_as_it_was_written() {
    let (card, report) = card("key: .nan\nother: .inf");

    let data = card.data.unwrap();
    assert_eq!(data["key"], ".nan");
    assert_eq!(data["other"], ".inf");
    assert_eq!(messages(&report).1.len(), 2);
}

#[test]
fn norwegian_is_a_language() {
    for (yaml, expected) in [
        ("language: no", json!("no")),
        ("language: [en, no, 'nb']", json!(["en", "no", "nb"])),
    ] {
        let (card, report) = card(yaml);

        assert_eq!(card.data.unwrap()["language"], expected);
        assert!(card.tags.contains(&"language:no".to_owned()));
        assert!(messages(&report).1[0].contains("must be quoted"));
    }
    assert_eq!(value("language: 'no'", "language"), json!("no"));
}

#[test]
fn one_base_model_is_a_list_of_one() {
    assert_eq!(
        card("base_model: ' acme/large '").0.base_models,
        ["acme/large"]
    );
    assert_eq!(card("base_model: ''").0.base_models, Vec::<String>::new());
    assert_eq!(card("base_model: [7]").0.base_models, Vec::<String>::new());
}
