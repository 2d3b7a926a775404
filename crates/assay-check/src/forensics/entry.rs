//! An entry of a result file as claims.

use assay_formats::Value;
use assay_model::{Benchmark, Metric, Number, ValueType};

use super::claim::{Claim, Count, Interval, Origin, Unit, repeats};
use super::figure::Figure;
use super::names::Names;
use super::result::bounds;
use crate::bounds::Bounds;

/// The confidence level of an interval when a metric gives its half width alone.
const USUAL_LEVEL: f64 = 0.95;

/// Reads the scores of one entry, whichever dialect it is in.
pub(super) fn claims<'d>(entry: Value<'d>, benchmark: Option<&Benchmark>) -> Vec<Claim<'d>> {
    let written: Vec<Written<'_>> = entry
        .get("metrics")
        .into_iter()
        .flat_map(Value::items)
        .filter_map(Written::of)
        .collect();
    let mut claims: Vec<Claim<'_>> = written
        .iter()
        .filter(|own| own.spread().is_none())
        .map(|own| own.claim(entry, &written, benchmark))
        .collect();
    // The single `value` of the live dialect stands for the primary metric, and may stand beside
    // the list.
    if claims.is_empty() {
        claims.extend(live(entry, benchmark));
    }
    claims
}

fn live<'d>(entry: Value<'d>, benchmark: Option<&Benchmark>) -> Option<Claim<'d>> {
    let score = Figure::of(entry.get("value")?)?;
    let metric = benchmark.and_then(Benchmark::primary);
    Some(claim(entry, None, score, metric))
}

/// One item of `metrics`.
struct Written<'d> {
    item: Value<'d>,
    id: String,
    score: Figure<'d>,
}

/// A metric that says how sure another one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    StandardError,
    StandardDeviation,
    HalfWidth,
}

impl<'d> Written<'d> {
    fn of(item: Value<'d>) -> Option<Self> {
        Some(Self {
            item,
            id: item.text_of("metric_id")?.into_owned(),
            score: Figure::of(item.get("value")?)?,
        })
    }

    /// The spread that the metric is, and the id of the metric it belongs to; empty for the primary
    /// one.
    fn spread(&self) -> Option<(Spread, &str)> {
        const ENDINGS: &[(&str, Spread)] = &[
            ("standard_error", Spread::StandardError),
            ("stderr", Spread::StandardError),
            ("standard_deviation", Spread::StandardDeviation),
            ("stddev", Spread::StandardDeviation),
            ("ci95_half_width", Spread::HalfWidth),
        ];
        ENDINGS.iter().find_map(|&(ending, spread)| {
            let owner = self.id.strip_suffix(ending)?;
            (owner.is_empty() || owner.ends_with('_'))
                .then(|| (spread, owner.trim_end_matches('_')))
        })
    }

    fn claim(
        &self,
        entry: Value<'d>,
        all: &[Written<'d>],
        benchmark: Option<&Benchmark>,
    ) -> Claim<'d> {
        let metric = benchmark.and_then(|benchmark| benchmark.metric(&self.id));
        let mut claim = claim(entry, Some(self), self.score, metric);
        let scores = all.iter().filter(|other| other.spread().is_none()).count();
        let is_primary = metric.map_or(scores == 1, |metric| metric.primary);
        for other in all.iter().filter(|other| self.shares_slice(other)) {
            let Some((spread, owner)) = other.spread() else {
                continue;
            };
            if owner == self.id || (owner.is_empty() && is_primary) {
                add_spread(&mut claim, spread, other.score);
            }
        }
        claim
    }

    /// Returns whether both are about the same part of the data.
    fn shares_slice(&self, other: &Self) -> bool {
        self.item.text_of("slice") == other.item.text_of("slice")
    }
}

