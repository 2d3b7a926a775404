use assay_formats::Value;
use assay_formats::shape::Object;

use super::missing_key::name_of;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{closest, quote};

rule! {
    /// A key is probably misspelt
    ///
    /// The mapping may hold any keys, but this one is nearly the name of a known key that is not
    /// there, so its value is probably meant for that one and would be ignored.
    ///
    /// ## What to do
    ///
    /// Correct the spelling. `assay validate --fix` does.
    MISSPELT_KEY = (106, "misspelt-key", Warning)
}

pub(crate) fn report(key: Value<'_>, object: &'static Object, sink: &mut Sink<'_>) {
    let Some(text) = key.text() else { return };
    let Some(name) = unseen_key_like(key, &text, object) else {
        return;
    };
    sink.report(&MISSPELT_KEY, key, || {
        let parent = name_of(key.parent(), object);
        Draft::new(format!(
            "{} is not a key of {parent}; `{name}` probably is meant",
            quote(&text)
        ))
        .help(format!("did you mean `{name}`?"))
        .replace(key.inside(), name)
    });
}

/// The known key that `text` resembles, unless the mapping has that one too.
pub(super) fn unseen_key_like(
    key: Value<'_>,
    text: &str,
    object: &'static Object,
) -> Option<&'static str> {
    let name = closest(text, object.fields.iter().map(|field| field.name))?;
    key.parent().get(name).is_none().then_some(name)
}
