//! The scores of a sample as numbers.

use assay_formats::{Kind, Value};

use super::super::metric::Correctness;

/// A score as a number, and whether it calls the answer right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) score: f64,
    /// The meaning of the grade; a number says nothing by itself.
    pub(super) correctness: Correctness,
}

impl Scored {
    /// A number: its metric may know what is right.
    fn number(score: f64) -> Option<Self> {
        score.is_finite().then_some(Self {
            score,
            correctness: Correctness::Unknown,
        })
    }

    fn mark(score: f64, is_right: bool) -> Self {
        Self {
            score,
            correctness: Correctness::from_grade(is_right),
        }
    }

    /// The score under a metric, which may count right answers.
    pub(super) fn under(self, counts_right_answers: bool) -> Self {
        match self.correctness {
            Correctness::Unknown => Self {
                correctness: Correctness::from_score(counts_right_answers, self.score),
                ..self
            },
            Correctness::Right | Correctness::Wrong => self,
        }
    }
}

/// Reads a value: a grade letter, a boolean, a number or the text of one. A list, a map and `NaN`
/// are none.
pub(super) fn scored(value: Value<'_>) -> Option<Scored> {
    match value.kind() {
        Kind::Bool => value
            .truth()
            .map(|right| Scored::mark(f64::from(u8::from(right)), right)),
        Kind::Number => value.number().and_then(Scored::number),
        Kind::String => graded(value.text()?.trim()),
        Kind::Null | Kind::List | Kind::Map => None,
    }
}

/// Inspect's grades. Half right is worth half a point, and is not right.
fn graded(text: &str) -> Option<Scored> {
    match text {
        "C" => Some(Scored::mark(1.0, true)),
        "P" => Some(Scored::mark(0.5, false)),
        "I" | "N" => Some(Scored::mark(0.0, false)),
        _ => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(Scored::mark(1.0, true)),
            "false" | "no" => Some(Scored::mark(0.0, false)),
            number => number.parse().ok().and_then(Scored::number),
        },
    }
}

/// The judgement of one scorer on one sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement<'d> {
    /// The score object: value, answer, explanation.
    pub(super) score: Value<'d>,
    /// The value that counts: the whole, or one key of it.
    pub(super) value: Value<'d>,
}

/// Finds what counts for a result, by its scorer and its name. A scorer that returns a map has a
/// result for each key, named by the key.
pub(super) fn judgement<'d>(sample: Value<'d>, scorer: &str, name: &str) -> Option<Judgement<'d>> {
    let Some(scores) = sample.present("scores") else {
        // The oldest logs have a single score without a name.
        return whole(sample.present("score")?);
    };
    let own = scores.present(scorer);
    let part = own
        .and_then(|score| Some((score, score.get("value")?)))
        .and_then(|(score, value)| {
            Some(Judgement {
                score,
                value: part(value, name)?,
            })
        });
    part.or_else(|| whole(scores.present(name)?))
        .or_else(|| whole(own?))
}

fn whole(score: Value<'_>) -> Option<Judgement<'_>> {
    let value = score.get("value")?;
    Some(Judgement { score, value })
}

/// One key of a map, or one place of a list.
fn part<'d>(value: Value<'d>, name: &str) -> Option<Value<'d>> {
    match value.kind() {
        Kind::Map => value.get(name),
        Kind::List => value.items().nth(name.parse().ok()?),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => None,
    }
}

/// Every number that the scorers gave a sample: scorer, key of a map, and score. For logs without
/// results of their own.
pub(super) fn all(sample: Value<'_>) -> Vec<(String, Option<String>, Judgement<'_>, Scored)> {
    let mut found = Vec::new();
    let Some(scores) = sample.present("scores") else {
        if let Some(judgement) = sample.present("score").and_then(whole)
            && let Some(number) = scored(judgement.value)
        {
            found.push(("score".to_owned(), None, judgement, number));
        }
        return found;
    };
    for (scorer, score) in scores.entries() {
        let (Some(scorer), Some(judgement)) = (scorer.text(), whole(score)) else {
            continue;
        };
        if let Some(number) = scored(judgement.value) {
            found.push((scorer.clone().into_owned(), None, judgement, number));
        }
        for (key, value) in judgement.value.entries() {
            if let (Some(key), Some(number)) = (key.text(), scored(value)) {
                let judgement = Judgement { value, ..judgement };
                found.push((
                    scorer.clone().into_owned(),
                    Some(key.into_owned()),
                    judgement,
                    number,
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    fn read(text: &str) -> Option<f64> {
        let document = Document::new(text.to_owned()).unwrap();
        document.root().and_then(scored).map(|scored| scored.score)
    }

    #[test]
    fn grades_booleans_numbers_and_their_texts_are_scores() {
        for (text, expected) in [
            (r#""C""#, Some(1.0)),
            (r#""I""#, Some(0.0)),
            (r#""P""#, Some(0.5)),
            (r#""N""#, Some(0.0)),
            ("true", Some(1.0)),
            (r#""no""#, Some(0.0)),
            ("7.25", Some(7.25)),
            (r#"" -3 ""#, Some(-3.0)),
            ("NaN", None),
            (r#""NaN""#, None),
            ("1e400", None),
            (r#""inf""#, None),
            ("{}", None),
            ("[1]", None),
            (r#""good""#, None),
            ("null", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn half_right_is_not_right() {
        assert_eq!(graded("P").unwrap().correctness, Correctness::Wrong);
        assert_eq!(graded("C").unwrap().correctness, Correctness::Right);
    }

    #[test]
    fn a_number_is_right_only_under_a_metric_that_counts_right_answers() {
        let number = |text: &str| graded(text).unwrap();

        assert_eq!(number("9").correctness, Correctness::Unknown);
        assert_eq!(number("1").under(true).correctness, Correctness::Right);
        assert_eq!(number("1").under(false).correctness, Correctness::Unknown);
        assert_eq!(number("0.5").under(true).correctness, Correctness::Unknown);
        assert_eq!(
            graded("C").unwrap().under(false).correctness,
            Correctness::Right
        );
    }

    #[test]
    fn a_result_finds_its_score_by_scorer_key_or_name() {
        let text = r#"{"scores": {"d": {"value": {"a": 0.25, "b": 1}}, "m": {"value": "C"}, "m1": {"value": "I"}}}"#;
        let document = Document::new(text.to_owned()).unwrap();
        let root = document.root().unwrap();
        let find = |scorer: &str, name: &str| {
            judgement(root, scorer, name)
                .and_then(|found| scored(found.value))
                .map(|found| found.score)
        };

        assert_eq!(find("d", "a"), Some(0.25));
        assert_eq!(find("m", "m"), Some(1.0));
        assert_eq!(find("m", "m1"), Some(0.0));
        assert_eq!(find("d", "absent"), None);
        assert_eq!(find("absent", "absent"), None);
    }
}
