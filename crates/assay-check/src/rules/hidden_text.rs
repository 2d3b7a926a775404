use assay_formats::Value;
use assay_model::hidden_character;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A text holds a character that cannot be seen
    ///
    /// Control characters, zero-width characters and those that turn the direction of writing make
    /// a text look like another one: a command that shows one thing and runs another, a metric id
    /// that looks like `accuracy` and is not. Pages show them escaped, and an entry that holds one
    /// can never be verified.
    ///
    /// ## What to do
    ///
    /// Delete the character. It usually came along when the text was copied from a web page or a
    /// PDF file.
    HIDDEN_TEXT = (318, "hidden-text", Warning)
}

/// Reports every text of a document that holds a hidden character.
pub(crate) fn check(value: Value<'_>, sink: &mut Sink<'_>) {
    for item in value.items() {
        check(item, sink);
    }
    for (_, item) in value.entries() {
        check(item, sink);
    }
    let Some(hidden) = value.text().and_then(|text| hidden_character(&text)) else {
        return;
    };
    sink.report(&HIDDEN_TEXT, value, || {
        Draft::new(format!(
            "the text holds the hidden character U+{:04X}",
            u32::from(hidden.character)
        ))
        .help("delete the character")
    });
}
