use askama::Template;
use assay_app::Error;
use assay_board::Method;
use assay_formats::lake_api::CallerClass;
use axum::extract::State;
use serde::Deserialize;

use super::filter::SampleFilter;
use super::transcript::place_of;
use crate::error::{Cause, Failure};
use crate::extract::RateLimitKey;
use crate::lake::{self, Pair};
use crate::rendered::Answer;
use crate::state::AppState;
use crate::web::frame::{Frame, Section};
use crate::web::query::State as Query;
use crate::web::{Visitor, show};

/// Number of samples on which the two that differ are shown.
const FLIPS: usize = 20;
/// Number of characters of a question or an that answer are shown.
const SHOWN: usize = 600;
/// The longest name of a model or a task, in characters.
const MAX_NAME: usize = 300;

/// The lake's comparison of two models.
#[derive(Debug, Deserialize)]
struct Comparison {
    metric_a: Option<String>,
    metric_b: Option<String>,
    other_metrics: Vec<String>,
    samples_a: usize,
    samples_b: usize,
    shared: usize,
    both_right: usize,
    only_a_right: usize,
    only_b_right: usize,
    both_wrong: usize,
    mean_a: f64,
    mean_b: f64,
    verdict: Verdict,
    difference: Option<Difference>,
    flips: Vec<Flip>,
}

/// The verdict: the model that scores higher, as the lake decided by the interval of the
/// difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    AHigher,
    BHigher,
    NotSeparated,
}

#[derive(Debug, Deserialize)]
struct Difference {
    value: f64,
    low: f64,
    high: f64,
    method: String,
}

#[derive(Debug, Deserialize)]
struct Flip {
    sample_hash: String,
    input: Option<String>,
    references: Vec<String>,
    a: Side,
    b: Side,
}

#[derive(Debug, Deserialize)]
struct Side {
    right: bool,
    score: f64,
    output: Option<String>,
}

#[derive(Template)]
#[template(path = "samples/head_to_head.html")]
struct HeadToHeadPage {
    frame: Frame,
    a: String,
    b: String,
    task: String,
    benchmark: String,
    swapped: String,
    /// The reason why there is no comparison, when two models are named.
    refused: Option<String>,
    found: Option<ShownComparison>,
}

/// A comparison as it is shown.
#[derive(Debug)]
struct ShownComparison {
    says: String,
    comparison: Comparison,
    flips: Vec<ShownFlip>,
    more: usize,
}

/// A sample on which the two differ, as it is shown.
#[derive(Debug)]
struct ShownFlip {
    to: Option<String>,
    question: String,
    references: String,
    sides: [ShownSide; 2],
}

#[derive(Debug)]
struct ShownSide {
    model: String,
    right: bool,
    score: String,
    answer: String,
}

/// Compares two models on the samples that both have answered.
pub(super) async fn head_to_head(
    State(state): State<AppState>,
    whence: RateLimitKey,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let lake = lake::wanted(state.web.lake.as_ref())?;
    let named = |key: &str| -> String {
        let name = visitor.state.get(key).unwrap_or_default().trim();
        name.chars().take(MAX_NAME).collect()
    };
    let (a, b) = (named("a"), named("b"));
    let (task, benchmark) = (named("task"), named("benchmark"));
    let given = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
    let mut page = HeadToHeadPage {
        frame: visitor
            .frame("Head to head")
            .within(Section::Compare)
            .about("Two models on the samples that both have answered."),
        swapped: visitor
            .state
            .with("a", b.as_str())
            .with("b", a.as_str())
            .on("/head-to-head"),
        a: a.clone(),
        b: b.clone(),
        task: task.clone(),
        benchmark: benchmark.clone(),
        refused: None,
        found: None,
    };
    if a.is_empty() || b.is_empty() {
        return visitor.render(&page);
    }
    let turn = lake.turn(whence, CallerClass::Page)?;
    let pair = Pair {
        a: a.clone(),
        b: b.clone(),
        task: given(&task),
        benchmark: given(&benchmark),
        flips: FLIPS,
    };
    match lake.compare::<Comparison>(&turn, &state.hub, pair).await {
        Ok(comparison) => page.found = Some(found(comparison, [&a, &b], &visitor.state)),
        Err(Failure(error)) => {
            let Cause::Hub(Error::Invalid(text)) = &*error else {
                return Err(Failure(error));
            };
            // What cannot be compared is no fault of the page: other names can be tried on it.
            page.refused = Some(for_people(text));
        }
    }
    visitor.render(&page)
}

/// The comparison of two models on a task.
pub(super) fn between(a: &str, b: &str, asked: &SampleFilter) -> String {
    let state = Query::default().with("a", a).with("b", b);
    asked
        .place()
        .into_iter()
        .filter(|(key, _)| *key != "metric")
        .fold(state, |state, (key, value)| state.with(key, value))
        .on("/head-to-head")
}

fn found(mut comparison: Comparison, models: [&String; 2], state: &Query) -> ShownComparison {
    let flips = std::mem::take(&mut comparison.flips);
    if let Some(difference) = &mut comparison.difference {
        difference.method = words(&difference.method);
    }
    let shown: Vec<ShownFlip> = flips
        .into_iter()
        .map(|flip| ShownFlip {
            to: place_of(state, &flip.sample_hash, models[1]),
            question: cut(flip.input.as_deref()),
            references: show::shortened(&flip.references.join(", "), SHOWN),
            sides: [(flip.a, models[0]), (flip.b, models[1])].map(|(side, model)| ShownSide {
                model: model.clone(),
                right: side.right,
                score: show::number(side.score),
                answer: cut(side.output.as_deref()),
            }),
        })
        .collect();
    let differing = comparison.only_a_right + comparison.only_b_right;
    ShownComparison {
        says: says(&comparison, models),
        more: differing.saturating_sub(shown.len()),
        flips: shown,
        comparison,
    }
}

/// The outcome in a sentence.
fn says(comparison: &Comparison, [a, b]: [&String; 2]) -> String {
    let shared = comparison.shared;
    let Some(Difference {
        value, low, high, ..
    }) = &comparison.difference
    else {
        return format!("{a} and {b} share {shared} samples, too few to say which is better.");
    };
    let (better, worse) = if *value >= 0.0 { (a, b) } else { (b, a) };
    let width = high - low;
    let ends = if *value >= 0.0 {
        [*low, *high]
    } else {
        [-high, -low]
    };
    let size = show::end(value.abs(), width);
    let [low, high] = ends.map(|end| show::end(end, width));
    let sure = match comparison.verdict {
        Verdict::AHigher | Verdict::BHigher => "that is more than chance explains",
        Verdict::NotSeparated => "chance alone explains as much",
    };
    format!(
        "On {shared} samples that both have answered, {better} scores {size} higher than {worse} \
         (95\u{a0}% interval {low} to {high}); {sure}."
    )
}

/// Returns the name of a method, for people.
fn words(name: &str) -> String {
    let known = [Method::BonettPrice, Method::PairedBootstrap];
    let found = known.into_iter().find(|method| method.as_str() == name);
    found.map_or_else(|| name.to_owned(), |method| method.words().to_owned())
}

/// Returns the lake's message to users of the command line, without the command.
fn for_people(text: &str) -> String {
    let text = text.split("; `assay query").next().unwrap_or(text);
    text.to_owned()
}

fn cut(text: Option<&str>) -> String {
    let text = text.unwrap_or_default();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}
