//! Normal forms of names: two names with one form are spellings of each other.

/// A run of letters or of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece<'n> {
    text: &'n str,
    is_number: bool,
    /// Nothing stands between it and the piece before.
    is_glued: bool,
}

/// Returns the name without case and punctuation.
///
/// Digits that punctuation keeps apart stay apart, so `Qwen2-57B` and `Qwen2.5-7B` differ.
///
/// ```
/// # use assay_registry::spelling_key;
/// assert_eq!(spelling_key("Qwen2.5-VL-7B"), spelling_key("qwen2-5_vl 7b"));
/// assert_ne!(spelling_key("Qwen2-57B"), spelling_key("Qwen2.5-7B"));
/// assert_ne!(spelling_key("command-r+"), spelling_key("command-r"));
/// ```
pub fn spelling_key(name: &str) -> String {
    let name = spelled_out(name);
    let mut key = String::with_capacity(name.len());
    let mut after_number = false;
    for piece in pieces(&name) {
        if after_number && piece.is_number {
            key.push('-');
        }
        key.push_str(piece.text);
        after_number = piece.is_number;
    }
    key
}

/// Returns the words of a name in alphabetical order, then its versions in the order of the name.
///
/// On top of [`spelling_key`], it reads `v2` as `2`, `2.0` as `2`, `it` as `instruct`, and dates in
/// every order. Numbers that stand together stay together, so `llama-3.2-8b` is not
/// `llama-3-8b-v2`.
///
/// ```
/// # use assay_registry::word_key;
/// assert_eq!(word_key("claude-4-5-haiku"), word_key("Claude Haiku 4.5"));
/// assert_eq!(word_key("command-a-03-2025"), word_key("Command A (2025-03)"));
/// assert_ne!(word_key("gpt-3.5-turbo"), word_key("gpt-5.3-turbo"));
/// assert_ne!(word_key("llama-3.2-8b"), word_key("llama-3-8b-v2"));
/// ```
pub fn word_key(name: &str) -> String {
    let all = tokens(name);
    let tokens: Vec<&str> = all
        .iter()
        .enumerate()
        .filter(|(at, token)| !is_version_letter(token, all.get(at + 1)))
        .map(|(_, token)| token.text.as_str())
        .collect();
    let mut words: Vec<&str> = Vec::new();
    let mut versions: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        if !is_number(token) {
            words.push(instruct(token));
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|next| is_number(next)) {
            end += 1;
        }
        let mut run: Vec<&str> = tokens[at..end].to_vec();
        if let Some(date) = take_date(&mut run) {
            versions.push(date);
        }
        let before_size = tokens.get(end).is_some_and(|next| starts_with_digit(next));
        while run.len() > 1 && run.last() == Some(&"0") && !before_size {
            run.pop();
        }
        if !run.is_empty() {
            versions.push(run.join("."));
        }
        at = end;
    }
    words.sort_unstable();
    format!("{}|{}", words.join(" "), versions.join(" "))
}

/// A word of a name: letters, a number, or a number with the letters that belong to it (`70b`,
/// `4o`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Nothing stands between it and the word before.
    is_glued: bool,
}

/// Returns the words of a name.
pub(crate) fn tokens(name: &str) -> Vec<Token> {
    let name = spelled_out(name);
    let mut tokens: Vec<Token> = Vec::new();
    let mut last_is_number = false;
    for piece in pieces(&name) {
        match tokens.last_mut() {
            Some(last) if piece.is_glued && last_is_number && !piece.is_number => {
                last.text.push_str(piece.text);
            }
            _ => tokens.push(Token {
                text: piece.text.to_owned(),
                is_glued: piece.is_glued,
            }),
        }
        last_is_number = piece.is_number;
    }
    tokens
}

/// Returns the name that consists of these words.
pub(crate) fn join(tokens: &[Token]) -> String {
    let mut name = String::new();
    for token in tokens {
        if !token.is_glued && !name.is_empty() {
            name.push('-');
        }
        name.push_str(&token.text);
    }
    name
}

/// Returns whether a word is the `v` of `v2`, and not the end of `glm-4.5v`.
fn is_version_letter(token: &Token, next: Option<&Token>) -> bool {
    token.text == "v"
        && !token.is_glued
        && next.is_some_and(|next| next.is_glued && starts_with_digit(&next.text))
}

/// Lower case, `+` as a word, and `2p5` as `2.5`, which some services write.
fn spelled_out(name: &str) -> String {
    let lower = name.to_lowercase();
    if !lower.contains('+') && !lower.contains('p') {
        return lower;
    }
    let bytes = lower.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let mut out = String::with_capacity(lower.len() + 4);
    for (at, letter) in lower.char_indices() {
        match letter {
            '+' => out.push_str(" plus "),
            'p' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => out.push('.'),
            _ => out.push(letter),
        }
    }
    out
}

