//! The metrics of all harnesses: one id for each, whatever a harness calls it.

mod known;

use assay_formats::eee::record::{Bound, MetricConfig};
use assay_model::Direction;

use super::options::MetricSaid;

/// A metric that is known by its name: its range, its unit, and which way it improves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownMetric {
    /// The one name that records use.
    pub id: &'static str,
    /// The names that harnesses and benchmarks use for the same metric.
    pub other_names: &'static [&'static str],
    /// The family.
    pub kind: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// The lowest possible score.
    pub min: Bound,
    /// The highest possible score.
    pub max: Bound,
    /// The direction of improvement.
    pub direction: Direction,
    /// True if it counts right answers: a sample scores 1 when its answer is right and 0 when it is
    /// wrong.
    pub counts_right_answers: bool,
}

use Direction::LowerIsBetter;
pub use known::KNOWN_METRICS;

/// Finds a metric by its id or by a name that a harness uses for it. A metric that is not known has
/// no bounds, and its direction must come from the log.
pub fn known_metric(name: &str) -> Option<&'static KnownMetric> {
    KNOWN_METRICS
        .iter()
        .find(|metric| metric.id == name || metric.other_names.contains(&name))
}

/// Returns the id of a metric: that of the registry, or the name itself where it is not registered.
pub fn metric_id(name: &str) -> &str {
    known_metric(name).map_or(name, |metric| metric.id)
}

impl KnownMetric {
    /// Returns the metric as a record describes it.
    pub fn config(&self) -> MetricConfig {
        MetricConfig {
            metric_id: Some(self.id.to_owned()),
            metric_kind: Some(self.kind.to_owned()),
            metric_unit: Some(self.unit.to_owned()),
            lower_is_better: self.direction == LowerIsBetter,
            score_type: Some("continuous"),
            min_score: Some(self.min),
            max_score: Some(self.max),
            ..MetricConfig::default()
        }
    }
}

/// The facts of a metric in a log, beside its name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MetricFacts<'a> {
    /// The framework, which is part of the id of a metric that is not registered.
    pub(super) library: &'a str,
    /// The name in the log.
    pub(super) name: &'a str,
    /// The name without its parameters, where that is another one.
    pub(super) base: Option<&'a str>,
    /// The score of the run, which may belie the bounds of the name.
    pub(super) score: f64,
    /// True if higher is better, where the log says so.
    pub(super) higher_is_better: Option<bool>,
}

impl MetricFacts<'_> {
    /// Finds the metric in the registry.
    pub(super) fn known(self) -> Option<&'static KnownMetric> {
        known_metric(self.name).or_else(|| known_metric(self.base?))
    }

    /// Describes the metric: what the registry knows, corrected by what the log says. What neither
    /// knows is marked as unknown, and so are bounds that the score itself belies.
    pub(super) fn config(self) -> MetricConfig {
        let known = self.known();
        let mut config = known.map(KnownMetric::config).unwrap_or_default();
        config.metric_name = Some(self.name.to_owned());
        if known.is_none() {
            config.metric_id = Some(format!(
                "{}.{}",
                self.library,
                self.base.unwrap_or(self.name)
            ));
            mark(&mut config, "metric_id_status", "unregistered");
        }
        if known.is_none() || !is_within(&config, self.score) {
            forget_bounds(&mut config);
        }
        match self.higher_is_better {
            Some(higher) => config.lower_is_better = !higher,
            None if known.is_none() => mark(&mut config, "polarity", "assumed"),
            None => {}
        }
        config
    }
}

/// Returns whether a score lies within the bounds that are known.
pub(super) fn is_within(config: &MetricConfig, score: f64) -> bool {
    let reaches = match config.min_score {
        Some(Bound::At(min)) => score >= min,
        Some(Bound::Infinity) => false,
        Some(Bound::NegativeInfinity) | None => true,
    };
    let stays = match config.max_score {
        Some(Bound::At(max)) => score <= max,
        Some(Bound::NegativeInfinity) => false,
        Some(Bound::Infinity) | None => true,
    };
    reaches && stays
}

/// Forgets bounds that do not hold; the unit goes with them.
pub(super) fn forget_bounds(config: &mut MetricConfig) {
    (config.score_type, config.min_score, config.max_score) = (None, None, None);
    config.metric_unit = None;
    mark(config, "bounds_status", "unknown");
}

/// Notes something of a metric.
pub(super) fn mark(config: &mut MetricConfig, key: &str, value: &str) {
    config
        .additional_details
        .insert(key.to_owned(), value.to_owned());
}

