//! Tokens and times of a sample.

use assay_formats::Value;
use assay_formats::eee::row::{Performance, TokenUsage};

/// The tokens that the evaluated model used in all calls of a sample. What judges used is not the model's; a log that
/// has no usage by model has that of the last call at least.
pub(super) fn tokens(sample: Value<'_>, model: &str, judges: &[String]) -> Option<TokenUsage> {
    let by_model = sample
        .present("model_usage")
        .filter(|usage| !usage.is_empty());
    let Some(by_model) = by_model else {
        return sample.present("output")?.present("usage").and_then(usage);
    };
    if let Some(own) = by_model.present(model) {
        return usage(own);
    }
    by_model
        .entries()
        .filter(|(name, _)| !judges.iter().any(|judge| name.is_text(judge)))
        .filter_map(|(_, value)| usage(value))
        .reduce(sum)
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

/// How long a sample took in all, and how long it worked rather than waited.
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

    #[test]
    fn tokens_are_those_of_the_model_and_not_of_its_judge() {
        let text = r#"{"output": {"usage": {"input_tokens": 1, "output_tokens": 1}}, "model_usage": {
            "openai/m": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 18, "reasoning_tokens": 3},
            "other/n": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            "judge/j": {"input_tokens": 100, "output_tokens": 100, "total_tokens": 200}}}"#;
        let document = Document::new(text.to_owned()).unwrap();
        let root = document.root().unwrap();
        let total = |model: &str| {
            tokens(root, model, &["judge/j".to_owned()]).map(|usage| usage.total_tokens)
        };

        assert_eq!(total("openai/m"), Some(18));
        assert_eq!(total("openai/renamed"), Some(21));
    }
}
