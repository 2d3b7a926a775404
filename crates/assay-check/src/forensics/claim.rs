use assay_formats::Value;
use assay_model::Direction;

use crate::bounds::Bounds;

use super::figure::Figure;
use super::known::{Family, Known};
use super::names::Names;

/// The largest number of samples that is taken at its word.
pub(crate) const MOST_SAMPLES: u64 = 1_000_000;

/// Nobody writes a share with fewer than two decimals, or per cent with fewer than none; what looks
/// shorter has lost its last noughts.
const COARSEST: f64 = 0.01;

/// One score and all that is said about it.
#[derive(Debug)]
pub(crate) struct Claim<'d> {
    /// The names of the metric.
    pub(crate) names: Names<'d>,
    /// The known facts of a metric with these names.
    pub(crate) known: Option<Known>,
    /// The place of the score.
    pub(crate) origin: Origin,
    /// The declared direction, and its place if that is in the same file.
    pub(crate) direction: Option<(Direction, Option<Value<'d>>)>,
    /// The unit, and where it is declared, if that is in the same file.
    pub(crate) unit: Option<(Unit, Option<Value<'d>>)>,
    /// The least and the most the score can be, when both are numbers.
    pub(crate) bounds: Option<Range>,
    /// The declared bounds, each by itself.
    pub(crate) declared: Bounds,
    /// The score.
    pub(crate) score: Figure<'d>,
    /// Number of samples that it was taken from.
    pub(crate) n: Option<Count<'d>>,
    /// The number of times each sample was asked, when it is stated.
    pub(crate) repeats: Option<u64>,
    /// Its standard error.
    pub(crate) standard_error: Option<Figure<'d>>,
    /// Its confidence interval.
    pub(crate) interval: Option<Interval<'d>>,
    /// The standard deviation of the samples.
    pub(crate) standard_deviation: Option<Figure<'d>>,
    /// True if something says that the score is not made of independent right and wrong answers.
    pub(crate) compound: bool,
}

/// The format that a score stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A record, whose declared bounds have a rule of their own.
    Record,
    /// An entry of a result file.
    Entry,
}

/// The unit of a score, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Hundredths: 73.4 of 100.
    Percent,
    /// Hundredths of which a score may have fewer than none, because they tell a difference.
    PercentagePoints,
    /// A share: 0.734 of 1.
    Proportion,
}

impl Unit {
    /// The unit that a word stands for.
    pub(crate) fn named(word: &str) -> Option<Self> {
        const PERCENT: [&str; 8] = [
            "%",
            "out of 100",
            "per cent",
            "percent",
            "percentage",
            "percentages",
            "percents",
            "pct",
        ];
        const POINTS: [&str; 7] = [
            "% points",
            "pct points",
            "per cent points",
            "percent points",
            "percentage point",
            "percentage points",
            "pp",
        ];
        const PROPORTION: [&str; 4] = ["proportion", "fraction", "share", "probability"];
        let word = word.trim().to_ascii_lowercase().replace(['-', '_'], " ");
        let is = |name: &&str| word == *name;
        if PERCENT.iter().any(is) {
            Some(Self::Percent)
        } else if POINTS.iter().any(is) {
            Some(Self::PercentagePoints)
        } else if PROPORTION.iter().any(is) {
            Some(Self::Proportion)
        } else {
            None
        }
    }

    /// The scale that the unit has.
    pub(crate) fn range(self) -> Range {
        match self {
            Self::Percent | Self::PercentagePoints => Range::PERCENT,
            Self::Proportion => Range::PROPORTION,
        }
    }
}

/// The least and the most a score can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Range {
    /// From 0 to 1.
    pub(crate) const PROPORTION: Self = Self { min: 0.0, max: 1.0 };
    /// From 0 to 100.
    pub(crate) const PERCENT: Self = Self {
        min: 0.0,
        max: 100.0,
    };

    /// Returns the distance from the least to the greatest value.
    pub(crate) fn width(self) -> f64 {
        self.max - self.min
    }

    /// The range for a sentence.
    pub(crate) fn words(self) -> String {
        format!("{} to {}", self.min, self.max)
    }
}

/// A number of samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count<'d> {
    pub(crate) value: u64,
    pub(crate) at: Value<'d>,
}

