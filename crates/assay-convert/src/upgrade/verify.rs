//! The last look at a record or row before it is handed out.

use assay_formats::shape::{self, Shape, ShapeFault, ShapeFaultKind, one_of};
use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind};
use assay_formats::{Kind, Value};
use assay_model::quote;

use super::refusal::{MAX_REASONS, Reason, ReasonKind};

/// The keys of a metric's bounds.
const BOUNDS: [&str; 2] = ["min_score", "max_score"];

/// Everything that keeps a document from having a shape.
pub(crate) fn shape_reasons(shape: &'static Shape, root: Value<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    shape::evaluate(shape, root, &mut |fault| {
        if reasons.len() < MAX_REASONS {
            reasons.extend(shape_reason(&fault));
        }
    });
    reasons
}

/// The reason in a fault of the text. A number that is not finite is none: it can be restated, or
/// its shape refuses it.
pub(crate) fn syntax_reason(source: &str, fault: &SyntaxFault) -> Option<Reason> {
    let what = match &fault.kind {
        SyntaxFaultKind::NonFinite => return None,
        SyntaxFaultKind::Expected(what) => format!("{what} is expected"),
        SyntaxFaultKind::UnexpectedEnd => "it ends too early".to_owned(),
        SyntaxFaultKind::TrailingText => "there is more after the document".to_owned(),
        SyntaxFaultKind::TrailingComma => "a comma has nothing after it".to_owned(),
        SyntaxFaultKind::DuplicateKey { .. } => {
            let key = source.get(fault.range.clone()).unwrap_or_default();
            format!("the key {} stands twice", quote(key.trim_matches('"')))
        }
        SyntaxFaultKind::LoneSurrogate => "an escape is half a character".to_owned(),
        SyntaxFaultKind::ControlCharacter => "a string has a raw control character".to_owned(),
        SyntaxFaultKind::BadEscape => {
            "a backslash stands before something else than an escape".to_owned()
        }
        SyntaxFaultKind::TooDeep => "it nests too deep".to_owned(),
        SyntaxFaultKind::TooManyValues => "it has too many values".to_owned(),
        SyntaxFaultKind::Yaml(_) | SyntaxFaultKind::YamlConstruct(_) => "it is YAML".to_owned(),
    };
    let start = fault.range.start.min(source.len());
    let line = 1 + memchr::memchr_iter(b'\n', &source.as_bytes()[..start]).count();
    let message = format!("the text is not strict JSON: {what}, on line {line}");
    Some(Reason::whole(ReasonKind::NotJson, message))
}

/// The reasons in the scores of a record: bounds that are missing or reversed, and scores outside
/// them.
pub(crate) fn score_reasons(root: Value<'_>) -> Vec<Reason> {
    let results = root
        .get("evaluation_results")
        .into_iter()
        .flat_map(Value::items);
    results.flat_map(result_reasons).take(MAX_REASONS).collect()
}

fn result_reasons(result: Value<'_>) -> Vec<Reason> {
    let Some(metric) = result.get("metric_config") else {
        return Vec::new();
    };
    let mut reasons: Vec<Reason> = BOUNDS
        .into_iter()
        .filter_map(|key| unknown_bound(metric, key))
        .collect();
    let [min, max] = BOUNDS.map(|key| metric.number_of(key));
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        let message = format!("the lower bound {low} lies above the upper bound {high}");
        reasons.push(Reason::at(
            ReasonKind::BoundsReversed,
            metric.path(),
            message,
        ));
    }
    reasons.extend(score_outside(result, metric, min, max));
    reasons
}

/// A continuous metric must say its bounds, and null does not.
fn unknown_bound(metric: Value<'_>, key: &str) -> Option<Reason> {
    let continuous = metric
        .get("score_type")
        .is_some_and(|kind| kind.is_text("continuous"));
    let bound = metric.get(key).filter(|bound| bound.kind() == Kind::Null)?;
    continuous.then(|| bounds_missing(bound.path(), key))
}

fn bounds_missing(path: String, key: &str) -> Reason {
    let message = format!(
        "a continuous metric must say its `{key}`, and that cannot be guessed; `\"Infinity\"` and `\"-Infinity\"` say that there is none"
    );
    Reason::at(ReasonKind::BoundsMissing, path, message)
}

fn score_outside(
    result: Value<'_>,
    metric: Value<'_>,
    min: Option<f64>,
    max: Option<f64>,
) -> Option<Reason> {
    let score = result.get("score_details")?.get("score")?;
    let number = score.number()?;
    let unknown_level = metric.get("has_unknown_level").and_then(Value::truth) == Some(true);
    let says_unknown = unknown_level && number.total_cmp(&-1.0).is_eq();
    let inside = min.is_none_or(|low| low <= number) && max.is_none_or(|high| number <= high);
    if inside || says_unknown {
        return None;
    }
    let bound = |key: &str| metric.get(key).map_or("none", Value::raw);
    let message = format!(
        "the score {} lies outside its bounds {} to {}",
        score.raw(),
        bound("min_score"),
        bound("max_score")
    );
    Some(Reason::at(
        ReasonKind::ScoreOutOfBounds,
        score.path(),
        message,
    ))
}

fn shape_reason(fault: &ShapeFault<'_>) -> Option<Reason> {
    let path = fault.at.path();
    let message = match fault.kind {
        ShapeFaultKind::MissingKey { key, object } => {
            format!("the {} lacks `{key}`", object.name)
        }
        ShapeFaultKind::MissingWhen { key, .. } if BOUNDS.contains(&key) => {
            return Some(bounds_missing(path, key));
        }
        ShapeFaultKind::MissingWhen { key, condition } => {
            format!("`{key}` must be there because of `{}`", condition.key)
        }
        ShapeFaultKind::UnfitWhen {
            expected,
            condition,
        } => format!(
            "{} is expected because of `{}`",
            expected.words(),
            condition.key
        ),
        ShapeFaultKind::WrongKind { expected } | ShapeFaultKind::Null { expected, .. } => format!(
            "{} is expected, and this is {}",
            expected.words(),
            fault.at.kind().words()
        ),
        ShapeFaultKind::NotOneOf { options } => format!(
            "{} is expected, and this is {}",
            one_of(options),
            quote(fault.at.raw())
        ),
        ShapeFaultKind::Pattern(pattern) => format!("{} is expected", pattern.words),
        ShapeFaultKind::UnknownKey { object } => format!("the {} has no such key", object.name),
        ShapeFaultKind::TooSmall { min } => format!("{min} is the least it may be"),
        ShapeFaultKind::TooLarge { max } => format!("{max} is the most it may be"),
        ShapeFaultKind::TooFew { min } => format!("at least {min} must be there"),
        ShapeFaultKind::UnknownVariant { tag, variants } => {
            let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
            format!("its `{tag}` must be {}", one_of(&names))
        }
        // An open map takes any key; whether it is a slip of the pen is for the judge to warn
        // about.
        ShapeFaultKind::StrangeKey { .. } => return None,
    };
    Some(Reason::at(ReasonKind::Shape, path, message))
}
