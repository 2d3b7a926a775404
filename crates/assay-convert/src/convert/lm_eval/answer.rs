use std::borrow::Cow;

use assay_formats::{Kind, Value};

use super::text::text_of;

/// The option with the highest likelihood; of equal ones the first.
pub(super) fn likeliest(row: Value<'_>, options: usize) -> Option<usize> {
    let filtered = row
        .get("filtered_resps")
        .and_then(|responses| best_of(responses, options));
    filtered.or_else(|| best_of(row.get("resps")?, options))
}

fn best_of(responses: Value<'_>, options: usize) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    let mut count = 0;
    for response in responses.items().take(options) {
        let likelihood = likelihood(response)?;
        if best.is_none_or(|(_, highest)| likelihood > highest) {
            best = Some((count, likelihood));
        }
        count += 1;
    }
    best.filter(|_| count == options)
        .map(|(position, _)| position)
}

/// The log-likelihood of a response, whose first number it is; numbers are written as text. Not a
/// number is no answer.
fn likelihood(response: Value<'_>) -> Option<f64> {
    let mut at = response;
    while at.kind() == Kind::List {
        at = at.items().next()?;
    }
    let number = match at.plain_text() {
        Some(text) => text.parse().ok()?,
        None => at.raw().trim_matches('"').parse().ok()?,
    };
    (!f64::is_nan(number)).then_some(number)
}

/// Returns the outputs of the model, every time it was asked; for likelihoods, the values that it
/// returned.
pub(super) fn said(row: Value<'_>) -> Vec<Cow<'_, str>> {
    let mut texts = Vec::new();
    for request in row.get("resps").into_iter().flat_map(Value::items) {
        if request.kind() != Kind::List {
            texts.push(text_of(request));
            continue;
        }
        texts.extend(request.items().map(text_of));
    }
    texts
}

/// Returns the parts of the answers that were scored. `None` when the row does not have them.
pub(super) fn extracted(row: Value<'_>) -> Option<Cow<'_, str>> {
    let mut filtered = row.get("filtered_resps")?.items();
    let mut at = filtered.next()?;
    // Filters that keep all repeats leave a list; one answer alone needs no brackets.
    while at.kind() == Kind::List {
        let mut items = at.items();
        match (items.next(), items.next()) {
            (Some(only), None) => at = only,
            _ => break,
        }
    }
    Some(text_of(at))
}

/// The right answers: the text of the option when the target is its number, else the target itself.
pub(super) fn references<'d>(
    target: Option<Value<'d>>,
    choices: Option<&[Cow<'d, str>]>,
) -> Vec<Cow<'d, str>> {
    let Some(target) = target.filter(|target| target.kind() != Kind::Null) else {
        return Vec::new();
    };
    if target.kind() == Kind::List {
        return target
            .items()
            .map(|item| chosen(text_of(item), choices))
            .collect();
    }
    let text = text_of(target);
    if let Some(several) = choices.and_then(|choices| chosen_from_list(&text, choices)) {
        return several;
    }
    vec![chosen(text, choices)]
}

/// The option that a target numbers. A target that is the text of an option means that option,
/// whatever else its digits could mean.
fn chosen<'d>(target: Cow<'d, str>, choices: Option<&[Cow<'d, str>]>) -> Cow<'d, str> {
    let option = choices.and_then(|choices| {
        if choices.contains(&target) {
            return None;
        }
        choices.get(target.parse::<usize>().ok()?).cloned()
    });
    option.unwrap_or(target)
}

/// The options of a target such as `[0, 2]`, which several right answers are written as.
fn chosen_from_list<'d>(target: &str, choices: &[Cow<'d, str>]) -> Option<Vec<Cow<'d, str>>> {
    target
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split(',')
        .map(|number| choices.get(number.trim().parse::<usize>().ok()?).cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use assay_formats::{Tape, json};

    use super::*;

    fn with<T>(source: &str, test: impl FnOnce(Value<'_>) -> T) -> T {
        let mut tape = Tape::new();
        json::parse(source, &mut tape);
        test(tape.root(source).unwrap())
    }

    #[test]
    fn the_first_of_the_likeliest_options_is_the_answer() {
        let row = r#"{"filtered_resps": [["-2.5", "False"], ["-0.5", "False"], ["-0.5", "True"]]}"#;
        assert_eq!(with(row, |row| likeliest(row, 3)), Some(1));

        let old = r#"{"resps": [[[-2.5, false]], [[-3, true]]]}"#;
        assert_eq!(with(old, |row| likeliest(row, 2)), Some(0));
    }

    #[test]
    fn likelihoods_that_are_missing_or_no_numbers_give_no_answer() {
        for row in [
            r#"{"filtered_resps": [["NaN", "False"], ["-0.5", "False"]]}"#,
            r#"{"filtered_resps": [["-0.5", "False"]]}"#,
            r#"{"filtered_resps": []}"#,
            "{}",
        ] {
            assert_eq!(with(row, |row| likeliest(row, 2)), None, "{row}");
        }
    }

    #[test]
    fn minus_infinity_is_a_likelihood() {
        let row = r#"{"filtered_resps": [["-inf", "False"], ["-900", "False"]]}"#;

        assert_eq!(with(row, |row| likeliest(row, 2)), Some(1));
    }

    #[test]
    fn a_target_that_numbers_an_option_becomes_its_text() {
        let choices = ["yes", "no", "7"].map(Cow::Borrowed);
        for (target, expected) in [
            ("\"1\"", vec!["no"]),
            ("1", vec!["no"]),
            ("\"no\"", vec!["no"]),
            ("\"7\"", vec!["7"]),
            ("\"9\"", vec!["9"]),
            ("\"[0, 1]\"", vec!["yes", "no"]),
            ("[0, 1]", vec!["yes", "no"]),
            ("null", vec![]),
        ] {
            let references: Vec<String> = with(target, |target| {
                references(Some(target), Some(&choices))
                    .into_iter()
                    .map(Cow::into_owned)
                    .collect()
            });
            assert_eq!(references, expected, "{target}");
        }
    }

    #[test]
    fn every_repeat_is_what_the_model_said() {
        let row = r#"{"resps": [["a", "b"], ["c"]], "filtered_resps": [["c"]]}"#;

        assert_eq!(with(row, |row| said(row).join("|")), "a|b|c");
        assert_eq!(
            with(row, |row| extracted(row).map(Cow::into_owned)),
            Some("c".to_owned())
        );
    }
}
