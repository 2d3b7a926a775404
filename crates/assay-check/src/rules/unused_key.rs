use assay_formats::Value;
use assay_formats::shape::Object;

use super::missing_key::name_of;
use super::misspelt_key::unseen_key_like;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A key that no tool will read
    ///
    /// The key is kept, but it is not part of the format, so boards, model pages and other tools
    /// ignore it. Most often it is a misspelling, and the value that was meant is missing.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// - id: gpqa_diamond
    ///   scores: [...]        # `scorers` is meant
    /// ```
    ///
    /// ## What to do
    ///
    /// Correct the spelling (`assay validate --fix` does, when the key it resembles is not there),
    /// or leave the key in if it is for your own tools.
    UNUSED_KEY = (105, "unused-key", Warning)
}

pub(crate) fn report(key: Value<'_>, object: &'static Object, sink: &mut Sink<'_>) {
    sink.report(&UNUSED_KEY, key, || {
        let text = key.text().unwrap_or_default();
        let parent = name_of(key.parent(), object);
        let draft = Draft::new(format!(
            "{} is not a key of {parent} and will be ignored",
            quote(&text)
        ));
        match unseen_key_like(key, &text, object) {
            Some(name) => draft
                .help(format!("did you mean `{name}`?"))
                .replace(key.inside(), name),
            None => draft.help("check the spelling, or keep it if it is for your own tools"),
        }
    });
}
