use assay_formats::card::{self, MAX_BASE_MODELS, MAX_CARD_BYTES, MAX_TAG_BYTES, MAX_TAGS};
use proptest::prelude::*;

use crate::reading::{card, messages};

#[test]
fn a_few_aliases_do_not_make_a_gigabyte() {
    let text = "x".repeat(50_000);
    let aliases = vec!["*a"; 20_000].join(", ");

    let (card, report) = card(&format!("a: &a {text}\nb: [{aliases}]"));

    assert_eq!(card.data, None);
    let (errors, _) = messages(&report);
    assert!(
        errors
            .iter()
            .any(|said| said.contains("once its aliases are written out")),
        "{errors:?}"
    );
}

#[test]
fn nested_aliases_are_refused() {
    let mut yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let line = format!("a{level}: &a{level} [{}]\n", vec![below; 9].join(", "));
        yaml.push_str(&line);
    }

    let (card, report) = card(&yaml);

    assert_eq!(card.data, None);
    assert!(!report.is_valid());
}

#[test]
fn lists_are_cut_to_their_limits() {
    let tags: Vec<String> = (0..2 * MAX_TAGS).map(|n| format!("t{n}")).collect();
    let models: Vec<String> = (0..2 * MAX_BASE_MODELS)
        .map(|n| format!("a/m{n}"))
        .collect();

    let (card, _) = card(&format!(
        "tags: [{}]\nbase_model: [{}]",
        tags.join(", "),
        models.join(", ")
    ));

    assert_eq!(card.tags.len(), MAX_TAGS);
    assert_eq!(card.base_models.len(), MAX_BASE_MODELS);
}

#[test]
fn a_page_of_any_length_is_read_for_its_front_matter() {
    let page = format!("---\nlicense: mit\n---\n{}", "long ".repeat(1 << 20));

    let (card, report) = card::read(&page);

    assert!(report.is_valid());
    assert_eq!(card.license.as_deref(), Some("mit"));
}

#[test]
fn only_so_much_is_said() {
    let yaml = (0..1000).fold(String::new(), |yaml, _| yaml + "license: mit\n");

    let (_, report) = card(&yaml);

    assert!(!report.is_valid() && report.errors.len() <= 50);
}

/// Front matter with keys and values that the reader gives a meaning to.
fn front_matter() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "tags",
        "language",
        "license",
        "base_model",
        "base_model_relation",
        "model-index",
        "pipeline_tag",
        "self",
        "datasets",
        "<<",
    ]);
    let value = prop_oneof![
        "[ -~]{0,20}",
        Just("[a, 'benchmark:official', no, 7, {b: c}]".to_owned()),
        Just("{name: m, results: [{task: {type: t}, metrics: [{type: f1, value: 1}]}]}".to_owned()),
        Just("[{name: m, results: [{task: {type: t}, dataset: {type: d, name: D}, metrics: [{type: f1, value: 1}]}]}]".to_owned()),
        Just("&x [*x]".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec((key, value), 0..6).prop_map(|lines| {
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        lines.join("\n")
    })
}

proptest! {
    #[test]
    fn any_card_is_read_and_none_breaks_a_client(yaml in front_matter()) {
        let (card, _) = card(&yaml);

        prop_assert!(card.tags.len() <= MAX_TAGS);
        for tag in &card.tags {
            prop_assert!(!tag.is_empty() && tag.len() <= MAX_TAG_BYTES);
            prop_assert!(!tag.to_lowercase().starts_with("benchmark:"), "{tag}");
        }
        if let Some(data) = card.data {
            prop_assert!(!data.contains_key("self") && !data.contains_key("ignore_metadata_errors"));
            let tags = data.get("tags").cloned().unwrap_or_default();
            let is_list = tags.as_array().is_some_and(|tags| tags.iter().all(serde_json::Value::is_string));
            prop_assert!(tags.is_null() || is_list);
            prop_assert!(serde_json::to_string(&data).unwrap().len() <= 2 * MAX_CARD_BYTES);
        }
    }

    #[test]
    fn any_page_is_read(page in any::<String>(), fenced: bool) {
        let page = if fenced { format!("---\n{page}\n---\n") } else { page };

        let (card, report) = card::read(&page);

        prop_assert!(card.data.is_some() || card == card::Card::default());
        prop_assert!(card.data.is_some() || !report.errors.is_empty() || !report.warnings.is_empty());
    }
}