fn add_spread<'d>(claim: &mut Claim<'d>, spread: Spread, figure: Figure<'d>) {
    match spread {
        Spread::StandardError => claim.standard_error = Some(figure),
        Spread::StandardDeviation => claim.standard_deviation = Some(figure),
        Spread::HalfWidth if figure.value >= 0.0 => {
            claim.interval = Some(Interval {
                lower: claim.score.value - figure.value,
                upper: claim.score.value + figure.value,
                unit: figure.unit.max(claim.score.unit),
                level: Some(USUAL_LEVEL),
                at: figure.at,
            });
        }
        Spread::HalfWidth => {}
    }
}

/// The claim of one score, as far as the entry and the benchmark tell without its neighbours.
fn claim<'d>(
    entry: Value<'d>,
    written: Option<&Written<'d>>,
    score: Figure<'d>,
    metric: Option<&Metric>,
) -> Claim<'d> {
    let item = written.map(|written| written.item);
    let id = written
        .map(|written| written.id.clone())
        .or_else(|| metric.map(|metric| metric.id.to_string()));
    let shown = metric.map(|metric| metric.display_name.clone());
    let mut names = Names {
        own: id.into_iter().map(Into::into).collect(),
        evaluation: shown.clone().map(Into::into),
        ..Names::default()
    };
    // What people call it is read only when the id tells nothing: it may say anything, such as "%
    // resolved". The id stays as a description, which is looked through for words that make
    // something else of the metric.
    if let Some(shown) = shown.filter(|_| names.known().is_none()) {
        names.description = names.own.pop();
        names.own = vec![shown.into()];
    }
    let declared = metric.and_then(unit);
    let limits = Bounds {
        min: metric.and_then(|metric| metric.min).map(Number::get),
        max: metric.and_then(|metric| metric.max).map(Number::get),
    }
    .usable();
    let value_type = item
        .and_then(|item| item.get("value_type"))
        .and_then(|at| Some((Unit::named(&at.text()?)?, Some(at))));
    // The size of a slice is known only when the item gives it.
    let whole = item.is_none_or(|item| item.present("slice").is_none());
    let n = item
        .and_then(|item| item.get("sample_size"))
        .or_else(|| whole.then(|| entry.get("sample_size")).flatten())
        .or_else(|| {
            whole
                .then(|| entry.get("run")?.get("num_samples"))
                .flatten()
        });
    Claim {
        known: names.known(),
        names,
        origin: Origin::Entry,
        direction: metric.map(|metric| (metric.direction, None)),
        unit: declared.map(|unit| (unit, None)).or(value_type),
        bounds: bounds(limits),
        declared: limits,
        score,
        n: n.and_then(Count::of),
        repeats: repeats([item.and_then(|item| item.get("metric_context"))]),
        standard_error: None,
        interval: None,
        standard_deviation: None,
        compound: false,
    }
}

