//! Facts that the names of a metric imply: the direction, and whether it counts right answers.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use assay_model::Direction;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::known::{Family, Known, longest};
use super::tables;
use super::words::{Case, words};

/// A description begins with the name of the metric only when it is about this short, in words.
const SHORT_DESCRIPTION: usize = 5;

/// The number of metrics that a thread remembers.
const MAX_READ: usize = 4096;

thread_local! {
    static KNOWN: RefCell<Memory<Option<Known>>> = RefCell::default();
    static AVERAGED: RefCell<Memory<bool>> = RefCell::default();
}

/// The readings of before, by the fingerprint of the names.
#[derive(Default)]
struct Memory<T>(HashMap<u64, T>);

impl<T: Copy> Memory<T> {
    fn get(&mut self, key: u64, read: impl FnOnce() -> T) -> T {
        if self.0.len() >= MAX_READ {
            self.0.clear();
        }
        *self.0.entry(key).or_insert_with(read)
    }
}

/// Everything a metric is called.
#[derive(Debug, Default, Clone)]
pub(crate) struct Names<'t> {
    /// The names for machines and for people.
    pub(crate) own: Vec<Cow<'t, str>>,
    /// The kind it is of. Kinds are wide: much that is not a plain count is of the kind of
    /// accuracy.
    pub(crate) kind: Option<Cow<'t, str>>,
    /// The metric in a sentence; read only when it has no name of its own.
    pub(crate) description: Option<Cow<'t, str>>,
    /// The name of the evaluation.
    pub(crate) evaluation: Option<Cow<'t, str>>,
}

impl Names<'_> {
    /// The metric, when its names agree on one direction and nothing in them turns it round.
    ///
    /// The records of a collection name the same few metrics over and over, so each thread
    /// remembers what it has read.
    pub(crate) fn known(&self) -> Option<Known> {
        KNOWN.with_borrow_mut(|memory| memory.get(self.fingerprint(), || self.read()))
    }

    /// Returns a number that tells these names from others.
    fn fingerprint(&self) -> u64 {
        let rest = [&self.kind, &self.description, &self.evaluation];
        let all = self.own.iter().map(Some).chain(rest.map(Option::as_ref));
        // The digest of one text is the seed of the next, so their order matters; a text of one
        // zero byte is no name.
        all.fold(0, |seed, text| {
            xxh3_64_with_seed(text.map_or(&[0], |text| text.as_bytes()), seed)
        })
    }

    fn read(&self) -> Option<Known> {
        if self.own.is_empty() && self.kind.is_none() {
            return self.description.as_deref().and_then(known_by_description);
        }
        let mut found: Vec<Known> = Vec::new();
        let mut counts = !self.own.is_empty();
        for name in &self.own {
            match known_by_name(name) {
                Reading::Known(known) => {
                    counts &= known.family == Family::Count;
                    found.push(known);
                }
                Reading::Unclear => return None,
                Reading::Stranger => counts = false,
            }
        }
        match self.kind.as_deref().map(known_by_name) {
            Some(Reading::Known(known)) => found.push(known),
            Some(Reading::Unclear) => return None,
            Some(Reading::Stranger) | None => {}
        }
        let first = *found.first()?;
        let agree = found.iter().all(|known| known.direction == first.direction);
        agree.then_some(match first.family {
            Family::Count if !counts => Known {
                family: Family::Share,
                ..first
            },
            Family::Count | Family::Share | Family::Other => first,
        })
    }

    /// Returns whether a metric that is usually better this way may well be meant the other way
    /// round here.
    pub(crate) fn may_be_turned(&self, usual: Direction) -> bool {
        match usual {
            Direction::LowerIsBetter => false,
            Direction::HigherIsBetter => self.mentions(tables::HAZARDS),
        }
    }

    /// Returns whether a name says that the score is put together from parts.
    pub(crate) fn is_averaged(&self) -> bool {
        AVERAGED.with_borrow_mut(|memory| {
            memory.get(self.fingerprint(), || self.mentions(tables::AVERAGED))
        })
    }

    /// Returns whether a name says that the score may honestly lie outside the scale of its unit.
    pub(crate) fn can_leave_scale(&self) -> bool {
        self.mentions(tables::LEAVING_SCALE)
    }

    fn mentions(&self, wanted: &[&str]) -> bool {
        self.own
            .iter()
            .chain(&self.kind)
            .chain(&self.description)
            .chain(&self.evaluation)
            .any(|text| {
                words(text, Case::Ignored)
                    .iter()
                    .chain(&words(text, Case::Splits))
                    .any(|word| wanted.contains(&word.as_str()))
            })
    }
}

