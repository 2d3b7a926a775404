//! Passwords that everybody tries first.

/// Words that passwords are made of most often, in lower case; longer ones before those that they
/// contain.
const COMMON_WORDS: [&str; 48] = [
    "correcthorsebatterystaple",
    "administrator",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "basketball",
    "football",
    "baseball",
    "superman",
    "starwars",
    "password",
    "passwort",
    "iloveyou",
    "princess",
    "sunshine",
    "changeme",
    "computer",
    "internet",
    "whatever",
    "trustno",
    "zxcvbnm",
    "freedom",
    "letmein",
    "welcome",
    "mustang",
    "michael",
    "charlie",
    "default",
    "monkey",
    "dragon",
    "master",
    "shadow",
    "qwerty",
    "qwertz",
    "azerty",
    "asdfgh",
    "qazwsx",
    "secret",
    "summer",
    "winter",
    "spring",
    "batman",
    "admin",
    "login",
    "hello",
    "guest",
    "abc",
    "pass",
];
/// Characters that a password must have beside common words and sequences.
const MIN_OWN: usize = 6;
/// Different characters that a password must have.
const MIN_DIFFERENT: usize = 5;
/// The shortest run of neighbours, such as `4567` or `dcba`, that counts as a sequence.
const MIN_SEQUENCE: usize = 4;

/// Returns whether a password consists of common words, sequences, repetitions and a few other
/// characters.
pub(super) fn is_easy(password: &str) -> bool {
    let lower: Vec<char> = password.to_lowercase().chars().collect();
    let mut different = lower.clone();
    different.sort_unstable();
    different.dedup();
    if different.len() < MIN_DIFFERENT {
        return true;
    }
    let own = without_sequences(&lower);
    let mut own: String = own.into_iter().map(as_letter).collect();
    for word in COMMON_WORDS {
        own = own.replace(word, "");
    }
    own.chars().filter(|own| own.is_alphanumeric()).count() < MIN_OWN
}

/// Removes runs of characters that follow on each other, in either direction, or repeat one.
fn without_sequences(text: &[char]) -> Vec<char> {
    let mut own = Vec::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let step = |at: usize| {
            Some(i64::from(u32::from(*text.get(at + 1)?)) - i64::from(u32::from(text[at])))
        };
        let mut end = start + 1;
        if let Some(first) = step(start).filter(|step| (-1..=1).contains(step)) {
            while step(end - 1) == Some(first) {
                end += 1;
            }
        }
        if end - start < MIN_SEQUENCE {
            end = start + 1;
            own.push(text[start]);
        }
        start = end;
    }
    own
}

/// Returns the letter that a digit or sign often stands for.
fn as_letter(character: char) -> char {
    match character {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_sequences_and_repetitions_are_easy() {
        for password in [
            "password1234",
            "P@ssw0rd2026!",
            "aaaaaaaaaaaa",
            "abababababab",
            "123456789012",
            "abcdefghijkl",
            "qwertyuiop12",
            "welcome-admin-1",
            "correcthorsebatterystaple",
        ] {
            assert!(is_easy(password), "{password}");
        }
    }

    #[test]
    fn unrelated_words_and_random_characters_are_not() {
        for password in [
            "violin teapot harbour",
            "x7Kq-29fLm-0pWz",
            "my password is long: violets and gravel",
        ] {
            assert!(!is_easy(password), "{password}");
        }
    }
}
