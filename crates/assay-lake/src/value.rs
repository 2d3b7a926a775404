//! Values of documents, in whatever of its published shapes a version of the schema has them.

use std::borrow::Cow;

use assay_formats::{Kind, Value};

/// The value at the end of a way of keys.
pub(crate) fn at<'d>(value: Value<'d>, way: &[&str]) -> Option<Value<'d>> {
    way.iter().try_fold(value, |value, key| value.get(key))
}

/// A text, or a scalar as it is spelled: in 0.2.0 an id may be a number.
pub(crate) fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => value.text(),
        Kind::Number | Kind::Bool => Some(Cow::Borrowed(value.raw())),
        Kind::Null | Kind::List | Kind::Map => None,
    }
}

/// The text at the end of a way of keys.
pub(crate) fn text_at<'d>(value: Value<'d>, way: &[&str]) -> Option<Cow<'d, str>> {
    at(value, way).and_then(text)
}

/// A text alone is a list of one: in 0.2.0 many lists may be either.
pub(crate) fn texts(value: Value<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    // What is no list has no items.
    text(value)
        .into_iter()
        .chain(value.items().filter_map(text))
}

/// Goes through a map whose keys are text, as they are written or spelled with escapes.
///
/// A row has some thirty keys, most of them wanted: comparing each with the names of its length is
/// faster than looking for each name.
pub(crate) fn each<'d>(map: Value<'d>, mut take: impl FnMut(&str, Value<'d>)) {
    for (key, value) in map.entries() {
        if let Some(name) = key.plain_text() {
            take(name, value);
        } else if let Some(name) = key.text() {
            take(&name, value);
        }
    }
}

/// A number; in 0.2.0 a score may be `true`, and bounds may be `"Infinity"`.
pub(crate) fn number(value: Value<'_>) -> Option<f64> {
    match value.kind() {
        Kind::Bool => value.truth().map(|truth| f64::from(u8::from(truth))),
        Kind::String if value.is_text("Infinity") => Some(f64::INFINITY),
        Kind::String if value.is_text("-Infinity") => Some(f64::NEG_INFINITY),
        Kind::String | Kind::Number | Kind::Null | Kind::List | Kind::Map => value.number(),
    }
}

/// The number at the end of a way of keys.
pub(crate) fn number_at(value: Value<'_>, way: &[&str]) -> Option<f64> {
    at(value, way).and_then(number)
}

/// The whole number at the end of a way of keys.
pub(crate) fn integer_at(value: Value<'_>, way: &[&str]) -> Option<i64> {
    at(value, way).and_then(Value::integer)
}