/// Returns whether a name means this metric: its id, its name in the log, or another name of the
/// registry for it.
pub(super) fn is_called(config: &MetricConfig, name: &str) -> bool {
    let names = [&config.metric_id, &config.metric_name];
    let wanted = metric_id(name);
    names
        .into_iter()
        .flatten()
        .any(|own| own == name || metric_id(own) == wanted)
}

/// Sets what a person says of a metric; it wins over registry and log.
pub(super) fn apply_said(config: &mut MetricConfig, said: &MetricSaid) {
    let remove = |config: &mut MetricConfig, key: &str| {
        config.additional_details.remove(key);
    };
    if let Some(direction) = said.direction {
        config.lower_is_better = direction == LowerIsBetter;
        remove(config, "polarity");
    }
    if let Some((min, max)) = said.bounds {
        config.score_type = Some("continuous");
        (config.min_score, config.max_score) = (Some(min), Some(max));
        remove(config, "bounds_status");
    }
    if let Some(unit) = &said.unit {
        config.metric_unit = Some(unit.clone());
    }
}

/// The correctness of an answer, as far as the log defines what is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Correctness {
    /// The answer is right.
    Right,
    /// The answer is wrong, or only half right.
    Wrong,
    /// The log does not say what right is.
    Unknown,
}

impl Correctness {
    /// Reads a grade.
    pub(super) fn from_grade(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }

    /// Reads a score: 1 is right and 0 is wrong, for metrics that count right answers and for no
    /// others.
    pub(super) fn from_score(counts_right_answers: bool, score: f64) -> Self {
        if counts_right_answers && score.to_bits() == 1_f64.to_bits() {
            Self::Right
        } else if counts_right_answers && score == 0.0 {
            Self::Wrong
        } else {
            Self::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_metric() {
        let mut names: Vec<&str> = KNOWN_METRICS
            .iter()
            .flat_map(|metric| metric.other_names.iter().copied().chain([metric.id]))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();

        assert_eq!(names.len(), count);
        assert_eq!(metric_id("acc"), "accuracy");
        assert_eq!(metric_id("em"), "exact_match");
        assert_eq!(metric_id("rougeL"), "rouge_l");
        assert_eq!(metric_id("my_metric"), "my_metric");
    }

    #[test]
    fn only_metrics_that_count_right_answers_say_what_is_right() {
        for (name, score, expected) in [
            ("acc", 1.0, Correctness::Right),
            ("exact_match", 0.0, Correctness::Wrong),
            ("accuracy", 0.5, Correctness::Unknown),
            ("f1", 0.5, Correctness::Unknown),
            ("f1", 1.0, Correctness::Unknown),
            ("perplexity", 9.0, Correctness::Unknown),
            ("brier_score", 0.0, Correctness::Unknown),
        ] {
            let counts = known_metric(name).unwrap().counts_right_answers;

            assert_eq!(Correctness::from_score(counts, score), expected, "{name}");
        }
    }

    #[test]
    fn a_metric_that_is_not_registered_has_no_range_and_an_assumed_direction() {
        let facts = MetricFacts {
            library: "helm",
            name: "safety_score",
            score: 0.5,
            ..MetricFacts::default()
        };

        let config = facts.config();

        assert_eq!(config.metric_id.as_deref(), Some("helm.safety_score"));
        assert_eq!(config.max_score, None);
        assert_eq!(config.additional_details["bounds_status"], "unknown");
        assert_eq!(config.additional_details["polarity"], "assumed");
    }

    #[test]
    fn a_range_that_the_score_belies_is_not_claimed() {
        let config = |score| {
            let facts = MetricFacts {
                name: "f1_score",
                score,
                ..MetricFacts::default()
            };
            facts.config().max_score
        };

        assert_eq!(config(44.0), None);
        assert_eq!(config(0.44), Some(Bound::At(1.0)));
    }

    #[test]
    fn what_a_person_says_wins() {
        let facts = MetricFacts {
            library: "x",
            name: "loss",
            score: 9.0,
            ..MetricFacts::default()
        };
        let mut config = facts.config();
        let said = MetricSaid {
            name: "loss".to_owned(),
            direction: Some(LowerIsBetter),
            bounds: Some((Bound::At(0.0), Bound::Infinity)),
            unit: Some("nats".to_owned()),
        };

        apply_said(&mut config, &said);

        assert!(config.lower_is_better);
        assert_eq!(config.max_score, Some(Bound::Infinity));
        assert_eq!(config.metric_unit.as_deref(), Some("nats"));
        assert!(!config.additional_details.contains_key("polarity"));
        assert!(is_called(&config, "loss"));
    }
}
