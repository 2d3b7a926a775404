//! Tokens and times of a sample.

use std::collections::BTreeSet;

use assay_formats::Value;
use assay_formats::eee::row::{Performance, TokenUsage};

use super::excerpt::CALLS;

/// The parts of a run in which scorers work, by span and, in older logs, by step.
const SCORING: [&str; 2] = ["scorer", "scorers"];
/// The role under which a model that judges itself may be counted apart.
const GRADER: &str = "grader";

/// The tokens of a sample in all its calls: those of the evaluated model, and apart from them those
/// of its judges.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) model: Option<TokenUsage>,
    pub(super) judges: Option<TokenUsage>,
}

impl Usage {
    /// Reads the usage of a sample. A log that has no usage by model has that of the last call at
    /// least. Where the model judges itself, its calls tell the two apart; without them, its role;
    /// and without both, nothing does.
    pub(super) fn of(sample: Value<'_>, model: &str, judges: &[String]) -> Self {
        let by_model = sample
            .present("model_usage")
            .filter(|usage| !usage.is_empty());
        let Some(by_model) = by_model else {
            let output = sample.present("output");
            return Self {
                model: output.and_then(|output| usage(output.present("usage")?)),
                judges: None,
            };
        };
        let is_judge = |name: Value<'_>| judges.iter().any(|judge| name.is_text(judge));
        let others = |wanted: bool| {
            by_model
                .entries()
                .filter(|(name, _)| !name.is_text(model) && is_judge(*name) == wanted)
                .filter_map(|(_, value)| usage(value))
                .reduce(sum)
        };
        let judged = others(true);
        let Some(own) = by_model.present(model).and_then(usage) else {
            return Self {
                model: others(false),
                judges: judged,
            };
        };
        if !judges.iter().any(|judge| judge == model) {
            return Self {
                model: Some(own),
                judges: judged,
            };
        }
        let (answers, judgements) = match sample.get(CALLS) {
            Some(calls) => split(calls, model),
            // The role is that of the model when there is no other judge.
            None if judges.len() == 1 => by_role(sample, &own),
            None => (None, None),
        };
        Self {
            model: answers,
            judges: judgements.into_iter().chain(judged).reduce(sum),
        }
    }
}

/// The tokens of a model outside and inside of scorers.
fn split(calls: Value<'_>, model: &str) -> (Option<TokenUsage>, Option<TokenUsage>) {
    let mut scoring_spans: BTreeSet<String> = BTreeSet::new();
    let mut scoring_steps = 0_usize;
    let (mut answers, mut judgements) = (None, None);
    for event in calls.items() {
        let is_scorer = || {
            let kind = event.text_of("type");
            kind.is_some_and(|kind| SCORING.contains(&kind.as_ref()))
        };
        let is_inside = |key: &str| {
            let span = event.text_of(key);
            span.is_some_and(|span| scoring_spans.contains(span.as_ref()))
        };
        match event.text_of("event").as_deref() {
            Some("span_begin") if is_scorer() || is_inside("parent_id") => {
                let id = event.text_of("id");
                scoring_spans.extend(id.map(std::borrow::Cow::into_owned));
            }
            Some("step") => match event.text_of("action").as_deref() {
                Some("begin") if scoring_steps > 0 || is_scorer() => scoring_steps += 1,
                Some("end") => scoring_steps = scoring_steps.saturating_sub(1),
                _ => {}
            },
            Some("model") if event.get("model").is_some_and(|own| own.is_text(model)) => {
                let is_cached = event
                    .get("cache")
                    .is_some_and(|cache| cache.is_text("read"));
                let Some(cost) = event
                    .present("usage")
                    .and_then(usage)
                    .filter(|_| !is_cached)
                else {
                    continue;
                };
                let total = if scoring_steps > 0 || is_inside("span_id") {
                    &mut judgements
                } else {
                    &mut answers
                };
                *total = total.take().into_iter().chain([cost]).reduce(sum);
            }
            _ => {}
        }
    }
    (answers, judgements)
}

/// The tokens of a model without those that it used as a grader, where the log counts these.
fn by_role(sample: Value<'_>, own: &TokenUsage) -> (Option<TokenUsage>, Option<TokenUsage>) {
    let roles = sample.present("role_usage");
    let graded = roles.and_then(|roles| usage(roles.present(GRADER)?));
    let answers = graded.as_ref().and_then(|graded| difference(own, graded));
    (answers, graded)
}

fn usage(value: Value<'_>) -> Option<TokenUsage> {
    let count = |key: &str| {
        let number = value.get(key)?.integer()?;
        u64::try_from(number).ok()
    };
    let (input, output) = (count("input_tokens")?, count("output_tokens")?);
    Some(TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: count("total_tokens").unwrap_or(input.saturating_add(output)),
        input_tokens_cache_write: count("input_tokens_cache_write"),
        input_tokens_cache_read: count("input_tokens_cache_read"),
        reasoning_tokens: count("reasoning_tokens"),
    })
}

