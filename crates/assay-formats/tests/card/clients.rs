use serde_json::json;

use crate::reading::{card, messages};

#[test]
fn keys_that_clients_cannot_be_called_with_are_left_out() {
    let (card, report) = card("self: 1\nignore_metadata_errors: true\nlicense: mit");

    let data = card.data.unwrap();
    assert_eq!(data.keys().collect::<Vec<_>>(), ["license"]);
    assert_eq!(messages(&report).1.len(), 2);
}

#[test]
fn nobody_gives_himself_the_mark_of_a_benchmark() {
    for yaml in [
        "tags: [benchmark:official, chat]",
        "tags: [' Benchmark:Official', chat]",
        "tags: [chat]\nlibrary_name: benchmark:official",
        "tags: [chat]\npipeline_tag: BENCHMARK:official",
        "tags: [chat]\nlibrary_name: [x, benchmark:official]",
    ] {
        let (card, _) = card(yaml);

        let claimed = card
            .tags
            .iter()
            .any(|tag| tag.to_lowercase().contains("benchmark:"));
        assert!(!claimed, "{yaml}: {:?}", card.tags);
        assert!(card.tags.contains(&"chat".to_owned()), "{yaml}");
        assert_eq!(card.data.unwrap()["tags"], json!(["chat"]), "{yaml}");
    }
}

#[test]
fn tags_are_always_a_list_that_clients_can_walk() {
    for (yaml, kept, is_valid) in [
        ("tags: chat", json!(["chat"]), true),
        ("tags: 7", json!([]), false),
        ("tags: true", json!([]), false),
        ("tags: {a: b}", json!([]), false),
        ("tags: [a, 7, [b]]", json!(["a"]), false),
        ("tags: [a, a]", json!(["a", "a"]), true),
    ] {
        let (card, report) = card(yaml);

        assert_eq!(card.data.unwrap()["tags"], kept, "{yaml}");
        assert_eq!(report.is_valid(), is_valid, "{yaml}");
    }
    assert_eq!(card("tags:").0.data.unwrap()["tags"], json!(null));
}

#[test]
fn tags_that_hide_something_or_are_too_long_are_left_out() {
    let long = "x".repeat(300);

    let (card, _) = card(&format!("tags: [\"a\\u202eb\", \"c\\nd\", {long}, e]"));

    assert_eq!(card.tags, ["e"]);
}