/// The most times that a sample is believed to have been asked.
const MOST_REPEATS_DECLARED: u64 = 1_000_000;

/// The keys behind which harnesses write how many times each sample was asked.
const REPEAT_KEYS: [&str; 10] = [
    "epochs",
    "n_epochs",
    "n_repeats",
    "n_runs",
    "n_trials",
    "num_epochs",
    "num_repeats",
    "num_runs",
    "num_trials",
    "repeats",
];

/// Reads how many times each sample was asked from the first place that says so, as a number or as
/// text.
pub(super) fn repeats<'d>(places: impl IntoIterator<Item = Option<Value<'d>>>) -> Option<u64> {
    places.into_iter().flatten().find_map(|place| {
        place
            .parts(REPEAT_KEYS)
            .into_iter()
            .flatten()
            .find_map(|at| {
                let number = at.integer().and_then(|count| u64::try_from(count).ok());
                number
                    .or_else(|| at.text()?.trim().parse().ok())
                    .filter(|count| (1..=MOST_REPEATS_DECLARED).contains(count))
            })
    })
}

impl<'d> Count<'d> {
    /// Reads a number of samples, when it is one that can be reckoned with.
    pub(crate) fn of(at: Value<'d>) -> Option<Self> {
        let value = u64::try_from(at.integer()?).ok()?;
        (1..=MOST_SAMPLES)
            .contains(&value)
            .then_some(Self { value, at })
    }
}

/// A confidence interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval<'d> {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// The value of the last written digit of the limits.
    pub(crate) unit: f64,
    /// The confidence level, when it is stated.
    pub(crate) level: Option<f64>,
    /// The place of the interval.
    pub(crate) at: Value<'d>,
}

impl Interval<'_> {
    /// Half of its width.
    pub(crate) fn half_width(self) -> f64 {
        (self.upper - self.lower) / 2.0
    }
}

impl Claim<'_> {
    /// The scale of the score: its bounds, or what its unit says.
    pub(crate) fn range(&self) -> Option<Range> {
        self.bounds
            .or_else(|| self.unit.map(|(unit, _)| unit.range()))
    }

    /// The scale, when it is one of shares.
    pub(crate) fn share_range(&self) -> Option<Range> {
        self.range()
            .filter(|range| *range == Range::PROPORTION || *range == Range::PERCENT)
    }

    /// Returns whether the score lies in its scale; another rule says so when it does not.
    pub(crate) fn is_in_range(&self) -> bool {
        self.range()
            .is_none_or(|range| (range.min..=range.max).contains(&self.score.value))
    }

    /// Returns whether the score lies between the ends of its scale.
    pub(crate) fn is_interior(&self, range: Range) -> bool {
        range.min < self.score.value && self.score.value < range.max
    }

    /// The score as a share from 0 to 1 with what its last digit is worth, when it counts right
    /// answers.
    pub(crate) fn counted(&self) -> Option<(f64, f64, Range)> {
        let counts = self
            .known
            .is_some_and(|known| known.family == Family::Count);
        if !counts || self.compound || self.names.is_averaged() {
            return None;
        }
        let range = self.share_range()?;
        let share = self.score.value / range.max;
        (0.0..=1.0)
            .contains(&share)
            .then_some((share, self.share_unit(range), range))
    }

    /// Returns the value of the last digit of the score, as a share of the scale.
    pub(crate) fn share_unit(&self, range: Range) -> f64 {
        (self.score.unit / range.width()).min(COARSEST)
    }

    /// Returns the most that a step of the last written digit can be worth on the scale of the
    /// score.
    pub(crate) fn step(&self, unit: f64) -> f64 {
        self.share_range()
            .map_or(unit, |range| unit.min(COARSEST * range.width()))
    }

    /// Returns the direction in which the metric improves: as declared, else as its name says.
    pub(crate) fn improves(&self) -> Option<Direction> {
        let declared = self.direction.map(|(direction, _)| direction);
        declared.or_else(|| self.known.map(|known| known.direction))
    }

    /// Returns the number of samples.
    pub(crate) fn samples(&self) -> Option<u64> {
        self.n.map(|n| n.value)
    }
}
