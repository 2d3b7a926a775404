//! Words at the end of a name that tell how or where a model ran, not which model it is.

use crate::key::Token;

/// The meaning of a suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// The numbers that the weights are kept in: a setup.
    Precision,
    /// The effort that a model was allowed: a setup.
    Effort,
    /// The offer of a service.
    Provider,
}

/// A suffix that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suffix {
    pub(crate) tells: Tells,
    /// Number of words that it has.
    pub(crate) length: usize,
}

/// A condition on the words before a suffix.
#[derive(Debug, Clone, Copy)]
enum After {
    Anything,
    /// `instruct` stands right before: `gpt-3.5-turbo` is a model, `…-Instruct-Turbo` is a
    /// service's offer of one.
    Instruct,
    /// A size or `instruct` stands right before: `grok-4-fast` is a model.
    Weights,
    /// A model that takes an effort: `phi-3-medium` is a model.
    Reasoning,
}

const SUFFIXES: &[(&[&str], Tells, After)] = &[
    (&["fp", "8"], Tells::Precision, After::Anything),
    (&["fp", "8", "dynamic"], Tells::Precision, After::Anything),
    (&["fp", "16"], Tells::Precision, After::Anything),
    (&["fp", "4"], Tells::Precision, After::Anything),
    (&["nvfp", "4"], Tells::Precision, After::Anything),
    (&["mxfp", "4"], Tells::Precision, After::Anything),
    (&["bf", "16"], Tells::Precision, After::Anything),
    (&["nf", "4"], Tells::Precision, After::Anything),
    (&["int", "4"], Tells::Precision, After::Anything),
    (&["int", "8"], Tells::Precision, After::Anything),
    (&["awq"], Tells::Precision, After::Anything),
    (&["awq", "int", "4"], Tells::Precision, After::Anything),
    (&["gptq"], Tells::Precision, After::Anything),
    (&["gptq", "int", "4"], Tells::Precision, After::Anything),
    (&["gptq", "int", "8"], Tells::Precision, After::Anything),
    (&["gptq", "4bit"], Tells::Precision, After::Anything),
    (&["gguf"], Tells::Precision, After::Anything),
    (&["exl", "2"], Tells::Precision, After::Anything),
    (&["hqq"], Tells::Precision, After::Anything),
    (&["aqlm"], Tells::Precision, After::Anything),
    (&["mlx"], Tells::Precision, After::Anything),
    (&["4bit"], Tells::Precision, After::Anything),
    (&["8bit"], Tells::Precision, After::Anything),
    (&["4", "bit"], Tells::Precision, After::Anything),
    (&["8", "bit"], Tells::Precision, After::Anything),
    (&["bnb", "4bit"], Tells::Precision, After::Anything),
    (&["bnb", "8bit"], Tells::Precision, After::Anything),
    (&["w", "4a", "16"], Tells::Precision, After::Anything),
    (&["w", "8a", "8"], Tells::Precision, After::Anything),
    (&["w", "8a", "16"], Tells::Precision, After::Anything),
    (&["q", "2", "k"], Tells::Precision, After::Anything),
    (&["q", "3", "k", "m"], Tells::Precision, After::Anything),
    (&["q", "4", "0"], Tells::Precision, After::Anything),
    (&["q", "4", "k", "m"], Tells::Precision, After::Anything),
    (&["q", "4", "k", "s"], Tells::Precision, After::Anything),
    (&["q", "5", "k", "m"], Tells::Precision, After::Anything),
    (&["q", "5", "k", "s"], Tells::Precision, After::Anything),
    (&["q", "6", "k"], Tells::Precision, After::Anything),
    (&["q", "8", "0"], Tells::Precision, After::Anything),
    (&["xhigh"], Tells::Effort, After::Anything),
    (&["high"], Tells::Effort, After::Reasoning),
    (&["medium"], Tells::Effort, After::Reasoning),
    (&["low"], Tells::Effort, After::Reasoning),
    (&["minimal"], Tells::Effort, After::Reasoning),
    (&["free"], Tells::Provider, After::Anything),
    (&["maas"], Tells::Provider, After::Anything),
    (&["tput"], Tells::Provider, After::Anything),
    (&["high", "throughput"], Tells::Provider, After::Anything),
    (&["cloud"], Tells::Provider, After::Weights),
    (&["turbo"], Tells::Provider, After::Instruct),
    (&["lite"], Tells::Provider, After::Instruct),
    (&["fast"], Tells::Provider, After::Weights),
];

/// Words that end the name of a snapshot or a mode: too little to tell two models apart, too much
/// to join them.
pub(crate) const LOOSE: [&str; 9] = [
    "preview",
    "latest",
    "exp",
    "experimental",
    "thinking",
    "reasoning",
    "fast",
    "beta",
    "turbo",
];

/// Returns the longest suffix that ends the words, unless nothing would be left.
pub(crate) fn find_suffix(tokens: &[Token]) -> Option<Suffix> {
    SUFFIXES
        .iter()
        .filter(|(words, _, after)| {
            let Some(rest) = tokens
                .len()
                .checked_sub(words.len())
                .filter(|rest| *rest > 0)
            else {
                return false;
            };
            tokens[rest..]
                .iter()
                .zip(*words)
                .all(|(token, word)| token.text == *word)
                && holds(*after, &tokens[..rest])
        })
        .max_by_key(|(words, _, _)| words.len())
        .map(|(words, tells, _)| Suffix {
            tells: *tells,
            length: words.len(),
        })
}

fn holds(after: After, before: &[Token]) -> bool {
    let last = before.last().map(|token| token.text.as_str());
    let first = before.first().map(|token| token.text.as_str());
    let second = before.get(1).map(|token| token.text.as_str());
    let is_instruct = matches!(last, Some("instruct" | "it"));
    match after {
        After::Anything => true,
        After::Instruct => is_instruct,
        After::Weights => is_instruct || last.is_some_and(is_size),
        After::Reasoning => {
            matches!(last, Some("reasoning" | "thinking"))
                || matches!((first, second), (Some("o"), Some("1" | "3" | "4")))
                || matches!((first, second), (Some("gpt"), Some("5" | "oss")))
        }
    }
}

/// Returns whether a word is a number of parameters: `70b`, `350m`.
fn is_size(token: &str) -> bool {
    token
        .strip_suffix(['b', 'm'])
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