fn pieces(name: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = name;
    let mut is_glued = false;
    std::iter::from_fn(move || {
        let skipped = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        is_glued = is_glued && skipped.len() == rest.len();
        let first = skipped.chars().next()?;
        let is_number = first.is_ascii_digit();
        let end = skipped
            .find(|letter: char| !letter.is_alphanumeric() || letter.is_ascii_digit() != is_number)
            .unwrap_or(skipped.len());
        let piece = Piece {
            text: &skipped[..end],
            is_number,
            is_glued,
        };
        rest = &skipped[end..];
        is_glued = true;
        Some(piece)
    })
}

fn is_number(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_digit())
}

fn starts_with_digit(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_digit())
}

fn instruct(token: &str) -> &str {
    match token {
        "it" | "inst" | "instr" => "instruct",
        other => other,
    }
}

/// Takes a date out of numbers that stand together: `2025 04 17`, `20250417`, `2025 04`, `04 2025`.
fn take_date(run: &mut Vec<&str>) -> Option<String> {
    let year = |text: &str| text.len() == 4 && ("2018".."2100").contains(&text);
    let month = |text: &str| text.len() == 2 && ("01"..="12").contains(&text);
    let day = |text: &str| text.len() == 2 && ("01"..="31").contains(&text);
    for at in 0..run.len() {
        let (length, date) = match &run[at..] {
            [y, m, d, ..] if year(y) && month(m) && day(d) => (3, format!("{y}{m}{d}")),
            [whole, ..] if whole.len() == 8 && is_day(whole) => (1, (*whole).to_owned()),
            [y, m, ..] | [m, y, ..] if year(y) && month(m) => (2, format!("{y}{m}")),
            _ => continue,
        };
        run.drain(at..at + length);
        return Some(date);
    }
    None
}

fn is_day(text: &str) -> bool {
    is_number(text)
        && ("2018".."2100").contains(&&text[..4])
        && ("01"..="12").contains(&&text[4..6])
        && ("01"..="31").contains(&&text[6..])
}

/// Returns whether the last word is a date, or begins one that ends the name.
pub(crate) fn ends_in_date(tokens: &[Token]) -> Option<usize> {
    (1..=3.min(tokens.len()))
        .rev()
        .find(|length| {
            let tail = &tokens[tokens.len() - length..];
            let mut run: Vec<&str> = tail.iter().map(|token| token.text.as_str()).collect();
            let is_short = *length == 1 && run[0].len() == 4 && is_number(run[0]);
            is_short || (take_date(&mut run).is_some() && run.is_empty())
        })
        .map(|length| tokens.len() - length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_punctuation_do_not_count() {
        for (one, other) in [
            ("Meta-Llama-3.1-8B", "meta_llama 3-1 8b"),
            ("DeepSeek-R1 (0528)", "deepseek-r1-0528"),
            ("minimax-m2p5", "MiniMax-M2.5"),
            ("text-bison@001", "text-bison-001"),
        ] {
            assert_eq!(spelling_key(one), spelling_key(other));
        }
    }

    #[test]
    fn sizes_versions_and_kinds_count() {
        for (one, other) in [
            ("llama-3-8b", "llama-38b"),
            ("llama-3.1-8b", "llama-3.1-70b"),
            ("gpt-3.5", "gpt-5.3"),
            ("qwen2-7b", "qwen2-7b-instruct"),
            ("qwen3-0.6b", "qwen3-6b"),
            ("claude-3-sonnet-20240229", "claude-3-sonnet"),
            ("phi-3-v2", "phi-3-mini-2"),
        ] {
            assert_ne!(spelling_key(one), spelling_key(other));
            assert_ne!(word_key(one), word_key(other));
        }
    }

    #[test]
    fn versions_are_read_in_every_spelling() {
        for (one, other) in [
            ("stable-diffusion-v1-5", "Stable Diffusion 1.5"),
            ("nova-2-0-lite", "nova-2-lite"),
            ("gemma-2-9b-it", "gemma-2-9b-instruct"),
            ("claude-3-5-sonnet-2024-10-22", "claude-3.5-sonnet-20241022"),
            ("llama-2-chat-70b", "Llama-2-70b-chat"),
        ] {
            assert_eq!(word_key(one), word_key(other));
        }
    }

    proptest::proptest! {
        #[test]
        fn keys_of_any_text_are_made(name in ".{0,40}") {
            let _ = spelling_key(&name);
            let _ = word_key(&name);
            let _ = ends_in_date(&tokens(&name));
        }

        #[test]
        fn a_key_is_its_own_key(name in "[a-oq-zA-OQ-Z0-9. _-]{0,30}") {
            let key = spelling_key(&name);
            proptest::prop_assert_eq!(spelling_key(&key), key);
        }
    }
}
