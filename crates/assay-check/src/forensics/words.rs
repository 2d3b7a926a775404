/// No name is read further than this, in characters.
const LONGEST_NAME: usize = 200;

/// A choice whether a capital after a small letter begins a new word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// It does not: `RTFx` is one word.
    Ignored,
    /// It does: `wordErrorRate` is three.
    Splits,
}

/// The words of a name, in lower case.
pub(super) fn words(text: &str, case: Case) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut after_small = false;
    for character in text.chars().take(LONGEST_NAME) {
        if !character.is_alphanumeric() {
            open = false;
            after_small = false;
            continue;
        }
        let begins = case == Case::Splits && after_small && character.is_uppercase();
        match words.last_mut() {
            Some(word) if open && !begins => word.extend(character.to_lowercase()),
            Some(_) | None => words.push(character.to_lowercase().collect()),
        }
        open = true;
        after_small = character.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_signs_and_where_asked_at_capitals() {
        assert_eq!(words("WER (%)", Case::Ignored), ["wer"]);
        assert_eq!(
            words("exact_match@5", Case::Ignored),
            ["exact", "match", "5"]
        );
        assert_eq!(
            words("wordErrorRate", Case::Splits),
            ["word", "error", "rate"]
        );
        assert_eq!(words("RTFx", Case::Splits), ["rtfx"]);
        assert!(words("--- %", Case::Splits).is_empty());
    }

    #[test]
    fn no_name_is_read_to_its_end_when_it_is_endless() {
        let endless = "a ".repeat(1_000_000);

        assert_eq!(words(&endless, Case::Ignored).len(), LONGEST_NAME / 2);
    }
}