/// The reading of one name.
enum Reading {
    /// It is this metric.
    Known(Known),
    /// It is made from a known metric, and may mean its opposite.
    Unclear,
    /// Nothing is known of it.
    Stranger,
}

fn known_by_name(name: &str) -> Reading {
    match read(name, Case::Ignored) {
        Reading::Stranger => read(name, Case::Splits),
        reading @ (Reading::Known(_) | Reading::Unclear) => reading,
    }
}

/// A description names its metric first, if it does: "Accuracy on GPQA".
fn known_by_description(text: &str) -> Option<Known> {
    let end = [" - ", ": ", ". ", ", ", " ("]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    let described = words(&text[..end], Case::Ignored);
    let head = head(&described);
    if head.len() > SHORT_DESCRIPTION {
        return None;
    }
    match phrase(head) {
        Reading::Known(known) => Some(known),
        Reading::Unclear | Reading::Stranger => None,
    }
}

fn read(name: &str, case: Case) -> Reading {
    let all = words(name, case);
    if all.first().is_some_and(|first| first == "1") {
        return Reading::Unclear;
    }
    let outside = name.split('(').next().unwrap_or_default();
    let named = words(outside, case);
    match phrase(&named) {
        Reading::Known(_) if turns(&all) => Reading::Unclear,
        Reading::Stranger => match phrase(head(&named)) {
            Reading::Known(_) if turns(&all) => Reading::Unclear,
            reading => reading,
        },
        reading => reading,
    }
}

fn turns(words: &[String]) -> bool {
    // The one name that has a turning word and is not turned by it.
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let plain = words
        .windows(3)
        .all(|window| window != ["negative", "log", "likelihood"])
        && words
            .windows(3)
            .all(|window| window != ["mean", "reciprocal", "rank"]);
    plain && words.iter().any(|word| tables::TURNING.contains(word))
}

/// The words before the first preposition.
fn head(words: &[String]) -> &[String] {
    let end = words
        .iter()
        .position(|word| tables::PREPOSITIONS.contains(&word.as_str()))
        .unwrap_or(words.len());
    &words[..end]
}

/// The metric that the words end in; unclear when they name another one that improves the other
/// way.
fn phrase(words: &[String]) -> Reading {
    let Some((end, known)) = last_phrase(words) else {
        return Reading::Stranger;
    };
    let opposed = (1..end).any(|end| {
        longest(&words[..end]).is_some_and(|(_, other)| other.direction != known.direction)
    });
    if opposed {
        return Reading::Unclear;
    }
    Reading::Known(known)
}

/// The phrase at the end of the words and where it begins, after what may trail it.
fn last_phrase(words: &[String]) -> Option<(usize, Known)> {
    let mut words = words;
    loop {
        if let Some((length, known)) = longest(words) {
            return Some((words.len() - length, known));
        }
        let (last, rest) = words.split_last()?;
        let number = last.bytes().all(|byte| byte.is_ascii_digit());
        // Most scores are better when high, even the one for toxicity.
        if last == "score" {
            return last_phrase(rest)
                .filter(|(_, known)| known.direction == Direction::HigherIsBetter);
        }
        if !number && !tables::TRAILING.contains(&last.as_str()) {
            return None;
        }
        words = rest;
    }
}

