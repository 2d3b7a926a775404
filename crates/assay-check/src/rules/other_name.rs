use std::collections::BTreeSet;

use assay_formats::Value;

use crate::rule::rule;
use crate::rules::other_benchmark::letters;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The name of the model is not the one in its id
    ///
    /// The rule speaks when in at least 95 in 100 records of the folder, ten or more, the words of
    /// `model_info.name` are all in `model_info.id` or the other way round, and here they are not.
    /// Case, punctuation, the order of words and dates do not count. It is a note, because names
    /// are for people.
    ///
    /// ## What to do
    ///
    /// Check which model was evaluated, and correct the name or the id.
    OTHER_NAME = (445, "other-name", Note)
}

/// Digits of this number or more are a date, which names and ids write in many ways.
const DATE_DIGITS: usize = 6;

/// Returns whether a name has the words of an id or the other way round, in any order; nothing when
/// one is blank.
pub(crate) fn fits(name: &str, id: &str) -> Option<bool> {
    let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_lowercase();
    let (name, id) = (last(name), last(id));
    let (words, id_words) = (words(&name), words(&id));
    if words.is_empty() || id_words.is_empty() {
        return None;
    }
    let (plain, id_plain) = (letters(&name), letters(&id));
    let has_letters = plain.contains(&id_plain) || id_plain.contains(&plain);
    Some(has_letters || words.is_subset(&id_words) || id_words.is_subset(&words))
}

/// Returns the runs of letters and of digits in a text, but for dates.
fn words(text: &str) -> BTreeSet<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = None;
    for letter in text.chars() {
        let kind = letter.is_alphanumeric().then(|| letter.is_numeric());
        match words
            .last_mut()
            .filter(|_| kind.is_some() && kind == before)
        {
            Some(word) => word.push(letter),
            None if kind.is_some() => words.push(letter.to_string()),
            None => {}
        }
        before = kind;
    }
    words
        .into_iter()
        .filter(|word| {
            word.len() < DATE_DIGITS || !word.starts_with(|first: char| first.is_numeric())
        })
        .collect()
}

pub(crate) fn report(record: Value<'_>, others: usize, sink: &mut Sink<'_>) {
    let Some(model) = record.get("model_info") else {
        return;
    };
    let (Some(name), Some(id)) = (model.get("name"), model.text_of("id")) else {
        return;
    };
    sink.report(&OTHER_NAME, name, || {
        Draft::new(format!(
            "the name is {}, but the id is {}",
            quote(&name.text().unwrap_or_default()),
            quote(&id)
        ))
        .note(format!(
            "they agree in {others} other records of the folder"
        ))
        .help("check which model was evaluated, and correct the one that is wrong")
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_agree_in_words_and_not_in_their_order() {
        for (name, id) in [
            ("Yi 34B", "01-ai/yi-34b"),
            (
                "Qwen2.5 Instruct Turbo 72B",
                "qwen/qwen2.5-72b-instruct-turbo",
            ),
            (
                "Claude-3.7 Sonnet High (February 2025)",
                "anthropic/claude-3-7-sonnet-20250219",
            ),
            ("acme/anvil", "acme/Anvil"),
        ] {
            assert_eq!(fits(name, id), Some(true), "{name}");
        }
        for (name, id) in [
            ("Yi 34B", "01-ai/yi-6b"),
            ("Claude-3.5 Sonnet", "anthropic/claude-3-7-sonnet-20250219"),
        ] {
            assert_eq!(fits(name, id), Some(false), "{name}");
        }
        assert_eq!(fits(" ", "acme/anvil"), None);
    }
}
