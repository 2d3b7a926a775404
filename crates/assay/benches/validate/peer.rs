//! The peers: the fastest JSON crates, doing nothing but a full parse, and the reference validator.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::measure::children_seconds;

/// A full parse of every row into sonic-rs values.
pub(crate) fn sonic_value(text: &str) {
    for line in text.lines() {
        black_box(sonic_rs::from_str::<sonic_rs::Value>(line).unwrap());
    }
}

/// A full parse of every row into types.
pub(crate) fn sonic_typed(text: &str) {
    for line in text.lines() {
        black_box(sonic_rs::from_str::<Row<'_>>(line).unwrap());
    }
}

/// A full parse of every row into types.
pub(crate) fn serde_typed(text: &str) {
    for line in text.lines() {
        black_box(serde_json::from_str::<Row<'_>>(line).unwrap());
    }
}

/// The CPU seconds that the reference validator takes for all records below a directory.
pub(crate) fn reference(python: &str, root: &Path) -> f64 {
    let before = children_seconds();
    #[expect(
        clippy::disallowed_methods,
        reason = "the benchmark measures the real peer"
    )]
    let status = Command::new(python)
        .args([
            "-m",
            "every_eval_ever",
            "validate",
            "--format",
            "json",
            "data/*/*/*/*.json",
        ])
        .current_dir(root)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the reference must accept the records");
    children_seconds() - before
}

macro_rules! shape {
    ($name:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "a full parse fills every field, whether it is read or not")]
        struct $name<'a> {
            $(#[serde(borrow)] $field: $type,)+
        }
    };
}

type Text<'a> = Cow<'a, str>;
type Details<'a> = BTreeMap<Text<'a>, Text<'a>>;

shape!(Row {
    schema_version: Text<'a>,
    evaluation_id: Text<'a>,
    model_id: Text<'a>,
    evaluation_name: Text<'a>,
    evaluation_result_id: Option<Text<'a>>,
    sample_id: Text<'a>,
    sample_hash: Option<Text<'a>>,
    interaction_type: Text<'a>,
    input: Input<'a>,
    output: Option<Output<'a>>,
    messages: Option<Vec<Message<'a>>>,
    answer_attribution: Vec<Attribution<'a>>,
    evaluation: Evaluation<'a>,
    token_usage: Option<Usage<'a>>,
    performance: Option<Performance<'a>>,
    error: Option<Text<'a>>,
    metadata: Option<Details<'a>>,
});
shape!(Input {
    raw: Text<'a>,
    formatted: Option<Text<'a>>,
    reference: Vec<Text<'a>>,
    choices: Option<Vec<Text<'a>>>,
});
shape!(Output { raw: Vec<Text<'a>>, reasoning_trace: Option<Vec<Text<'a>>> });
shape!(Message {
    role: Text<'a>,
    content: Option<Text<'a>>,
    reasoning_trace: Option<Text<'a>>,
    tool_calls: Option<Vec<Call<'a>>>,
    tool_call_id: Option<Vec<Text<'a>>>,
});
shape!(Call { id: Text<'a>, name: Text<'a>, arguments: Option<Details<'a>> });
shape!(Attribution { source: Text<'a>, extracted_value: Text<'a>, extraction_method: Text<'a> });

#[derive(Deserialize)]
#[expect(
    dead_code,
    reason = "a full parse fills every field, whether it is read or not"
)]
struct Evaluation<'a> {
    score: f64,
    is_correct: bool,
    num_turns: Option<u64>,
    tool_calls_count: Option<u64>,
    #[serde(skip)]
    marker: std::marker::PhantomData<&'a ()>,
}

#[derive(Deserialize)]
#[expect(
    dead_code,
    reason = "a full parse fills every field, whether it is read or not"
)]
struct Usage<'a> {
    input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
    input_tokens_cache_write: Option<u64>,
    input_tokens_cache_read: Option<u64>,
    reasoning_tokens: Option<u64>,
    #[serde(skip)]
    marker: std::marker::PhantomData<&'a ()>,
}

#[derive(Deserialize)]
#[expect(
    dead_code,
    reason = "a full parse fills every field, whether it is read or not"
)]
struct Performance<'a> {
    latency_ms: Option<f64>,
    time_to_first_token_ms: Option<f64>,
    generation_time_ms: Option<f64>,
    #[serde(borrow)]
    additional_details: Option<Details<'a>>,
}