/// The unit of a metric: the one it names, or the one that its kind of value implies.
pub(crate) fn unit(metric: &Metric) -> Option<Unit> {
    let named = metric.unit.as_deref().and_then(Unit::named);
    let implied = match metric.value_type {
        Some(ValueType::Percentage) => Some(Unit::Percent),
        Some(ValueType::Float | ValueType::Int | ValueType::Rank) | None => None,
    };
    named.or(implied)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assay_formats::{Tape, yaml};
    use assay_model::{Direction, Metric};

    use super::*;
    use crate::forensics;
    use crate::sink::{Findings, Sink};

    fn benchmark(unit: &str) -> Benchmark {
        let metric = |id: &str, primary| Metric {
            id: id.parse().unwrap(),
            display_name: id.to_owned(),
            direction: Direction::HigherIsBetter,
            primary,
            unit: Some(unit.to_owned()),
            aggregation: None,
            slice: None,
            value_type: None,
            min: None,
            max: None,
        };
        Benchmark {
            name: "Example".to_owned(),
            description: "An example.".to_owned(),
            metrics: vec![metric("accuracy", true), metric("f1", false)],
            tasks: Vec::new(),
            framework: None,
            comparable_by: Vec::new(),
        }
    }

    fn codes(text: &str, benchmark: Option<&Benchmark>) -> Vec<String> {
        let mut tape = Tape::new();
        assert!(yaml::parse(text, &mut tape).is_empty(), "{text}");
        let file: Arc<str> = "results.yaml".into();
        let mut findings = Findings::default();
        let mut sink = Sink::new(&file, text, 50, &mut findings);

        forensics::entry(tape.root(text).unwrap(), benchmark, &mut sink);

        findings
            .diagnostics()
            .iter()
            .inspect(|finding| assert!(finding.help.is_some() && !finding.notes.is_empty()))
            .map(|finding| finding.code.to_string())
            .collect()
    }

    #[test]
    fn a_share_where_the_benchmark_wants_per_cent_is_found() {
        let text = "metrics:\n  - metric_id: accuracy\n    value: 0.734\n";

        assert_eq!(codes(text, Some(&benchmark("percentage"))), ["AY601"]);
        assert!(codes(text, Some(&benchmark("proportion"))).is_empty());
        assert!(codes(text, None).is_empty());
    }

    #[test]
    fn the_live_value_stands_for_the_primary_metric() {
        let text = "value: 0.734\n";

        assert_eq!(codes(text, Some(&benchmark("percent"))), ["AY601"]);
    }

    #[test]
    fn the_list_goes_before_the_live_value_that_repeats_it() {
        let text = "value: 0.734\nmetrics:\n  - metric_id: accuracy\n    value: 0.734\n";

        assert_eq!(codes(text, Some(&benchmark("percent"))), ["AY601"]);
    }

    #[test]
    fn a_standard_error_beside_a_score_is_held_against_it() {
        let honest = "\
            metrics:\n  - metric_id: accuracy\n    value: 73.4\n    sample_size: 500\n  \
            - metric_id: stderr\n    value: 1.98\n";
        let wrong = honest.replace("1.98", "19.8");
        let zero = honest.replace("1.98", "0.0");

        assert!(codes(honest, Some(&benchmark("percent"))).is_empty());
        assert_eq!(codes(&wrong, Some(&benchmark("percent"))), ["AY604"]);
        assert_eq!(codes(&zero, Some(&benchmark("percent"))), ["AY603"]);
    }

    #[test]
    fn a_spread_of_another_slice_is_not() {
        let text = "\
            metrics:\n  - metric_id: accuracy\n    value: 73.4\n    sample_size: 500\n  \
            - metric_id: stderr\n    value: 19.8\n    slice: small\n";

        assert!(codes(text, Some(&benchmark("percent"))).is_empty());
    }

    #[test]
    fn a_half_width_is_held_against_the_number_of_samples() {
        let honest = "\
            metrics:\n  - metric_id: accuracy\n    value: 23.30\n  \
            - metric_id: ci95_half_width\n    value: 3.40\nrun:\n  num_samples: 730\n";
        let wrong = honest.replace("3.40", "34.0");

        assert!(codes(honest, Some(&benchmark("percentage"))).is_empty());
        assert_eq!(codes(&wrong, Some(&benchmark("percentage"))), ["AY606"]);
    }

    #[test]
    fn a_score_that_no_count_reaches_is_found_with_either_place_of_the_count() {
        let in_run =
            "metrics:\n  - metric_id: accuracy\n    value: 73.4567\nrun:\n  num_samples: 25\n";
        let in_entry = "metrics:\n  - metric_id: accuracy\n    value: 73.4567\nsample_size: 25\n";

        assert_eq!(codes(in_run, Some(&benchmark("percent"))), ["AY607"]);
        assert_eq!(codes(in_entry, Some(&benchmark("percent"))), ["AY607"]);
    }

    #[test]
    fn an_entry_of_any_other_shape_is_left_to_the_rules_of_shape() {
        for text in [
            "a: b\n",
            "- 1\n",
            "metrics: 5\n",
            "metrics: [1, {}, null]\n",
        ] {
            assert!(codes(text, None).is_empty(), "{text}");
        }
    }
}
