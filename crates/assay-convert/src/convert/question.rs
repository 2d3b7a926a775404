//! The question of a sample, its right answers, and rows that are too large.

use std::borrow::Cow;

use assay_formats::eee::row::{Prompt, Row, Text};
use assay_formats::syntax::limits;

use super::metric::Correctness;

/// The key of a row whose metric does not define which answers are right.
const CORRECTNESS: &str = "correctness";
const NOT_DEFINED: &str = "not defined";
/// The key of a row whose texts were cut.
const TRANSCRIPT: &str = "transcript";
/// The labels in front of questions.
const QUESTION_LABELS: [&str; 2] = ["Question:", "Q:"];
/// Maximum length of texts when a row is too large, in bytes: the first limit that makes it fit
/// counts.
const CUTS: [usize; 4] = [1 << 20, 64 << 10, 4 << 10, 256];
/// The mark at the end of a text that was cut.
const CUT_MARK: &str = " […]";

/// Says in a row whether its answer is right. What is not known is `false`, as the format demands,
/// and marked.
pub(super) fn set_correctness(row: &mut Row<'_>, correctness: Correctness) {
    row.evaluation.is_correct = correctness == Correctness::Right;
    match correctness {
        Correctness::Unknown => {
            row.metadata.insert(CORRECTNESS.into(), NOT_DEFINED.into());
        }
        Correctness::Right | Correctness::Wrong => {
            row.metadata.remove(CORRECTNESS);
        }
    }
}

/// The outcome of fitting a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It was written as it is.
    Whole,
    /// Its long texts were cut.
    Cut,
    /// Even without them it is too large.
    LeftOut,
}

/// Writes a row. One that is too large keeps its score and the beginnings of its texts, and says
/// so.
pub(super) fn write_row(row: &Row<'_>, to: &mut Vec<u8>) -> Fit {
    let start = to.len();
    row.write(to);
    if to.len() - start <= limits::MAX_ROW_BYTES {
        return Fit::Whole;
    }
    let mut short = row.clone();
    short.metadata.insert(TRANSCRIPT.into(), "cut".into());
    for most in CUTS {
        cut_texts(&mut short, most);
        to.truncate(start);
        short.write(to);
        if to.len() - start <= limits::MAX_ROW_BYTES {
            return Fit::Cut;
        }
    }
    to.truncate(start);
    Fit::LeftOut
}

fn cut_texts(row: &mut Row<'_>, most: usize) {
    let input = &mut row.input;
    cut(&mut input.raw, most);
    if let Some(prompt) = &mut input.formatted {
        let mut text = match prompt {
            Prompt::Text(text) => text.clone(),
            Prompt::Spelled(string) => {
                let inside = string.get(1..string.len().saturating_sub(1));
                assay_formats::json::unescape(inside.unwrap_or_default()).into()
            }
        };
        cut(&mut text, most);
        *prompt = Prompt::Text(text);
    }
    input
        .reference
        .iter_mut()
        .chain(input.choices.iter_mut().flatten())
        .for_each(|text| cut(text, most));
    if let Some(output) = &mut row.output {
        output
            .raw
            .iter_mut()
            .chain(output.reasoning_trace.iter_mut().flatten())
            .for_each(|text| cut(text, most));
    }
    for message in row.messages.iter_mut().flatten() {
        let texts = [&mut message.content, &mut message.reasoning_trace];
        texts.into_iter().flatten().for_each(|text| cut(text, most));
        for call in &mut message.tool_calls {
            for text in call.arguments.iter_mut().flat_map(|map| map.values_mut()) {
                cut(text, most);
            }
        }
    }
    for answer in &mut row.answer_attribution {
        cut(&mut answer.extracted_value, most);
    }
    row.error.iter_mut().for_each(|text| cut(text, most));
    row.metadata.values_mut().for_each(|text| cut(text, most));
}

fn cut(text: &mut Text<'_>, most: usize) {
    if text.len() <= most {
        return;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    *text = format!("{}{CUT_MARK}", &text[..end]).into();
}

/// Returns the option that a letter such as `B` stands for. A target that is itself the text of an
/// option is that option.
pub(super) fn lettered<'t>(target: &str, choices: &[Text<'t>]) -> Option<Text<'t>> {
    let mut letters = target.trim().chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    if letters.next().is_some() || choices.iter().any(|choice| choice == target) {
        return None;
    }
    choices.get(usize::from(letter as u8 - b'A')).cloned()
}

