//! What tells one question from another.

use std::borrow::Cow;

use assay_formats::eee::{is_hashed_as_spelled, sample_hash};
use assay_formats::rows::{Algorithm, Hasher};
use assay_formats::{Kind, Value};

use crate::value::texts;

/// The hash of a question and its references, by the recipe of [`sample_hash`].
///
/// What is spelled as the recipe spells it is hashed as it stands in the file. Most rows are, and
/// nothing of them is copied.
pub(super) fn hash_of(question: Value<'_>, raw: &str, reference: Option<Value<'_>>) -> String {
    hash_of_spelled(question, reference).unwrap_or_else(|| {
        let references: Vec<Cow<'_, str>> = reference.into_iter().flat_map(texts).collect();
        sample_hash(raw, &references)
    })
}

fn hash_of_spelled(question: Value<'_>, reference: Option<Value<'_>>) -> Option<String> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(b"{\"raw\":");
    hasher.update(spelled(question)?.as_bytes());
    hasher.update(b",\"reference\":[");
    if let Some(reference) = reference {
        // What is neither text nor a list of texts is spelled otherwise, or not at all.
        let answer = match reference.kind() {
            Kind::List => {
                let mut answers = reference.items();
                let only = answers.next();
                // Several answers are sorted, which takes their texts.
                if answers.next().is_some() {
                    return None;
                }
                only
            }
            _ => Some(reference),
        };
        if let Some(answer) = answer {
            hasher.update(spelled(answer)?.as_bytes());
        }
    }
    hasher.update(b"]}");
    Some(hasher.hex())
}

/// Returns a text as it stands in the file, where that is how the recipe spells it.
fn spelled(text: Value<'_>) -> Option<&str> {
    let spelled = text.spelled()?;
    let inside = spelled.get(1..spelled.len().checked_sub(1)?)?;
    is_hashed_as_spelled(inside).then_some(spelled)
}

#[cfg(test)]
mod tests {
    use assay_formats::{Tape, json};
    use proptest::prelude::*;

    use super::*;
    use crate::value::text;

    proptest! {
        #[test]
        fn a_hash_is_that_of_the_recipe_however_the_row_is_spelled(
            raw in "\"([a-zA-Z é/#]|\\\\n|\\\\\"|\\\\u00e9|\\\\u0041|\\\\/|é){0,12}\"|-?[1-9]{1,3}|true",
            reference in "null|\\{\\}|\"[a-z]{0,3}\"|12|\\[\\]|\\[\"a\",\"\\\\u0062\"\\]|\\[\"a\", 5, null, \"b\"\\]|\\[\"x\"\\]|\"\\\\n[a-z] \"|\\[\"1 #### 2\"\\]",
        ) {
            let row = format!("{{\"raw\": {raw}, \"reference\": {reference}}}");
            let mut tape = Tape::new();
            json::parse(&row, &mut tape);
            let root = tape.root(&row).unwrap();
            let (question, reference) = (root.get("raw").unwrap(), root.get("reference"));
            let raw = text(question).unwrap();

            let ours = hash_of(question, &raw, reference);

            let references: Vec<_> = reference.into_iter().flat_map(texts).collect();
            let expected = sample_hash(&raw, &references);
            prop_assert_eq!(ours, expected);
        }
    }
}