fn sum(one: TokenUsage, other: TokenUsage) -> TokenUsage {
    let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    TokenUsage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        total_tokens: one.total_tokens.saturating_add(other.total_tokens),
        input_tokens_cache_write: both(
            one.input_tokens_cache_write,
            other.input_tokens_cache_write,
        ),
        input_tokens_cache_read: both(one.input_tokens_cache_read, other.input_tokens_cache_read),
        reasoning_tokens: both(one.reasoning_tokens, other.reasoning_tokens),
    }
}

/// Subtracts one usage from another; `None` when it is larger, and so no part of it.
fn difference(whole: &TokenUsage, part: &TokenUsage) -> Option<TokenUsage> {
    let both = |whole: Option<u64>, part: Option<u64>| match part {
        Some(part) => whole.and_then(|whole| whole.checked_sub(part)),
        None => whole,
    };
    Some(TokenUsage {
        input_tokens: whole.input_tokens.checked_sub(part.input_tokens)?,
        output_tokens: whole.output_tokens.checked_sub(part.output_tokens)?,
        total_tokens: whole.total_tokens.checked_sub(part.total_tokens)?,
        input_tokens_cache_write: both(
            whole.input_tokens_cache_write,
            part.input_tokens_cache_write,
        ),
        input_tokens_cache_read: both(whole.input_tokens_cache_read, part.input_tokens_cache_read),
        reasoning_tokens: both(whole.reasoning_tokens, part.reasoning_tokens),
    })
}

/// A usage as JSON.
pub(super) fn detail(usage: &TokenUsage) -> String {
    format!(
        r#"{{"input_tokens":{},"output_tokens":{},"total_tokens":{}}}"#,
        usage.input_tokens, usage.output_tokens, usage.total_tokens
    )
}

/// Returns the total time of a sample, and the time that it worked rather than waited.
pub(super) fn performance(sample: Value<'_>) -> Option<Performance> {
    let milliseconds = |key: &str| {
        let seconds = sample.number_of(key).filter(|seconds| *seconds >= 0.0)?;
        Some((seconds * 1e6).round() / 1e3).filter(|value: &f64| value.is_finite())
    };
    let (total, working) = (milliseconds("total_time"), milliseconds("working_time"));
    (total.is_some() || working.is_some()).then(|| Performance {
        latency_ms: total,
        generation_time_ms: working,
        ..Performance::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    /// The tokens of the model and of its judges.
    fn totals(sample: &str, model: &str, judge: &str) -> (Option<u64>, Option<u64>) {
        let document = Document::new(sample.to_owned()).unwrap();
        let usage = Usage::of(document.root().unwrap(), model, &[judge.to_owned()]);
        let total = |usage: Option<TokenUsage>| usage.map(|usage| usage.total_tokens);
        (total(usage.model), total(usage.judges))
    }

    #[test]
    fn tokens_are_those_of_the_model_and_not_of_its_judge() {
        let sample = r#"{"output": {"usage": {"input_tokens": 1, "output_tokens": 1}}, "model_usage": {
            "openai/m": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 18, "reasoning_tokens": 3},
            "other/n": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            "judge/j": {"input_tokens": 100, "output_tokens": 100, "total_tokens": 200}}}"#;

        assert_eq!(totals(sample, "openai/m", "judge/j"), (Some(18), Some(200)));
        assert_eq!(
            totals(sample, "renamed/m", "judge/j"),
            (Some(21), Some(200))
        );
    }

    #[test]
    fn what_a_model_used_to_judge_itself_is_told_apart_or_unknown() {
        let call = |place: &str, total: u64| {
            format!(
                r#"{{"event": "model", "model": "a/m", {place}, "usage": {{"input_tokens": {total}, "output_tokens": 0}}}}"#
            )
        };
        let sample = |more: &str| {
            format!(
                r#"{{"model_usage": {{"a/m": {{"input_tokens": 120, "output_tokens": 0, "total_tokens": 120}}}}{more}}}"#
            )
        };
        let spans = sample(&format!(
            r#", "calls": [{}, {{"event": "span_begin", "type": "scorer", "id": "s"}},
                {{"event": "span_begin", "type": "agent", "id": "t", "parent_id": "s"}}, {}, {}, {}]"#,
            call(r#""span_id": "g""#, 20),
            call(r#""span_id": "s""#, 60),
            call(r#""span_id": "t""#, 40),
            call(r#""span_id": "s", "cache": "read""#, 1000),
        ));
        let steps = sample(&format!(
            r#", "calls": [{}, {{"event": "step", "action": "begin", "type": "scorer"}}, {},
                {{"event": "step", "action": "end", "type": "scorer"}}]"#,
            call(r#""span_id": null"#, 20),
            call(r#""span_id": null"#, 100),
        ));
        let roles = sample(
            r#", "role_usage": {"grader": {"input_tokens": 100, "output_tokens": 0, "total_tokens": 100}}"#,
        );

        for known in [spans, steps, roles] {
            assert_eq!(
                totals(&known, "a/m", "a/m"),
                (Some(20), Some(100)),
                "{known}"
            );
        }
        assert_eq!(totals(&sample(""), "a/m", "a/m"), (None, None));
    }
}