/// Returns whether options are nothing but the letters `A`, `B` and so on, whose texts stand in the
/// question.
pub(super) fn are_letters(choices: &[Text<'_>]) -> bool {
    !choices.is_empty()
        && (b'A'..=b'Z')
            .zip(choices)
            .filter(|(letter, choice)| choice.trim().as_bytes() == [*letter])
            .count()
            == choices.len()
}

/// Cuts off the labels that a template puts around a question: a last line such as `Answer:`, and
/// `Question:` or `Q:` in front. Returns nothing when there are none, or nothing else.
pub(super) fn without_labels(text: &str) -> Option<&str> {
    let is_label = |line: &str| {
        let word = line.trim().strip_suffix(':');
        word.is_some_and(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
    };
    let whole = text.trim();
    let front = match whole.rsplit_once('\n') {
        Some((front, last)) if is_label(last) => front.trim_end(),
        _ => whole,
    };
    let question = QUESTION_LABELS
        .iter()
        .find_map(|label| front.strip_prefix(label))
        .unwrap_or(front)
        .trim_start();
    (!question.is_empty() && question.len() < whole.len()).then_some(question)
}

/// The fields of a document that a prompt shows, as a template such as `Question: {{question}}`
/// names them.
///
/// Only names that stand alone count: what an expression makes of a field cannot be found again. A
/// template that is one word is the name of a field.
pub(super) fn template_fields(template: &str) -> Vec<&str> {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let template = template.trim();
    if is_name(template) {
        return vec![template];
    }
    let mut fields = Vec::new();
    for part in template.split("{{").skip(1) {
        let inside = part.split("}}").next().unwrap_or_default().trim();
        let inside = inside.strip_prefix("doc.").unwrap_or(inside);
        let name = [
            "|trim",
            "| trim",
            " | trim",
            ".strip()",
            ".rstrip()",
            ".lstrip()",
        ]
        .iter()
        .find_map(|ending| inside.strip_suffix(ending))
        .unwrap_or(inside)
        .trim();
        if is_name(name) && !fields.contains(&name) {
            fields.push(name);
        }
    }
    fields
}

/// Finds the question in a prompt: the part from the first to the last of the texts that the
/// document gives it, where they stand last. Examples and instructions come before them, so the
/// same question is the same text with any number of examples. Returns nothing when the texts are
/// not all there.
pub(super) fn question_within<'p>(prompt: &'p str, texts: &[Cow<'_, str>]) -> Option<&'p str> {
    let mut range: Option<(usize, usize)> = None;
    for text in texts {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let start = prompt.rfind(text)?;
        let end = start + text.len();
        range = Some(match range {
            Some((first, last)) => (first.min(start), last.max(end)),
            None => (start, end),
        });
    }
    let (start, end) = range?;
    let (before, after) = (prompt.get(..start)?, prompt.get(end..)?);
    // A label may stand in front of a question, but not half a sentence: `Is {{thing}} a {{kind}}?`
    // is all one question.
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let begins = line.is_empty() || line.ends_with(':');
    let after = after.trim_start_matches(' ');
    let ends = after.is_empty() || after.starts_with('\n');
    (begins && ends).then(|| prompt.get(start..end)).flatten()
}

/// Finds the question in a prompt by what stands between examples. Returns nothing when the prompt
/// has not exactly as many parts as examples and question make, perhaps with an instruction in
/// front.
pub(super) fn question_behind<'p>(
    prompt: &'p str,
    delimiter: &str,
    shots: usize,
) -> Option<&'p str> {
    if delimiter.is_empty() || shots == 0 {
        return None;
    }
    let parts: Vec<&str> = prompt.split(delimiter).collect();
    (parts.len() == shots + 1 || parts.len() == shots + 2)
        .then(|| parts.last().copied())
        .flatten()
}

#[cfg(test)]
mod tests {
    use assay_formats::eee::row::{Evaluation, Input, InteractionType, Output};

    use super::*;

    fn row(text: &str) -> Row<'_> {
        let input = Input {
            raw: "q".into(),
            formatted: None,
            reference: Vec::new(),
            choices: None,
        };
        let evaluation = Evaluation {
            score: 0.5,
            is_correct: false,
            num_turns: None,
            tool_calls_count: None,
        };
        let mut row = Row::new("1".into(), InteractionType::SingleTurn, input, evaluation);
        row.output = Some(Output {
            raw: vec![text.into()],
            reasoning_trace: None,
        });
        row
    }

    #[test]
    fn a_row_that_is_too_large_keeps_its_score_and_says_that_it_was_cut() {
        let long = "é".repeat(limits::MAX_ROW_BYTES);
        let mut bytes = Vec::new();

        assert_eq!(write_row(&row("short"), &mut bytes), Fit::Whole);
        let before = bytes.len();
        assert_eq!(write_row(&row(&long), &mut bytes), Fit::Cut);

        let written: serde_json::Value = serde_json::from_slice(&bytes[before..]).unwrap();
        assert_eq!(written["evaluation"]["score"], 0.5);
        assert_eq!(written["metadata"]["transcript"], "cut");
        assert!(bytes.len() - before <= limits::MAX_ROW_BYTES);
    }

    #[test]
    fn letters_mean_options_unless_they_are_options() {
        let choices = ["red", "blue"].map(Text::from);

        assert_eq!(lettered("B", &choices).as_deref(), Some("blue"));
        assert_eq!(lettered("red", &choices), None);
        assert_eq!(lettered("E", &choices), None);
        assert_eq!(lettered("B", &["A", "B"].map(Text::from)), None);
    }

    #[test]
    fn labels_around_a_question_are_no_part_of_it() {
        for (text, question) in [
            ("Question: Is it?\nAnswer:", Some("Is it?")),
            ("Is it?\nAnswer:", Some("Is it?")),
            ("Q: a\nb\nA:", Some("a\nb")),
            ("Is it?", None),
            ("Say why:", None),
            ("One\nthe last line:", None),
            ("Answer:", None),
        ] {
            assert_eq!(without_labels(text), question, "{text}");
        }
        assert!(are_letters(&[" A", "B"].map(Text::from)));
        assert!(!are_letters(&["A", "yes"].map(Text::from)));
        assert!(!are_letters(&["B", "C"].map(Text::from)));
    }

    #[test]
    fn the_question_is_found_behind_any_number_of_examples() {
        let fields = template_fields("Question: {{question.strip()}}\nA. {{choices[0]}}\nAnswer:");
        assert_eq!(fields, ["question"]);
        assert_eq!(
            template_fields("{{passage}}\n{{ doc.q }}?"),
            ["passage", "q"]
        );
        assert_eq!(template_fields("question"), ["question"]);
        for prompt in [
            "Question: What is 2+2?\nAnswer:",
            "Answer:\n\nQuestion: What is 1+1?\nAnswer: 2\n\nQuestion: What is 2+2?\nAnswer:",
        ] {
            let found = question_within(prompt, &["What is 2+2?".into()]);

            assert_eq!(found, Some("What is 2+2?"), "{prompt}");
        }
        assert_eq!(
            question_within("P: the cat\nQ: who\nA:", &["the cat".into(), "who".into()]),
            Some("the cat\nQ: who")
        );
        assert_eq!(question_within("nothing", &["What?".into()]), None);
        let words = ["a wren".into(), "bird".into()];
        assert_eq!(
            question_within("Is a wren a bird? yes or no\nA:", &words),
            None
        );
    }

    #[test]
    fn examples_are_cut_off_only_where_they_can_be_counted() {
        assert_eq!(question_behind("a b\n\nc d\n\nq", "\n\n", 2), Some("q"));
        assert_eq!(question_behind("hint\n\na\n\nb\n\nq", "\n\n", 2), Some("q"));
        assert_eq!(question_behind("a\n\nb\n\nc\n\nd\n\nq", "\n\n", 2), None);
        assert_eq!(question_behind("q", "\n\n", 0), None);
    }
}
