use assay_formats::Value;
use assay_formats::shape::Object;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::closest;

rule! {
    /// A required key is missing
    ///
    /// The format cannot do without this key. The finding points at the mapping that should have
    /// it.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// - dataset:
    ///     id: cais/hle        # `task_id` is missing
    ///   metrics:
    ///     - metric_id: accuracy
    ///       value: 20.9
    /// ```
    ///
    /// ## What to do
    ///
    /// Add the key. `assay schema KIND` prints all keys of a format with their meaning. If a key
    /// with nearly this name is there, it is probably misspelt; `assay validate --fix` corrects the
    /// spelling.
    MISSING_KEY = (101, "missing-key", Error)
}

pub(crate) fn report(
    at: Value<'_>,
    key: &'static str,
    object: &'static Object,
    sink: &mut Sink<'_>,
) {
    sink.report(&MISSING_KEY, at.head(), || {
        let draft = Draft::new(format!(
            "{} lacks the required key `{key}`",
            name_of(at, object)
        ))
        .path_of(at);
        let known = |name: &str| object.fields.iter().any(|field| field.name == name);
        let typo = at.entries().find(|(own, _)| {
            own.text()
                .is_some_and(|text| !known(&text) && closest(&text, [key]).is_some())
        });
        match typo {
            Some((own, _)) => draft.help(format!(
                "`{}` is probably meant to be `{key}`",
                own.text().unwrap_or_default()
            )),
            None => draft.help(match doc_of(object, key) {
                "" => format!("add `{key}`"),
                doc => format!("add `{key}`: {}", sentence(doc)),
            }),
        }
    });
}

/// Returns the name and place of a map for a sentence.
pub(crate) fn name_of(at: Value<'_>, object: &Object) -> String {
    match at.path() {
        path if path.is_empty() => format!("the {}", object.name),
        path => format!("`{path}`"),
    }
}

fn doc_of(object: &Object, key: &str) -> &'static str {
    object
        .fields
        .iter()
        .find(|field| field.name == key)
        .map_or("", |field| field.doc)
}

/// A doc comment as the end of a sentence: no capital, no full stop.
fn sentence(doc: &str) -> String {
    let doc = doc.strip_suffix('.').unwrap_or(doc);
    let mut characters = doc.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(characters).collect()
    })
}
