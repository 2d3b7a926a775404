//! What a dataset says of a sample, and how the sample ended.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::row::Text;

use super::super::secrets::{Scope, redact};
use super::message::compact;
use super::sample::METADATA;

/// The metadata that the dataset gives a sample, as JSON.
const SAMPLE_METADATA: &str = "sample_metadata";
/// The longest metadata of a sample or a score that a row keeps, in bytes.
const MAX_METADATA: usize = 64 << 10;

/// Returns what a row says of its sample beside question, answer and score.
pub(super) fn metadata<'d>(root: Value<'d>, epoch: i64) -> BTreeMap<Text<'d>, Text<'d>> {
    let mut metadata: BTreeMap<Text<'d>, Text<'d>> = BTreeMap::new();
    metadata.insert("epoch".into(), epoch.to_string().into());
    let mut add = |key: &'static str, value: Option<Text<'d>>| {
        metadata.extend(value.map(|value| (Text::from(key), value)));
    };
    let choices = root.get("output").and_then(|output| output.get("choices"));
    let first = choices.and_then(|choices| choices.items().next());
    add(
        "stop_reason",
        first.and_then(|choice| choice.text_of("stop_reason")),
    );
    let limit = root.present("limit");
    add("limit", limit.and_then(|limit| limit.text_of("type")));
    let retries = root
        .get("error_retries")
        .map_or(0, |retries| retries.items().count());
    add(
        "error_retries",
        (retries > 0).then(|| retries.to_string().into()),
    );
    let invalid = root.present("invalidation").map(|_| "true".into());
    add("invalidated", invalid);
    add(SAMPLE_METADATA, json_of(root.present(METADATA)));
    metadata
}

/// A map as JSON, unless it is empty or larger than a row should hold.
pub(super) fn json_of(map: Option<Value<'_>>) -> Option<Text<'_>> {
    let map = map.filter(|map| !map.is_empty() && map.raw().len() <= MAX_METADATA)?;
    let text = compact(map);
    // Metadata is configuration as much as content, so it is read as strictly.
    Some(match redact(text.as_bytes(), Scope::Record) {
        Some((clean, _)) => String::from_utf8_lossy(&clean).into_owned().into(),
        None => text.into(),
    })
}
