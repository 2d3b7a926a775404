//! The values of a result, held against the scale that its benchmark declares now.

use std::fmt::Write as _;
use std::sync::Arc;

use assay_formats::{Tape, json};
use assay_model::{Benchmark, Finding, Score};

use crate::context::Context;
use crate::forensics::{self, Unit};
use crate::sink::{Findings, Sink};

/// Returns what the rules on scales (AY328 and AY601) find in the values of a result, by what its
/// benchmark declares.
///
/// These rules run when a file is pushed, too. But a definition may come or change after the
/// result, and what the index says of a file does not depend on definitions.
///
/// ```
/// # use assay_model::{Benchmark, Direction, Metric, Number, Score, StatedUncertainty};
/// # let metric = Metric { id: "accuracy".parse()?, display_name: "Accuracy".into(), direction: Direction::HigherIsBetter,
/// #     primary: true, unit: Some("percentage".into()), aggregation: None, slice: None, value_type: None, min: None, max: None };
/// # let benchmark = Benchmark { name: "Sums".into(), description: String::new(), metrics: vec![metric], tasks: vec![],
/// #     framework: None, comparable_by: vec![] };
/// # let score = Score { metric: Some("accuracy".parse()?), value: Number::new(0.734).expect("it is finite"),
/// #     literal: "0.734".into(), slice: None, value_type: None, sample_size: None, uncertainty: StatedUncertainty::default(),
/// #     context: None };
/// let found = assay_check::scale_findings(&[score], None, &benchmark);
///
/// assert_eq!(found[0].code.to_string(), "AY601");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scale_findings(
    scores: &[Score],
    sample_size: Option<u64>,
    benchmark: &Benchmark,
) -> Vec<Finding> {
    // Most values are where they belong, and a board has thousands of them.
    if !scores.iter().any(|score| may_be_found(score, benchmark)) {
        return Vec::new();
    }
    check_scale(scores, sample_size, benchmark)
}

fn check_scale(scores: &[Score], sample_size: Option<u64>, benchmark: &Benchmark) -> Vec<Finding> {
    let text = written(scores, sample_size);
    let mut tape = Tape::with_room_for(text.len());
    json::parse(&text, &mut tape);
    let Some(entry) = tape.root(&text) else {
        return Vec::new();
    };
    let file: Arc<str> = "".into();
    let mut findings = Findings::default();
    let mut sink = Sink::new(&file, &text, Context::DEFAULT_LIMIT, &mut findings);
    forensics::scale(entry, benchmark, &mut sink);
    let found = findings.diagnostics().iter().map(|diagnostic| Finding {
        code: diagnostic.code,
        message: diagnostic.message.clone(),
    });
    found.collect()
}

/// Returns whether a rule on scales could find something in a value. It may say so in vain.
fn may_be_found(score: &Score, benchmark: &Benchmark) -> bool {
    let metric = match &score.metric {
        Some(id) => benchmark.metric(id.as_str()),
        None => benchmark.primary(),
    };
    let own = score.value_type.is_some();
    let Some(metric) = metric else {
        return own;
    };
    let value = score.value.get();
    let bounds = [metric.min, metric.max];
    let outside = bounds[0].is_some_and(|min| value < min.get())
        || bounds[1].is_some_and(|max| value > max.get());
    let by_unit = match forensics::declared_unit(metric) {
        Some(Unit::Proportion) => {
            let is_wide = metric.max.is_some_and(|max| max.get() > 1.0);
            is_wide || !(0.0..=1.0).contains(&value)
        }
        Some(Unit::Percent | Unit::PercentagePoints) => value <= 1.0 || value > 100.0,
        // Bounds of 0 and 100 are a scale, too.
        None => bounds.iter().any(Option::is_some) && value <= 1.0,
    };
    own || outside || by_unit
}