#[cfg(test)]
mod tests {
    use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower};

    use super::*;

    fn direction_of(name: &str) -> Option<Direction> {
        let names = Names {
            own: vec![name.into()],
            ..Names::default()
        };
        names.known().map(|known| known.direction)
    }

    #[test]
    fn metrics_are_known_by_their_usual_names() {
        for (name, direction) in [
            ("accuracy", Higher),
            ("acc_norm", Higher),
            ("acc,none", Higher),
            ("helm.exact_match@5", Higher),
            ("exact_match,flexible-extract", Higher),
            ("F1 (macro)", Higher),
            ("rougeLsum", Higher),
            ("ROUGE-1", Higher),
            ("pass@1", Higher),
            ("mAP", Higher),
            ("MRR@10", Higher),
            ("Mean win rate", Higher),
            ("RTFx", Higher),
            ("Accuracy (% Resolved)", Higher),
            ("wer", Lower),
            ("WER (%)", Lower),
            ("librispeech_clean_wer", Lower),
            ("word_error_rate", Lower),
            ("wordErrorRate", Lower),
            ("val_perplexity", Lower),
            ("bits_per_byte", Lower),
            ("negative_log_likelihood", Lower),
            ("val_loss", Lower),
            ("rtf", Lower),
            ("latency_p95_ms", Lower),
            ("cost_usd", Lower),
            ("Average Cost per Full Competition Run (USD)", Lower),
            ("time to first token", Lower),
            ("Brier score", Lower),
            ("top-1 error rate", Lower),
        ] {
            assert_eq!(direction_of(name), Some(direction), "{name}");
        }
    }

    #[test]
    fn words_that_only_look_like_metrics_are_not() {
        for name in [
            "power",
            "answer",
            "tower",
            "lower",
            "per_class",
            "map_navigation",
            "score",
            "kidney",
            "costume",
            "",
            "-",
            "日本語",
        ] {
            assert_eq!(direction_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_may_mean_the_opposite_are_left_alone() {
        for name in [
            "1 - wer",
            "1-WER",
            "inverse_perplexity",
            "neg_mse",
            "accuracy loss",
            "accuracy_drop",
            "accuracy gap",
            "error rate reduction",
            "win_loss",
            "brier skill score",
            "toxicity score",
            "cost efficiency",
            "attack success rate",
            "hallucination detection accuracy",
            "relative WER improvement",
            "non-toxicity",
            "WER (1 - x, inverted)",
            "F1-all",
            "BD-rate PSNR",
        ] {
            assert_eq!(direction_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_disagree_tell_nothing() {
        let names = Names {
            own: vec!["accuracy".into(), "word error rate".into()],
            ..Names::default()
        };

        assert_eq!(names.known(), None);
    }

    #[test]
    fn only_names_make_a_count_and_a_kind_does_not() {
        let family = |own: &[&'static str], kind: Option<&'static str>| {
            let names = Names {
                own: own.iter().map(|&name| name.into()).collect(),
                kind: kind.map(Into::into),
                ..Names::default()
            };
            names.known().map(|known| known.family)
        };

        assert_eq!(family(&["accuracy"], Some("accuracy")), Some(Family::Count));
        assert_eq!(family(&["mc2"], Some("accuracy")), Some(Family::Share));
        assert_eq!(family(&["accuracy", "mc2"], None), Some(Family::Share));
        assert_eq!(family(&["f1"], Some("accuracy")), Some(Family::Share));
        assert_eq!(family(&["mc2"], None), None);
    }

    #[test]
    fn a_description_counts_when_it_begins_with_the_metric_and_nothing_else_names_it() {
        let described = |text: &'static str| {
            let names = Names {
                description: Some(text.into()),
                ..Names::default()
            };
            names.known().map(|known| known.name)
        };

        assert_eq!(described("Accuracy on GPQA"), Some("accuracy"));
        assert_eq!(described("EM on MMLU All Subjects"), Some("em"));
        assert_eq!(described("WER on the clean split"), Some("wer"));
        assert_eq!(described("Safety score - measures accuracy"), None);
        assert_eq!(described("How far the model gets without any error"), None);
    }

    #[test]
    fn a_name_of_any_length_and_script_is_read() {
        let long = "ä_Ω".repeat(100_000);

        assert_eq!(direction_of(&long), None);
        assert_eq!(direction_of(&"1".repeat(100_000)), None);
    }
}
