use assay_formats::{Kind, Value};

/// The least and the greatest score that a metric can give, as far as its record says.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// On which side of its bounds a score lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Below,
    Above,
}

impl Bounds {
    /// Reads the bounds of a metric; one that is absent, null or unusable is not known.
    pub(crate) fn of(min: Option<Value<'_>>, max: Option<Value<'_>>) -> Self {
        Self {
            min: min.and_then(bound),
            max: max.and_then(bound),
        }
    }

    /// Returns whether no score can lie between them.
    pub(crate) fn are_reversed(self) -> bool {
        match (self.min, self.max) {
            (Some(f64::INFINITY), _) | (_, Some(f64::NEG_INFINITY)) => true,
            (Some(min), Some(max)) => min > max,
            (Some(_) | None, None) | (None, Some(_)) => false,
        }
    }

    /// The bounds, unless they exclude every score: then nothing can be compared with them.
    pub(crate) fn usable(self) -> Self {
        if self.are_reversed() {
            Self::default()
        } else {
            self
        }
    }

    /// The side on which a score lies outside.
    pub(crate) fn outside(self, score: f64) -> Option<Side> {
        if self.min.is_some_and(|min| score < min) {
            Some(Side::Below)
        } else if self.max.is_some_and(|max| score > max) {
            Some(Side::Above)
        } else {
            None
        }
    }

    /// The next step for a score that lies outside: its scale is named when that explains it.
    pub(crate) fn advice(self, score: f64) -> String {
        match self.outside(score) {
            Some(Side::Above) if self.outside(score / 100.0).is_none() => format!(
                "a percentage is meant, it seems: write {}, or correct the bounds",
                plain(score / 100.0)
            ),
            Some(Side::Below) if score > 0.0 && self.outside(score * 100.0).is_none() => format!(
                "a proportion is meant, it seems: write {}, or correct the bounds",
                plain(score * 100.0)
            ),
            Some(Side::Below) if score < 0.0 && self.min == Some(0.0) => {
                "leave the result out when there is no score; a negative number is read as a score"
                    .to_owned()
            }
            Some(Side::Below | Side::Above) | None => "correct the score or the bounds".to_owned(),
        }
    }

    /// The bounds for a sentence, such as `0 to 1`.
    pub(crate) fn words(self) -> String {
        let finite = |bound: Option<f64>| bound.filter(|bound| bound.is_finite());
        match (finite(self.min), finite(self.max)) {
            (Some(min), Some(max)) => format!("{} to {}", plain(min), plain(max)),
            (Some(min), None) => format!("{} or more", plain(min)),
            (None, Some(max)) => format!("{} or less", plain(max)),
            (None, None) => "not known".to_owned(),
        }
    }

    /// Returns the distance between the bounds, when both are numbers that differ.
    pub(crate) fn width(self) -> Option<f64> {
        let width = self.max? - self.min?;
        (width > 0.0 && width.is_finite()).then_some(width)
    }
}

/// Returns whether a score is the one that stands for an unknown level, where a metric has such a
/// level.
#[expect(clippy::float_cmp, reason = "the number is written, not computed")]
pub(crate) fn is_unknown_level(score: f64) -> bool {
    score == -1.0
}

/// A bound: a number, or one of the two words for there being none.
fn bound(value: Value<'_>) -> Option<f64> {
    match value.kind() {
        Kind::String if value.is_text("Infinity") => Some(f64::INFINITY),
        Kind::String if value.is_text("-Infinity") => Some(f64::NEG_INFINITY),
        Kind::Number => value.number(),
        Kind::String | Kind::Null | Kind::Bool | Kind::List | Kind::Map => None,
    }
}

/// A number for a sentence: as short as it can be told, without the tail that binary fractions
/// grow.
pub(crate) fn plain(number: f64) -> String {
    let rounded = format!("{number:.10}");
    match rounded.parse::<f64>() {
        // Rounding may not turn a small number into nothing, nor a large one into forty digits.
        Ok(value) if value.abs() >= 1e-6 && value.abs() < 1e15 => value.to_string(),
        Ok(_) | Err(_) if number == 0.0 => "0".to_owned(),
        Ok(_) | Err(_) => format!("{number:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(min: f64, max: f64) -> Bounds {
        Bounds {
            min: Some(min),
            max: Some(max),
        }
    }

    #[test]
    fn infinities_the_wrong_way_round_exclude_every_score() {
        assert!(bounds(f64::INFINITY, 1.0).are_reversed());
        assert!(bounds(0.0, f64::NEG_INFINITY).are_reversed());
        assert!(bounds(2.0, 1.0).are_reversed());
        assert!(!bounds(f64::NEG_INFINITY, f64::INFINITY).are_reversed());
        assert!(!bounds(1.0, 1.0).are_reversed());
    }

    #[test]
    fn a_scale_is_named_when_it_explains_the_score() {
        assert!(bounds(0.0, 1.0).advice(87.5).contains("write 0.875"));
        assert!(bounds(1.0, 100.0).advice(0.35).contains("write 35,"));
        assert!(bounds(0.0, 1.0).advice(-1.0).contains("no score"));
        assert_eq!(
            bounds(0.0, 1.0).advice(1000.0),
            "correct the score or the bounds"
        );
    }

    #[test]
    fn numbers_are_told_shortly() {
        let told: Vec<String> = [0.1 + 0.2, 87.0, -0.0, 1e-9, 1e300, -2.5]
            .into_iter()
            .map(plain)
            .collect();

        assert_eq!(told, ["0.3", "87", "0", "1e-9", "1e300", "-2.5"]);
    }
}