/// The values as a result file has them.
fn written(scores: &[Score], sample_size: Option<u64>) -> String {
    let mut text = String::from("{");
    // A text can always be written to.
    if let Some(size) = sample_size {
        let _ = write!(text, "\"sample_size\":{size},");
    }
    if let [
        Score {
            metric: None,
            literal,
            ..
        },
    ] = scores
    {
        let _ = write!(text, "\"value\":{literal}}}");
        return text;
    }
    text.push_str("\"metrics\":[");
    let named = scores
        .iter()
        .filter_map(|score| Some((score.metric.as_ref()?, score)));
    for (place, (metric, score)) in named.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let metric = quoted(metric.as_str());
        let _ = write!(
            text,
            "{comma}{{\"metric_id\":{metric},\"value\":{}",
            score.literal
        );
        if let Some(slice) = &score.slice {
            let _ = write!(text, ",\"slice\":{}", quoted(slice));
        }
        if let Some(value_type) = score.value_type {
            let _ = write!(text, ",\"value_type\":{}", quoted(value_type.as_str()));
        }
        if let Some(size) = score.sample_size {
            let _ = write!(text, ",\"sample_size\":{size}");
        }
        text.push('}');
    }
    text.push_str("]}");
    text
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use assay_model::{Direction, Metric, Number, StatedUncertainty, ValueType};

    use super::*;

    fn benchmark(
        unit: Option<&str>,
        bounds: [Option<f64>; 2],
        direction: Direction,
        value_type: Option<ValueType>,
    ) -> Benchmark {
        let [min, max] = bounds.map(|bound| bound.and_then(Number::new));
        let metric = Metric {
            id: "accuracy".parse().unwrap(),
            display_name: "Accuracy".to_owned(),
            direction,
            primary: true,
            unit: unit.map(str::to_owned),
            aggregation: None,
            slice: None,
            value_type,
            min,
            max,
        };
        Benchmark {
            name: "Sums".to_owned(),
            description: String::new(),
            metrics: vec![metric],
            tasks: Vec::new(),
            framework: None,
            comparable_by: Vec::new(),
        }
    }

    fn score(literal: &str, named: bool, value_type: Option<ValueType>) -> Score {
        Score {
            metric: named.then(|| "accuracy".parse().unwrap()),
            value: literal.parse().unwrap(),
            literal: literal.to_owned(),
            slice: None,
            value_type,
            sample_size: None,
            uncertainty: StatedUncertainty::default(),
            context: None,
        }
    }

    #[test]
    fn what_is_passed_over_unseen_has_nothing_to_be_found() {
        let units = [
            None,
            Some("percentage"),
            Some("proportion"),
            Some("percentage points"),
            Some("points"),
        ];
        let bounds = [
            [None, None],
            [Some(0.0), Some(1.0)],
            [Some(0.0), Some(100.0)],
            [Some(0.0), None],
            [None, Some(100.0)],
        ];
        let types = [None, Some(ValueType::Percentage), Some(ValueType::Float)];
        let literals = [
            "-3", "-0.5", "0", "0.0125", "0.5", "0.734", "1", "1.5", "12.25", "61.0", "100", "150",
        ];
        let mut found = 0;
        for (unit, bounds) in units.iter().flat_map(|unit| bounds.map(|own| (*unit, own))) {
            for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
                for (of_metric, own) in types.iter().flat_map(|one| types.map(|two| (*one, two))) {
                    let benchmark = benchmark(unit, bounds, direction, of_metric);
                    for (literal, named) in
                        literals.iter().flat_map(|one| [(one, true), (one, false)])
                    {
                        let scores = [score(literal, named, own)];
                        let size = Some(200);

                        let all = check_scale(&scores, size, &benchmark);

                        assert_eq!(
                            scale_findings(&scores, size, &benchmark),
                            all,
                            "{benchmark:?} {scores:?}"
                        );
                        found += all.len();
                    }
                }
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn a_value_that_a_metric_cannot_have_is_found_also_beside_others() {
        let percent = benchmark(
            Some("percentage"),
            [None; 2],
            Direction::HigherIsBetter,
            None,
        );
        let mut slice = score("150", true, None);
        slice.slice = Some("a \"hard\" one".to_owned());

        let found = scale_findings(&[score("61.0", true, None), slice], None, &percent);

        let codes: Vec<String> = found.iter().map(|own| own.code.to_string()).collect();
        assert_eq!(codes, ["AY328"]);
    }
}
