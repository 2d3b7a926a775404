use assay_formats::Value;

use crate::context::LayoutPolicy;
use crate::layout::Location;
use crate::rule::rule;
use crate::rules::blank_name::is_blank;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The path of a record names another model than the record
    ///
    /// In `data/{benchmark}/{developer}/{model}/`, the developer is what stands before the first
    /// `/` of `model_info.id`, and the model is the rest of it. (The field `model_info.developer`
    /// is a name for people and has no part in this.) Case does not count, and any punctuation in
    /// the id may have become `_`, `-` or `.` in the path.
    ///
    /// A record in the directory of another model is found under the wrong name, or not at all.
    ///
    /// ## What to do
    ///
    /// Correct `model_info.id`, or move the record and its samples.
    PATH_DISAGREES = (409, "path-disagrees", Warning)
}

pub(crate) fn check(root: Value<'_>, location: &Location<'_>, sink: &mut Sink<'_>) {
    let (Some(layout), true) = (
        &location.layout,
        location.in_datastore && location.policy != LayoutPolicy::Off,
    ) else {
        return;
    };
    let Some(id) = root.get("model_info").and_then(|model| model.get("id")) else {
        return;
    };
    if is_blank(id) {
        return;
    }
    let Some(text) = id.text() else { return };
    // An id without a developer says nothing about the directory of the developer.
    let (developer, model) = match text.split_once('/') {
        Some((developer, model)) => (Some(developer), model),
        None => (None, text.as_ref()),
    };
    let fits = developer.is_none_or(|developer| same(developer, layout.developer))
        && same(model, layout.model);
    if !fits {
        sink.report(&PATH_DISAGREES, id, || {
            Draft::new(format!(
                "`model_info.id` is {}, but the path says {}",
                quote(&text),
                quote(&format!("{}/{}", layout.developer, layout.model))
            ))
            .help("correct the id, or move the record and its samples")
        });
    }
}

/// Returns whether a part of an id and a directory are the same name, but for case and punctuation.
fn same(part: &str, directory: &str) -> bool {
    if part.is_ascii() && directory.is_ascii() {
        return plain_letters(part).eq(plain_letters(directory));
    }
    letters(part).eq(letters(directory))
}

/// The letters and digits of a name that is ASCII, in lower case.
fn plain_letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(u8::is_ascii_alphanumeric)
        .map(|byte| byte.to_ascii_lowercase())
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}
